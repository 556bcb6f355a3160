"""The table of a house way: rows in order, each for a kind of seven cards, and how they are read (docs/house-ways.md).

House ways of two hands (`house_way`) and of three (`house_way_asia`) share it; they differ in what a play says. The last row
must set every hand, so that every seven cards have a row.
"""

import json
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from itertools import chain
from typing import Any, Final, Generic, NamedTuple, TypeVar

import msgspec

from rulebook.cards.cards import ACE, DECK, JOKER, RANKS, rank, show

ANY: Final = "any"

_RANK: Final = tuple(ACE if card == JOKER else rank(card) for card in DECK)
_SHOW_ORDER: Final = tuple((-_RANK[card], -card) for card in DECK)
"""Cards are shown from the highest rank down."""

Play = TypeVar("Play")


class HouseWayError(ValueError):
    """A house way cannot be used; the message names the table, the row, and the reason."""

    def __init__(self, source: str, row: str, message: str) -> None:
        super().__init__(f"{source}: {row}: {message}" if row else f"{source}: {message}")
        self.source = source
        self.row = row
        self.message = message


class SevenCards(ABC):
    """Seven cards in the form that rows match; `kinds` names how often their ranks are there, the joker an ace."""

    def __init__(self, cards: Sequence[int], kinds: Mapping[tuple[int, ...], str]) -> None:
        if len(cards) != 7 or len(set(cards)) != 7:
            raise ValueError(f"{show(cards)}: a house way sets seven different cards")
        self.cards = sorted(cards, key=_SHOW_ORDER.__getitem__)
        self.of_rank: dict[int, list[int]] = {}
        for card in self.cards:
            self.of_rank.setdefault(_RANK[card], []).append(card)
        self.kind = kinds[tuple(sorted([len(same) for same in self.of_rank.values()], reverse=True))]
        self.joker_with_ace = len(self.of_rank.get(ACE, ())) > 1 and JOKER in cards

    @property
    def leading(self) -> int:
        """The highest among the most frequent ranks."""
        return max(self.of_rank, key=lambda r: (len(self.of_rank[r]), r))

    @property
    @abstractmethod
    def complete(self) -> bool:
        """Whether some of the cards make the high hand a straight or a flush."""


class Row(msgspec.Struct, Generic[Play], frozen=True, kw_only=True):
    """One row: the hands that it is for, and its plays in order, each a group of equal plays.

    `ranks` are those of the highest pair, three or four; `complete` is whether the high hand's number of cards must make a
    straight or flush; `joker_with_ace` whether the joker lies next to an ace. None: any.
    """

    name: str
    kinds: frozenset[str]
    ranks: frozenset[int] | None
    complete: bool | None
    joker_with_ace: bool | None
    plays: tuple[tuple[Play, ...], ...]

    def speaks_of(self, hand: SevenCards) -> bool:
        """Return whether the row is for this hand."""
        return (
            (ANY in self.kinds or hand.kind in self.kinds)
            and (self.ranks is None or hand.leading in self.ranks)
            and (self.joker_with_ace is None or hand.joker_with_ace == self.joker_with_ace)
            and (self.complete is None or hand.complete == self.complete)
        )


class RowReader(msgspec.Struct, frozen=True):
    """Reads a row of a table; errors name the source and the row."""

    source: str
    row: str = ""

    def wrong(self, message: str) -> HouseWayError:
        """Return the error with this message."""
        return HouseWayError(self.source, self.row, message)

    def refuse_others(self, table: Mapping[str, Any], keys: Sequence[str]) -> None:
        """Refuse keys other than these."""
        for key in table:
            if key not in keys:
                raise self.wrong(f"{key}: unknown; expected one of {', '.join(keys)}")

    def text(self, table: Mapping[str, Any], key: str) -> str:
        """Return a required text."""
        value = table.get(key)
        if not isinstance(value, str) or not value:
            raise self.wrong(f"{key}: {value!r}; expected text")
        return value

    def flag(self, table: Mapping[str, Any], key: str) -> bool | None:
        """Return true, false, or None if the key is not there."""
        value = table.get(key)
        if value is not None and not isinstance(value, bool):
            raise self.wrong(f"{key}: {value!r}; expected true or false")
        return value

    def choice(self, table: Mapping[str, Any], key: str, options: Sequence[str], default: str | None = None) -> Any:
        """Return one of the options."""
        value = table.get(key, default)
        if value not in options:
            raise self.wrong(f"{key}: {value!r}; expected one of {', '.join(options)}")
        return value

    def kinds(self, table: Mapping[str, Any], known: Collection[str]) -> frozenset[str]:
        """Return the kinds of hands that a row is for."""
        value = table.get("hand")
        kinds = [value] if isinstance(value, str) else value
        options = (*dict.fromkeys(known), ANY)
        if not isinstance(kinds, list) or not kinds or not all(kind in options for kind in kinds):
            raise self.wrong(f"hand: {value!r}; expected one or several of {', '.join(options)}")
        return frozenset(kinds)

    def plays(self, table: Mapping[str, Any], example: str) -> list[list[dict[str, Any]]]:
        """Return the plays of a row, in groups of equal ones."""
        value = table.get("play")
        if not isinstance(value, list) or not value:
            raise self.wrong(f"play: {value!r}; expected a list of plays")
        groups = [item if isinstance(item, list) else [item] for item in value]
        if not all(groups):
            raise self.wrong("play: an empty list of plays")
        for item in chain.from_iterable(groups):
            if not isinstance(item, dict):
                raise self.wrong(f"play: {item!r}; expected a play such as {example}")
        return groups

    def ranks(self, table: Mapping[str, Any], key: str) -> frozenset[int] | None:
        """Return the ranks of letters such as AKQ, or None if the key is missing."""
        value = table.get(key)
        if value is None:
            return None
        if not isinstance(value, str) or not value or any(letter not in RANKS for letter in value):
            raise self.wrong(f"{key}: {value!r}; expected letters of {RANKS[::-1]}, such as AKQ")
        return frozenset(RANKS.index(letter) + 2 for letter in value)

    def rank(self, table: Mapping[str, Any], key: str) -> int:
        """Return the rank of one letter, or 0 if the key is not there."""
        value = table.get(key)
        if value is not None and (not isinstance(value, str) or len(value) != 1 or value not in RANKS):
            raise self.wrong(f"{key}: {value!r}; expected a letter of {RANKS[::-1]}")
        return 0 if value is None else RANKS.index(value) + 2


