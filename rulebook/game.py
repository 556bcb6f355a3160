"""A game for the rest of the program: its names, which hands are set, what cards make, and what every wager is due."""

from collections.abc import Callable, Hashable, Mapping, Sequence

import msgspec

from rulebook.chapters.paytables import Paytable
from rulebook.chapters.rulebook import Rulebook
from rulebook.layout import TableLayout
from rulebook.settlement.wagers import Due

Settle = Callable[[Rulebook, TableLayout], list[Due]]
Worth = Callable[[Sequence[int] | None], int | None]
Alike = Callable[[Rulebook, Sequence[int], int | None, bool], Hashable]
Lines = Callable[[Paytable, Sequence[int], int | None], frozenset[str]]


class Game(msgspec.Struct, frozen=True, kw_only=True):
    """The record of a game: its names, the sizes of the hands that are set, and its pure functions.

    `name` is the game's name in code and data, that of its module; `title` is what people call it, and `wagers` what they
    call each of its wagers and Envy Bonuses. A wager's name means the same in every game.

    `hands` names the hands that a position sets of its cards and how many cards each has, such as `{"high": 5, "low": 2}`;
    it is empty if nothing is set. `by_setting` names the wagers that the player's hands decide against the dealer's as set.
    `settle` returns what every wager is due, in the order of settlement. `lines` returns
    the lines of a bonus paytable that a hand's cards make (its last argument is the side card, where the game has one).

    `worth` is given if no one plays against a dealer's hand, so that each box is settled by its own cards alone: the
    total that decides. Hands of the same worth are settled in the same way.

    `alike` is given if one hand is settled like many others: what the game sees of a hand's cards, with the side card if
    the Progressive is played (the last argument). Hands of which it is the same are settled in the same way.

    `patron_banked`: a patron holds the bank, so that the house wins and loses nothing on the wagers; the start of the deal is
    counted from that patron's seat.
    """

    name: str
    title: str
    wagers: Mapping[str, str]
    hands: Mapping[str, int]
    by_setting: tuple[str, ...] = ()
    settle: Settle
    lines: Lines
    worth: Worth | None = None
    alike: Alike | None = None
    patron_banked: bool = False
