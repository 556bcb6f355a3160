"""Checks a bundle with only a public key: every byte, every proof, and the verdict, which is recomputed.

Invariant: it trusts only the given key. The bundle's claims about itself count only if proved.
"""

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from desk.packet.bundle import BadPacket, Bundle, Leaf, Part, decode, note_text
from desk.packet.evidence import Judged, among, is_same, judge, listed
from desk.packet.meters import meter_findings
from events.errors import IntegrityError
from events.log.hash_chain import genesis, link
from events.proofs.checkpoint import Checkpoint, open_checkpoint, origin_of
from events.proofs.keys import PROPERTY_STREAM, KeyRing, named
from events.proofs.merkle import BadProof, leaf_hash, verify_inclusion
from events.proofs.multiproof import root_of
from events.proofs.signed_note import BadNote, KeyKind, Note, PublicKey, verify
from events.proofs.signed_note import VerifiedSignature as SignedBy
from events.proofs.statements import HeadStatement, Statement, TimeStatement, read_statement
from replay.run.engine import current_engines


class PacketCheck(msgspec.Struct, frozen=True):
    """The result of checking a packet.

    `reproduced`: this program reaches the same verdict from the packet's events alone. It must, unless its rules differ
    (`same_engine` is false) or the packet withholds events (`bundle.about.withheld`).
    """

    bundle: Bundle
    judged: Judged | None
    key: PublicKey
    checkpoint: Checkpoint
    made: TimeStatement
    witnesses: tuple[SignedBy, ...]
    same_engine: bool
    reproduced: bool


def check_bundle(data: bytes, keys: Sequence[PublicKey]) -> PacketCheck:
    """Check a bundle with keys of the log and perhaps of witnesses. Raises `BadPacket`, which names the fault."""
    bundle = decode(data)
    origin = origin_of(bundle.about.log_id, bundle.about.property_id)
    note = _note(bundle.note, "note")
    if note.text != note_text(bundle.about.format, origin, bundle.digests()):
        raise _changed(bundle, note, origin)
    ring = _ring(bundle)
    retired = [entry.key for entry in ring.entries if entry.retired]
    trusted = [key for key in ring.trusted(keys) if key not in retired]
    try:
        key = _signer(note, origin, trusted)
        checkpoint, witnesses, made = _check_checkpoint(bundle, trusted, keys)
    except _NotSigned as error:
        raise BadPacket(error.part, f"{error.what}{_why_not(error.note, ring, keys)}") from error
    for stream, part in bundle.streams.items():
        _check_part(bundle, checkpoint, stream, part)
    judged, reproduced = _judge_again(bundle)
    same_engine = bundle.about.software in current_engines()
    if same_engine and not reproduced and not bundle.about.withheld:
        raise BadPacket("adjudication", "its events lead to another verdict")
    return PacketCheck(bundle, judged, key, checkpoint, made, witnesses, same_engine, reproduced)


class _NotSigned(Exception):
    """No valid key signed a note of the packet."""

    def __init__(self, part: str, note: Note, what: str) -> None:
        super().__init__(part, what)
        self.part, self.note, self.what = part, note, what


def _note(text: str, part: str) -> Note:
    try:
        return Note.decode(text.encode())
    except BadNote as error:
        raise BadPacket(part, str(error)) from error


def _changed(bundle: Bundle, note: Note, origin: str) -> BadPacket:
    """Return the part that differs from its signed digest, and the event in a stream."""
    lines = note.text.splitlines()
    stated = dict(line.rsplit(" ", 1) for line in lines[2:] if " " in line)
    for name, digest in bundle.digests().items():
        if stated.get(name) != digest:
            if name in bundle.streams:
                number = _broken(bundle, name, bundle.streams[name])
                if number:
                    return BadPacket(f"{name} event {number}", "its bytes or its hashes are not those that were signed")
            return BadPacket(name, "it is not what was signed")
    if lines[1:2] != [origin]:
        return BadPacket("about", f"the note is signed for the log {' '.join(lines[1:2])[:100]}, the packet is of {origin}")
    return BadPacket("note", "it does not list the parts of this packet")


def _signer(note: Note, origin: str, trusted: Sequence[PublicKey]) -> PublicKey:
    ours = [key for key in trusted if key.kind is KeyKind.LOG and key.name == origin]
    try:
        found = verify(note, ours)
    except BadNote as error:
        raise BadPacket("note", str(error)) from error
    if not found:
        names = ", ".join(f"{each.name} ({each.key_id.hex()})" for each in note.signatures)
        message = f"no key that was given signed it, nor one in force for which it vouches; it names {names[:200]}"
        raise _NotSigned("note", note, message)
    return found[0].key


def _ring(bundle: Bundle) -> KeyRing:
    """Return the keys in the packet's property stream. Raises `BadPacket` for an invalid vouch."""
    ring = KeyRing()
    if PROPERTY_STREAM in bundle.streams:
        for record in bundle.streams[PROPERTY_STREAM].records(PROPERTY_STREAM):
            ring.add(record)
    for seq, fault in ring.faults.items():
        raise BadPacket(f"{PROPERTY_STREAM} event {seq}", fault)
    return ring


