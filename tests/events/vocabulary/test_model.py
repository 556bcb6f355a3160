"""No value can be made that could not be read back: constructed or decoded, the same refusals."""

from typing import Any

import msgspec
import pytest
from msgspec import inspect as mi

from events.errors import EventError, UnknownEvent
from events.vocabulary import codec
from events.vocabulary.envelope import Draft, Envelope
from events.vocabulary.model import (
    MAX_INT,
    REGISTRY,
    DiceRolled,
    Event,
    EventCorrected,
    GamingDayOpened,
    HandSet,
    PatronBarred,
    PropertyConfigured,
    Replacement,
    Surrendered,
    WagerPlaced,
    event,
)

WAGER: dict[str, Any] = {"seat": 3, "bettor": "p-9", "wager": "base", "number": None, "amount_cents": 2500, "form": "chips"}

# One wrong value each, in a wager that is otherwise right.
WRONG_WAGERS = [
    {"seat": 7},
    {"seat": 0},
    {"seat": -1},
    {"seat": "3"},
    {"seat": True},
    {"seat": None},
    {"seat": 3.0},
    {"seat": "dealer"},
    {"amount_cents": 1.5},
    {"amount_cents": 2500.0},
    {"amount_cents": -1},
    {"amount_cents": MAX_INT + 1},
    {"amount_cents": 2**64},
    {"amount_cents": 10**400},
    {"amount_cents": False},
    {"amount_cents": "2500"},
    {"bettor": "P-9"},
    {"bettor": ""},
    {"bettor": "p" * 33},
    {"bettor": "p\n"},
    {"bettor": 9},
    {"wager": "b ase"},
    {"wager": "9_tiger"},
    {"wager": "w" * 33},
    {"wager": "base\n"},
    {"wager": "BASE"},
    {"number": 7},
    {"number": 0},
    {"form": None},
    {"form": ["chips"]},
]


@pytest.mark.parametrize("wrong", WRONG_WAGERS, ids=str)
def test_a_wrong_value_cannot_be_made_or_read(wrong: dict[str, Any]) -> None:
    field = next(iter(wrong))
    with pytest.raises(msgspec.ValidationError, match=rf"WagerPlaced\.{field}"):
        WagerPlaced(**{**WAGER, **wrong})
    with pytest.raises(msgspec.ValidationError):
        msgspec.structs.replace(WagerPlaced(**WAGER), **wrong)
    if isinstance(next(iter(wrong.values())), int) and abs(next(iter(wrong.values()))) >= 2**64:
        data = msgspec.json.encode(WAGER).replace(b"2500", str(wrong[field]).encode())
    else:
        data = codec.as_json({**WAGER, **wrong})
    with pytest.raises(EventError):
        codec.decode_payload("wager_placed", 1, data)


def test_the_bounds_themselves_are_fine() -> None:
    for seat in (1, 6):
        WagerPlaced(**{**WAGER, "seat": seat})
    for cents in (0, MAX_INT):
        data = codec.canonical(WagerPlaced(**{**WAGER, "amount_cents": cents}))
        assert codec.decode_payload("wager_placed", 1, data) == WagerPlaced(**{**WAGER, "amount_cents": cents})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("e\u0301", "NFC"),
        ("\u212b", "NFC"),
        ("\ud800", "surrogate"),
        ("ok \udfff", "surrogate"),
        ("", "length"),
        ("x" * 401, "length"),
    ],
)
def test_text_has_one_form(text: str, why: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=why):
        PatronBarred(patron="p-9", reason=text)
    with pytest.raises(msgspec.ValidationError, match=rf"Replacement\.payload.*{why}"):
        Replacement(type="patron_barred", version=1, round_no=None, payload={"patron": "p-9", "reason": text})


@pytest.mark.parametrize("text", ["\u00e9", "牌", "a\u0000b", "\n\u0303", '\t "\\/', "\U0001f3b2", "\u2028\x7f"])
def test_other_text_is_kept_as_it_is(text: str) -> None:
    barred = PatronBarred(patron="p-9", reason=text)
    data = codec.canonical(barred)
    assert codec.decode_payload("patron_barred", 1, data) == barred


