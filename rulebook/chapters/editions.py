"""Editions of a chapter: the first as published, and amendments, each with the gaming day from which it counts.

An amendment is a small table with the keys of a chapter. Existing entries are replaced, new ones added, and `strike` removes
entries. In force on a gaming day is the chapter with every amendment whose day has come, in the order of their numbers.

Invariant: it merges tables without interpreting them (`rulebook.chapters.chapters` does). docs/editions.md has the format.
"""

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from hashlib import sha256
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from rulebook.chapters.chapter_form import Text, fault_in, fault_of

Table = Mapping[str, Any]

GUIDE: Final = "docs/editions.md says what an amendment has"
NEEDS_PROGRAM: Final = "an amendment does not change this: the game would be another, which takes a new version of the program"
_LISTS: Final = ("paytable", "deal_method", "starting", "shuffler", "setting")
"""The lists of a chapter of which an amendment replaces entries by their names; it adds only paytables."""
_FREE: Final = frozenset(
    {"title", "wager_forms", "house_way_cite", "max_payout_cite", "adjacent_boxes_cite", "numbers", "sections", *_LISTS}
)
"""The keys of a chapter that an amendment can have. By the others the game is another one."""
FIXED_NUMBERS: Final = frozenset(
    {
        "seats", "deck_size", "jokers", "copies", "piles", "cards_per_hand", "high_hand_cards", "medium_hand_cards",
        "low_hand_cards", "cover_card_from_bottom_cards", "drawn_number_min", "face_up_cards_allowed", "shakes_after_deal",
    }
)  # fmt: skip
"""The numbers that no amendment changes: the program does not read them from the chapter, or the game is another by them."""
_OWN: Final = frozenset({"jurisdiction", "chapter", "edition", "effective", "published", "cite", "line", "strike"})
"""The keys that an amendment has for itself."""


