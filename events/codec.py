"""Canonical bytes: RFC 8785 JSON, integers only, NFC text; and back, accepting nothing that differs by one byte.

A reader accepts only what encodes to the same bytes again. That one check refuses duplicate keys, white space,
reordered or missing fields, escapes that need not be, `1.0` for `1`, and everything else that could be written two ways.
"""

from __future__ import annotations

import functools
import typing
import unicodedata
from collections.abc import Callable
from typing import Any

import msgspec

from events.envelope import Draft, Envelope, LogId, RawEnvelope, StreamName
from events.errors import EventError, UnknownEvent
from events.model import REGISTRY, Day, Event, Replacement, Token, decoding, require_sorted_fields

HEX_DIGITS = "0123456789abcdef"
MAX_EVENT_BYTES = 512 * 1024
"""A longer record is refused before it is parsed."""

for _struct in (Envelope, RawEnvelope, Replacement):
    require_sorted_fields(_struct)
_encode = msgspec.json.Encoder(order="deterministic").encode
"""Structs stand in order (see `require_sorted_fields`); objects that are not structs are sorted here."""
_encode_structs = msgspec.json.Encoder().encode
"""The same for a value that holds structs only."""

_envelope_decoder = msgspec.json.Decoder(RawEnvelope)
_payload_decoders: dict[tuple[str, int], msgspec.json.Decoder[Any]] = {}
_whole_decoders: dict[bytes, tuple[msgspec.json.Decoder[Any], Callable[[Any], bytes]]] = {}
_NOTHING: Any = object()


def canonical(value: Any) -> bytes:
    """Return the RFC 8785 bytes of a value made of the wire's types (integers, text, booleans, null, lists, objects)."""
    return _encode(value)


def encode(envelope: Envelope) -> bytes:
    """Return the canonical bytes of an event. Raises `EventError` where they would not read back as the same event."""
    try:
        data = _encode(envelope)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise EventError(f"{envelope.stream} {envelope.seq}: {error}") from error
    if decode(data) != envelope:
        raise EventError(f"{envelope.stream} {envelope.seq}: the event does not read back from its own bytes")
    return data


def read(data: bytes) -> tuple[RawEnvelope, Event]:
    """Return envelope fields and payload of these bytes, checked as strictly as by `decode`, for readers in a hurry.

    Canonical bytes end with type and version. By this end a decoder is found that reads envelope and payload at once;
    where there is none yet, or it does not accept the bytes, the two are read one after the other, which says what is
    wrong.
    """
    end = data[data.rfind(b',"type":"') :]
    decoder, encode_whole = _whole_decoders.get(end, (None, _encode))
    if decoder is not None and len(data) <= MAX_EVENT_BYTES:
        decoding.active = True
        try:
            whole: RawEnvelope = decoder.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            whole = _NOTHING
        finally:
            decoding.active = False
        if whole is not _NOTHING and encode_whole(whole) == data and data.isascii():
            if whole.event_id.strip(HEX_DIGITS):
                _check_event_id(whole.event_id)
            _check_names(whole.log_id, whole.property_id, whole.stream, whole.source, whole.gaming_day)
            return whole, whole.payload  # type: ignore[return-value]  # decoded as its own type in the place of raw bytes
    raw = _decode_envelope(data)
    payload = decode_payload(raw.type, raw.version, bytes(raw.payload))
    if decoder is None and len(_whole_decoders) < 4 * len(REGISTRY):
        whole_type = msgspec.defstruct(
            "WholeEnvelope", [("payload", type(payload))], bases=(RawEnvelope,), frozen=True, kw_only=True,
            forbid_unknown_fields=True,
        )  # fmt: skip
        require_sorted_fields(whole_type)
        _whole_decoders[end] = (
            msgspec.json.Decoder(whole_type),
            _encode if _has_object(type(payload)) else _encode_structs,
        )
    return raw, payload


def _has_object(type_: type[msgspec.Struct]) -> bool:
    """Whether values of this type hold an object that is not a struct, whose keys the encoder must sort."""
    for field in msgspec.structs.fields(type_):
        for part in (field.type, *typing.get_args(field.type)):
            if part is dict or typing.get_origin(part) is dict:
                return True
            if isinstance(part, type) and issubclass(part, msgspec.Struct) and _has_object(part):
                return True
    return False


def decode(data: bytes) -> Envelope:
    """Return the event that these bytes are. Raises `EventError` (or `UnknownEvent`) saying what is wrong."""
    raw, payload = read(data)
    decoding.active = True
    try:
        return Envelope(
            log_id=raw.log_id, property_id=raw.property_id, stream=raw.stream, seq=raw.seq, event_id=raw.event_id,
            source=raw.source, source_seq=raw.source_seq, occurred_at_us=raw.occurred_at_us,
            recorded_at_us=raw.recorded_at_us, gaming_day=raw.gaming_day, round_no=raw.round_no, type=raw.type,
            version=raw.version, payload=payload,
        )  # fmt: skip
    finally:
        decoding.active = False


def decode_payload(type_: str, version: int, data: bytes) -> Event:
    """Return the payload of a known `(type, version)`, refusing bytes that are not its canonical form."""
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
    """Return a draft as one line of JSON, the form in which devices hand in events (`rack ingest`)."""
    fields = {name: getattr(draft, name) for name in draft.__struct_fields__}
    return _encode(fields | {"type": draft.payload.TYPE, "version": draft.payload.VERSION})


def _decode_envelope(data: bytes) -> RawEnvelope:
    if len(data) > MAX_EVENT_BYTES:
        raise EventError(f"the record has {len(data)} bytes, more than {MAX_EVENT_BYTES}")
    try:
        raw = _envelope_decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise EventError(f"not an event envelope: {error}") from error
    if _encode(raw) != data:
        raise EventError("the record is not in canonical form (RFC 8785)")
    if not data.isascii():
        _check_text(data)
    _check_event_id(raw.event_id)
    _check_names(raw.log_id, raw.property_id, raw.stream, raw.source, raw.gaming_day)
    return raw


def _check_text(data: bytes) -> None:
    try:
        # A letter of an escape may compose with what follows it ("\\n", then a combining tilde): only the text counts.
        normal = unicodedata.is_normalized("NFC", data.decode()) or _is_nfc(msgspec.json.decode(data))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise EventError(f"not an event envelope: {error}") from error
    if not normal:
        raise EventError("the record has text that is not in NFC form")


def _is_nfc(value: Any) -> bool:
    if isinstance(value, str):
        return unicodedata.is_normalized("NFC", value)
    if isinstance(value, dict):
        return all(_is_nfc(key) and _is_nfc(content) for key, content in value.items())
    return not isinstance(value, list) or all(_is_nfc(content) for content in value)


def _check_event_id(event_id: str) -> None:
    if event_id.strip(HEX_DIGITS):
        raise EventError(f"event_id: expected 32 hex digits, got {event_id!r}")


@functools.lru_cache(maxsize=4096)
def _check_names(log_id: str, property_id: str, stream: str, source: str, gaming_day: str) -> None:
    types = (("log_id", log_id, LogId), ("property_id", property_id, Token), ("stream", stream, StreamName),
             ("source", source, Token), ("gaming_day", gaming_day, Day))  # fmt: skip
    for name, value, type_ in types:
        try:
            msgspec.convert(value, type_)
        except msgspec.ValidationError as error:
            raise EventError(f"{name}: {error}") from error
