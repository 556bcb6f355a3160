"""A game's additions to the shared settlement: one record for each game, found in its package.

Invariant: the settlement asks a game's record and names no game. A record lies next to the rules of its game and reads the
round as the shared rules do. A round of a game without a record raises an error.
"""

from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.settlement.void_ground import VoidGround
from rulebook.catalogue import GameParts
from rulebook.chapters.citation import Citation
from rulebook.chapters.rulebook import Rulebook
from rulebook.layout import TableLayout


class OtherReading(msgspec.Struct, frozen=True, kw_only=True):
    """A reading of the text other than the one that a decision follows.

    `says` is the reading in words, with `{cite}` for its `section` (none: that of the finding). `change` returns the round and
    the rules under it for a seat, `None` if it changes nothing there. It is named in findings of the `codes`, and in money
    findings whose due it changes: in all (`of_money`), or at a seat that has a finding of the `codes`.
    """

    decision: str
    section: str | Citation
    says: str
    change: Callable[[Round, Rulebook, int], tuple[Round, Rulebook] | None]
    codes: frozenset[str] = frozenset()
    of_money: bool = True


class GameTerms(msgspec.Struct, frozen=True, kw_only=True):
    """The special parts of a game's settlement; a field left out is shared with all other games.

    `void_grounds` yields grounds for a void in addition to § 688a.13. `complete_layout` adds to the table what only this game
    needs. `open_reason` returns in words why a seat's due is unknown, or None if a shared reason applies. `dealer_exposed`
    returns the event that first showed the dealer's hand, if players set first. `groundless` returns a special reason why a
    declared void has no ground in the record, and `no_envy` one why a seat gets no Envy Bonus for another's hand.
    `other_readings` are those of the game's text without a setting (D750). `surrender_section` is the section by which a wager
    taken as surrendered shows a surrender.
    """

    game: str
    void_grounds: Callable[[Round, Rulebook], Iterable[VoidGround]] | None = None
    complete_layout: Callable[[Round, Rulebook, TableLayout], TableLayout] | None = None
    open_reason: Callable[[Round, Rulebook, int, str], str | None] | None = None
    dealer_exposed: Callable[[Round], RecordedEvent | None] | None = None
    groundless: Callable[[Round, Rulebook], str | None] | None = None
    no_envy: Callable[[Round, Rulebook, int, int], str | None] | None = None
    surrender_section: str = "11(d)"
    other_readings: tuple[OtherReading, ...] = ()


def no_envy_by_game(round_: Round, book: Rulebook, seat: int, position: int) -> str | None:
    """Return why, by a game, an Envy Bonus does not go to a seat for a position's hand."""
    say = terms_of(book.game).no_envy
    return say(round_, book, seat, position) if say is not None else None


_TERMS: Final = GameParts[GameTerms]("rules", "GAME_RULES")


def terms_of(game: str) -> GameTerms:
    """Return a game's terms. Raises `LookupError` for a game without a record."""
    try:
        return _TERMS[game]
    except KeyError:
        raise LookupError(f"the game {game} has no record of its rules: its package needs rules.py with GAME_RULES") from None