class Strike(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A removed entry: a wager, one of its paytables, or a line of that; a section, or another entry by name."""

    wager: str | None = None
    paytable: str | None = None
    hand: str | None = None
    section: str | None = None
    deal_method: str | None = None
    starting: str | None = None
    shuffler: str | None = None
    setting: str | None = None


class _Head(msgspec.Struct, kw_only=True):
    """The keys of an amendment itself."""

    jurisdiction: Text
    chapter: Text
    edition: Annotated[int, Meta(ge=2, le=999)]
    effective: date
    published: Text
    cite: Text
    line: tuple[dict[str, Any], ...] = ()
    strike: tuple[Strike, ...] = ()


class Amendment(msgspec.Struct, frozen=True, kw_only=True):
    """The content of an amendment. `key` names the chapter, such as `pa-688a`; `effective` is the first gaming day."""

    key: str
    edition: int
    effective: str
    published: str
    cite: str
    text: str
    table: dict[str, Any]
    strikes: tuple[Strike, ...]

    @property
    def digest(self) -> str:
        """The SHA-256 of the text, in hexadecimal digits."""
        return sha256(self.text.encode()).hexdigest()


@cache
def read_amendment(text: str, source: str = "amendment") -> Amendment:
    """Return an amendment from its text. Raises `ValueError` naming file, key and what was expected.

    Whether it fits its chapter is checked by `amended`.
    """
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{source}: not TOML: {error}; {GUIDE}") from error
    head, fault = fault_in({key: value for key, value in table.items() if key in _OWN}, _Head)
    if head is None:
        raise ValueError(f"{source}: {fault}; {GUIDE}")
    if table.keys() <= _OWN - {"line", "strike"}:
        raise ValueError(f"{source}: it changes nothing; expected what it replaces, adds or strikes; {GUIDE}")
    return Amendment(
        key=f"{head.jurisdiction}-{head.chapter}",
        edition=head.edition,
        effective=head.effective.isoformat(),
        published=head.published,
        cite=head.cite,
        text=text,
        table=table,
        strikes=head.strike,
    )


def why_not_next(made: Amendment, known: Iterable[Amendment]) -> str | None:
    """Return why an amendment does not follow the known ones of its chapter; None if it does."""
    last = max(known, key=lambda each: each.edition, default=None)
    number = 1 if last is None else last.edition
    if made.edition != number + 1:
        return f"edition {made.edition} of {made.key}: the last known is {number}; expected the next number"
    if last is not None and made.effective < last.effective:
        days = f"counts from {made.effective}, and edition {number} from {last.effective}"
        return f"edition {made.edition} of {made.key} {days}; expected no earlier day"
    return None


def amendment_from_words(words: Sequence[str]) -> str:
    """Return the amendment that the words of an `edition` line stand for. Raises `ValueError` naming a wrong word.

    >>> print(amendment_from_words(["pa-688a", "2", "2027-02-01", "line=ace_high_bonus/1/both_ace_high/25:1"]), end="")
    jurisdiction = "pa"
    chapter = "688a"
    edition = 2
    effective = 2027-02-01
    published = "not stated"
    cite = "not stated"
    <BLANKLINE>
    [[line]]
    wager = "ace_high_bonus"
    paytable = "1"
    hand = "both_ace_high"
    odds = "25:1"
    """
    if len(words) < 4:
        raise ValueError(
            "expected CHAPTER EDITION GAMING-DAY and what changes, like: edition pa-688a 2 2027-02-01 strike=fortune_bonus"
        )
    key, edition, day, *changes = words
    jurisdiction, _, name = key.partition("-")
    values: list[str] = []
    tables: list[str] = []
    for word in changes:
        kind, equals, value = word.partition("=")
        parts = value.split("/")
        if not (kind and equals and value) or len(parts) > 4:
            raise ValueError(f"{word!r}; expected what changes, like line=ace_high_bonus/1/both_ace_high/25:1")
        if kind == "line" and len(parts) == 4:
            tables += ["", "[[line]]", *_texts(("wager", "paytable", "hand", "odds"), parts)]
        elif kind == "strike" and len(parts) < 4:
            tables += ["", "[[strike]]", *_texts(("wager", "paytable", "hand"), parts)]
        elif kind == "number" and len(parts) == 3:
            tables += ["", f"[numbers.{parts[0]}]", f"value = {parts[1]}", *_texts(("cite",), parts[2:])]
        elif kind == "strike_section":
            tables += ["", "[[strike]]", *_texts(("section",), [value])]
        elif kind == "section" and len(parts) == 2:
            tables += ["", "[sections]", f"{json.dumps(parts[0])} = {json.dumps(parts[1])}"]
        else:
            values += _texts((kind,), [value])
    head = [*_texts(("jurisdiction", "chapter"), (jurisdiction, name)), f"edition = {edition}", f"effective = {day}"]
    head += _texts(("published", "cite"), ("not stated", "not stated"))
    return "\n".join([*head, *values, *tables]) + "\n"


def _texts(keys: Iterable[str], values: Iterable[str]) -> list[str]:
    """Return lines of TOML that give keys texts; JSON's escapes are TOML's too."""
    return [f"{key} = {json.dumps(value)}" for key, value in zip(keys, values, strict=False)]


def in_force(amendments: Iterable[Amendment], day: str) -> tuple[Amendment, ...]:
    """Return the amendments whose gaming day has come, in order; if two have the same number, the first counts."""
    numbered: dict[int, Amendment] = {}
    for each in amendments:
        numbered.setdefault(each.edition, each)
    return tuple(numbered[number] for number in sorted(numbered) if numbered[number].effective <= day)


def amended(table: Table, amendment: Amendment) -> Table:
    """Return a chapter's full table after an amendment. Raises `ValueError` if the amendment does not fit it."""
    source = f"{amendment.key}, edition {amendment.edition}"
    changed = dict(table)
    for strike in amendment.strikes:
        _strike(changed, strike, source)
    for key, value in amendment.table.items():
        if key in _OWN:
            continue
        if key not in _FREE:
            raise ValueError(f"{source}: {key}: {NEEDS_PROGRAM}")
        if key in ("numbers", "sections"):
            named = _of(value, dict, f"{source}: {key}")
            fixed = sorted(named.keys() & FIXED_NUMBERS) if key == "numbers" else []
            if fixed:
                raise ValueError(f"{source}: numbers.{fixed[0]}: {NEEDS_PROGRAM}")
            changed[key] = {**changed.get(key, {}), **named}
        elif key in _LISTS:
            for entry in _of(value, list, f"{source}: {key}"):
                changed[key] = _with_entry(changed.get(key, ()), _of(entry, dict, f"{source}: {key}"), key, source)
        else:
            changed[key] = value
    for line in amendment.table.get("line", ()):
        _put_line(changed, line, source)
    fault = fault_of(changed)
    if fault is not None:
        raise ValueError(f"{source}: {fault}; {GUIDE}")
    return changed


def _of(value: Any, kind: type, where: str) -> Any:
    if not isinstance(value, kind):
        raise ValueError(f"{where}: expected {'a list' if kind is list else 'a table'}; {GUIDE}")
    return value


def _with_entry(entries: Iterable[Table], entry: Table, key: str, source: str) -> list[Table]:
    """Merge an entry into the one with the same name, or append a new paytable."""
    name = entry.get("name"), entry.get("wager")
    kept, is_new = list[Table](), True
    for each in entries:
        if (each.get("name"), each.get("wager")) == name:
            kept.append({**each, **entry})
            is_new = False
        else:
            kept.append(each)
    if is_new and key != "paytable":
        raise ValueError(f"{source}: {key} {entry.get('name')!r}: {NEEDS_PROGRAM}")
    return [*kept, entry] if is_new else kept


def _put_line(changed: dict[str, Any], line: Table, source: str) -> None:
    """Replace a line of a paytable, or add it as the last."""
    wager, name, hand = line.get("wager"), line.get("paytable"), line.get("hand")
    new = {key: value for key, value in line.items() if key not in ("wager", "paytable")}
    paytable = _find(changed, {"wager": wager, "name": name}, f"{source}: line: paytable {name!r} of {wager!r}")
    lines = paytable.get("lines", ())
    known = any(each["hand"] == hand for each in lines)
    if not known and not _is_known_line(changed, line):
        raise ValueError(f"{source}: line: hand {hand!r}: no such line; expected one that a paytable of the wager has; {GUIDE}")
    replaced = [new if each["hand"] == hand else each for each in lines]
    changed["paytable"] = _with_entry(
        changed["paytable"], {**paytable, "lines": replaced if known else [*replaced, new]}, "paytable", source
    )


def _is_known_line(changed: Table, line: Table) -> bool:
    """Whether a paytable of the wager has a line for this hand: another hand would make it another game."""
    return any(
        each["hand"] == line.get("hand")
        for paytable in changed.get("paytable", ())
        if paytable["wager"] == line.get("wager")
        for each in paytable.get("lines", ())
    )


def _find(changed: Table, names: Table, what: str) -> Table:
    for each in changed.get("paytable", ()):
        if all(each.get(key) == value for key, value in names.items()):
            return dict(each)
    raise ValueError(f"{what}: there is none; {GUIDE}")


def _strike(changed: dict[str, Any], strike: Strike, source: str) -> None:
    """Remove a struck entry; `ValueError` if it is not there."""
    where = f"{source}: strike"
    if strike.section is not None:
        changed["sections"] = {**changed.get("sections", {}), strike.section: ""}
    elif strike.hand is not None:
        names = {"wager": strike.wager, "name": strike.paytable}
        paytable = _find(changed, names, f"{where}: paytable {strike.paytable!r} of {strike.wager!r}")
        lines = [line for line in paytable.get("lines", ()) if line["hand"] != strike.hand]
        if len(lines) == len(paytable.get("lines", ())):
            raise ValueError(f"{where}: line {strike.hand!r}: there is none; {GUIDE}")
        changed["paytable"] = _with_entry(changed["paytable"], {**paytable, "lines": lines}, "paytable", source)
    elif strike.paytable is not None:
        names = {"wager": strike.wager, "name": strike.paytable}
        struck = _find(changed, names, f"{where}: paytable {strike.paytable!r} of {strike.wager!r}")
        changed["paytable"] = [each for each in changed["paytable"] if each != struck]
    elif strike.wager is not None:
        if any(each["name"] == strike.wager and each.get("always") for each in changed["wager"]):
            raise ValueError(f"{where}: wager {strike.wager!r}: the game is not played without it")
        _strike_named(changed, "wager", strike.wager, where)
        changed["paytable"] = [each for each in changed.get("paytable", ()) if each["wager"] != strike.wager]
    else:
        key = next((key for key in _LISTS if getattr(strike, key, None) is not None), None)
        if key is None:
            raise ValueError(f"{where}: it names nothing; {GUIDE}")
        _strike_named(changed, key, getattr(strike, key), where)


def _strike_named(changed: dict[str, Any], key: str, name: str, where: str) -> None:
    left = [each for each in changed.get(key, ()) if each["name"] != name]
    if len(left) == len(changed.get(key, ())):
        raise ValueError(f"{where}: {key} {name!r}: there is none; {GUIDE}")
    changed[key] = left
