"""The part of a payment that a meter pays: the share recorded by its controller, or the line's.

The house pays the rest.

The idea: the form of a payment does not show who funds it. Fixed odds and fixed amounts are the house's, by slip too (D352,
D690), and a share is the meter's, in chips too.
"""

from events.vocabulary import model
from replay.findings import METER_WAGERS
from replay.fold.recorded_event import distinct_by
from replay.fold.round import Round
from replay.fold.wager_keys import Key
from replay.settlement.payouts import WagerFlow
from replay.settlement.table_layout import progressive_wins
from rulebook.chapters.paytables import Paytable
from rulebook.chapters.rulebook import Rulebook
from rulebook.settlement.progressive import WHOLE_METER_BP, share_cents
from rulebook.settlement.wagers import Due, offered


def from_meter_cents(round_: Round, book: Rulebook, key: Key, due: Due | None, flow: WagerFlow) -> int | None:
    """Return the part of a wager's winnings that a meter paid; `None` if nothing was paid by slip or by a meter."""
    seat, wager, *_ = key
    if wager not in METER_WAGERS:
        return 0 if flow.by_slip_cents else None
    recorded = _recorded_cents(round_, book, seat, wager)
    share = recorded if recorded is not None else _share_of_line(book, wager, due, flow)
    paid = min(share, flow.winnings_cents)
    return paid if paid or flow.by_slip_cents else None


def fixed_winnings(paytable: Paytable, stake_cents: int) -> set[int]:
    """Return the fixed payout of a paytable's lines, without any share of a meter (D352)."""
    return {
        line.amount_cents if line.odds is None else line.odds.winnings(stake_cents)
        for line in paytable.lines
        if not line.meter_bp
    }


def _recorded_cents(round_: Round, book: Rulebook, seat: int, wager: str) -> int | None:
    """Return the amount that the controller recorded as paid by the meter at a seat; `None` without a record."""
    if wager == "progressive":
        won = [fact.payload for fact in progressive_wins(round_, book) if fact.payload.seat == seat]
        return share_cents(won[0].reading_centicents, won[0].share_bp) if won else None
    hits = distinct_by(round_.of(model.MysteryHit), "seat", "reading_centicents", "after_centicents")
    at_seat = [fact.payload.reading_centicents for fact in hits if fact.payload.seat == seat]
    return sum(share_cents(reading, WHOLE_METER_BP) for reading in at_seat) if at_seat else None


def _share_of_line(book: Rulebook, wager: str, due: Due | None, flow: WagerFlow) -> int:
    """Return the meter's part by the line due, for a payment without a controller's record.

    If the line is unknown, the house pays a slip above the amount of a fixed line; the meter pays any other (D352, D690).
    """
    if due is None:
        return 0
    if wager == "mystery":
        return flow.winnings_cents if due.net_cents is None else due.winnings_cents
    beyond_fixed = max(0, flow.winnings_cents - due.cash_cents)
    if due.net_cents is not None:
        return min(due.slip_cents, beyond_fixed)
    if due.share_bp:
        return beyond_fixed
    paytable = offered(book, wager)
    is_fixed = paytable is not None and flow.by_slip_cents in fixed_winnings(paytable, due.staked_cents)
    return 0 if is_fixed else flow.by_slip_cents
