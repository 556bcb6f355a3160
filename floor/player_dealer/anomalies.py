"""The register of what can be irregular in California; its own planters add to it when they are imported.

Hands, wagers and payments can go wrong as at Face Up Pai Gow Poker, and what devices report too: that is taken from there.
"""

from __future__ import annotations

from floor.face_up_pai_gow.simulation import FACE_UP_PAI_GOW
from floor.faults.anomaly import Anomalies

ANOMALIES = Anomalies()
ANOMALIES.share(
    FACE_UP_PAI_GOW.anomalies, "WAGER-LATE", "WAGER-LIMIT", "WAGER-FORM", "SET-CARDS", "DEAL-STUB", "PAY-OVER",
    "PAY-UNDER", "PAY-MISSED", "PAY-LOSER", "PAY-TAKEN", "PAY-NOT-TAKEN", "PAY-FOUL", "PAY-VIG", "LOG-SOURCE-GAP",
    "LOG-SOURCE-REPEAT", "LOG-CLOCK", "LOG-CORRECTION",
)  # fmt: skip
ANOMALIES.share(
    FACE_UP_PAI_GOW.anomalies, "no_roll_reshake", "recut", "foul_hand", "player_exposes_own_card", "device_outage",
    "duplicate_message", "late_message", "card_not_read", "event_corrected",
)  # fmt: skip
fault, legitimate = ANOMALIES.fault, ANOMALIES.legitimate
