"""Why a wager's due is unknown, in words: the first reason that applies.

Invariant: each reason is one function, and `OPEN_REASONS` is the order in which they are tried, after the game's own reasons.
`settlement.py` decides what is unknown; this file only explains it.
"""

from collections.abc import Sequence

from events.vocabulary import model
from replay.findings import name
from replay.fold.device_order import by_the_clocks
from replay.fold.lost_state import rules_unknown
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.settlement.exposures import why_open
from replay.settlement.game_terms import terms_of
from replay.settlement.hand_readings import (
    dealer_position,
    dealer_readings,
    foreign_cards,
    foreign_in_words,
    readings,
    repeated_cards,
    set_again,
    set_hands,
)
from replay.settlement.omitted_evidence import accepted_without_wager, no_wagers_on_record
from replay.settlement.round_readings import groundless_declarations
from replay.settlement.settlement import NO_DUE, dues, dues_of_reading
from replay.settlement.stakes import ENVY_OF, Stake, progressive_accepted, stakes
from replay.settlement.table_layout import meter_at_settlement
from replay.settlement.voids import can_be_void, open_grounds
from rulebook.catalogue import GAMES
from rulebook.chapters.rulebook import Rulebook
from rulebook.layout import NO_HAND
from rulebook.settlement.wagers import Due


def open_reason(round_: Round, book: Rulebook, seat: int, wager: str) -> str:
    """Return why a seat's due is unknown, in the form of an UNDETERMINED verdict's reason."""
    for explain in OPEN_REASONS:
        reason = explain(round_, book, seat, wager)
        if reason is not None:
            return reason
    return "the record does not show what it depends on"


def open_envy_reason(round_: Round, book: Rulebook, seat: int, envy: str, of: int) -> str:
    """Return why a seat's Envy Bonus for the hand of another (`of`) is unknown."""
    wager = ENVY_OF[envy]
    for explain in (_of_the_round, _of_a_stake_of_the_box):
        reason = explain(round_, book, seat, wager)
        if reason is not None:
            return reason
    if of not in round_.hands() and of not in set_hands(round_):
        return f"the cards of seat {of} are not on record"
    return _players_cards(round_, book, of, wager) or open_reason(round_, book, of, wager)


