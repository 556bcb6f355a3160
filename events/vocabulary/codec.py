"""Encodes events as canonical bytes (RFC 8785 JSON, integers only, NFC text), and decodes only canonical bytes.

A reader accepts only bytes that its value encodes to again. That one check refuses duplicate keys, white space, reordered or
missing fields, needless escapes, `1.0` for `1`, and every other second way to write a value.
"""

import functools
import json
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from events.errors import EventError, UnknownEvent
from events.vocabulary.base import MAX_INT
from events.vocabulary.envelope import Draft, Envelope, LogId, RawEnvelope, ReadEnvelope, StreamName
from events.vocabulary.model import REGISTRY, Day, Event, Replacement, Token, decoding, require_sorted_fields
from events.vocabulary.upcast import is_current

HEX_DIGITS = "0123456789abcdef"
MAX_EVENT_BYTES = 512 * 1024
"""A longer record is refused before it is parsed."""

for _struct in (Envelope, ReadEnvelope, Replacement):
    require_sorted_fields(_struct)
_encoder = msgspec.json.Encoder(order="deterministic")
"""Structs stand in order (see `require_sorted_fields`); objects that are not structs are sorted here."""
_encode, _encode_lines = _encoder.encode, _encoder.encode_lines

_raw_decoder = msgspec.json.Decoder(RawEnvelope)
_payload_decoders: dict[tuple[str, int], msgspec.json.Decoder[Any]] = {}

ENDING = 40
"""So many bytes at the end of a record name its type and version: `…,"type":"wager_placed","version":1}`."""
KNOWN_ENDINGS = 20_000
_decoders: defaultdict[int, dict[bytes, Callable[[bytes], ReadEnvelope[Any]]]] = defaultdict(dict)
"""How many events are registered → the last bytes of a record → what decodes envelope and payload at once."""


def canonical(value: Any) -> bytes:
    """Return the RFC 8785 bytes of a value made of the wire's types (integers, text, booleans, null, lists, objects).

    Raises `EventError` for any value whose bytes would not be those of RFC 8785: a number with a fraction, an integer beyond
    ±(2⁵³ − 1), names that UTF-16 sorts in another order than Unicode.

    >>> canonical({"b": [1, None], "a": "é"})
    b'{"a":"\xc3\xa9","b":[1,null]}'
    >>> canonical(1.0)
    Traceback (most recent call last):
    events.errors.EventError: expected integers, text, booleans, null, lists and objects, got 1.0
    """
    _require_wire_types(value)
    return _encode(value)


def as_json(value: Any) -> bytes:
    """Return JSON for a strict decoder, which then names any error. Never hash or store these bytes."""
    return _encode(value)


_PLAIN = frozenset((str, bool, type(None)))
_NESTED = frozenset((dict, list, tuple))


def _require_wire_types(value: Any) -> None:
    kind = type(value)
    if kind is dict:
        names = list(value)
        if not all(type(name) is str for name in names):
            raise EventError(f"expected text as the names of an object, got {names!r:.80}")
        if sorted(names) != sorted(names, key=lambda name: name.encode("utf-16-be", "surrogatepass")):
            raise EventError(f"expected names that Unicode and UTF-16 sort in the same order, got {names!r:.80}")
        parts: Iterable[Any] = value.values()
    elif kind is list or kind is tuple:
        parts = value
    elif isinstance(value, msgspec.Struct):
        parts = [getattr(value, name) for name in value.__struct_fields__]
    else:
        parts = (value,)
    for part in parts:
        kind = type(part)
        if kind in _PLAIN or (kind is int and -MAX_INT <= part <= MAX_INT):
            continue
        if kind not in _NESTED and not isinstance(part, msgspec.Struct):
            raise EventError(f"expected integers, text, booleans, null, lists and objects, got {part!r:.80}")
        _require_wire_types(part)


def encode(envelope: Envelope) -> bytes:
    """Return the canonical bytes of an event. Raises `EventError` if they would not decode to the same event."""
    try:
        data = _encode(envelope)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise EventError(f"{envelope.stream} {envelope.seq}: {error}") from error
    if decode(data) != envelope:
        raise EventError(f"{envelope.stream} {envelope.seq}: the event does not read back from its own bytes")
    return data


def read(data: bytes) -> ReadEnvelope[Event]:
    """Return the envelope fields and the payload of bytes, checked as strictly as in `decode`."""
    envelopes = read_all((data,))
    if envelopes is not None:
        return envelopes[0]
    raw = _decode_envelope(data)
    payload = decode_payload(raw.type, raw.version, bytes(raw.payload))
    _keep_decoder(data, type(payload))
    return ReadEnvelope(**msgspec.structs.asdict(raw) | {"payload": payload})


