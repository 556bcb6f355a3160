"""The meaning of dispositions of findings and of outcomes of disputes and investigations. Pure."""

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from events.vocabulary import model
from replay.narrative.names import amount, capitalized, listed

DISPOSITIONS: Final = {
    "confirmed_paid_patron": "fault confirmed, the patron was paid",
    "confirmed_recovered": "fault confirmed, the amount was recovered from the patron",
    "confirmed_held_for_patron": "fault confirmed, the amount is held for the patron",
    "confirmed_no_action": "fault confirmed, nothing to be done",
    "confirmed_coached": "fault confirmed, the dealer was coached",
    "confirmed_referred": "fault confirmed, referred to compliance or the regulator",
    "false_alarm": "no fault: what was done was right",
    "record_wrong": "no fault at the table: the record was wrong",
    "duplicate": "duplicate",
    "cannot_tell": "inconclusive",
}
"""Every disposition, and what it says."""

MOVES_MONEY: Final = frozenset({"confirmed_paid_patron", "confirmed_recovered", "confirmed_held_for_patron"})
"""Dispositions that say an amount, and stand only when a second person has signed them."""
GIVES_TO_PATRON: Final = frozenset({"confirmed_paid_patron", "confirmed_held_for_patron"})
NOT_OWED: Final = frozenset({"false_alarm", "record_wrong", "duplicate", "cannot_tell"})
"""Dispositions by which the finding claims no money of its own."""

OUTCOMES: Final = {
    "for_patron": "decided for the patron",
    "for_house": "decided for the house",
    "settled": "settled by agreement",
    "withdrawn": "withdrawn by the patron",
    "referred": "referred to the regulator",
    "cannot_tell": "inconclusive",
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


class Disposed(Protocol):
    """The disposition of a finding: the first signature, and the second if there is one."""

    @property
    def disposition(self) -> str:
        """One of `DISPOSITIONS`."""

    @property
    def amount_cents(self) -> int | None:
        """The money that it moved."""

    @property
    def by(self) -> str:
        """Who decided it."""

    @property
    def second_by(self) -> str | None:
        """Who signed it too."""


def needs_second_signature(each: Disposed) -> bool:
    """Whether a disposition needs another person's signature."""
    return each.disposition in MOVES_MONEY and each.second_by is None


def leaves_owed(difference_cents: int | None, disposed: Disposed | None) -> bool:
    """Whether a finding's money is still owed to a patron: neither given nor held, nor found not to be owed (D710)."""
    if (difference_cents or 0) >= 0:
        return False
    return disposed is None or disposed.disposition not in GIVES_TO_PATRON | NOT_OWED


def disposal(made: Sequence[Disposed], currency: str, *, names: bool = True) -> str:
    """Return the dispositions of an incident's findings, with the money and (`names`) the signers; empty for none."""
    if not made:
        return ""
    total = sum(each.amount_cents or 0 for each in made)
    signed = dict.fromkeys(who for each in made for who in (each.by, each.second_by) if who)
    parts = [*dict.fromkeys(DISPOSITIONS[each.disposition] for each in made)]
    parts += [amount(total, currency)] if total else []
    parts += [f"signed by {listed(signed)}"] if names else []
    parts += ["needs a second signature"] if any(map(needs_second_signature, made)) else []
    return capitalized("; ".join(parts))


def recorded_by(header: model.RoundObserved, entered_us: int, confirmed_by: Sequence[str], time: Callable[[int], str]) -> str:
    """Return who recorded an observed round, the source, and the times of entry and play, in words."""
    camera = f" of {header.camera}" if header.camera else ""
    source = {"live": "as seen live", "video": f"from video{camera}", "paper": "from paper"}[header.basis]
    ahead = header.clock_offset_ms
    clock = "" if not ahead else f" (its clock {abs(ahead) / 1000:g} s {'ahead' if ahead > 0 else 'behind'})"
    played = header.played_gaming_day
    if header.played_from_us is not None:
        played += f", {time(header.played_from_us)}"
    confirmed = f"; confirmed by {', '.join(confirmed_by)}" if confirmed_by else ""
    order = "" if header.order_seen else "; the order was not seen"
    return (
        f"Recorded by {header.by}, {source}{clock}, entered on {time(entered_us)}; played on gaming day {played}"
        f"{order}{confirmed}"
    )
