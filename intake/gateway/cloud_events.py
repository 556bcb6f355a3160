"""CloudEvents 1.0 in each of their three forms over HTTP: a batch, one event (structured), one event with headers (binary).

A CloudEvent carries an event of the vocabulary: `id` is the event's id, `source` the device's source, `subject` the stream,
`type` the event's type and version (`wager_paid.v1`), `time` the device's clock, `data` the payload, and the extensions
`sourceseq` and `roundno` (left out between rounds) are its own number and the round. CloudEvents' integers have 32 bits; a
greater `sourceseq` is written as text. Other extensions are read over. Every reason names the attribute.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import unquote

import msgspec

from events.errors import EventError
from events.vocabulary.codec import canonical
from intake.lines import AcceptedLine, Refusal, read_line, read_or_refuse, tokens_at

BATCH: Final = "application/cloudevents-batch+json"
SINGLE: Final = "application/cloudevents+json"
BINARY: Final = "binary"
"""No content type: that of the data is in the request's head, and so do the attributes."""

_EPOCH: Final = datetime.fromisoformat("1970-01-01T00:00:00Z")
_TYPE: Final = re.compile(r"\A([a-z0-9_]{1,64})\.v([1-9][0-9]{0,5})\Z")
_STREAM: Final = re.compile(r"\A(?:table|meter|review|property|observed)/[a-z0-9-]{1,32}\Z")
_NAME: Final = re.compile(r"\A[a-z0-9]+\Z")
_HEX: Final = re.compile(r"\A[0-9a-f]{32}\Z")
_UUID: Final = re.compile(r"\A(?:urn:uuid:)?([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})\Z")
_URN: Final = re.compile(r"\A(?i:urn:[a-z0-9][a-z0-9-]{1,31}):(?:[^/?#]*:)?([a-z0-9-]{1,32})\Z")
_SOURCE: Final = re.compile(r"\A[a-z0-9-]{1,32}\Z")
_REQUIRED: Final = ("specversion", "id", "source", "type", "subject", "time", "sourceseq", "data")
_HEADER: Final = "ce-"

Tokens = Callable[[bytes], bytes]

_elements_decoder = msgspec.json.Decoder(list[msgspec.Raw])
_members_decoder = msgspec.json.Decoder(dict[str, msgspec.Raw])


def elements(body: bytes) -> list[bytes]:
    """Return the CloudEvents of a batch. Raises `EventError`."""
    try:
        return [bytes(each) for each in _elements_decoder.decode(body)]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise EventError(f"expected a JSON array of CloudEvents: {error}") from error


def is_binary(headers: Iterable[tuple[str, str]]) -> bool:
    """Whether headers carry the attributes of a CloudEvent in binary mode.

    >>> is_binary([("CE-SpecVersion", "1.0")]), is_binary([("content-type", "application/json")])
    (True, False)
    """
    return any(name.lower() == f"{_HEADER}specversion" for name, _ in headers)


def structured(headers: Iterable[tuple[str, str]], body: bytes) -> bytes:
    """Return a CloudEvent in binary mode as one in structured mode, so that a refused one is kept with its attributes.

    >>> structured([("ce-id", "a%20b"), ("ce-specversion", "1.0"), ("host", "x")], b"{}")
    b'{"id":"a b","specversion":"1.0","data":{}}'
    """
    attributes: list[tuple[str, str]] = []
    for name, value in headers:
        if name.lower().startswith(_HEADER):
            quoted = len(value) > 1 and value[0] == value[-1] == '"'
            attributes.append((name.lower()[len(_HEADER) :], unquote(value[1:-1] if quoted else value)))
        elif name.lower() == "content-type":
            attributes.append(("datacontenttype", value))
    pairs = b",".join(canonical(name) + b":" + canonical(value) for name, value in attributes)
    return b"{" + pairs + b',"data":' + (body.strip() or b"null") + b"}"


def read_cloud_event(data: bytes, where: str, tokens: Tokens) -> AcceptedLine | Refusal:
    """Return a CloudEvent's line, read, or its refusal, whatever error it causes."""

    def read() -> AcceptedLine | Refusal:
        kept = tokens_at(_stated_time_us(data), tokens, data)
        try:
            line = line_of_cloud_event(kept)
        except EventError as error:
            return Refusal(where, kept, _stream_of(kept), str(error))
        return read_line(line, where)

    return read_or_refuse(read, data, where)


