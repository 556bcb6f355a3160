"""Why it cannot be told what a wager is due, in words: the first reason that applies.

The law of this file: a reason is a function of its own, and `OPEN_REASONS` is the order in which they are asked; the game's own
come first. What cannot be told is settled elsewhere (`settlement.py`): here it is only explained.
"""

from __future__ import annotations

from games.catalogue import GAMES
from games.layout import NO_HAND
from games.rulebook.rulebook import Rulebook
from replay.findings import name
from replay.fold.round import Round
from replay.settlement.game_terms import terms_of
from replay.settlement.hand_readings import dealer_position, dealer_readings, readings, repeated_cards, set_hands
from replay.settlement.omitted_evidence import no_wagers_on_record
from replay.settlement.stakes import ENVY_OF
from replay.settlement.voids import may_have_to_be_void


def open_reason(round_: Round, book: Rulebook, seat: int, wager: str) -> str:
    """Return why it cannot be told what a seat's wager is due, as it stands in the reason of an UNDETERMINED verdict."""
    for explain in OPEN_REASONS:
        reason = explain(round_, book, seat, wager)
        if reason is not None:
            return reason
    return "the meter, or the filed rule, is not on record"


def _of_the_game(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    explain = terms_of(book.game).open_reason
    return explain(round_, book, seat, wager) if explain is not None else None


def _of_the_round(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    if no_wagers_on_record(round_):
        return "no wager is on record"
    if may_have_to_be_void(round_, book):
        return "the round is void if the first card went where the wrong total points"
    return None


def _repeated_card(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    for position in (seat, dealer_position(round_)):
        if repeated_cards(round_.hands().get(position, ()), book):
            return f"{name(position)} holds the same card twice, by the record"
    return None


def _dealers_cards(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    if all(dealer.cards is not None for dealer in dealer_readings(round_, book)):
        return None
    in_part = None in round_.hands().get(dealer_position(round_), ())
    return "the dealer's cards were not all read" if in_part else "the dealer's cards are not on record"


def _players_cards(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    held = readings(round_, book, seat)
    return unread_cards(round_, seat) if held == [NO_HAND] or len(held) > 1 else None


def unread_cards(round_: Round, seat: int) -> str:
    """Return in words what is missing of a seat's cards: some were not read, or none are on record."""
    were_dealt = bool(round_.hands().get(seat)) or seat in set_hands(round_)
    return (
        f"the cards of seat {seat} were not all read" if were_dealt else f"the cards of seat {seat} are not on record"
    )


def _not_offered(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    is_offered = wager in book.offers or wager in ENVY_OF
    return None if is_offered else "the rules submission does not offer it"


def _players_setting(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    by_hands = GAMES[book.game].hands and wager in (book.chapter.base, "backline")
    if not by_hands or readings(round_, book, seat)[0].high is not None:
        return None
    in_part = ", not with all cards" if seat in set_hands(round_) else ""
    return f"how seat {seat} set the hands is not on record{in_part}"


def _several_settings(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    if len(dealer_readings(round_, book)) < 2:
        return None
    if len(readings(round_, book, dealer_position(round_))) > 1:
        return "the dealer's cards were not all read"
    return "the house way allows the dealer several settings, which end differently"


def _dealers_setting(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    if GAMES[book.game].hands and wager == book.chapter.base and dealer_readings(round_, book)[0].high is None:
        return f"how {name(dealer_position(round_))} set the hands is not on record"
    return None


OPEN_REASONS = (
    _of_the_game,
    _of_the_round,
    _repeated_card,
    _dealers_cards,
    _players_cards,
    _not_offered,
    _players_setting,
    _several_settings,
    _dealers_setting,
)
"""The reasons, in the order in which they are asked: it decides which one a verdict gives."""
