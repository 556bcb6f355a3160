"""House ways of three hands: seven cards set into hands of four, two and one (58 Pa. Code § 659a.11(c), D26).

Made like `rulebook.house_ways.house_way`: rows in order, each for a kind of seven cards, with its plays; the first row that
matches the cards and has a possible play sets them. A play picks, among the legal settings it allows, the one with the highest
medium hand, then the highest low hand (or the other way round), then the highest high hand. If a row lists plays as equal,
all of them are accepted, and the first is the one to show. docs/house-ways.md explains the words of the table.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from itertools import combinations
from typing import Any, Final, Literal, assert_never, get_args

import msgspec

from rulebook.cards.cards import ACE, JOKER, RANKS, rank, show
from rulebook.cards.four_card import FourCardClass, rank_four, rank_one
from rulebook.cards.ranking import HandClass, Rank, rank_two
from rulebook.house_ways.house_way import ANY, HouseWayError
from rulebook.house_ways.house_way import KINDS as KINDS_IN_TWO_HANDS

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
    """What the high and medium hands must be, the ranks that medium and low must reach, and which is filled first."""

    high: High = "any"
    medium: Medium = "any"
    medium_at_least: int = 0
    low_at_least: int = 0
    first: First = "medium"

    @property
    def always_can_be_made(self) -> bool:
        """Whether every seven cards have a setting by this play."""
        return msgspec.structs.replace(self, first="medium") == ThreeHandPlay()


class ThreeHandRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row: the hands that it is for, and its plays in order, each a group of equal plays.

    `ranks` are those of the highest pair, three or four; `complete` is whether four of the seven cards must make a
    straight or flush. Null: any.
    """

    name: str
    kinds: frozenset[str]
    ranks: frozenset[int] | None
    complete: bool | None
    plays: tuple[tuple[ThreeHandPlay, ...], ...]

    def speaks_of(self, hand: _ThreeHandCards) -> bool:
        """Return whether the row is for this hand."""
        return (
            (ANY in self.kinds or hand.kind in self.kinds)
            and (self.ranks is None or hand.leading in self.ranks)
            and (self.complete is None or hand.complete == self.complete)
        )


