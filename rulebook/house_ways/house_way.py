"""House ways: how a casino's dealer sets seven cards into two hands, as a table that is filed (§ 688a.11(a), D26).

A house way is data: rows in order, each for a kind of seven cards, with its plays. The first row that matches the cards and
has a possible play sets them; a play picks, among the legal settings it allows, the one with the highest hand in front. If
the chart leaves a choice, several settings are accepted, and the first of them is the one to show. docs/house-ways.md explains
the words of the table.

The low hand of two cards lies in front, the high hand of five behind (or in back).
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import combinations, product
from operator import itemgetter
from typing import Any, Final, Literal, assert_never, get_args

import msgspec

from rulebook.cards.cards import ACE, show
from rulebook.cards.ranking import HandClass, Rank, Wheel, rank_by_key, rank_five, rank_two, seven_card_lines
from rulebook.cards.signature import UNIT
from rulebook.house_ways.way_table import ANY, Row, RowReader, SevenCards, TableForm, digest_of, packaged_text, parsed

Front = Literal["highest", "pair", "low_pair", "singles", "unlike", "ace"]
Ranks = tuple[Rank, Rank]
"""What the hand behind and the hand in front rank as."""
Back = Literal["any", "pair", "two_pair", "three_of_a_kind", "complete", "full_house", "four_of_a_kind"]

# How often the ranks of seven cards are there, the joker counted as an ace, and what such a hand is called in a table.
KINDS: Final = {
    (1, 1, 1, 1, 1, 1, 1): "no_pair",
    (2, 1, 1, 1, 1, 1): "one_pair",
    (2, 2, 1, 1, 1): "two_pair",
    (2, 2, 2, 1): "three_pair",
    (3, 1, 1, 1, 1): "three_of_a_kind",
    (3, 2, 1, 1): "full_house",
    (3, 2, 2): "full_house",
    (3, 3, 1): "two_threes",
    (4, 1, 1, 1): "four_of_a_kind",
    (4, 2, 1): "four_and_pair",
    (4, 3): "four_and_three",
    (5, 1, 1): "five_aces",
    (5, 2): "five_aces",
}

_COMPLETE: Final = frozenset((HandClass.STRAIGHT, HandClass.FLUSH, HandClass.STRAIGHT_FLUSH, HandClass.ROYAL_FLUSH))

# What the hand behind must at least be; a straight or better is "complete" if it is one of the four above.
_AT_LEAST: Final = {
    "any": HandClass.HIGH_CARD,
    "pair": HandClass.PAIR,
    "two_pair": HandClass.TWO_PAIR,
    "three_of_a_kind": HandClass.THREE_OF_A_KIND,
    "full_house": HandClass.FULL_HOUSE,
    "four_of_a_kind": HandClass.FOUR_OF_A_KIND,
}


class Setting(msgspec.Struct, frozen=True):
    """Seven cards set into a high hand of five and a low hand of two, each from its highest card down."""

    high: tuple[int, ...]
    low: tuple[int, ...]

    def __str__(self) -> str:
        return f"{show(self.high)} / {show(self.low)}"


class HouseWayPlay(msgspec.Struct, frozen=True):
    """The cards that go in front and those that must stay behind; `at_least` is a rank that the front must reach."""

    front: Front
    back: Back
    at_least: int


class HouseWay(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True):
    """A house way as filed. `digest` is of the table's text, `cite` is the source of the chart."""

    name: str
    cite: str
    digest: str
    wheel: Wheel
    rows: tuple[Row[HouseWayPlay], ...]

    def settings(self, cards: Sequence[int]) -> tuple[Setting, ...]:
        """Return every accepted setting of seven cards with a rank of its own; the first is the one to show.

        >>> from rulebook.cards.cards import parse_cards
        >>> print(*packaged_house_way("stones").settings(parse_cards("As Ac 9s 9c 7h 4d 2c")))
        As Ac 7h 4d 2c / 9s 9c
        """
        return tuple(self._row_and_settings(cards)[1].values())

    def choose(self, cards: Sequence[int]) -> Setting:
        """Return the setting to show."""
        return next(iter(self._row_and_settings(cards)[1].values()))

    def row(self, cards: Sequence[int]) -> str:
        """Return the name of the row that sets seven cards.

        >>> from rulebook.cards.cards import parse_cards
        >>> packaged_house_way("stones").row(parse_cards("As Ac Ad Ah Jk 4d 2c"))
        'five aces'
        """
        return self._row_and_settings(cards)[0].name

    def accepts(self, high: Sequence[int], low: Sequence[int]) -> bool:
        """Return whether hands follow the house way: their ranks equal an accepted setting of the same cards.

        >>> from rulebook.cards.cards import parse_cards
        >>> way = packaged_house_way("stones")
        >>> way.accepts(parse_cards("As Ac 7h 4d 2c"), parse_cards("9s 9c"))
        True
        >>> way.accepts(parse_cards("As Ac 9s 9c 2c"), parse_cards("7h 4d"))
        False
        """
        if (len(high), len(low)) != (5, 2):
            return False
        return (rank_five(high, self.wheel), rank_two(low)) in self._row_and_settings((*high, *low))[1]

    def _row_and_settings(self, cards: Sequence[int]) -> tuple[Row[HouseWayPlay], dict[Ranks, Setting]]:
        hand = _HandToSet(cards, self.wheel)
        for row in _rows_for(self, hand.kind):
            if row.speaks_of(hand):
                for group in row.plays:
                    if settings := hand.played(group):
                        return row, settings
        raise AssertionError(f"{self.name} sets no {show(cards)}")  # the last row sets every hand


