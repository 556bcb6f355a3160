"""Other values for a field of an event, from its type alone: a new event or field is edited without anybody remembering it."""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from events.vocabulary.base import Card
from events.vocabulary.model import Replacement

CARDS = frozenset(get_args(Card))
DIGEST = 64
FEW = 20
"""A bounded number with at most this many values is changed to each of them."""
ANOTHER_TEXT, UNKNOWN_TOKEN = "in other words", "never-named"

Change = tuple[str, Any]
"""How a field is changed, in words, and its new value."""


class Surroundings(msgspec.Struct, frozen=True):
    """What an edit chooses other values from: the tokens that each field names, and the cards dealt."""

    tokens: Mapping[str, frozenset[str]]
    dealt: frozenset[str]

    def other_cards(self, card: str) -> Iterator[Change]:
        """Yield a card that another position has, and one that no one has."""
        elsewhere = sorted(self.dealt - {card})
        unseen = sorted(CARDS - self.dealt)
        # the choice is spread over the deck, and the same in every run
        if elsewhere:
            yield "to a card that was dealt", elsewhere[sum(map(ord, card)) % len(elsewhere)]
        if unseen:
            yield "to a card of the stub", unseen[sum(map(ord, card)) % len(unseen)]


def changes(type_: Any, value: Any, name: str, around: Surroundings) -> Iterator[Change]:
    """Yield every change of a value of this type that makes sense. Raises `TypeError` for a type that is not known here."""
    origin, arguments = get_origin(type_), get_args(type_)
    if origin is Annotated:
        yield from _annotated(arguments[0], arguments[1:], value, name, around)
    elif origin in (Union, UnionType):
        yield from _union(arguments, value, name, around)
    elif origin is Literal:
        yield from _literal(arguments, value, around)
    elif origin is list:
        yield from _list(arguments[0], value, name, around)
    elif type_ is bool:
        yield f"to {str(not value).lower()}", not value
    elif type_ is str:
        yield "to another text", ANOTHER_TEXT
    elif type_ in (NoneType, Replacement):  # what is stated of another event is edited as an event of its own
        return
    elif issubclass(type_, msgspec.Struct):
        for field in msgspec.structs.fields(type_):
            for words, each in changes(field.type, getattr(value, field.name), field.name, around):
                yield f"{field.name} {words}", msgspec.structs.replace(value, **{field.name: each})
    else:
        raise TypeError(f"{name}: no edits are known for the type {type_}; say in tests/evidence/values.py how it is changed")


def _annotated(base: Any, metas: tuple[Any, ...], value: Any, name: str, around: Surroundings) -> Iterator[Change]:
    meta = metas[0]
    if base is int:
        yield from _number(meta, value)
    elif base is str and meta.pattern is not None:
        yield from _patterned(meta.pattern, value, name, around)
    else:
        yield from changes(base, value, name, around)


def _number(meta: msgspec.Meta, value: int) -> Iterator[Change]:
    low, high = meta.ge, meta.le
    if high - low < FEW:
        yield from (("to another number", each) for each in range(low, high + 1) if each != value)
        return
    candidates = (("one more", value + 1), ("one less", value - 1), ("doubled", value * 2), ("to zero", 0))
    seen = {value}
    for words, each in candidates:
        if low <= each <= high and each not in seen:
            seen.add(each)
            yield words, each


def _patterned(pattern: str, value: str, name: str, around: Surroundings) -> Iterator[Change]:
    if "{4}-" in pattern:
        day = date.fromisoformat(value)
        yield "to the day before", (day - timedelta(days=1)).isoformat()
        yield "to the day after", (day + timedelta(days=1)).isoformat()
    elif "[0-9a-f]{64}" in pattern and len(value) == DIGEST:
        yield "to another digest", f"{(int(value, 16) + 1) % 16 ** len(value):0{len(value)}x}"
    elif "/" in pattern:
        yield "to another stream", f"{value.partition('/')[0]}/{UNKNOWN_TOKEN}"
    else:
        others = sorted(around.tokens.get(name, frozenset()) - {value})
        yield from (("to another one of the table", each) for each in others[:2])
        yield "to an unknown one", UNKNOWN_TOKEN


