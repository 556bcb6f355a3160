"""Hypothesis strategies for every event of the vocabulary, read off its types."""

import unicodedata
from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import inspect as mi

from events.errors import WrongPlace
from events.vocabulary.envelope import Draft
from events.vocabulary.model import MAX_INT, REGISTRY, Event, EventCorrected, Replacement
from events.vocabulary.places import check_place

TOKENS = st.from_regex(r"\A[a-z0-9-]{1,32}\Z", fullmatch=True)
HEX_32 = st.from_regex(r"\A[0-9a-f]{32}\Z", fullmatch=True)
NUMBERS = st.integers(1, MAX_INT)
TEXTS = (
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
    .map(lambda text: unicodedata.normalize("NFC", text))
    .filter(lambda text: unicodedata.is_normalized("NFC", text))
)


def values(kind: mi.Type) -> st.SearchStrategy[Any]:
    """Return a strategy for the values of a wire type."""
    match kind:
        case mi.UnionType():
            return st.one_of([values(option) for option in kind.types])
        case mi.NoneType():
            return st.none()
        case mi.BoolType():
            return st.booleans()
        case mi.IntType():
            return st.integers(kind.ge, kind.le)
        case mi.LiteralType():
            return st.sampled_from(kind.values)
        case mi.StrType() if kind.pattern is not None:
            return st.from_regex(kind.pattern, fullmatch=True)
        case mi.StrType():
            return TEXTS
        case mi.ListType():
            return st.lists(values(kind.item_type), min_size=kind.min_length or 0, max_size=min(kind.max_length or 5, 8))
        case mi.StructType() if kind.cls is Replacement:
            return st.deferred(lambda: REPLACEMENTS)
        case mi.StructType():
            return st.builds(kind.cls, **{each.name: values(each.type) for each in kind.fields})
    raise TypeError(f"no strategy for {kind}")


def payloads_of(cls: type[Event]) -> st.SearchStrategy[Event]:
    """Return a strategy for the payloads of one class."""
    if issubclass(cls, EventCorrected):
        return st.builds(
            cls,
            supersedes_seq=NUMBERS,
            supersedes_event_id=HEX_32,
            by=TOKENS.filter(lambda token: not token.startswith("-")),  # of version 2 it is a person's id
            reason=TEXTS,
            replacement=st.none() | REPLACEMENTS,
        )
    info = mi.type_info(cls)
    assert isinstance(info, mi.StructType)
    return st.builds(cls, **{field.name: values(field.type) for field in info.fields})


def stands_at_a_table(payload: Event) -> bool:
    """Whether a table's stream takes this event."""
    try:
        check_place("table/fu-07", payload)
    except WrongPlace:
        return False
    return True


def _replacement(payload: Event, round_no: int | None) -> Replacement:
    content = msgspec.to_builtins(payload)
    return Replacement(type=payload.TYPE, version=payload.VERSION, round_no=round_no, payload=content)


_CLASSES = list(REGISTRY.values())
PLAIN = st.sampled_from([cls for cls in _CLASSES if not issubclass(cls, EventCorrected)]).flatmap(payloads_of)
REPLACEMENTS = st.builds(_replacement, PLAIN, st.none() | NUMBERS)
PAYLOADS = st.sampled_from(_CLASSES).flatmap(payloads_of)
AT_A_TABLE = PAYLOADS.filter(lambda payload: stands_at_a_table(payload))
DRAFTS = st.builds(
    Draft,
    event_id=HEX_32,
    source=TOKENS,
    source_seq=NUMBERS,
    occurred_at_us=st.integers(0, MAX_INT),
    round_no=st.none() | NUMBERS,
    payload=PAYLOADS,
)
