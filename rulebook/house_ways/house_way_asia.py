"""House ways of three hands: seven cards set into hands of four, two and one (58 Pa. Code § 659a.11(c), D26).

Made like `rulebook.house_ways.house_way`: the first row that matches the cards and has a possible play sets them (`way_table`).
A play picks, among the legal settings it allows, the one with the highest medium hand, then the highest low hand (or the other
way round), then the highest high hand. If a row lists plays as equal, all of them are accepted, and the first is the one to
show. docs/house-ways.md explains the words of the table.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any, Final, Literal, assert_never, get_args

import msgspec

from rulebook.cards.cards import show
from rulebook.cards.four_card import FourCardClass, rank_four, rank_one
from rulebook.cards.ranking import HandClass, Rank, rank_two
from rulebook.house_ways.house_way import KINDS as KINDS_IN_TWO_HANDS
from rulebook.house_ways.way_table import Row, RowReader, SevenCards, TableForm, digest_of, packaged_text, parsed

High = Literal["any", "pair", "two_pair", "three_of_a_kind", "complete", "four_of_a_kind"]
Medium = Literal["any", "pair", "low_pair", "singles", "unlike"]
First = Literal["medium", "low"]

HANDS: Final = "4-2-1"
KINDS: Final = {**KINDS_IN_TWO_HANDS, (3, 2, 2): "full_house_and_pair"}

_COMPLETE: Final = frozenset((FourCardClass.STRAIGHT, FourCardClass.FLUSH, FourCardClass.STRAIGHT_FLUSH))
# What the high hand must at least be; "complete" is one of the three above.
_AT_LEAST: Final = {
    "any": FourCardClass.HIGH_CARD,
    "pair": FourCardClass.PAIR,
    "two_pair": FourCardClass.TWO_PAIR,
    "three_of_a_kind": FourCardClass.THREE_OF_A_KIND,
    "four_of_a_kind": FourCardClass.FOUR_OF_A_KIND,
}
_FOURS: Final[tuple[tuple[int, ...], ...]] = tuple(combinations(range(7), 4))
_TWOS: Final[tuple[tuple[int, ...], ...]] = tuple(combinations(range(7), 2))
# Every way to part seven cards: which four, which two, which one.
_PARTS: Final = tuple(
    (four, two, one)
    for four in _FOURS
    for one in range(7)
    if one not in four
    for two in [tuple(i for i in range(7) if i not in (*four, one))]
)


class ThreeHands(msgspec.Struct, frozen=True):
    """Seven cards set into a high, a medium and a low hand, each from its highest card down."""

    high: tuple[int, ...]
    medium: tuple[int, ...]
    low: tuple[int, ...]

    def __str__(self) -> str:
        return f"{show(self.high)} / {show(self.medium)} / {show(self.low)}"


class ThreeHandPlay(msgspec.Struct, frozen=True):
    """One way to set three hands: what the high and medium must be, the least ranks, and the hand to fill first."""

    high: High = "any"
    medium: Medium = "any"
    medium_at_least: int = 0
    low_at_least: int = 0
    first: First = "medium"


class AsiaHouseWay(msgspec.Struct, frozen=True, kw_only=True):
    """A house way in three hands as filed. `digest` is of the table's text, `cite` is the source of the chart."""

    name: str
    cite: str
    digest: str
    rows: tuple[Row[ThreeHandPlay], ...]

    def settings(self, cards: Sequence[int]) -> tuple[ThreeHands, ...]:
        """Return every accepted setting of seven cards with a rank of its own; the first is the one to show.

        >>> from rulebook.cards.cards import parse_cards
        >>> print(*packaged_asia_house_way("asia").settings(parse_cards("As Kd Qh 9c 7s 4d 2h")))
        As 7s 4d 2h / Kd Qh / 9c
        """
        return self._row_and_settings(cards)[1]

    def choose(self, cards: Sequence[int]) -> ThreeHands:
        """Return the setting to show."""
        return self._row_and_settings(cards)[1][0]

    def row(self, cards: Sequence[int]) -> str:
        """Return the name of the row that sets seven cards.

        >>> from rulebook.cards.cards import parse_cards
        >>> packaged_asia_house_way("asia").row(parse_cards("As Ac Ad Ah Jk 4d 2c"))
        'five aces'
        """
        return self._row_and_settings(cards)[0].name

    def accepts(self, high: Sequence[int], medium: Sequence[int], low: Sequence[int]) -> bool:
        """Return whether hands follow the house way: their ranks equal an accepted setting of the same cards.

        >>> from rulebook.cards.cards import parse_cards
        >>> way = packaged_asia_house_way("asia")
        >>> way.accepts(parse_cards("As Ac 7h 2c"), parse_cards("9s 9c"), parse_cards("Kd"))
        True
        >>> way.accepts(parse_cards("As Ac 9s 9c"), parse_cards("Kd 2c"), parse_cards("7h"))
        False
        """
        if (len(high), len(medium), len(low)) != (4, 2, 1):
            return False
        as_set = rank_four(high), rank_two(medium), rank_one(low)
        return any(
            as_set == (rank_four(setting.high), rank_two(setting.medium), rank_one(setting.low))
            for setting in self.settings((*high, *medium, *low))
        )

    def _row_and_settings(self, cards: Sequence[int]) -> tuple[Row[ThreeHandPlay], tuple[ThreeHands, ...]]:
        hand = _ThreeHandCards(cards)
        for row in self.rows:
            if row.speaks_of(hand):
                for group in row.plays:
                    if settings := hand.played(group):
                        return row, settings
        raise AssertionError(f"{self.name} sets no {show(cards)}")  # the last row sets every hand


