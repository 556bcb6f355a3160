"""What the dispositions of findings and the outcomes of disputes and investigations mean. Pure."""

from __future__ import annotations

from typing import Final

DISPOSITIONS: Final = {
    "confirmed_paid_patron": "fault confirmed, the patron was paid",
    "confirmed_recovered": "fault confirmed, the amount was recovered from the patron",
    "confirmed_held_for_patron": "fault confirmed, the amount is held for the patron",
    "confirmed_no_action": "fault confirmed, nothing to be done",
    "confirmed_coached": "fault confirmed, the dealer was coached",
    "confirmed_referred": "fault confirmed, referred to compliance or the regulator",
    "false_alarm": "no fault: what was done was right",
    "record_wrong": "no fault at the table: the record was wrong",
    "duplicate": "says the same as another finding",
    "cannot_tell": "the evidence does not tell",
}
"""Every disposition, and what it says."""

OUTCOMES: Final = {
    "for_patron": "decided for the patron",
    "for_house": "decided for the house",
    "settled": "settled between them",
    "withdrawn": "the patron withdrew it",
    "referred": "referred to the regulator",
    "cannot_tell": "the evidence does not tell",
}
"""Every outcome of a dispute, and what it says."""

INVESTIGATION_OUTCOMES: Final = {
    "explained_by_play": "explained by play: luck, or patrons' decisions",
    "explained_by_counts": "explained by the counts: a wrong, late or missing count",
    "fault_found": "a fault was found",
    "referred": "referred to the regulator",
    "not_explained": "not explained",
}
"""Every outcome of an investigation, and what it says."""