def _of_a_stake_of_the_box(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    of_box = (stake for stake in stakes(round_, book).values() if stake.seat == seat and stake.wager != wager)
    doubtful = [stake for stake in of_box if stake.doubt]
    return _doubt(doubtful[0]) if doubtful else None


def _of_another_stake(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    doubtful = [stake for stake in stakes(round_, book).values() if stake.doubt]
    return _doubt(doubtful[0]) if doubtful else None


def _doubt(stake: Stake) -> str:
    return f"the {stake.wager.replace('_', ' ')} wager of seat {stake.seat}: {stake.doubt}"


def _by_the_clocks(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    if by_the_clocks(round_) is None or None in _nets(dues_of_reading(round_, book), seat, wager):
        return None
    return "in the order of the devices' clocks another amount is due than in the order of the log"


def _nets(dues: Sequence[Due], seat: int, wager: str) -> list[int | None]:
    return [due.net_cents for due in dues if (due.seat, due.wager) == (seat, wager)]


def _of_the_game(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    explain = terms_of(book.game).open_reason
    return explain(round_, book, seat, wager) if explain is not None else None


def _not_returned(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    missing = any((due.seat, due.wager, due.line) == (seat, wager, NO_DUE) for due in dues(round_, book))
    return f"the game {GAMES[book.game].title} returns no due for it" if missing else None


def _of_the_round(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    if round_.lost:
        return "evidence of the round was lost"
    if why_rules := rules_unknown(round_, book):
        return why_rules
    if no_wagers_on_record(round_):
        return "no wager is on record"
    if accepted_without_wager(round_, book, seat, wager):
        return "the system accepted a wager that is not on record as placed"
    for ground in open_grounds(round_, book):
        return ground.doubt
    if (why_exposed := why_open(round_, book, seat)) is not None:
        return why_exposed
    declared = groundless_declarations(round_, book) if can_be_void(book) else {}
    for why, facts in declared.values():
        if any(_scope(fact) in ("round", seat) for fact in facts):
            return why
    return None


def _scope(fact: RecordedEvent) -> object:
    """Return the scope of a declaration: the round or a seat; for an election or an abandoned wager, its seat."""
    return fact.payload.scope if isinstance(fact.payload, model.RoundVoided) else fact.payload.seat


def _repeated_card(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    for position in (seat, dealer_position(round_)):
        if repeated_cards(round_.hands().get(position, ()), book):
            return f"{name(position)} holds the same card twice, by the record"
    return None


def _maximum_payout(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    """The wagers paid before one that may have used up the maximum payout of the hand (§ 688a.12(e), D370)."""
    before = MAXIMUM_ORDER[: MAXIMUM_ORDER.index(wager)] if wager in MAXIMUM_ORDER else ()
    if book.max_payout_cents is None or _players_cards(round_, book, seat, wager):
        return None
    of_seat = {due.wager: due for due in dues(round_, book) if due.seat == seat and due.for_position is None}
    for other in before:
        if other in of_seat and of_seat[other].net_cents is None:
            why = open_reason(round_, book, seat, other)
            return f"what the {other.replace('_', ' ')} used up of the maximum payout is not known: {why}"
    return None


MAXIMUM_ORDER = ("ace_high_bonus", "insurance", "fortune_bonus", "progressive")
"""The wagers that the maximum payout limits, in the order of settlement (D106)."""


def _meter(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    """What a payout from the meter lacks: the reading, or whether and when the meter paid another seat (D18, D193)."""
    if wager != "progressive" or readings(round_, book, seat)[0].cards is None:
        return None
    progressive = {due.seat: due for due in dues(round_, book) if due.wager == "progressive" and due.seat != seat}
    unknown = [other for other, due in progressive.items() if due.net_cents is None]
    for other in unknown:
        why = _players_cards(round_, book, other, wager)
        if why is not None:
            return f"seat {other} may have taken a share of the meter: {why}"
    meter = meter_at_settlement(round_, book)
    if meter.reading is None and seat not in (meter.by_turn or {}):
        in_part = not book.linked_meter and progressive_accepted(round_, book)
        return "not every wager that advanced the meter is on record" if in_part else "the meter is not on record"
    if unknown:
        first, second = sorted((seat, unknown[0]))
        return f"in which order seats {first} and {second} are served from the meter is not on record"
    return None


def _dealers_cards(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    if all(dealer.cards is not None for dealer in dealer_readings(round_, book)):
        return None
    dealt = round_.hands().get(dealer_position(round_), ())
    if None in dealt:
        return "the dealer's cards were not all read"
    return _wrong_count(book, "the dealer", dealt) or "the dealer's cards are not on record"


def _players_cards(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    held = readings(round_, book, seat)
    return unread_cards(round_, book, seat) if held == [NO_HAND] or len(held) > 1 else None


def unread_cards(round_: Round, book: Rulebook, seat: int) -> str:
    """Return the fault of a seat's cards in words: too few or too many, some unread, or not on record."""
    dealt = round_.hands().get(seat, ())
    if wrong := _wrong_count(book, f"seat {seat}", dealt):
        return wrong
    were_dealt = bool(dealt) or seat in set_hands(round_)
    return f"the cards of seat {seat} were not all read" if were_dealt else f"the cards of seat {seat} are not on record"


def _wrong_count(book: Rulebook, whose: str, dealt: Sequence[object]) -> str | None:
    if not dealt or len(dealt) == book.chapter.numbers["cards_per_hand"]:
        return None
    return f"{whose} holds {len(dealt)} {'card' if len(dealt) == 1 else 'cards'}, by the record"


def _not_offered(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    is_offered = wager in book.offers or wager in ENVY_OF
    return None if is_offered else "the rules submission does not offer it"


def _players_setting(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    by_hands = GAMES[book.game].hands and wager in (book.chapter.base, "backline")
    if not by_hands or readings(round_, book, seat)[0].high is not None:
        return None
    foreign = foreign_cards(round_, book, seat)
    if foreign:
        return f"seat {seat} set {foreign_in_words(round_, foreign, seat)}"
    in_part = ", not with all cards" if seat in set_hands(round_) else ""
    return f"how seat {seat} set the hands is not on record{in_part}"


def _several_settings(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    if len(dealer_readings(round_, book)) < 2:
        return None
    if len(readings(round_, book, dealer_position(round_))) > 1:
        return "the dealer's cards were not all read"
    if set_again(round_):
        return "the player-dealer's hands were set again when a player had set, and the two settings end differently"
    return "the house way allows the dealer several settings, which end differently"


def _dealers_setting(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    if GAMES[book.game].hands and wager == book.chapter.base and dealer_readings(round_, book)[0].high is None:
        return f"how {name(dealer_position(round_))} set the hands is not on record"
    return None


OPEN_REASONS = (
    _of_the_round,
    _not_returned,
    _of_a_stake_of_the_box,
    _of_the_game,
    _repeated_card,
    _maximum_payout,
    _dealers_cards,
    _players_cards,
    _not_offered,
    _players_setting,
    _several_settings,
    _dealers_setting,
    _meter,
    _of_another_stake,
    _by_the_clocks,
)
"""The reasons, in the order in which they are asked: it decides which one a verdict gives."""
