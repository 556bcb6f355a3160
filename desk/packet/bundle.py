"""The bundle: a dispute packet as one JSON object in canonical form (RFC 8785), signed part by part. Pure.

It holds the events, byte for byte, as objects: the canonical form of the bundle contains the canonical bytes of each. `note` is a
signed note (C2SP signed-note) whose text names the SHA-256 of every other part, so that a changed byte is traced to its part.
docs/dispute-packet.md describes the format for other tools.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from desk.review.disputes import round_stream
from events.errors import EventError
from events.log.contract import Record
from events.proofs.signed_note import Note, Signer, sign
from events.vocabulary.base import Count, Digest, Number, Token
from events.vocabulary.codec import read
from events.vocabulary.envelope import LogId, ReadEnvelope, StreamName, TimeUs
from events.vocabulary.model import Event
from replay.findings import Adjudication, Finding

FORMAT: Literal["discard-rack/packet/v2"] = "discard-rack/packet/v2"
"""Version 2 names who asked for the packet and why, and may withhold what is about other patrons; version 1 does neither."""
OF_OBSERVED: Literal["discard-rack/packet/v3"] = "discard-rack/packet/v3"
"""Version 3 is of an observed round: what a person entered of a round of a table. All others are of recorded rounds."""
MAX_BYTES = 256 * 1024 * 1024


class BadPacket(ValueError):
    """A packet was changed or is malformed; the message names the part and the fault."""

    def __init__(self, part: str, message: str) -> None:
        super().__init__(f"{part}: {message}")
        self.part, self.message = part, message


class Leaf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A leaf of the log of statements: its line, its index (from 0), and the hashes from it to the checkpoint's root."""

    index: Count
    line: str
    path: Annotated[tuple[Digest, ...], Meta(max_length=64)]


class Stored(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A stored event, the chain hash after it, and its hash as a leaf of the stream's Merkle tree."""

    chain: Digest
    event: msgspec.Raw
    leaf: Digest

    @property
    def data(self) -> bytes:
        """The event's canonical bytes."""
        return bytes(self.event)


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Events of one stream, its `head`, and the hashes that join them; no gap from number `begins` to number `ends`."""

    begins: Count
    ends: Count
    events: tuple[Stored, ...]
    head: Leaf
    outside: tuple[Digest, ...]

    @property
    def span(self) -> tuple[int, int]:
        """The two numbers."""
        return self.begins, self.ends

    def records(self, stream: str) -> list[Record]:
        """Return the events as records of the log."""
        return [Record(stream, read(each.data).seq, each.data, bytes.fromhex(each.chain)) for each in self.events]

    def envelopes(self) -> list[ReadEnvelope[Event]]:
        """Return the events, decoded."""
        return [read(each.data) for each in self.events]


class Signed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The checkpoint: its signed note, and the statement of its time."""

    note: str
    time: Leaf


class About(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The packet's subject and making: the program (its version, and the digest of its rules), when, by whom and why.

    `withheld`: parts about patrons at other seats were left out, so that the verdict cannot be recomputed. `observed`: a person
    entered the round, numbered in `observed/<table>`; the table's own numbers are others.
    """

    format: Literal["discard-rack/packet/v1", "discard-rack/packet/v2", "discard-rack/packet/v3"]
    log_id: LogId
    made_at_us: TimeUs
    property_id: Token
    round_no: Number
    seat: Annotated[int, Meta(ge=1, le=7)] | None
    software: Annotated[str, Meta(max_length=100)]
    table: Token
    by: Annotated[str, Meta(max_length=200)] = ""
    reason: Annotated[str, Meta(max_length=1000)] = ""
    withheld: bool = False
    observed: bool = False

    def __post_init__(self) -> None:
        if self.observed != (self.format == OF_OBSERVED):
            raise ValueError(f"a packet of the format {self.format} is {'not ' if self.observed else ''}of an observed round")

    @property
    def place(self) -> str:
        """The place of the round in people's words: the table, or its observations."""
        return f"observed/{self.table}" if self.observed else self.table


class Bundle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A dispute packet. `findings` concern the round's meters; findings on the round are in the adjudication."""

    about: About
    adjudication: Adjudication
    checkpoint: Signed
    findings: tuple[Finding, ...]
    note: str
    streams: dict[StreamName, Part]

    @property
    def stream(self) -> str:
        """The stream of the round."""
        return round_stream(self.about.place)

    def encode(self) -> bytes:
        """Return the bundle's bytes."""
        return encode(self)

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 of every signed part by its name."""
        parts: dict[str, Any] = {
            "about": self.about,
            "adjudication": self.adjudication,
            "checkpoint": self.checkpoint,
            "findings": self.findings,
        }
        return {name: sha256(encode(part)).hexdigest() for name, part in (parts | dict(sorted(self.streams.items()))).items()}


encode = msgspec.json.Encoder(order="sorted").encode
_decode = msgspec.json.Decoder(Bundle).decode


def decode(data: bytes) -> Bundle:
    """Read a bundle, strictly. Raises `BadPacket`."""
    if len(data) > MAX_BYTES:
        raise BadPacket("the bundle", f"it has {len(data)} bytes; at most {MAX_BYTES} are read")
    try:
        bundle = _decode(data)
        again = encode(bundle)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadPacket("the bundle", f"it cannot be read: {error}") from error
    if again != data:
        at = next((place for place, (one, other) in enumerate(zip(data, again, strict=False)) if one != other), len(again))
        raise BadPacket("the bundle", f"it is not in canonical form at byte {at}")
    for stream, part in bundle.streams.items():
        for number, stored in enumerate(part.events, 1):
            try:
                read(stored.data)
            except EventError as error:
                raise BadPacket(stream, f"the {number}. of its events cannot be read: {error}") from error
    return bundle


def note_text(form: str, origin: str, digests: Mapping[str, str]) -> str:
    """Return the signed text: the format, the log, and a line for each part."""
    return "".join(f"{line}\n" for line in (form, origin, *(f"{name} {digest}" for name, digest in digests.items())))


def signed(bundle: Bundle, origin: str, signer: Signer) -> Bundle:
    """Return the bundle with its note."""
    text = note_text(bundle.about.format, origin, bundle.digests())
    return msgspec.structs.replace(bundle, note=Note(text, (sign(text, signer),)).encode().decode())