@lru_cache(maxsize=1024)
def _rows_for(way: HouseWay, kind: str) -> tuple[Row[HouseWayPlay], ...]:
    return tuple(row for row in way.rows if ANY in row.kinds or kind in row.kinds)


class _HandToSet(SevenCards):
    def __init__(self, cards: Sequence[int], wheel: Wheel) -> None:
        super().__init__(cards, KINDS)
        self.key = sum([UNIT[card] for card in cards])
        self.wheel: Wheel = wheel

    @property
    def complete(self) -> bool:
        """Whether five of the cards make a straight or a flush."""
        return not seven_card_lines(self.cards, "completes").isdisjoint(("straight", "flush"))

    def played(self, group: Sequence[HouseWayPlay]) -> dict[Ranks, Setting]:
        """The settings that a group of plays makes of the cards, each of a different rank; empty if no play is possible."""
        settings: dict[Ranks, Setting] = {}
        for play in group:
            for high_rank, low_rank, low in self._best(play):
                if (high_rank, low_rank) not in settings:
                    high = tuple([card for card in self.cards if card not in low])
                    settings[high_rank, low_rank] = Setting(high, low)
        return settings

    def _best(self, play: HouseWayPlay) -> list[tuple[Rank, Rank, tuple[int, int]]]:
        """The ways to make a play with the highest hand in front, the highest hand behind first."""
        for low_rank in self._fronts(play.front):
            if low_rank[1] < play.at_least:
                continue
            best = []
            for low in self._with_rank(low_rank):
                high_rank = rank_by_key(self.key - UNIT[low[0]] - UNIT[low[1]], self.wheel)
                if high_rank >= low_rank and _fits_back(play.back, high_rank):
                    best.append((high_rank, low_rank, low))
            if best:
                best.sort(key=itemgetter(0), reverse=True)
                return best
        return []

    def _fronts(self, front: Front) -> Sequence[Rank]:
        """The ranks of two cards that may go in front, the highest first."""
        of_rank = self.of_rank
        match front:
            case "highest":
                return [*self._fronts("pair"), *self._fronts("unlike")]
            case "pair":
                return [(HandClass.PAIR, r) for r, same in of_rank.items() if len(same) > 1]
            case "low_pair":
                return self._fronts("pair")[-1:]
            case "unlike":
                return [(HandClass.HIGH_CARD, *two) for two in combinations(of_rank, 2)]
            case "singles":
                singles = [r for r, same in of_rank.items() if len(same) == 1]
                return [(HandClass.HIGH_CARD, *two) for two in combinations(singles, 2)]
            case "ace":
                return [(HandClass.HIGH_CARD, ACE, r) for r in of_rank if r != ACE] if ACE in of_rank else []
            case _:
                assert_never(front)

    def _with_rank(self, low: Rank) -> Iterable[tuple[int, int]]:
        """Return the pairs of cards with a given two-card rank, in display order."""
        if low[0] == HandClass.PAIR:
            return combinations(self.of_rank[low[1]], 2)
        return product(self.of_rank[low[1]], self.of_rank[low[2]])


def _fits_back(back: Back, high: Rank) -> bool:
    if back == "complete":
        return high[0] in _COMPLETE
    return high[0] >= _AT_LEAST[back]


# --------------------------------------------------------------------------------------------------------------- reading


def load_house_way(toml_text: str, source: str, wheel: Wheel = "second") -> HouseWay:
    """Read a house way from its table; `HouseWayError` names the source and the row that is wrong."""
    return _house_way(*parsed(toml_text, source), source, wheel)


def house_way_from_table(table: Mapping[str, Any], source: str, wheel: Wheel = "second") -> HouseWay:
    """Read a house way that is inside a rules submission. Its digest is of the table as sorted JSON."""
    return _house_way(table, digest_of(table, source), source, wheel)


@cache
def packaged_house_way(name: str, wheel: Wheel = "second") -> HouseWay:
    """Return a house way that comes with the project; `HouseWayError` lists those that do.

    >>> packaged_house_way("stones").name
    'stones'
    """
    return load_house_way(packaged_text(name, None), f"{name}.toml", wheel)


def _house_way(table: Mapping[str, Any], digest: str, source: str, wheel: Wheel) -> HouseWay:
    reader = RowReader(source)
    reader.refuse_others(table, ("name", "cite", "row"))
    name, cited = (reader.text(table, key) for key in ("name", "cite"))
    return HouseWay(name=name, cite=cited, digest=digest, wheel=wheel, rows=_FORM.rows(table, source))


def _play(item: Mapping[str, Any], reader: RowReader) -> HouseWayPlay:
    reader.refuse_others(item, HouseWayPlay.__struct_fields__)
    front = reader.choice(item, "front", get_args(Front))
    back = reader.choice(item, "back", get_args(Back), "any")
    return HouseWayPlay(front, back, reader.rank(item, "at_least"))


_FORM: Final = TableForm(
    kinds=tuple(KINDS.values()),
    keys=("name", "hand", "ranks", "complete", "joker_with_ace", "play"),
    play=_play,
    example='{ front = "pair" }',
    always={HouseWayPlay("highest", "any", 0): '[{ front = "highest" }]'},
)
