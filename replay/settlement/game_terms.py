"""What a game adds to the settlement that all games share: one record for each, found in the game's package.

Invariant: the settlement asks a game's record and names no game. The records are those of the rules of the game, which read
the round as these do. A round of a game without a record is not settled: it raises.
"""

from __future__ import annotations

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

    `says` is what it says, with `{cite}` for its `section` (none: that of the finding). `change` returns the round and the rules
    as it has them for a seat, `None` if it changes nothing there. It belongs in findings of the `codes`, and (`of_money`) in each
    of money whose wager is due something else by it.
    """

    decision: str
    section: str | Citation
    says: str
    change: Callable[[Round, Rulebook, int], tuple[Round, Rulebook] | None]
    codes: frozenset[str] = frozenset()
    of_money: bool = True


class GameTerms(msgspec.Struct, frozen=True, kw_only=True):
    """What is particular to a game when a round is settled; a field that a game leaves out is shared with all others.

    `void_grounds` yields what makes a round void next to § 688a.13. `complete_layout` puts on the table what only this game is
    settled by. `open_reason` says of a seat's wager, in words, why it cannot be told what it is due, or None if the reasons that
    games share say it. `dealer_exposed` returns the event by which the dealer's hand was first seen, if players set first.
    `groundless` says why a declared void has no ground in the record, where the game knows more of it than that. `no_envy` says
    in words why no Envy Bonus goes to one seat for the hand of another, where the game knows more of it than that there is no
    qualifying hand. `other_readings` are those of the game's text that no setting offers (D750). `surrender_section` is the
    section by which a wager taken as surrendered says that there was a surrender.
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
    """Return what is particular to a game. Raises `LookupError` for a game that has no record."""
    try:
        return _TERMS[game]
    except KeyError:
        raise LookupError(
            f"the game {game} has no record of its rules: its package needs rules.py with GAME_RULES"
        ) from None
