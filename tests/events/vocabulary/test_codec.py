"""Canonical bytes: one form for every event, and every other form refused. Each row breaks one thing."""

import datetime
from typing import Any

import msgspec
import pytest

from events.errors import EventError, UnknownEvent
from events.vocabulary import codec
from events.vocabulary.envelope import Draft, Envelope
from events.vocabulary.model import DiceRolled, PatronBarred

ENVELOPE = Envelope(
    log_id="00112233445566778899aabbccddeeff",
    property_id="bellwether",
    stream="table/fu-07",
    seq=41,
    event_id="0f" * 16,
    source="table-07",
    source_seq=40,
    occurred_at_us=1_773_500_000_000_000,
    recorded_at_us=1_773_500_000_250_000,
    gaming_day="2026-03-14",
    round_no=7,
    type="dice_rolled",
    version=1,
    payload=DiceRolled(dice=[2, 2, None], colours=None, lie="flat"),
)
DATA = (
    b'{"event_id":"0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f","gaming_day":"2026-03-14",'
    b'"log_id":"00112233445566778899aabbccddeeff","occurred_at_us":1773500000000000,'
    b'"payload":{"colours":null,"dice":[2,2,null],"lie":"flat"},"property_id":"bellwether",'
    b'"recorded_at_us":1773500000250000,"round_no":7,"seq":41,"source":"table-07","source_seq":40,'
    b'"stream":"table/fu-07","type":"dice_rolled","version":1}'
)


def test_the_bytes_are_these() -> None:
    assert codec.encode(ENVELOPE) == DATA
    assert codec.decode(DATA) == ENVELOPE


OTHERWISE = pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"seq":41', b'"seq":41.0'),
        (b'"seq":41', b'"seq":4.1e1'),
        (b'"seq":41', b'"seq":041'),
        (b'"seq":41', b'"seq":+41'),
        (b'"seq":41', b'"seq": 41'),
        (b'"seq":41', b'"seq":true'),
        (b'"seq":41', b'"seq":"41"'),
        (b'"seq":41', b'"seq":0'),
        (b'"seq":41', b'"seq":-0'),
        (b'"seq":41', b'"seq":9007199254740992'),
        (b'"seq":41', b'"seq":' + b"9" * 5000),
        (b'"seq":41', b'"seq":null'),
        (b'"seq":41', b'"seq":41,"seq":41'),
        (b'"seq":41,', b""),
        (b'"seq":41', b'"seq":41,"x":1'),
        (b'"version":1', b'"version":1,"version":1'),
        (b'"seq":41,"source":"table-07"', b'"source":"table-07","seq":41'),
        (b"[2,2,null]", b"[2,2, null]"),
        (b"[2,2,null]", b"[2,2,-0]"),
        (b"[2,2,null]", b"[2,2,2.0]"),
        (b"[2,2,null]", b"[2,2,7]"),
        (b"[2,2,null]", b"[2,2]"),
        (b"[2,2,null]", b"[" * 100_000 + b"]" * 100_000),
        (b'"payload":{', b'"payload":{"a":1,'),
        (b'"payload":{"colours":null,', b'"payload":{'),
        (b'"payload":{"colours":null', b'"payload":{"colours":null,"colours":null'),
        (b'"colours":null,"dice":[2,2,null]', b'"dice":[2,2,null],"colours":null'),
        (b'"lie":"flat"', b'"lie":"\\u0066lat"'),
        (b'"lie":"flat"', b'"lie":"level"'),
        (b'"lie":"flat"', b'"lie":"\xff"'),
        (b'"lie":"flat"', b'"lie":"\\ud800"'),
        (b'"lie":"flat"', b'"lie":"\xed\xa0\x80"'),
        (b'"payload":{"colours":null,"dice":[2,2,null],"lie":"flat"}', b'"payload":null'),
        (b'"payload":{"colours":null,"dice":[2,2,null],"lie":"flat"}', b'"payload":"e\xcc\x81"'),
        (b'"log_id":"00', b'"log_id":"0G'),
        (b'"property_id":"b', b'"property_id":"B'),
        (b"table/", b"shoe/"),
        (b'"table-07"', b'"table_07"'),
        (b"2026-03-14", b"2026-3-14"),
        (b'"0f0f', b'"0F0F'),
        (b'"table-07"', b'"\xc3\xa9"'),
        (b'"occurred_at_us":1773500000000000', b'"occurred_at_us":-1'),
        (b'"round_no":7', b'"round_no":0'),
        (b'{"event_id"', b' {"event_id"'),
        (b'{"event_id"', b'\xef\xbb\xbf{"event_id"'),
        (b'"version":1}', b'"version":1}\n'),
        (b'"version":1}', b'"version":1'),
        (b'"version":1}', b'"version":1}}'),
        (b'"type":"dice_rolled"', b'"type":"buy_in"'),
    ],
)