def _union(members: tuple[Any, ...], value: Any, name: str, around: Surroundings) -> Iterator[Change]:
    if NoneType in members:
        rest = [each for each in members if each is not NoneType]
        if value is not None:
            yield "to unread" if _has_cards(rest[0]) or name in ("dice", "number") else "to null", None
            for each in rest:
                yield from changes(each, value, name, around)
        else:
            yield from _stated(rest[0], name, around)
        return
    for each in members:
        if _is_of(each, value):
            yield from changes(each, value, name, around)
        else:
            yield from _members(each)


def _has_cards(type_: Any) -> bool:
    return get_origin(type_) is Literal and set(get_args(type_)) == CARDS


def _is_of(type_: Any, value: Any) -> bool:
    try:
        msgspec.convert(value, type_, strict=True)
    except msgspec.ValidationError:
        return False
    return True


def _members(type_: Any) -> Iterator[Change]:
    """The values of the other half of a union: words, or small numbers."""
    if get_origin(type_) is Literal:
        yield from ((f"to {each}", each) for each in get_args(type_))
    elif get_origin(type_) is Annotated and get_args(type_)[0] is int:
        meta = get_args(type_)[1]
        yield from (("to another number", each) for each in range(meta.ge, meta.le + 1))
    else:
        raise TypeError(f"no edits are known for {type_} in a union; say in tests/evidence/values.py how it is changed")


def _stated(type_: Any, name: str, around: Surroundings) -> Iterator[Change]:
    """A value if none was stated."""
    base = get_args(type_)[0] if get_origin(type_) is Annotated else type_
    if _has_cards(type_):
        yield from ((words.replace("to", "read as", 1), card) for words, card in around.other_cards(""))
    elif get_origin(type_) is Annotated and base is int:
        yield "stated", max(get_args(type_)[1].ge, 1)
    elif get_origin(type_) is Annotated and base is str:
        pattern = get_args(type_)[1].pattern or ""
        yield "stated", "0" * 64 if "{64}" in pattern else UNKNOWN_TOKEN
    elif get_origin(base) is list or (isinstance(base, type) and issubclass(base, msgspec.Struct)):
        return  # a list that no one read, or a value of several parts, has no single sensible value
    else:
        raise TypeError(f"{name}: no edits are known for a stated {type_}; say in tests/evidence/values.py how it is stated")


def _literal(words: tuple[Any, ...], value: Any, around: Surroundings) -> Iterator[Change]:
    if set(words) == CARDS:
        yield from around.other_cards(value)
    else:
        yield from ((f"to {each}", each) for each in words if each != value)


def _list(type_: Any, value: list[Any], name: str, around: Surroundings) -> Iterator[Change]:
    cards = _has_cards(type_) or any(_has_cards(each) for each in get_args(type_))
    words = get_origin(type_) is Literal and not cards
    for at, element in enumerate(value):
        rest = [*value[:at], *value[at + 1 :]]
        if words and len(set(value)) == len(value) and len(get_args(type_)) > len(value):
            yield f"without {element}", rest  # a set of words
            continue
        yield from ((said, [*value[:at], other, *value[at + 1 :]]) for said, other in changes(type_, element, name, around))
    if words:
        yield from ((f"with {each}", [*value, each]) for each in get_args(type_) if each not in value)
    if len(value) > 1 and value[0] != value[-1]:
        yield "first and last exchanged", [value[-1], *value[1:-1], value[0]]
    if cards and value:
        yield "without the last", value[:-1]
        yield from (("with one more", [*value, card]) for said, card in around.other_cards("") if "stub" in said)