def test_lists_are_lists() -> None:
    with pytest.raises(msgspec.ValidationError, match="would read back as"):
        DiceRolled(dice=(1, 2, 3), colours=None, lie="flat")  # not a list
    for dice in ([1, 2], [1, 2, 3, 4], [1, 2, 7], [1, 2, True], [1, 2, 3.0]):
        with pytest.raises(msgspec.ValidationError, match=r"DiceRolled\.dice"):
            DiceRolled(dice=dice, colours=None, lie="flat")  # what no checker lets through
    with pytest.raises(msgspec.ValidationError, match=r"HandSet\.high\[1\]"):
        HandSet(position="dealer", high=["As", "1s"], medium=[], low=[], by="dealer")  # no such card


def test_fields_are_those_of_the_version() -> None:
    data = codec.canonical(WagerPlaced(**WAGER))
    for wrong in (data.replace(b"}", b',"x":1}'), data.replace(b'"seat":3,', b""), data.replace(b'"form"', b'"from"')):
        with pytest.raises(EventError):
            codec.decode_payload("wager_placed", 1, wrong)
    with pytest.raises(TypeError):
        WagerPlaced(**WAGER, x=1)
    with pytest.raises(TypeError):
        WagerPlaced(seat=3)  # the rest is missing
    with pytest.raises(AttributeError):
        WagerPlaced(**WAGER).seat = 4  # frozen


def test_no_event_has_defaults_and_all_are_frozen_and_strict() -> None:
    for cls in REGISTRY.values():
        config = cls.__struct_config__
        assert config.frozen, cls
        assert config.forbid_unknown_fields, cls
        assert cls.__doc__, cls
        for field in msgspec.structs.fields(cls):
            assert field.required, (cls, field.name)


def integers(kind: mi.Type) -> list[mi.IntType]:
    """Return every integer inside a type; there must be no number of another kind and no free text in lists."""
    match kind:
        case mi.IntType():
            return [kind]
        case mi.UnionType():
            return [found for option in kind.types for found in integers(option)]
        case mi.ListType():
            assert not isinstance(kind.item_type, mi.StrType)
            return integers(kind.item_type)
        case mi.StructType():
            return [found for field in kind.fields for found in integers(field.type)]
        case mi.DictType():
            assert kind.value_type == mi.AnyType()  # a correction's replacement: validated as the event that it is
            return []
        case mi.StrType() | mi.LiteralType() | mi.BoolType() | mi.NoneType():
            return []
    raise AssertionError(f"not a type of the wire: {kind}")


def test_every_integer_is_bounded() -> None:
    for cls in (*REGISTRY.values(), Replacement):
        for number in integers(mi.type_info(cls)):
            assert number.ge is not None, cls
            assert number.le is not None, cls
            assert -MAX_INT <= number.ge <= number.le <= MAX_INT, cls


def test_every_integer_of_the_envelope_is_bounded() -> None:
    for cls in (Envelope, Draft):
        for field in msgspec.structs.fields(cls):
            if field.type is not Event:
                assert all(number.le is not None and number.ge is not None for number in integers(mi.type_info(field.type)))


# ------------------------------------------------------------------------------------------------------- corrections


def replacement(**changes: Any) -> Replacement:
    stated: dict[str, Any] = {"type": "wager_placed", "version": 1, "round_no": 7, "payload": WAGER}
    return Replacement(**{**stated, **changes})


@pytest.mark.parametrize("wrong", WRONG_WAGERS, ids=str)
def test_a_replacement_is_as_strict_as_the_event(wrong: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError, match=r"Replacement\.payload"):
        replacement(payload={**WAGER, **wrong})


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"type": "wager_dreamt"}, "no event 'wager_dreamt'"),
        ({"version": 3}, "version 3"),
        ({"version": 0}, "version"),
        ({"payload": {}}, "required"),
        ({"payload": {**WAGER, "x": 1}}, "unknown field"),
        ({"round_no": 0}, "round_no"),
        ({"type": "event_corrected", "payload": {}}, "cannot be replaced by a correction"),
        ({"payload": {**WAGER, 1: 1}}, "str"),
        ({"payload": [1]}, "payload"),
    ],
    ids=str,
)
def test_a_replacement_is_a_whole_event(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=why):
        replacement(**changes)


