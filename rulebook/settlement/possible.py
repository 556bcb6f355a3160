"""The range of a wager's due: the least and the most, whatever the cards, the dice and the decisions are."""

from rulebook.chapters.paytables import PayLine, Paytable
from rulebook.chapters.rulebook import Rulebook
from rulebook.settlement.progressive import share_cents
from rulebook.settlement.wagers import Due, offered


def possible_cents(book: Rulebook, due: Due, reading_centicents: int | None) -> tuple[int, int] | None:
    """Return the least and the most of a wager's net, in cents; None if unknown.

    The least is the loss of the stake. The most is by the best line of its paytable, or by the odds that all of its wins have.
    `reading_centicents`: the meter of the progressive wager, None if it is not on record. An Envy Bonus, or a wager of which the
    record has no stake, has no bounds, nor has what the rules do not offer.
    """
    if due.for_position is not None or due.wager not in book.offers or not due.staked_cents:
        return None
    stake, rule_, paytable = due.staked_cents, book.chapter.wagers.get(due.wager), offered(book, due.wager)
    if rule_ is not None and rule_.odds is not None and paytable is None:
        return -stake, rule_.odds.winnings(stake)
    if paytable is None or due.wager == "mystery":
        return None
    nets = [_net_cents(paytable, line, stake, reading_centicents) for line in paytable.lines]
    known = [net for net in nets if net is not None]
    return (-stake, max(known)) if known and len(known) == len(nets) else None


def _net_cents(paytable: Paytable, line: PayLine, stake: int, reading_centicents: int | None) -> int | None:
    """Return the patron's net of a line, in cents; of a share of a meter None if the meter is not on record."""
    if line.push:
        return 0
    if line.odds is not None:
        return line.odds.winnings(stake)
    if line.meter_bp and reading_centicents is None:
        return None
    share = share_cents(reading_centicents or 0, line.meter_bp)
    return line.amount_cents + share - (0 if paytable.stake_returned else stake)
