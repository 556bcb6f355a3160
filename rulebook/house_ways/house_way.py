"""House ways: how a casino's dealer sets seven cards into two hands, as a table that is filed (§ 688a.11(a), D26).

A house way is data: rows in order, each for a kind of seven cards, with its plays. The first row that matches the cards and
has a possible play sets them; a play picks, among the legal settings it allows, the one with the highest hand in front. If
the chart leaves a choice, several settings are accepted, and the first of them is the one to show. docs/house-ways.md explains
the words of the table.

The low hand of two cards lies in front, the high hand of five behind (or in back).
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from hashlib import sha256
from importlib.resources import files
from itertools import combinations, product
from operator import itemgetter
from typing import Any, Final, Literal, assert_never, get_args

import msgspec

from rulebook.cards.cards import ACE, DECK, JOKER, RANKS, rank, show
from rulebook.cards.ranking import HandClass, Rank, Wheel, rank_by_key, rank_five, rank_two, seven_card_lines
from rulebook.cards.signature import UNIT

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
ANY: Final = "any"

_COMPLETE: Final = frozenset((HandClass.STRAIGHT, HandClass.FLUSH, HandClass.STRAIGHT_FLUSH, HandClass.ROYAL_FLUSH))
_RANK: Final = tuple(ACE if card == JOKER else rank(card) for card in DECK)
_SHOW_ORDER: Final = tuple((-_RANK[card], -card) for card in DECK)
"""Cards are shown from the highest rank down."""

# What the hand behind must at least be; a straight or better is "complete" if it is one of the four above.
_AT_LEAST: Final = {
    "any": HandClass.HIGH_CARD,
    "pair": HandClass.PAIR,
    "two_pair": HandClass.TWO_PAIR,
    "three_of_a_kind": HandClass.THREE_OF_A_KIND,
    "full_house": HandClass.FULL_HOUSE,
    "four_of_a_kind": HandClass.FOUR_OF_A_KIND,
}


class HouseWayError(ValueError):
    """A house way cannot be used; the message names the table, the row, and the reason."""

    def __init__(self, source: str, row: str, message: str) -> None:
        super().__init__(f"{source}: {row}: {message}" if row else f"{source}: {message}")
        self.source = source
        self.row = row
        self.message = message


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

    @property
    def always_can_be_made(self) -> bool:
        """Whether every seven cards have a setting by this play."""
        return self == HouseWayPlay("highest", "any", 0)


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One row: the hands that it is for, and its plays in order, each a group of equal plays.

    `ranks` are those of the highest pair, three or four; `complete` is whether the seven cards must make a straight or
    flush; `joker_with_ace` whether the joker lies next to an ace. Null: any.
    """

    name: str
    kinds: frozenset[str]
    ranks: frozenset[int] | None
    complete: bool | None
    joker_with_ace: bool | None
    plays: tuple[tuple[HouseWayPlay, ...], ...]

    def speaks_of(self, hand: _HandToSet) -> bool:
        """Return whether the row is for this hand."""
        return (
            (ANY in self.kinds or hand.kind in self.kinds)
            and (self.ranks is None or hand.leading in self.ranks)
            and (self.joker_with_ace is None or hand.joker_with_ace == self.joker_with_ace)
            and (self.complete is None or hand.complete == self.complete)
        )