def test_a_stored_correction_is_as_strict() -> None:
    corrected = EventCorrected(
        supersedes_seq=3, supersedes_event_id="0f" * 16, replacement=replacement(), by="a-1", reason="seat misread"
    )
    data = codec.canonical(corrected)
    assert codec.decode_payload("event_corrected", 1, data) == corrected
    for old, new in [
        (b'"seat":3', b'"seat":7'),
        (b"2500", b"2500.0"),
        (b"2500", b"25e2"),
        (b"2500", b"-0"),
        (b"2500", b"1" * 400),
        (b"2500", b"true"),
        (b'"seat":3', b'"seat":3,"seat":3'),
        (b'"seat":3', b'"seat":3,"x":1'),
        (b"2500", b'"2500"'),
        (b"2500", b"[" * 400_000 + b"]" * 400_000),
        (b"2500", b" 2500"),
        (b'"base"', b'"\\u0062ase"'),
    ]:
        assert old in data
        with pytest.raises(EventError):
            codec.decode_payload("event_corrected", 1, data.replace(old, new))


# ----------------------------------------------------------------------------------------------------------- registry


def test_a_tag_can_be_taken_once() -> None:
    with pytest.raises(ValueError, match="'surrendered' version 1 is registered twice"):

        @event("surrendered")
        class Again(Surrendered, frozen=True, kw_only=True):
            """Never registered."""


def test_an_unknown_event_says_what_to_do() -> None:
    with pytest.raises(UnknownEvent, match=r"'dice_rolled' version 9.*upgrade"):
        codec.decode_payload("dice_rolled", 9, b"{}")


def test_a_draft_carries_an_event() -> None:
    stated: dict[str, Any] = {"event_id": "0f" * 16, "source": "t", "source_seq": 1, "occurred_at_us": 0, "round_no": None}
    assert Draft(**stated, payload=Surrendered(seat=1)).payload == Surrendered(seat=1)
    for payload in ({}, {"seat": 1}, None, Event(), replacement()):
        with pytest.raises(msgspec.ValidationError, match=r"Draft\.payload: expected an event"):
            Draft(**stated, payload=payload)
    for wrong in ({"event_id": "0F" * 16}, {"source": "A"}, {"source_seq": 0}, {"occurred_at_us": -1}, {"round_no": 0}):
        with pytest.raises(msgspec.ValidationError):
            Draft(**{**stated, **wrong}, payload=Surrendered(seat=1))


def test_an_envelope_names_its_payload() -> None:
    stated: dict[str, Any] = {
        "log_id": "0f" * 16,
        "property_id": "p",
        "stream": "table/a",
        "seq": 1,
        "event_id": "0f" * 16,
        "source": "t",
        "source_seq": 1,
        "occurred_at_us": 0,
        "recorded_at_us": 0,
        "gaming_day": "2026-03-14",
        "round_no": None,
        "type": "gaming_day_opened",
        "version": 1,
        "payload": GamingDayOpened(gaming_day="2026-03-14"),
    }
    assert Envelope(**stated).seq == 1
    for change in ({"type": "surrendered"}, {"version": 2}, {"payload": Surrendered(seat=1)}):
        with pytest.raises(EventError, match="envelope says"):
            Envelope(**{**stated, **change})
    for change in ({"seq": 0}, {"seq": True}, {"stream": "shoe/1"}, {"gaming_day": "14.3.2026"}, {"log_id": "x"}):
        with pytest.raises(msgspec.ValidationError):
            Envelope(**{**stated, **change})


def test_patterns_take_no_trailing_newline() -> None:
    stated = {"name": "Bellwether", "time_zone": "UTC", "gaming_day_cutover": "06:00", "currency": "USD"}
    PropertyConfigured(**stated)
    for field in ("gaming_day_cutover", "currency"):
        with pytest.raises(msgspec.ValidationError):
            PropertyConfigured(**{**stated, field: stated[field] + "\n"})