@OTHERWISE
def test_other_bytes_are_refused(old: bytes, new: bytes) -> None:
    assert DATA.count(old) == 1 or old in (b'"0f0f', b'"table-07"', b"2026-03-14")
    with pytest.raises(EventError):
        codec.decode(DATA.replace(old, new, 1))


@OTHERWISE
def test_other_bytes_are_not_read_in_a_row_with_right_ones(old: bytes, new: bytes) -> None:
    codec.read(DATA)
    assert codec.read_all([DATA, DATA]) == [codec.read(DATA)] * 2
    assert codec.read_all([DATA, DATA.replace(old, new, 1), DATA]) is None


@pytest.mark.parametrize(
    "rows",
    [
        [DATA + b"\n" + DATA],
        [DATA + b"\n" + DATA, b""],
        [DATA, b"", DATA],
        [DATA, DATA + b"\n"],
        [DATA.replace(b"0f" * 16, b"0f" * 15 + b"0"), DATA.replace(b"0f" * 16, b"0f" * 16 + b"0")],
        [DATA.replace(b"0f" * 16, b"0f" * 15 + b"\xc3\xa9")],
        [DATA.replace(b"0f" * 16, b"0f" * 15 + b"  "), DATA],
        [b" " * (codec.MAX_EVENT_BYTES + 1), DATA],
    ],
)
def test_what_looks_right_only_together_is_not_read(rows: list[bytes]) -> None:
    codec.read(DATA)
    assert codec.read_all(rows) is None


def test_an_event_is_read_in_a_row_by_its_own_type_only() -> None:
    """The end of a record names its type; where a text only looks like that end, it is not taken for it."""
    codec.read(DATA)
    assert codec.read_all([DATA.replace(b'"dice_rolled"', b'":\\"dice_rolled"')]) is None


def test_a_type_is_not_read_in_a_row_before_it_is_known() -> None:
    data = barred("x")
    codec._decoders.clear()
    assert codec.read_all([data]) is None
    assert codec.read(data).payload == PatronBarred(patron="p-9", reason="x")
    assert codec.read_all([data]) == [codec.read(data)]


@pytest.mark.parametrize("change", [(b'"version":1', b'"version":2'), (b"dice_rolled", b"dice_thrown")])
def test_an_event_of_the_future_is_unknown(change: tuple[bytes, bytes]) -> None:
    with pytest.raises(UnknownEvent):
        codec.decode(DATA.replace(*change))


def test_bytes_beyond_the_limit_are_not_parsed() -> None:
    with pytest.raises(EventError, match="more than 524288"):
        codec.decode(b" " * (codec.MAX_EVENT_BYTES + 1))


def barred(reason: str) -> bytes:
    payload = PatronBarred(patron="p-9", reason=reason)
    return codec.encode(msgspec.structs.replace(ENVELOPE, type=payload.TYPE, payload=payload))