class HouseWay(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True):
    """A house way as filed. `digest` is of the table's text, `cite` is the source of the chart."""

    name: str
    cite: str
    digest: str
    wheel: Wheel
    rows: tuple[Row, ...]

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
        """Return whether hands are set by the house way: their ranks are those of an accepted setting of the same cards.

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

    def _row_and_settings(self, cards: Sequence[int]) -> tuple[Row, dict[Ranks, Setting]]:
        hand = _HandToSet(cards, self.wheel)
        for row in _rows_for(self, hand.kind):
            if row.speaks_of(hand):
                for group in row.plays:
                    if settings := hand.played(group):
                        return row, settings
        raise AssertionError(f"{self.name} sets no {show(cards)}")  # the last row sets every hand: see _rows


@lru_cache(maxsize=1024)
def _rows_for(way: HouseWay, kind: str) -> tuple[Row, ...]:
    return tuple(row for row in way.rows if ANY in row.kinds or kind in row.kinds)


class _HandToSet:
    """Seven cards in the form that rows match."""

    def __init__(self, cards: Sequence[int], wheel: Wheel) -> None:
        if len(cards) != 7 or len(set(cards)) != 7:
            raise ValueError(f"{show(cards)}: a house way sets seven different cards")
        self.cards = sorted(cards, key=_SHOW_ORDER.__getitem__)
        self.key = sum([UNIT[card] for card in cards])
        self.wheel: Wheel = wheel
        self.of_rank: dict[int, list[int]] = {}
        for card in self.cards:
            self.of_rank.setdefault(_RANK[card], []).append(card)
        self.kind = KINDS[tuple(sorted([len(same) for same in self.of_rank.values()], reverse=True))]
        self.joker_with_ace = len(self.of_rank.get(ACE, ())) > 1 and JOKER in cards

    @property
    def leading(self) -> int:
        """The highest among the most frequent ranks."""
        return max(self.of_rank, key=lambda r: (len(self.of_rank[r]), r))

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
        """The pairs of cards that have a rank of two cards, in the order in which cards are shown."""
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
    try:
        table = tomllib.loads(toml_text)
    except tomllib.TOMLDecodeError as error:
        raise HouseWayError(source, "", f"not TOML: {error}") from error
    return _house_way(table, source, sha256(toml_text.encode()).hexdigest(), wheel)


def house_way_from_table(table: Mapping[str, Any], source: str, wheel: Wheel = "second") -> HouseWay:
    """Read a house way that is inside a rules submission. Its digest is of the table as sorted JSON."""
    try:
        text = json.dumps(table, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    except TypeError as error:
        raise HouseWayError(source, "", "dates and times have no place in a house way") from error
    return _house_way(table, source, sha256(text.encode()).hexdigest(), wheel)


@cache
def packaged_house_way(name: str, wheel: Wheel = "second") -> HouseWay:
    """Return a house way that comes with the project; `HouseWayError` lists those that do.

    >>> packaged_house_way("stones").name
    'stones'
    """
    folder = files("rulebook").joinpath("house_ways")
    known = sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))
    if name not in known:
        raise HouseWayError(name, "", f"no such house way; there is {', '.join(known)}, or a table of one's own")
    return load_house_way(folder.joinpath(f"{name}.toml").read_text(encoding="utf-8"), f"{name}.toml", wheel)


def _house_way(table: Mapping[str, Any], source: str, digest: str, wheel: Wheel) -> HouseWay:
    _only(table, ("name", "cite", "row"), source, "")
    name, cited = (_text(table, key, source, "") for key in ("name", "cite"))
    rows = table.get("row")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise HouseWayError(source, "", "row: expected [[row]] tables")
    return HouseWay(name=name, cite=cited, digest=digest, wheel=wheel, rows=tuple(_rows(rows, source)))


def _rows(entries: Sequence[Mapping[str, Any]], source: str) -> Iterator[Row]:
    row: Row | None = None
    for number, entry in enumerate(entries, 1):
        where = f"row {number}"
        name = _text(entry, "name", source, where)
        where = f"row {number} ({name})"
        _only(entry, ("name", "hand", "ranks", "complete", "joker_with_ace", "play"), source, where)
        row = Row(
            name=name,
            kinds=_kinds(entry, source, where),
            ranks=_ranks(entry, source, where),
            complete=_flag(entry, "complete", source, where),
            joker_with_ace=_flag(entry, "joker_with_ace", source, where),
            plays=_plays(entry, source, where),
        )
        yield row
    assert row is not None
    sets_all = row.kinds == {ANY} and (row.ranks, row.complete, row.joker_with_ace) == (None, None, None)
    if not sets_all or not any(play.always_can_be_made for group in row.plays for play in group):
        message = 'the last row must set every hand: hand = "any", no conditions, play = [{ front = "highest" }]'
        raise HouseWayError(source, where, message)


def _only(table: Mapping[str, Any], keys: Sequence[str], source: str, where: str) -> None:
    for key in table:
        if key not in keys:
            raise HouseWayError(source, where, f"{key}: unknown; expected one of {', '.join(keys)}")


def _text(table: Mapping[str, Any], key: str, source: str, where: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value:
        raise HouseWayError(source, where, f"{key}: {value!r}; expected text")
    return value


def _flag(table: Mapping[str, Any], key: str, source: str, where: str) -> bool | None:
    value = table.get(key)
    if value is not None and not isinstance(value, bool):
        raise HouseWayError(source, where, f"{key}: {value!r}; expected true or false")
    return value


def _kinds(entry: Mapping[str, Any], source: str, where: str) -> frozenset[str]:
    value = entry.get("hand")
    kinds = [value] if isinstance(value, str) else value
    known = (*dict.fromkeys(KINDS.values()), ANY)
    if not isinstance(kinds, list) or not kinds or not all(kind in known for kind in kinds):
        raise HouseWayError(source, where, f"hand: {value!r}; expected one or several of {', '.join(known)}")
    return frozenset(kinds)


def _ranks(entry: Mapping[str, Any], source: str, where: str) -> frozenset[int] | None:
    value = entry.get("ranks")
    if value is None:
        return None
    if not isinstance(value, str) or not value or any(letter not in RANKS for letter in value):
        raise HouseWayError(source, where, f"ranks: {value!r}; expected letters of {RANKS[::-1]}, such as AKQ")
    return frozenset(RANKS.index(letter) + 2 for letter in value)


def _plays(entry: Mapping[str, Any], source: str, where: str) -> tuple[tuple[HouseWayPlay, ...], ...]:
    value = entry.get("play")
    if not isinstance(value, list) or not value:
        raise HouseWayError(source, where, f"play: {value!r}; expected a list of plays")
    groups = [item if isinstance(item, list) else [item] for item in value]
    if not all(groups):
        raise HouseWayError(source, where, "play: an empty list of plays")
    return tuple(tuple(_play(item, source, where) for item in group) for group in groups)


def _play(item: object, source: str, where: str) -> HouseWayPlay:
    if not isinstance(item, dict):
        raise HouseWayError(source, where, f'play: {item!r}; expected a play such as {{ front = "pair" }}')
    _only(item, ("front", "back", "at_least"), source, where)
    front: Front | None = item.get("front")
    back: Back = item.get("back", "any")
    at_least = item.get("at_least")
    if front is None or front not in get_args(Front):
        raise HouseWayError(source, where, f"front: {front!r}; expected one of {', '.join(get_args(Front))}")
    if back not in get_args(Back):
        raise HouseWayError(source, where, f"back: {back!r}; expected one of {', '.join(get_args(Back))}")
    if at_least is not None and (not isinstance(at_least, str) or len(at_least) != 1 or at_least not in RANKS):
        raise HouseWayError(source, where, f"at_least: {at_least!r}; expected a letter of {RANKS[::-1]}")
    return HouseWayPlay(front, back, 0 if at_least is None else RANKS.index(at_least) + 2)
