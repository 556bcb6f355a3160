"""Why an edit may change nothing: the reviewed list, and the list of what is still open (`allowances.toml`)."""

import tomllib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

import msgspec

FILE = Path(__file__).with_name("allowances.toml")

Kind = Literal["accepted", "open"]
KINDS: tuple[Kind, ...] = ("accepted", "open")


class Row(msgspec.Struct, frozen=True, order=True):
    """A line of the survey: an edit of a field of an event, in a game.

    `whole` is a record that covers everything, `void` a round whose wagers all went back as void before the edit.
    """

    game: str
    event: str
    field: str
    how: str
    whole: bool
    void: bool = False


class Allowance(msgspec.Struct, frozen=True):
    """Patterns of rows, and why they may change nothing (a reason's name), or what is missing for them to be noticed."""

    kind: Kind
    games: tuple[str, ...]
    events: tuple[str, ...]
    fields: tuple[str, ...]
    how: tuple[str, ...]
    text: str
    money: bool = False
    void: bool = False
    """Of rounds that were void alone."""

    def holds_for(self, row: Row) -> bool:
        """Whether a row is meant."""
        return (row.void or not self.void) and all(
            any(fnmatchcase(word, pattern) for pattern in patterns)
            for word, patterns in (
                (row.game, self.games),
                (row.event, self.events),
                (row.field, self.fields),
                (row.how, self.how),
            )
        )

    def label(self) -> str:
        """The entry in one line, with the beginning of long lists."""
        parts = (
            ", ".join(each[:3]) + (" …" if len(each) > 3 else "") for each in (self.games, self.events, self.fields, self.how)
        )
        return f"{self.kind} [{' | '.join(parts)}] {self.text}"


class Allowances(msgspec.Struct, frozen=True):
    """The file: reasons by name, entries in order, and the event types that are not edited, each with its reason."""

    reasons: dict[str, str]
    entries: tuple[Allowance, ...]
    frame: dict[str, str]

    def entry_for(self, row: Row, money: bool = False) -> Allowance | None:
        """Return the entry that a row falls under; if money moves, only one of the open list that says so."""
        return next((each for each in self.entries if (not money or each.money) and each.holds_for(row)), None)


def load(path: Path = FILE) -> Allowances:
    """Read the file. Raises `ValueError` for an entry whose reason is not in the list of reasons, or has unknown fields."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    reasons = {each["name"]: each["text"] for each in content.get("reason", [])}
    groups = {each["name"]: tuple(each["events"]) for each in content.get("group", [])}
    entries = [_entry(kind, each, reasons, groups) for kind in KINDS for each in content.get(kind, [])]
    return Allowances(reasons, tuple(entries), {each["event"]: each["text"] for each in content.get("frame", [])})


def _entry(kind: Kind, given: dict[str, object], reasons: Mapping[str, str], groups: Mapping[str, tuple[str, ...]]) -> Allowance:
    named = "reason" if kind == "accepted" else "missing"
    fields = {"games", "events", "fields", "how", "void", named} | ({"money"} if kind == "open" else set())
    if unknown := given.keys() - fields:
        raise ValueError(f"{kind} entry {given}: unknown {', '.join(sorted(unknown))}; expected {', '.join(sorted(fields))}")
    text = str(given.get(named, ""))
    if kind == "accepted" and text not in reasons:
        raise ValueError(f"accepted entry {given}: reason {text!r} is not one of {', '.join(reasons)}")
    if not text:
        raise ValueError(f"open entry {given}: say in `missing` what is missing")
    return Allowance(
        kind=kind,
        games=_patterns(given.get("games", "*"), groups),
        events=_patterns(given.get("events", "*"), groups),
        fields=_patterns(given.get("fields", "(event)"), groups),
        how=_patterns(given.get("how", "*"), groups),
        text=text,
        money=bool(given.get("money", False)),
        void=bool(given.get("void", False)),
    )


def _patterns(given: object, groups: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return patterns, with `@name` in the place of which each event of a group is. Raises `ValueError` for no such group."""
    patterns = [str(each) for each in given] if isinstance(given, list) else [str(given)]
    made: list[str] = []
    for pattern in patterns:
        before, mark, name = pattern.partition("@")
        if mark and name not in groups:
            raise ValueError(f"{pattern!r}: no group {name!r}; expected one of {', '.join(groups)}")
        made += [before + event for event in groups[name]] if mark else [pattern]
    return tuple(made)