def line_of_cloud_event(data: bytes) -> bytes:
    """Return the line that says the same as a CloudEvent. Raises `EventError` naming the attribute that is wrong."""
    members = _members(data)
    payload = bytes(members.pop("data"))
    values = {name: _simple(name, raw) for name, raw in members.items()}
    if values["specversion"] != "1.0":
        raise EventError(f"specversion: expected '1.0', got {values['specversion']!r:.40}")
    _check_content_type(values.get("datacontenttype"))
    kind = _TYPE.match(_text(values, "type"))
    if kind is None:
        raise EventError(f"type: expected a type and version of the vocabulary such as wager_paid.v1, got {values['type']!r:.80}")
    subject = _text(values, "subject")
    if not _STREAM.match(subject):
        raise EventError(f"subject: expected a stream such as table/fu-01, got {subject!r:.80}")
    fields: dict[str, Any] = {
        "stream": subject,
        "event_id": _event_id(_text(values, "id")),
        "source": _source(_text(values, "source")),
        "source_seq": _number("sourceseq", values["sourceseq"]),
        "occurred_at_us": _time_us(_text(values, "time")),
        "round_no": None if values.get("roundno") is None else _number("roundno", values["roundno"]),
        "type": kind[1],
        "version": int(kind[2]),
    }
    return canonical(fields)[:-1] + b',"payload":' + payload + b"}"


def _members(data: bytes) -> dict[str, msgspec.Raw]:
    try:
        members = _members_decoder.decode(data)
        names = [name for name, _ in json.loads(data, object_pairs_hook=list, parse_int=str, parse_float=str)]
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
        raise EventError(f"expected a CloudEvent 1.0 as a JSON object: {error}") from error
    for name in names:
        if names.count(name) > 1:
            raise EventError(f"{name[:40]}: stands twice, and nothing shows which of the two is meant")
        if not _NAME.match(name):
            problem = "expected data, a JSON object" if name == "data_base64" else "attributes have names of a-z and 0-9"
            raise EventError(f"{name[:40]}: {problem}")
    for name in _REQUIRED:
        if name not in members:
            raise EventError(f"{name}: is missing; expected a CloudEvent 1.0 with {', '.join(_REQUIRED)}")
    return members


def _simple(name: str, raw: msgspec.Raw) -> str | int | bool | None:
    """Return the value of an attribute; CloudEvents allow only these types."""
    value = msgspec.json.decode(raw)
    if isinstance(value, str | int | bool) or value is None:
        return value
    raise EventError(f"{name[:40]}: expected a text, an integer or true or false, got {bytes(raw).decode()[:40]}")


def _text(values: Mapping[str, str | int | bool | None], name: str) -> str:
    value = values[name]
    if not isinstance(value, str):
        raise EventError(f"{name}: expected a text, got {value!r:.40}")
    return value


def _check_content_type(value: str | int | bool | None) -> None:
    if value is None:
        return
    kind, _, parameters = str(value).lower().partition(";")
    is_json = kind.strip() == "application/json" or kind.strip().endswith("+json")
    charsets = re.findall(r'charset\s*=\s*"?([^\s";]+)', parameters)
    if not is_json or any(charset not in ("utf-8", "utf8", "us-ascii") for charset in charsets):
        raise EventError(f"datacontenttype: expected application/json in UTF-8, got {value!r:.80}")


def _event_id(text: str) -> str:
    lower = text.lower()
    if uuid := _UUID.match(lower):
        return "".join(uuid.groups())
    if not _HEX.match(lower):
        raise EventError(f"id: expected 32 hex digits or a UUID, got {text!r:.80}")
    return lower


def source_name(text: str) -> str:
    """Return the device's name in a source: the last part of a URN, or else the whole text.

    >>> source_name("urn:bellwether:table:fu-01-betting"), source_name("fu-01-betting")
    ('fu-01-betting', 'fu-01-betting')
    """
    if uuid := _UUID.match(text.lower()):
        return "".join(uuid.groups())
    urn = _URN.match(text)
    return text if urn is None else urn[1]


def _source(stated: str) -> str:
    text = source_name(stated)
    if not _SOURCE.match(text):
        raise EventError(f"source: expected a name of 1 to 32 of a-z, 0-9 and -, or a URN that ends with one, got {stated!r:.80}")
    return text


def _number(name: str, value: str | int | bool | None) -> int:
    text = str(value)
    if isinstance(value, bool) or not re.fullmatch(r"[0-9]{1,16}", text, re.ASCII) or not 0 < int(text) < 2**53:
        raise EventError(f"{name}: expected an integer from 1 on, got {value!r:.40}")
    return int(text)


def _time_us(text: str) -> int:
    try:
        moment = datetime.fromisoformat(text.upper())
    except ValueError as error:
        raise EventError(f"time: expected a time such as 2026-03-01T21:14:00Z: {error}") from error
    if moment.tzinfo is None:
        raise EventError(f"time: {text[:40]!r} names no zone; write 2026-03-01T21:14:00Z")
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _stated_time_us(data: bytes) -> int | None:
    """Return a CloudEvent's time; None if it cannot be read."""
    try:
        return _time_us(msgspec.json.decode(_members_decoder.decode(data)["time"], type=str))
    except (EventError, KeyError, ValueError, RecursionError, msgspec.MsgspecError):
        return None


def _stream_of(data: bytes) -> str | None:
    """Return the stream of a CloudEvent that is refused, so that its round is in doubt; None if it cannot be read."""
    try:
        subject = msgspec.json.decode(_members_decoder.decode(data)["subject"], type=str)
    except (KeyError, ValueError, RecursionError, msgspec.MsgspecError):
        return None
    return subject if _STREAM.match(subject) else None
