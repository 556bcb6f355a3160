"""Makes a packet from a log: the evidence of a verdict, if the newest checkpoint covers it, and its documents."""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from desk.packet.bundle import FORMAT, OF_OBSERVED, About, Bundle, Leaf, Part, Signed, Stored, signed
from desk.packet.evidence import Evidence, Judged, RoundUnknown, evidence, known_stream, observed_evidence, rests_on
from desk.packet.meters import meter_evidence, meter_findings, meters_of
from desk.packet.withholding import about_findings, caution, decided_about, of_seat, verdict_of_seat, without_others
from desk.review.disputes import OBSERVED
from events.errors import BrokenSeal, LostTail
from events.log.contract import CheckpointStore, EventLog, Record
from events.proofs.checkpoint import Checkpoint, origin_of
from events.proofs.checkpointer import KeyNotInForce
from events.proofs.history import History
from events.proofs.keys import PROPERTY_STREAM, KeyRing
from events.proofs.merkle import CompactRange, Tree, leaf_hash
from events.proofs.multiproof import outside_hashes
from events.proofs.signed_note import Note, Signer
from events.proofs.statements import CheckpointBatch, HeadStatement, TimeStatement
from events.vocabulary import model
from events.vocabulary.base import MAX_INT
from events.vocabulary.codec import read

HELD = 50_000
"""The most events of a stream that are held in memory while a packet is made; of a longer stream, all are read each time."""


class NotCovered(LookupError):
    """No checkpoint covers the round yet."""


class Statements:
    """The log of statements in a store up to a checkpoint: each stream's newest statement.

    The checkpoint is the newest one, or the checkpoint in `note`, which witnesses may have signed. Raises `IntegrityError` if
    the store is inconsistent, `NotCovered` if it has no such checkpoint. `promised_us` is when the next checkpoint is due (UTC
    microseconds; None: none was promised).
    """

    def __init__(self, log: EventLog, store: CheckpointStore, note: Note | None = None) -> None:
        self._log, self._tree = log, Tree()
        self._heads: dict[str, tuple[int, str, HeadStatement]] = {}
        self._held: dict[str, list[Record]] = {}
        self._note, self._time = Note("", ()), ""
        self.promised_us: int | None = None
        history = History(origin_of(log.log_id, log.property_id))
        asked = Checkpoint.parse(note.text) if note is not None else None
        for encoded in store.batches():
            self._note, lines, before = history.add(encoded), CheckpointBatch.decode(encoded).lines, self._tree.size
            for line in lines:
                self._tree.append(leaf_hash(line))
            for place, statement in enumerate(history.ledger.added):
                self._heads[statement.stream] = before + place, lines[place].decode(), statement
            self._time = lines[-1].decode()
            self.promised_us = _promise(history.ledger.time)
            if asked is not None and note is not None and self._tree.size >= asked.size:
                break
        if asked is not None and note is not None:
            if asked != history.last:
                raise NotCovered(f"the checkpoint over {asked.size} statements is not one of this log: give another note")
            self._note = note

    def size(self, stream: str) -> int:
        """Return the number of a stream's covered events."""
        return self._heads[stream][2].size if stream in self._heads else 0

    @property
    def total(self) -> int:
        """The number of statements."""
        return self._tree.size

    def checkpoint(self) -> Signed:
        """Return the newest checkpoint."""
        return Signed(self._note.encode().decode(), self._leaf(self._tree.size - 1, self._time))

    def read(self, stream: str, first: int = 1, last: int | None = None) -> Iterator[Record]:
        """Yield a stream's covered events from one number to another."""
        size = self.size(stream)
        end = size if last is None else min(size, last)
        if first > end:
            return
        if size > HELD:
            yield from self._log.read(stream, first, end)
            return
        if stream not in self._held:
            self._held[stream] = list(self._log.read(stream, 1, size))
        yield from self._held[stream][first - 1 : end]

    def part(self, stream: str, chosen: Sequence[Record], begins: int = 0, ends: int = 0) -> Part:
        """Return chosen events of a stream with their proof. Raises `LostTail` or `BrokenSeal` if the stream differs."""
        place, line, head = self._heads[stream]
        leaves = [leaf_hash(record.data) for record in self.read(stream)]
        if len(leaves) != head.size:
            message = f"the stream ends at {len(leaves)}, a checkpoint states {head.size} events"
            raise LostTail(stream, len(leaves) + 1, message)
        if CompactRange(leaves).root().hex() != head.root:
            raise BrokenSeal(stream, 1, "its events are not those of which a checkpoint states the root; run `rack verify`")
        stored = [Stored(each.hash.hex(), msgspec.Raw(each.data), leaves[each.seq - 1].hex()) for each in chosen]
        return Part(
            begins=begins,
            ends=ends,
            events=tuple(stored),
            head=self._leaf(place, line),
            outside=tuple(each.hex() for each in outside_hashes(leaves, [each.seq - 1 for each in chosen])),
        )

    def _leaf(self, index: int, line: str) -> Leaf:
        return Leaf(index, line, tuple(each.hex() for each in self._tree.inclusion_proof(index)))


def _promise(time: TimeStatement | None) -> int | None:
    return None if time is None or time.within_s is None else time.at_us + time.within_s * 1_000_000