class AsiaHouseWay(msgspec.Struct, frozen=True, kw_only=True):
    """A house way in three hands as filed. `digest` is of the table's text, `cite` is the source of the chart."""

    name: str
    cite: str
    digest: str
    rows: tuple[ThreeHandRow, ...]

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
        """Return whether hands are set by the house way: their ranks are those of an accepted setting of the same cards.

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

    def _row_and_settings(self, cards: Sequence[int]) -> tuple[ThreeHandRow, tuple[ThreeHands, ...]]:
        hand = _ThreeHandCards(cards)
        for row in self.rows:
            if row.speaks_of(hand):
                for group in row.plays:
                    if settings := hand.played(group):
                        return row, settings
        raise AssertionError(f"{self.name} sets no {show(cards)}")  # the last row sets every hand: see _rows


class _Legal(msgspec.Struct, frozen=True):
    """A legal setting: the ranks of its hands, and which of the cards they are."""

    high: Rank
    medium: Rank
    low: Rank
    parts: tuple[tuple[int, ...], tuple[int, ...], int]


class _ThreeHandCards:
    """Seven cards in the form that rows match."""

    def __init__(self, cards: Sequence[int]) -> None:
        if len(cards) != 7 or len(set(cards)) != 7:
            raise ValueError(f"{show(cards)}: a house way sets seven different cards")
        self.cards = sorted(cards, key=lambda card: (-_rank(card), -card))
        counts: dict[int, int] = {}
        for card in self.cards:
            counts[_rank(card)] = counts.get(_rank(card), 0) + 1
        self.counts = counts
        self.leading = max(counts, key=lambda r: (counts[r], r))
        self.kind = KINDS[tuple(sorted(counts.values(), reverse=True))]
        self.low_pair = min((r for r, count in counts.items() if count >= 2), default=0)
        highs = {four: rank_four([self.cards[i] for i in four]) for four in _FOURS}
        self.complete = any(high[0] in _COMPLETE for high in highs.values())
        mediums = {two: rank_two([self.cards[i] for i in two]) for two in _TWOS}
        lows = [rank_one((card,)) for card in self.cards]
        self.legal = [
            _Legal(highs[four], mediums[two], lows[one], (four, two, one))
            for four, two, one in _PARTS
            if highs[four] > mediums[two] > lows[one]
        ]

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
                return not is_pair and self.counts[setting.medium[1]] == 1 == self.counts[setting.medium[2]]
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


def _rank(card: int) -> int:
    return ACE if card == JOKER else rank(card)


# --------------------------------------------------------------------------------------------------------------- reading


def load_asia_house_way(toml_text: str, source: str) -> AsiaHouseWay:
    """Read a house way in three hands from its table; `HouseWayError` names the source and the row that is wrong."""
    try:
        table = tomllib.loads(toml_text)
    except tomllib.TOMLDecodeError as error:
        raise HouseWayError(source, "", f"not TOML: {error}") from error
    return _house_way(table, source, sha256(toml_text.encode()).hexdigest())


def asia_house_way_from_table(table: Mapping[str, Any], source: str) -> AsiaHouseWay:
    """Read a house way that is inside a rules submission. Its digest is of the table as sorted JSON."""
    try:
        text = json.dumps(table, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    except TypeError as error:
        raise HouseWayError(source, "", "dates and times have no place in a house way") from error
    return _house_way(table, source, sha256(text.encode()).hexdigest())


@cache
def packaged_asia_house_way(name: str) -> AsiaHouseWay:
    """Return a house way in three hands that comes with the project; `HouseWayError` lists those that do.

    >>> packaged_asia_house_way("asia").name
    'asia'
    """
    texts = {
        entry.name.removesuffix(".toml"): entry.read_text(encoding="utf-8")
        for entry in files("rulebook").joinpath("house_ways").iterdir()
        if entry.name.endswith(".toml")
    }
    known = sorted(known for known, text in texts.items() if tomllib.loads(text).get("hands") == HANDS)
    if name not in known:
        raise HouseWayError(name, "", f"no such house way; there is {', '.join(known)}, or a table of one's own")
    return load_asia_house_way(texts[name], f"{name}.toml")


def _house_way(table: Mapping[str, Any], source: str, digest: str) -> AsiaHouseWay:
    reader = _RowReader(source, "")
    reader.refuse_others(table, ("name", "cite", "hands", "row"))
    name, cited = reader.text(table, "name"), reader.text(table, "cite")
    reader.choice(table, "hands", (HANDS,))
    rows = table.get("row")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise reader.wrong("row: expected [[row]] tables")
    return AsiaHouseWay(name=name, cite=cited, digest=digest, rows=tuple(_rows(rows, source)))


def _rows(entries: Sequence[Mapping[str, Any]], source: str) -> Iterator[ThreeHandRow]:
    row: ThreeHandRow | None = None
    for number, entry in enumerate(entries, 1):
        name = _RowReader(source, f"row {number}").text(entry, "name")
        reader = _RowReader(source, f"row {number} ({name})")
        reader.refuse_others(entry, ("name", "hand", "ranks", "complete", "play"))
        row = ThreeHandRow(
            name=name,
            kinds=_kinds(entry, reader),
            ranks=None if "ranks" not in entry else frozenset(map(_rank_of, reader.letters(entry, "ranks"))),
            complete=None if "complete" not in entry else reader.flag(entry, "complete"),
            plays=_plays(entry, reader),
        )
        yield row
    assert row is not None
    sets_all = row.kinds == {ANY} and (row.ranks, row.complete) == (None, None)
    if not sets_all or not any(play.always_can_be_made for group in row.plays for play in group):
        raise reader.wrong('the last row must set every hand: hand = "any", no conditions, play = [{}]')


class _RowReader(msgspec.Struct, frozen=True):
    """Reads a row of a table; errors name the source and the row."""

    source: str
    row: str

    def wrong(self, message: str) -> HouseWayError:
        return HouseWayError(self.source, self.row, message)

    def refuse_others(self, table: Mapping[str, Any], keys: Sequence[str]) -> None:
        for key in table:
            if key not in keys:
                raise self.wrong(f"{key}: unknown; expected one of {', '.join(keys)}")

    def text(self, table: Mapping[str, Any], key: str) -> str:
        value = table.get(key)
        if not isinstance(value, str) or not value:
            raise self.wrong(f"{key}: {value!r}; expected text")
        return value

    def flag(self, table: Mapping[str, Any], key: str) -> bool:
        value = table.get(key)
        if not isinstance(value, bool):
            raise self.wrong(f"{key}: {value!r}; expected true or false")
        return value

    def choice(self, table: Mapping[str, Any], key: str, options: Sequence[str]) -> Any:
        value = table.get(key)
        if value not in options:
            raise self.wrong(f"{key}: {value!r}; expected one of {', '.join(options)}")
        return value

    def letters(self, table: Mapping[str, Any], key: str) -> str:
        value = table.get(key)
        if not isinstance(value, str) or not value or any(letter not in RANKS for letter in value):
            raise self.wrong(f"{key}: {value!r}; expected letters of {RANKS[::-1]}, such as AKQ")
        return value


def _rank_of(letter: str) -> int:
    return RANKS.index(letter) + 2


def _kinds(entry: Mapping[str, Any], reader: _RowReader) -> frozenset[str]:
    value = entry.get("hand")
    kinds = [value] if isinstance(value, str) else value
    known = (*dict.fromkeys(KINDS.values()), ANY)
    if not isinstance(kinds, list) or not kinds or not all(kind in known for kind in kinds):
        raise reader.wrong(f"hand: {value!r}; expected one or several of {', '.join(known)}")
    return frozenset(kinds)


def _plays(entry: Mapping[str, Any], reader: _RowReader) -> tuple[tuple[ThreeHandPlay, ...], ...]:
    value = entry.get("play")
    if not isinstance(value, list) or not value:
        raise reader.wrong(f"play: {value!r}; expected a list of plays")
    groups = [item if isinstance(item, list) else [item] for item in value]
    if not all(groups):
        raise reader.wrong("play: an empty list of plays")
    return tuple(tuple(_play(item, reader) for item in group) for group in groups)


def _play(item: object, reader: _RowReader) -> ThreeHandPlay:
    if not isinstance(item, dict):
        raise reader.wrong(f'play: {item!r}; expected a play such as {{ medium = "pair" }}')
    reader.refuse_others(item, ThreeHandPlay.__struct_fields__)
    wanted: dict[str, Any] = {}
    for key, options in (("high", get_args(High)), ("medium", get_args(Medium)), ("first", get_args(First))):
        if key in item:
            wanted[key] = reader.choice(item, key, options)
    for key in ("medium_at_least", "low_at_least"):
        if key in item:
            letters = reader.letters(item, key)
            if len(letters) != 1:
                raise reader.wrong(f"{key}: {letters!r}; expected a letter of {RANKS[::-1]}")
            wanted[key] = _rank_of(letters)
    return ThreeHandPlay(**wanted)