@pytest.mark.parametrize("reason", ["é", "\n\u0303", "牌\n\u0303"])
def test_text_in_nfc_is_read_also_after_an_escape(reason: str) -> None:
    payload = codec.decode(barred(reason)).payload
    assert isinstance(payload, PatronBarred)
    assert payload.reason == reason


def test_text_not_in_nfc_is_refused() -> None:
    for form in ("e\u0301", "\\n\u0303e\u0301"):
        with pytest.raises(EventError, match="NFC"):
            codec.decode(barred("é").replace("é".encode(), form.encode()))


def test_deep_nesting_beside_text_is_refused() -> None:
    deep = b'"' + "n\u0303".encode() + b'",' + b"[" * 100_000 + b"]" * 100_000
    with pytest.raises(EventError):
        codec.decode(DATA.replace(b"[2,2,null]", b"[" + deep + b"]"))


@pytest.mark.parametrize("value", [2**70, 1.5, object(), "\ud800", "é\u0301"])
def test_an_event_changed_after_it_was_made_is_not_encoded(value: Any) -> None:
    dice = [2, 2, 2]
    envelope = msgspec.structs.replace(ENVELOPE, payload=DiceRolled(dice=dice, colours=None, lie="flat"))
    envelope.payload.dice[1] = value
    with pytest.raises(EventError):
        codec.encode(envelope)


def test_what_would_read_back_otherwise_is_not_encoded() -> None:
    payload = DiceRolled(dice=[2, 2, 2], colours=None, lie="flat")
    envelope = msgspec.structs.replace(ENVELOPE, payload=payload)
    msgspec.structs.force_setattr(payload, "dice", (2, 2, 2))
    with pytest.raises(EventError, match="does not read back from its own bytes"):
        codec.encode(envelope)


def test_a_draft_is_one_line_of_json() -> None:
    line = codec.encode_draft(ENVELOPE.draft())
    assert b"\n" not in line
    fields = msgspec.json.decode(line)
    assert (fields.pop("type"), fields.pop("version")) == ("dice_rolled", 1)
    payload = codec.decode_payload("dice_rolled", 1, codec.canonical(fields.pop("payload")))
    assert Draft(**fields, payload=payload) == ENVELOPE.draft()


# --------------------------------------------------------------------------------------------- RFC 8785, and nothing else

ASTRAL, PRIVATE = "\U0001f600", "\ue000"
"""By Unicode the second comes first; by UTF-16, in which RFC 8785 sorts, the first (3.2.3)."""

OUTSIDE: list[Any] = [
    1.0,
    56.0,
    1e30,
    float("nan"),
    float("inf"),
    2**53,
    -(2**53),
    {ASTRAL: 1, PRIVATE: 2},
    {1: 2},
    b"bytes",
    {3, 4},
    datetime.date(2026, 11, 23),
]


@pytest.mark.parametrize("value", OUTSIDE, ids=repr)
def test_what_is_not_of_the_wire_is_refused_rather_than_written_otherwise(value: Any) -> None:
    for wrong in (value, [value], {"a": {"b": [value]}}, (1, value)):
        with pytest.raises(EventError, match="expected "):
            codec.canonical(wrong)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2**53 - 1, b"9007199254740991"),
        (-(2**53 - 1), b"-9007199254740991"),
        ({ASTRAL: 1, "b": 2}, '{"b":2,"\U0001f600":1}'.encode()),
        ({PRIVATE: 1, "\ud7ff": 2}, '{"\ud7ff":2,"\ue000":1}'.encode()),
        ({"\r": 1, "1": 2, "": 3}, b'{"":3,"\\r":1,"1":2}'),
        ([True, False, None, [], {}], b"[true,false,null,[],{}]"),
        ('\u0000\u001f\u007f"\\/', b'"\\u0000\\u001f\x7f\\"\\\\/"'),
    ],
)
def test_what_is_of_the_wire_is_written_as_rfc_8785_says(value: Any, expected: bytes) -> None:
    assert codec.canonical(value) == expected