class TableForm(NamedTuple, Generic[Play]):
    """The permitted content of a table's rows: the kinds of hands, the keys, and the parser of a play.

    `example` is a play for messages; `always` are the plays possible with any seven cards, with the words for the first.
    """

    kinds: Collection[str]
    keys: Sequence[str]
    play: Callable[[Mapping[str, Any], RowReader], Play]
    example: str
    always: Mapping[Play, str]

    def rows(self, table: Mapping[str, Any], source: str) -> tuple[Row[Play], ...]:
        """Read the rows of a table. Raises `HouseWayError`."""
        entries = table.get("row")
        if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
            raise HouseWayError(source, "", "row: expected [[row]] tables")
        rows = [self._row(number, entry, source) for number, entry in enumerate(entries, 1)]
        last = rows[-1]
        for_all = last.kinds == {ANY} and (last.ranks, last.complete, last.joker_with_ace) == (None, None, None)
        if not for_all or not any(play in self.always for group in last.plays for play in group):
            message = 'the last row must set every hand: hand = "any", no conditions, play = '
            where = f"row {len(rows)} ({last.name})"
            raise HouseWayError(source, where, message + next(iter(self.always.values())))
        return tuple(rows)

    def _row(self, number: int, entry: Mapping[str, Any], source: str) -> Row[Play]:
        name = RowReader(source, f"row {number}").text(entry, "name")
        reader = RowReader(source, f"row {number} ({name})")
        reader.refuse_others(entry, self.keys)
        return Row(
            name=name,
            kinds=reader.kinds(entry, self.kinds),
            ranks=reader.ranks(entry, "ranks"),
            complete=reader.flag(entry, "complete"),
            joker_with_ace=reader.flag(entry, "joker_with_ace"),
            plays=tuple(tuple(self.play(item, reader) for item in group) for group in reader.plays(entry, self.example)),
        )


def parsed(toml_text: str, source: str) -> tuple[dict[str, Any], str]:
    """Return a table and the digest of its text. Raises `HouseWayError`."""
    try:
        return tomllib.loads(toml_text), sha256(toml_text.encode()).hexdigest()
    except (ValueError, RecursionError) as error:
        raise HouseWayError(source, "", f"not TOML: {error}") from error


def digest_of(table: Mapping[str, Any], source: str) -> str:
    """Return the digest of a table inside a rules submission: that of the table as sorted JSON. Raises `HouseWayError`."""
    try:
        text = json.dumps(table, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    except TypeError as error:
        raise HouseWayError(source, "", "dates and times have no place in a house way") from error
    return sha256(text.encode()).hexdigest()


def packaged_text(name: str, hands: str | None) -> str:
    """Return the table of a house way that comes with the project, by its `hands`; `HouseWayError` lists those that do."""
    texts = {
        entry.name.removesuffix(".toml"): entry.read_text(encoding="utf-8")
        for entry in files("rulebook").joinpath("house_ways").iterdir()
        if entry.name.endswith(".toml")
    }
    known = sorted(known for known, text in texts.items() if tomllib.loads(text).get("hands") == hands)
    if name not in known:
        raise HouseWayError(name, "", f"no such house way; there is {', '.join(known)}, or a table of one's own")
    return texts[name]