class _Legal(msgspec.Struct, frozen=True):
    """A legal setting: the ranks of its hands, and which of the cards they are."""

    high: Rank
    medium: Rank
    low: Rank
    parts: tuple[tuple[int, ...], tuple[int, ...], int]


class _ThreeHandCards(SevenCards):
    def __init__(self, cards: Sequence[int]) -> None:
        super().__init__(cards, KINDS)
        self.low_pair = min((r for r, same in self.of_rank.items() if len(same) >= 2), default=0)
        highs = {four: rank_four([self.cards[i] for i in four]) for four in _FOURS}
        self._complete = any(high[0] in _COMPLETE for high in highs.values())
        mediums = {two: rank_two([self.cards[i] for i in two]) for two in _TWOS}
        lows = [rank_one((card,)) for card in self.cards]
        self.legal = [
            _Legal(highs[four], mediums[two], lows[one], (four, two, one))
            for four, two, one in _PARTS
            if highs[four] > mediums[two] > lows[one]
        ]

    @property
    def complete(self) -> bool:
        """Whether four of the cards make a straight or a flush."""
        return self._complete

    def played(self, group: Sequence[ThreeHandPlay]) -> tuple[ThreeHands, ...]:
        """The settings that a group of plays makes of the cards, each of a different rank; empty if no play is possible."""
        settings: dict[tuple[Rank, Rank, Rank], ThreeHands] = {}
        for play in group:
            if fitting := [setting for setting in self.legal if self._fits(play, setting)]:
                best = max(fitting, key=_ORDER[play.first])
                settings.setdefault((best.high, best.medium, best.low), self._as_three_hands(best))
        return tuple(settings.values())

    def _fits(self, play: ThreeHandPlay, setting: _Legal) -> bool:
        if setting.medium[1] < play.medium_at_least or setting.low[1] < play.low_at_least:
            return False
        if not _fits_high(play.high, setting.high):
            return False
        is_pair = setting.medium[0] == HandClass.PAIR
        match play.medium:
            case "any":
                return True
            case "pair":
                return is_pair
            case "low_pair":
                return is_pair and setting.medium[1] == self.low_pair
            case "unlike":
                return not is_pair
            case "singles":
                return not is_pair and len(self.of_rank[setting.medium[1]]) == 1 == len(self.of_rank[setting.medium[2]])
            case _:
                assert_never(play.medium)

    def _as_three_hands(self, setting: _Legal) -> ThreeHands:
        four, two, one = setting.parts
        return ThreeHands(tuple([self.cards[i] for i in four]), tuple([self.cards[i] for i in two]), (self.cards[one],))


_ORDER: Final[Mapping[First, Callable[[_Legal], tuple[Rank, Rank, Rank]]]] = {
    "medium": lambda setting: (setting.medium, setting.low, setting.high),
    "low": lambda setting: (setting.low, setting.medium, setting.high),
}


def _fits_high(kind: High, high: Rank) -> bool:
    if kind == "complete":
        return high[0] in _COMPLETE
    return high[0] >= _AT_LEAST[kind]


# --------------------------------------------------------------------------------------------------------------- reading


def load_asia_house_way(toml_text: str, source: str) -> AsiaHouseWay:
    """Read a house way in three hands from its table; `HouseWayError` names the source and the row that is wrong."""
    return _house_way(*parsed(toml_text, source), source)


def asia_house_way_from_table(table: Mapping[str, Any], source: str) -> AsiaHouseWay:
    """Read a house way that is inside a rules submission. Its digest is of the table as sorted JSON."""
    return _house_way(table, digest_of(table, source), source)


@cache
def packaged_asia_house_way(name: str) -> AsiaHouseWay:
    """Return a house way in three hands that comes with the project; `HouseWayError` lists those that do.

    >>> packaged_asia_house_way("asia").name
    'asia'
    """
    return load_asia_house_way(packaged_text(name, HANDS), f"{name}.toml")


def _house_way(table: Mapping[str, Any], digest: str, source: str) -> AsiaHouseWay:
    reader = RowReader(source)
    reader.refuse_others(table, ("name", "cite", "hands", "row"))
    name, cited = (reader.text(table, key) for key in ("name", "cite"))
    reader.choice(table, "hands", (HANDS,))
    return AsiaHouseWay(name=name, cite=cited, digest=digest, rows=_FORM.rows(table, source))


def _play(item: Mapping[str, Any], reader: RowReader) -> ThreeHandPlay:
    reader.refuse_others(item, ThreeHandPlay.__struct_fields__)
    return ThreeHandPlay(
        high=reader.choice(item, "high", get_args(High), "any"),
        medium=reader.choice(item, "medium", get_args(Medium), "any"),
        medium_at_least=reader.rank(item, "medium_at_least"),
        low_at_least=reader.rank(item, "low_at_least"),
        first=reader.choice(item, "first", get_args(First), "medium"),
    )


_FORM: Final = TableForm(
    kinds=tuple(KINDS.values()),
    keys=("name", "hand", "ranks", "complete", "play"),
    play=_play,
    example='{ medium = "pair" }',
    always={ThreeHandPlay(): "[{}]", ThreeHandPlay(first="low"): "[{}]"},
)