def _why_not(note: Note, ring: KeyRing, keys: Sequence[PublicKey]) -> str:
    """Return what the packet's property stream says of a key that signed a note and was not given."""
    for entry in ring.entries:
        if not any(signature.of(entry.key) for signature in note.signatures):
            continue
        if entry.retired:
            return f"; event {entry.retired} of {PROPERTY_STREAM} retired that key"
        try:
            verify(note, [entry.key])
        except BadNote as error:
            return f"; {error}"
        if entry.key in ring.earlier(keys):
            return f"; it was signed before the key you gave, by {named(entry.key)}: give that key to check it"
        if not any(ring.of(key) for key in keys):
            return (
                f"; it was signed before {PROPERTY_STREAM} named the key you gave, or in another log, by {named(entry.key)}: "
                "give that key to check it, if you received it"
            )
    return ""


def _check_checkpoint(
    bundle: Bundle, trusted: Sequence[PublicKey], keys: Sequence[PublicKey]
) -> tuple[Checkpoint, tuple[SignedBy, ...], TimeStatement]:
    note = _note(bundle.checkpoint.note, "checkpoint")
    try:
        checkpoint, _ = open_checkpoint(note, trusted)
    except BadNote as error:
        raise _NotSigned("checkpoint", note, str(error)) from error
    try:
        witnesses = verify(note, [key for key in keys if key.kind is KeyKind.WITNESS])
    except BadNote as error:
        raise BadPacket("checkpoint", str(error)) from error
    if checkpoint.origin != origin_of(bundle.about.log_id, bundle.about.property_id):
        raise BadPacket("checkpoint", f"it is one of the log {checkpoint.origin}")
    made = _statement(checkpoint, bundle.checkpoint.time, "checkpoint")
    if not isinstance(made, TimeStatement) or bundle.checkpoint.time.index != checkpoint.size - 1:
        raise BadPacket("checkpoint", "its last statement does not say when it was made")
    return checkpoint, tuple(witnesses), made


def _statement(checkpoint: Checkpoint, leaf: Leaf, part: str) -> Statement:
    """Return the statement in a leaf of the checkpoint's tree."""
    line = leaf.line.encode()
    try:
        path = [bytes.fromhex(each) for each in leaf.path]
        verify_inclusion(leaf_hash(line), leaf.index, checkpoint.size, path, checkpoint.root)
        return read_statement(line)
    except (BadProof, ValueError) as error:
        raise BadPacket(part, f"a statement of the checkpoint: {error}") from error


def _check_part(bundle: Bundle, checkpoint: Checkpoint, stream: str, part: Part) -> None:
    """Check that the events are in the stream that the checkpoint states, in their places, without a gap."""
    head = _statement(checkpoint, part.head, stream)
    if not isinstance(head, HeadStatement) or head.stream != stream:
        raise BadPacket(stream, "the statement of its end is about something else")
    leaves = {}
    for event, stored in zip(part.envelopes(), part.events, strict=True):
        place = (event.log_id, event.property_id, event.stream)
        if place != (bundle.about.log_id, bundle.about.property_id, stream) or event.seq - 1 in leaves:
            raise BadPacket(f"{stream} event {event.seq}", "it is of another log or stream, or is there twice")
        leaves[event.seq - 1] = leaf_hash(stored.data)
    try:
        root = root_of(head.size, leaves, [bytes.fromhex(each) for each in part.outside])
    except BadProof as error:
        raise BadPacket(stream, str(error)) from error
    if root.hex() != head.root:
        raise BadPacket(stream, "its events are not those of which the checkpoint states the root")
    missing = next((number for number in range(part.begins or 1, part.ends + 1) if number - 1 not in leaves), None)
    if missing is not None:
        raise BadPacket(f"{stream} event {missing}", "it is missing from the events that have no gap")
    number = _broken(bundle, stream, part)
    if number:
        raise BadPacket(f"{stream} event {number}", "its hashes are not those of its bytes")
    if part.events and part.envelopes()[-1].seq == head.size and part.events[-1].chain != head.chain:
        raise BadPacket(f"{stream} event {head.size}", "its chain hash is not the one that the checkpoint states")


def _broken(bundle: Bundle, stream: str, part: Part) -> int:
    """Return the number of the first event with a wrong leaf hash or chain hash; 0 if none exists."""
    events = list(zip((event.seq for event in part.envelopes()), part.events, strict=True))
    for number, stored in events:
        if leaf_hash(stored.data).hex() != stored.leaf:
            return number
    if events and events[0][0] == 1:
        begin = genesis(bundle.about.log_id, bundle.about.property_id, stream)
        if link(begin, events[0][1].data).hex() != events[0][1].chain:
            return 1
    for (before, previous), (number, stored) in pairwise(events):
        if number == before + 1 and link(bytes.fromhex(previous.chain), stored.data).hex() != stored.chain:
            return number
    return 0


def _judge_again(bundle: Bundle) -> tuple[Judged | None, bool]:
    about, said, part = bundle.about, bundle.adjudication, bundle.streams.get(bundle.stream)
    if part is None or (said.stream, said.round_no) != (bundle.stream, about.round_no):
        raise BadPacket("about", f"the packet is about {bundle.stream} round {about.round_no}, its verdict is not")
    if about.withheld:
        return None, False
    try:
        records = {name: each.records(name) for name, each in bundle.streams.items()}
        of_round = listed(records[bundle.stream])
        judged = judge(bundle.stream, of_round, about.round_no, span=part.span, elsewhere=among(records))
        meters = meter_findings(records, about.table, about.round_no) if not about.observed else ()
    except IntegrityError as error:
        raise BadPacket(f"{error.stream} event {error.seq}", error.detail) from error
    same = judged is not None and is_same(judged.adjudication, said)
    return judged, same and meters == bundle.findings
