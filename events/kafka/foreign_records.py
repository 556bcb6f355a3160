"""Decides which records of a log's topics are foreign (D435): the only place. Pure: no broker, no clock.

The idea: a record is judged by the place that it claims. In the partition of its stream, a record claims a number by the headers
of an event, or by bytes that are an event of this log's stream. The chain then says whether the record extends it; if not, that
is an integrity failure and never skipped. A record that claims no number is foreign: the chain is the same without it. So
skipping loses nothing: if it was an event whose headers and bytes were both damaged, its number is missing, as if it had been
removed.

The other topics likewise: a checkpoint claims its place by its key or its bytes, a result or an entry of quarantine by key and
headers together. Its reader checks a record that claims a place.
"""

import re
from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

import msgspec

from events.kafka.partition_reader import Headers, is_sealed, why_unreadable
from events.log.foreign import ForeignRecord, ForeignReport, ForeignTally
from events.log.result_chain import stream_of
from events.proofs.signed_note import BadNote, Note
from events.proofs.statements import CheckpointBatch
from events.vocabulary.envelope import StreamName

NO_KEY: Final = "it has no key"
NO_STREAM: Final = "its key is not the name of a stream"
NO_VALUE: Final = "it has no value"
NO_EVENT: Final = "neither its headers nor its bytes are those of an event of this stream"
NO_RESULT: Final = "its key and headers are not those of a result"
NO_PLACE: Final = "it claims no place in the chain of its stream's results"
NO_CHECKPOINT: Final = "neither its key nor its bytes are those of a checkpoint"
NO_ENTRY: Final = "its key and headers are not those of an entry in quarantine"

SHOWN: Final = 60
"""Letters of a foreign record's key that are shown."""
KEYS_KNOWN: Final = 10_000
"""Keys that are remembered as names of streams of a partition."""

_SIZE = re.compile(rb"[0-9]{1,16}")
_DIGEST = re.compile(rb"[0-9a-f]{64}")
_TIME = re.compile(rb"[0-9]{1,16}")
_PLACE = re.compile(rb"[1-9][0-9]{0,15}")
_RESULT = re.compile(rb"[a-z_]{1,40}/.+", re.DOTALL)


def keyless(headers: Headers) -> str:
    """Return why a record without a key is foreign."""
    return why_unreadable(headers) or NO_KEY


class KafkaRecord(Protocol):
    """A record as Kafka keeps it."""

    @property
    def offset(self) -> int:
        """Its place in the partition."""

    @property
    def key(self) -> bytes | None:
        """Its key."""

    @property
    def value(self) -> bytes | None:
        """Its bytes."""

    @property
    def headers(self) -> Headers:
        """Its headers."""


class _StatedOrigin(msgspec.Struct):
    log_id: str
    stream: str


_named = msgspec.json.Decoder(_StatedOrigin)


class PartitionPlace(NamedTuple):
    """A partition of a topic."""

    topic: str
    partition: int


class StreamPlaces:
    """Decides for one partition of the streams' topics. `home` gives a stream's partition."""

    def __init__(self, log_id: str, place: tuple[str, int], home: Callable[[str], tuple[str, int]]) -> None:
        self._log_id, self._place, self._home = log_id, PartitionPlace(*place), home
        self._names: dict[bytes, str] = {}

    def foreign(self, message: KafkaRecord) -> ForeignRecord | None:
        """Return a record as foreign with the reason, or None if it claims a place in a stream of this partition."""
        key = message.key
        if key in self._names and message.value is not None and is_sealed(message.headers):
            return None
        reason = self._reason(key, message.headers, message.value)
        return None if reason is None else foreign_record(self._place, message, reason)

    def _reason(self, key: bytes | None, headers: Headers, data: bytes | None) -> str | None:
        if key is None:
            return keyless(headers)
        if key not in self._names:
            try:
                name = msgspec.convert(key.decode(), StreamName)
            except (UnicodeDecodeError, msgspec.ValidationError):
                return NO_STREAM
            home = PartitionPlace(*self._home(name))
            if home != self._place:
                return f"its stream belongs in {home.topic} partition {home.partition}"
            if len(self._names) >= KEYS_KNOWN:
                self._names.clear()
            self._names[key] = name
        if data is None:
            return NO_VALUE
        if is_sealed(headers) or self._names_itself(self._names[key], data):
            return None
        return NO_EVENT

    def _names_itself(self, stream: str, data: bytes) -> bool:
        """Whether bytes claim to be an event of this stream of this log."""
        try:
            named = _named.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return False
        return named.log_id == self._log_id and named.stream == stream


def foreign_result(message: KafkaRecord) -> str | None:
    """Return why a record of `<prefix>.findings` is foreign, or None if it claims to be a result.

    A result's key is its kind and its own key, with a slash between; the header `kind` repeats the kind.
    """
    if message.key is None:
        return keyless(message.headers)
    if message.value is None:
        return NO_VALUE
    kind = dict(message.headers).get("kind")
    if not _RESULT.fullmatch(message.key) or kind != message.key.partition(b"/")[0]:
        return NO_RESULT
    try:
        message.key.decode()
    except UnicodeDecodeError:
        return NO_RESULT
    return None