def make_bundle(
    log: EventLog,
    checkpoints: CheckpointStore,
    table: str,
    round_no: int,
    *,
    signer: Signer,
    clock: Callable[[], int],
    seat: int | None = None,
    note: Note | None = None,
    by: str = "",
    reason: str = "",
    withhold: bool = False,
) -> tuple[Bundle, Judged]:
    """Return the signed bundle of a round and the verdict with the round.

    The bundle is as of the newest checkpoint, or of the one in a note that a witness cosigned. With `withhold`, it leaves out
    what concerns other seats.

    Raises `RoundUnknown` if there is no such table, round or seat, `NotCovered` if no checkpoint covers the round, `BadNote` if
    the key does not sign for this log, `IntegrityError` if the log is inconsistent.
    """
    stream, is_observed = known_stream(log.streams(), table), table.startswith(OBSERVED)
    statements = Statements(log, checkpoints, note)
    if not statements.size(stream):
        raise NotCovered(f"no checkpoint covers {stream}; `rack checkpoint` makes one")
    try:
        chosen, judged, elsewhere = _evidence(statements, stream, round_no, is_observed=is_observed)
    except RoundUnknown as error:
        end = log.head(stream).seq
        if end < statements.size(stream):
            raise LostTail(stream, end + 1, f"the stream ends there, a checkpoint states {statements.size(stream)}") from error
        if end > statements.size(stream):
            raise NotCovered(f"table {table}: {error} that a checkpoint covers; `rack checkpoint` makes one") from error
        raise RoundUnknown(f"table {table}: {error}") from error
    _check_seat(seat, table, chosen.records)
    review = f"review/{table}"
    few = {PROPERTY_STREAM: [each for each in statements.read(PROPERTY_STREAM) if _about_property(each)]}
    check_key(signer, few[PROPERTY_STREAM], "what the newest checkpoint covers")
    few[review] = [each for each in statements.read(review) if read(each.data).round_no == round_no]
    meters = meters_of(judged.round) if not is_observed else []
    few |= elsewhere
    few |= {meter: meter_evidence(list(statements.read(meter)), table, round_no) for meter in meters}
    findings, verdict = meter_findings(few, table, round_no), judged.adjudication
    for meter in meters:
        reviewed = f"review/{meter.partition('/')[2]}"
        few[reviewed] = about_findings(statements.read(reviewed), {each.id for each in findings})
    begins, ends = chosen.begins, chosen.ends
    few[stream] = list(chosen.records)
    if withhold:
        if seat is None:
            raise RoundUnknown("what is about other patrons is left out for a seat; name it")
        verdict, findings, begins, ends = verdict_of_seat(verdict, seat), of_seat(findings, seat), 0, 0
        own = {each.id for each in (*verdict.findings, *findings)}
        reviews = {name: some for name, some in few.items() if name.startswith("review/")}
        every, few = few, {name: without_others(some, seat, chosen.records) for name, some in few.items() if name not in reviews}
        judged = msgspec.structs.replace(judged, caution=_caution(every, few))
        few |= {name: decided_about(some, seat, own, chosen.records) for name, some in reviews.items()}
    parts = {name: statements.part(name, some) for name, some in few.items() if some and name != stream}
    parts[stream] = statements.part(stream, few[stream], begins, ends)
    about = About(
        format=OF_OBSERVED if is_observed else FORMAT,
        log_id=log.log_id,
        made_at_us=clock(),
        property_id=log.property_id,
        round_no=round_no,
        seat=seat,
        software=verdict.engine,
        table=table.removeprefix(OBSERVED),
        by=by,
        reason=reason,
        withheld=withhold,
        observed=is_observed,
    )
    unsigned = Bundle(about, verdict, statements.checkpoint(), findings, "", parts)
    return signed(unsigned, origin_of(log.log_id, log.property_id), signer), judged


def _evidence(
    statements: Statements, stream: str, round_no: int, *, is_observed: bool
) -> tuple[Evidence, Judged, dict[str, list[Record]]]:
    """Return the evidence of a verdict in the round's stream, the verdict, and its evidence in other streams."""
    read_stream = functools.partial(statements.read, stream)
    if is_observed:
        chosen, judged, others = observed_evidence(stream, read_stream, round_no, statements.read)
        for name, last in ((each, rests_on(judged, each)) for each in others):
            if last > statements.size(name):
                raise NotCovered(f"{stream}: round {round_no} rests on event {last} of {name}, which no checkpoint covers yet")
        return chosen, judged, others
    return *evidence(stream, read_stream, round_no), {}


def _caution(every: Mapping[str, Sequence[Record]], few: Mapping[str, Sequence[Record]]) -> str:
    """Return a warning about a packet that leaves out events of these streams; empty if none is needed."""
    said = (caution(every[name], {record.seq for record in some}) for name, some in few.items())
    return next((each for each in said if each), "")


def check_key(signer: Signer, properties: Iterable[Record], where: str) -> None:
    """Raise `KeyNotInForce` unless the key is in force in these events of the property's stream; `where` names them."""
    ring = KeyRing()
    for record in properties:
        ring.add(record)
    key = signer.public_key
    if key not in ring.in_force(MAX_INT):
        raise KeyNotInForce(
            f"the key {key.name} ({key.id.hex()}) is not in force in {where}: publish it "
            "(`rack keys new`) and make a checkpoint, or sign with the one that is (`rack keys list`)"
        )


def _about_property(record: Record) -> bool:
    return isinstance(read(record.data).payload, model.PropertyConfigured | model.KeyPublished | model.KeyRetired)


def _check_seat(seat: int | None, table: str, records: Sequence[Record]) -> None:
    if seat is None:
        return
    opened = [payload for record in records if isinstance(payload := read(record.data).payload, model.TableOpened)]
    seats = opened[-1].seats if opened else 7
    if not 1 <= seat <= seats:
        raise RoundUnknown(f"table {table} has no seat {seat}; it has seats 1 to {seats}")