def read_all(records: Sequence[bytes]) -> list[ReadEnvelope[Event]] | None:
    """Return what `read` returns for each record, if all are current versions and valid.

    Otherwise return None; the caller then calls `read` for each record, which names the error. Every check of `read` is made,
    some for all records together. Joined by line breaks, the envelopes must encode to the same lines (no line holds a line
    break), and the ids (of 32 digits each) must join to one row of hex digits.
    """
    decoders = _decoders[len(REGISTRY)]
    if max(map(len, records), default=0) > MAX_EVENT_BYTES:
        return None
    decoding.active = True
    try:
        envelopes = [decoders[data[-ENDING:]](data) for data in records]
    except (KeyError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    finally:
        decoding.active = False
    lines = b"\n".join((*records, b""))
    if _encode_lines(envelopes) != lines or not lines.isascii():
        return None
    ids = "".join([each.event_id for each in envelopes])
    try:
        if bytes.fromhex(ids).hex() != ids:
            return None
        for each in envelopes:
            _check_names(each.log_id, each.property_id, each.stream, each.source, each.gaming_day)
    except ValueError:
        return None
    return envelopes


def _keep_decoder(data: bytes, cls: type[Event]) -> None:
    """Keep the decoder of an event's type under the last bytes of its record.

    A type is not kept if those bytes do not hold its whole name (a name begins after `:"`; within a text the quotation mark would
    be escaped), or if a newer version exists.
    """
    decoders, ending = _decoders[len(REGISTRY)], data[-ENDING:]
    if f':"{cls.TYPE}","version":{cls.VERSION}}}'.encode() in ending and is_current(cls):
        if len(decoders) >= KNOWN_ENDINGS:
            decoders.clear()
        decoders[ending] = _decoder(cls)


@functools.cache
def _decoder(cls: type[Event]) -> Callable[[bytes], ReadEnvelope[Any]]:
    envelope: Any = ReadEnvelope
    return msgspec.json.Decoder(envelope[cls]).decode


def decode(data: bytes) -> Envelope:
    """Return the event that these bytes encode. Raises `EventError` (or `UnknownEvent`), which names the error."""
    raw = read(data)
    decoding.active = True
    try:
        return Envelope(**msgspec.structs.asdict(raw))
    finally:
        decoding.active = False


def decode_payload(type_: str, version: int, data: bytes) -> Event:
    """Return the payload of a known `(type, version)`; refuse bytes that are not canonical."""
    decoder = _payload_decoders.get((type_, version))
    if decoder is None:
        cls = REGISTRY.get((type_, version))
        if cls is None:
            raise UnknownEvent(type_, version)
        decoder = _payload_decoders[type_, version] = msgspec.json.Decoder(cls)
    decoding.active = True
    try:
        payload: Event = decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise EventError(f"{type_} v{version}: {error}") from error
    finally:
        decoding.active = False
    if _encode(payload) != data:
        raise EventError(f"{type_} v{version}: the payload is not in canonical form (RFC 8785)")
    return payload


def encode_draft(draft: Draft) -> bytes:
    """Return a draft as one line of JSON, the form in which devices report events (`rack ingest`)."""
    fields = {name: getattr(draft, name) for name in draft.__struct_fields__}
    return _encode(fields | {"type": draft.payload.TYPE, "version": draft.payload.VERSION})


def _decode_envelope(data: bytes) -> RawEnvelope:
    if len(data) > MAX_EVENT_BYTES:
        raise EventError(f"the record has {len(data)} bytes, more than {MAX_EVENT_BYTES}")
    try:
        raw = _raw_decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise EventError(f"not an event envelope: {error}") from error
    if _encode(raw) != data:
        raise EventError("the record is not in canonical form (RFC 8785)")
    if not data.isascii():
        _check_text(data)
    if raw.event_id.strip(HEX_DIGITS):
        raise EventError(f"event_id: expected 32 hex digits, got {raw.event_id!r}")
    _check_names(raw.log_id, raw.property_id, raw.stream, raw.source, raw.gaming_day)
    return raw


def _check_text(data: bytes) -> None:
    try:
        # A letter of an escape may compose with what follows it ("\\n", then a combining tilde): only the text counts.
        normal = unicodedata.is_normalized("NFC", data.decode()) or _is_nfc(msgspec.json.decode(data))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise EventError(f"not an event envelope: {error}") from error
    if not normal:
        raise EventError("the record contains text that is not in NFC form")


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these fields, for `json.loads`. Raises `EventError` if a field occurs twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise EventError(f"the field {repeated!r} stands twice, and nothing shows which of the two is meant")
    return found


def refuse_repeated_keys(data: bytes) -> None:
    """Raise `EventError` if any object of a JSON text repeats a key: two readers could see different values.

    Canonical bytes have no repeated keys; this is for signed or proved files that are not canonical.
    """
    try:
        json.loads(data, object_pairs_hook=unique_keys)
    except EventError:
        raise
    except (ValueError, RecursionError) as error:
        raise EventError(f"not a JSON text: {error}") from error


def _is_nfc(value: Any) -> bool:
    if isinstance(value, str):
        return unicodedata.is_normalized("NFC", value)
    if isinstance(value, dict):
        return all(_is_nfc(key) and _is_nfc(content) for key, content in value.items())
    return not isinstance(value, list) or all(_is_nfc(content) for content in value)


@functools.lru_cache(maxsize=4096)
def _check_names(log_id: str, property_id: str, stream: str, source: str, gaming_day: str) -> None:
    types = (
        ("log_id", log_id, LogId),
        ("property_id", property_id, Token),
        ("stream", stream, StreamName),
        ("source", source, Token),
        ("gaming_day", gaming_day, Day),
    )
    for name, value, type_ in types:
        try:
            msgspec.convert(value, type_)
        except msgspec.ValidationError as error:
            raise EventError(f"{name}: {error}") from error