RESTART: Final = "restart"
"""The kind of the record that begins a stream's chain of results again; its own key is the stream."""


def place_of(message: KafkaRecord) -> tuple[int, bytes] | None:
    """Return a result's place in its stream's chain and the chain hash after it; None if it claims none."""
    headers = dict(message.headers)
    place, hash_ = headers.get("place") or b"", headers.get("hash") or b""
    return (int(place), hash_) if _PLACE.fullmatch(place) and len(hash_) == 32 else None


class ResultPlaces:
    """Decides for `<prefix>.findings`, read in order: after a stream's first result with a place, one without is foreign."""

    def __init__(self) -> None:
        self._chained: set[str] = set()

    @property
    def streams(self) -> list[str]:
        """The streams whose results have places, as far as read."""
        return sorted(self._chained)

    def go_on(self, stream: str) -> None:
        """Begin after a stream's results with places."""
        self._chained.add(stream)

    def foreign(self, message: KafkaRecord) -> str | None:
        """Return why a record is foreign, or None if it claims to be a result."""
        reason = foreign_result(message)
        if reason is not None or message.key is None:
            return reason
        kind, _, key = message.key.decode().partition("/")
        if kind == RESTART:
            return None
        stream = stream_of(key, message.value or b"")
        if place_of(message) is not None:
            self._chained.add(stream)
        elif stream in self._chained:
            return NO_PLACE
        return None


def foreign_checkpoint(message: KafkaRecord) -> str | None:
    """Return why a record of `<prefix>.checkpoints` is foreign, or None if it claims to be a checkpoint.

    A checkpoint's key is the number of statements up to it, in decimal. If the key was damaged, its bytes still identify it.
    """
    if message.value is None:
        return why_unreadable(message.headers) or NO_VALUE
    if message.key is not None and _SIZE.fullmatch(message.key):
        return None
    try:
        Note.decode(CheckpointBatch.decode(message.value).note)
    except (BadNote, ValueError):
        return NO_KEY if message.key is None else NO_CHECKPOINT
    return None


def foreign_entry(message: KafkaRecord) -> str | None:
    """Return why a record of `<prefix>.quarantine` is foreign, or None if it claims to be an entry.

    An entry's key is a SHA-256 in hex; its headers are the stream, the reason, and the time of intake. Whether the bytes have
    that SHA-256 is checked when they are used.
    """
    if message.key is None:
        return keyless(message.headers)
    if message.value is None:
        return NO_VALUE
    headers = dict(message.headers)
    stream, reason, at_us = (headers.get(name) for name in ("stream", "reason", "at_us"))
    if not _DIGEST.fullmatch(message.key) or stream is None or reason is None or not _TIME.fullmatch(at_us or b""):
        return NO_ENTRY
    try:
        stream.decode()
        reason.decode()
    except UnicodeDecodeError:
        return NO_ENTRY
    return None


class ForeignRecordWatch:
    """The foreign records that readers pass. Those before a record already known were reported by its reader.

    So foreign records wait until a new record comes, or the end.
    """

    def __init__(self) -> None:
        self._tally = ForeignTally()
        self._waiting: dict[tuple[str, int], ForeignTally] = {}

    def note(self, record: ForeignRecord) -> None:
        """Record a foreign record, in the order of its partition."""
        self._waiting.setdefault((record.topic, record.partition), self._tally.beside()).add(record)

    def waits(self, place: tuple[str, int]) -> bool:
        """Whether a foreign record of a partition is waiting."""
        return place in self._waiting

    def known(self, place: tuple[str, int]) -> None:
        """Record that the partition's next record is already known."""
        self._waiting.pop(place, None)

    def new(self, place: tuple[str, int]) -> None:
        """Record that the partition's next record is new, or that none follows."""
        if place in self._waiting:
            self._tally.merge(self._waiting.pop(place))

    def end(self) -> None:
        """Record that all partitions are at their end."""
        for place in list(self._waiting):
            self.new(place)

    def report(self) -> ForeignReport:
        """Return the foreign records passed."""
        return self._tally.report()


def beside_streams(results: ResultPlaces) -> dict[str, Callable[[KafkaRecord], str | None]]:
    """Return the one-partition topics without streams → who decides there, for one reader of each, in order."""
    return {"findings": results.foreign, "checkpoints": foreign_checkpoint, "quarantine": foreign_entry}


def foreign_record(place: tuple[str, int], message: KafkaRecord, reason: str) -> ForeignRecord:
    """Return a foreign record with its place and the reason."""
    key = None if message.key is None else message.key.decode(errors="replace")
    shown = key if key is None or len(key) <= SHOWN else f"{key[:SHOWN]}…"
    return ForeignRecord(*place, message.offset, shown, reason)
