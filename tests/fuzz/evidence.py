"""Readers of evidence that leaves the house: packets, proofs, statements; and of what an insider with the key signs."""

import functools
import io
import tempfile
from pathlib import Path

import msgspec

from desk.packet.bundle import BadPacket, decode, encode, signed
from desk.packet.check import check_bundle
from events.archive.manifest import SegmentManifest, example, parse
from events.archive.parquet_pages import pages
from events.proofs.checkpoint import origin_of
from events.proofs.inclusion import Proof
from events.proofs.merkle import BadProof
from events.proofs.statements import CheckpointBatch, read_statement
from events.vocabulary.codec import canonical
from tests.desk.packet.signed_floor import Floor, floor_at, played
from tests.fuzz.targets import target


@functools.cache
def _floor() -> tuple[Floor, bytes]:
    """A signed floor of three rounds and the bundle of one of them."""
    folder = tempfile.mkdtemp(prefix="rack-fuzz-floor-")
    floor = floor_at(Path(folder), played(3))
    return floor, floor.packet(2, 3).json


def bundle_seeds() -> list[bytes]:
    return [_floor()[1]]


def statement_seeds() -> list[bytes]:
    bundle = decode(_floor()[1])
    return [bundle.checkpoint.time.line.encode(), *(part.head.line.encode() for part in bundle.streams.values())]


@target(BadPacket, seeds=bundle_seeds)
def packet(data: bytes) -> None:
    """A packet from anybody: accepted only as it was made."""
    floor, made = _floor()
    check_bundle(data, [floor.public])
    assert data == made


@target(BadPacket, seeds=bundle_seeds)
def packet_signed_anew(data: bytes) -> None:
    """A packet changed by somebody who has the key, and signs what he made of it."""
    floor, _ = _floor()
    bundle = decode(data)
    origin = origin_of(bundle.about.log_id, bundle.about.property_id)
    if origin != floor.public.name:
        return
    check_bundle(encode(signed(bundle, origin, floor.signer)), [floor.public])


@target(ValueError, seeds=statement_seeds)
def statement(data: bytes) -> None:
    """A leaf of the log of statements."""
    read_statement(data)


@target(ValueError, seeds=lambda: [b"\n".join(statement_seeds()) + b"\n\nnote\n"])
def batch(data: bytes) -> None:
    """What a store of checkpoints kept; what is accepted encodes to the same bytes."""
    assert CheckpointBatch.decode(data).encode() == data


def _proof() -> bytes:
    bundle = decode(_floor()[1])
    part = bundle.streams["table/fu-01"]

    def leaf(said: object) -> dict[str, object]:
        stated = msgspec.to_builtins(said)
        return {"index": stated["index"], "data": stated["line"], "path": stated["path"]}

    return msgspec.json.encode(
        {
            "stream": "table/fu-01",
            "events": [leaf(part.head)],
            "head": leaf(part.head),
            "checkpoint": bundle.checkpoint.note,
            "time": leaf(bundle.checkpoint.time),
            "format": "discard-rack/proof/v1",
        }
    )


@target(BadProof, seeds=lambda: [_proof()])
def proof_of_events(data: bytes) -> None:
    """A proof of events, as its file."""
    found = Proof.decode(data)
    for leaf in (*found.events, found.head, found.time):
        leaf.check(3, bytes(32))


@target(ValueError, seeds=lambda: [canonical(example())])
def manifest(data: bytes) -> None:
    """The manifest of an archive's segment; what is accepted encodes to the same bytes."""
    assert canonical(parse(data, SegmentManifest)) == data


@target(ValueError, seeds=lambda: [bytes.fromhex("1500150015002c150015001500150000 00".replace(" ", "")), bytes(64)])
def page_headers(data: bytes) -> None:
    """The headers of a Parquet file's pages, from which is told beforehand how much a page unpacks to."""
    for page in pages(io.BytesIO(data), 0, len(data)):
        assert page is not None
