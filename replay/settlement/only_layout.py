"""The one table that settles a round, if there is only one: all its readings agree, and it is not void."""

from replay.fold.round import Round
from replay.settlement.hand_readings import dealer_readings, readings
from replay.settlement.omitted_evidence import envy_for_left_out
from replay.settlement.settlement import readings_in_any_order
from replay.settlement.stakes import stakes
from replay.settlement.table_layout import layout_of
from replay.settlement.voids import is_void
from rulebook.chapters.rulebook import Rulebook
from rulebook.layout import TableLayout


def only_layout(round_: Round, book: Rulebook) -> TableLayout | None:
    """Return the table that settles every wager of a round; None if it is void, or has several readings.

    The dues by the book are then `rulebook.catalogue.GAMES[book.game].settle(book, layout)`.
    """
    reading, *others = readings_in_any_order(round_, book)
    if others or is_void(reading, book) or any(envy_for_left_out(reading, book)):
        return None
    staked = [stake for stake in stakes(reading, book).values() if stake.in_time_cents > 0]
    held = {seat: readings(reading, book, seat) for seat in {stake.seat for stake in staked}}
    dealers = dealer_readings(reading, book)
    if len(dealers) > 1 or any(len(hands) > 1 for hands in held.values()):
        return None
    return layout_of(reading, book, staked, dealers[0], {seat: hands[0] for seat, hands in held.items()})
