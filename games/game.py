"""A game as the rest of the program sees it: which hands are set, what cards make, and what every wager is due."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from games.layout import Layout
from games.rulebook.rulebook import Paytable, Rulebook
from games.settlement.wagers import Due

Settle = Callable[[Rulebook, Layout], list[Due]]
Worth = Callable[[Sequence[int] | None], int | None]
Lines = Callable[[Paytable, Sequence[int], int | None], frozenset[str]]


class Game(msgspec.Struct, frozen=True, kw_only=True):
    """A game: its name (that of its module), the sizes of the hands set, and its pure functions.

    `hands` names the hands that a position sets of its cards and how many cards each has, such as `{"high": 5, "low": 2}`;
    it is empty where nothing is set. `settle` says what every wager is due, in the order of settlement. `lines` says which
    lines of a bonus paytable a hand's cards make (the card is the side card, where the game has one).

    `worth` is there where nobody plays against a dealer's hand, so that each box is settled by what lies there alone: all
    that its cards come to. Hands of the same worth end alike.
    """

    name: str
    hands: dict[str, int]
    settle: Settle
    lines: Lines
    worth: Worth | None = None
