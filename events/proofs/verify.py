"""Walk a whole log and say for every stream whether it is as it was written, or where it first differs.

Numbering, chain, canonical bytes, the envelope's own statement of its place, the appender's clock, the rules of the
gaming day, the high-water mark; and if there are checkpoints, every root that they state, computed again from the events,
and every signature. After a break of the chain nothing in that stream can be trusted, so that its walk
ends there; the other streams are walked all the same. Pure: any `EventLog` will do.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby, repeat
from operator import attrgetter
from typing import Literal

import msgspec

from events.errors import (
    BrokenSeal,
    EventError,
    Fork,
    IndexChanged,
    IntegrityError,
    LostTail,
    MisplacedEvent,
    PositionBroken,
    ResultBroken,
    ResultFault,
    SequenceGap,
)
from events.log.appender import OF_THE_DAY, UNKNOWN_ROUNDS, DayRounds, day_after
from events.log.clock import AheadOfClock, is_ahead
from events.log.contract import MAX_SEQ, CheckpointStore, EventLog, Head, Record, StreamIndex
from events.log.foreign import NO_FOREIGN_RECORDS, ForeignReport
from events.log.runs import runs_of
from events.proofs.history import NOTHING_REACHED, Mark, StatedHeads, StreamHeads, compare
from events.proofs.keys import PROPERTY_STREAM, KeyRing
from events.proofs.quarantine import EntryChanged, EntryMissing, QuarantineCheck, RefusalNotice, compare_quarantine, notice_of
from events.proofs.signed_note import PublicKey
from events.proofs.since import LEAD, StreamStart, VerifiedStart, start_of
from events.proofs.statements import BadCheckpoint, CheckpointFault
from events.proofs.verify_checkpoints import Signatures, check_checkpoints
from events.proofs.verify_results import ResultsCheck, StoredState, check_results, position_faults
from events.vocabulary.codec import read, read_all
from events.vocabulary.envelope import ReadEnvelope
from events.vocabulary.model import Event, IntakeRefused

QuarantineFault = Literal["entry_changed", "entry_missing"]
"""What happened to a refused line in quarantine: its bytes differ from what was refused, or there is no entry for its event.
The chain itself is whole there.
"""

BreakKind = (
    Literal["changed", "removed", "swapped", "moved", "tail_cut", "fork", "unreadable", "envelope", "vouch", "added", "index"]
    | QuarantineFault
    | CheckpointFault
    | ResultFault
)
"""What happened to the first event that is not as it was written.

`changed`: its bytes (or the stored hash) differ. `removed`: its number is missing. `swapped`: it traded places with another.
`moved`: another event is at its number. `tail_cut`: acknowledged events at the end are gone. `fork`: two events claim
the number. `unreadable`: in the chain, but not an event this version can read. `envelope`: in the chain, but its envelope
contradicts the log or the events before it. `vouch`: it publishes a key with a vouch that does not count. `added`: a file lies
in an archive that was not sealed into it. `index`: the chain is whole, and what lies next to it to know repeats by differs.
The other kinds are of refused lines, checkpoints and results: see `QuarantineFault`, `CheckpointFault`, `ResultFault`; of
results `seq` is the place in the chain of the stream's results.
"""

Progress = Callable[[str, int], None]
"""Called with the stream and the number of events walked in the whole log so far."""

PROGRESS_EVERY = 10_000
_STREAM = attrgetter("stream")


class Break(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong: `seq` is the first number that cannot be relied on; `code` is the finding's code."""

    stream: str
    seq: int
    kind: BreakKind
    code: str
    message: str


class VerificationReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a verification. `heads` are the confirmed ends of the streams; `events` counts the events read;
    `quarantine` compares the refused lines with the chain; `results` is the check of the results (None: not requested).
    `foreign` records are no part of the log and break nothing. `unread`: stream → number of events at its beginning that were
    not read again; `starts`: where a later verification may begin. `lost`: events that an earlier verification reached and
    the log lacks; `future`: each stream's first event, and the first checkpoint, with a time in the future.
    """

    ok: bool
    log_id: str
    property_id: str
    events: int
    streams: int
    tables: int
    signed: Signatures | None
    quarantine: QuarantineCheck
    results: ResultsCheck | None
    foreign: ForeignReport
    first_break: Break | None
    breaks: tuple[Break, ...]
    heads: dict[str, Head]
    unread: dict[str, int] = {}
    starts: dict[str, StreamStart] = {}
    lost: tuple[Break, ...] = ()
    future: tuple[AheadOfClock, ...] = ()


def verify(
    log: EventLog,
    *,
    checkpoints: CheckpointStore | None = None,
    anchors: Sequence[PublicKey] = (),
    marks: Iterable[Mark] = (),
    gap_s: int | None = None,
    results: StoredState | None = None,
    progress: Progress | None = None,
    since: VerifiedStart | None = None,
    reached: Mapping[str, Mark] = NOTHING_REACHED,
    accept_loss: bool = False,
    now_us: int | None = None,
) -> VerificationReport:
    """Walk all streams of a log, and those that only its high-water mark or its checkpoints know; with `results` those too.

    With `since`, of each stream only what came after the last event that checkpoints bore out then (see `events.proofs.since`).
    `anchors`, `marks` and `gap_s` as for `check_checkpoints`. `reached` (stream → end) is how far an earlier verification
    came: what the log lost of it is a break, unless `accept_loss`. `now_us` (UTC microseconds) is the present, to name what
    is of the future. Raises `LogUnavailable` if the log cannot be read at all; everything else is in the report.
    """
    breaks: list[Break] = []
    heads: dict[str, Head] = {}
    notices: list[RefusalNotice] = []
    unread: dict[str, int] = {}
    starts: dict[str, StreamStart] = {}
    lost: list[Break] = []
    future: list[AheadOfClock] = []
    try:
        marked = set(log.acknowledged())
    except IntegrityError as error:
        breaks.append(_break_of(error))
        marked = set()
    checked = None
    if checkpoints is not None:
        checked = check_checkpoints(log, checkpoints, anchors=anchors, marks=marks, gap_s=gap_s, now_us=now_us)
    stated = checked.stated if checked is not None else {}
    positions = results.positions if results is not None else {}
    at_positions: dict[str, bytes] = {}

    def begun(names: Iterable[str]) -> _Walks:
        pace = _Pace(progress)

        def begin(stream: str) -> _StreamVerification:
            position = positions[stream].seq if stream in positions else 0
            return _StreamVerification(log, stream, stated.get(stream), pace, position, reached.get(stream), now_us)

        return _Walks(begin, {*names, *marked, *stated, *reached})

    walks = _together(log, begun) if since is None and log.is_interleaved else begun(log.streams())
    for stream, walk in sorted(walks.items()):
        walk.run(since.streams.get(stream) if since is not None and stream != PROPERTY_STREAM else None)
        at_positions[stream] = walk.hash_at_position
        notices += walk.notices
        heads[stream] = walk.head
        if walk.unread:
            unread[stream] = walk.unread
        if walk.start is not None:
            starts[stream] = walk.start
        breaks.extend(found for found in walk.breaks if found not in breaks)
        lost += walk.lost
        future += [walk.future] if walk.future is not None else []
    breaks.extend(() if accept_loss else lost)
    breaks.extend(_break_of(error) for error in (checked.errors if checked is not None else ()))
    quarantine, foreign = QuarantineCheck(), NO_FOREIGN_RECORDS
    try:
        quarantine = compare_quarantine(log.quarantined(), notices)
        if unread:  # events that were not read vouch for entries too
            quarantine = msgspec.structs.replace(quarantine, unvouched=0)
        breaks.extend(_break_of(fault) for fault in quarantine.faults)
        foreign = log.foreign()
    except IntegrityError as error:
        breaks.append(_break_of(error))
    results_check = None
    if results is not None:
        known = since.results if since is not None else None
        results_check = check_results(results, checked.results if checked is not None else {}, known)
        broken = {found.stream for found in breaks}
        faults = position_faults(results, at_positions, heads, broken)
        results_check = msgspec.structs.replace(results_check, faults=(*results_check.faults, *faults))
        breaks.extend(_break_of(fault) for fault in results_check.faults)
    return VerificationReport(
        ok=not breaks,
        log_id=log.log_id,
        property_id=log.property_id,
        events=sum(walk.events for walk in walks.values()),
        streams=len(heads),
        tables=sum(stream.startswith("table/") for stream in heads),
        signed=checked.signed if checked is not None else None,
        quarantine=quarantine,
        results=results_check,
        foreign=foreign,
        first_break=breaks[0] if breaks else None,
        breaks=tuple(breaks),
        heads=heads,
        unread=unread,
        starts=starts,
        lost=tuple(lost),
        future=(*future, *(checked.future if checked is not None else ())),
    )


class _Pace:
    """Counts the events walked in the whole log, and reports the number from time to time."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress, self._events = progress, 0

    def take(self, stream: str, events: int) -> None:
        """Count events of a stream."""
        steps, end = self._events // PROGRESS_EVERY + 1, self._events + events
        for step in range(steps, end // PROGRESS_EVERY + 1):
            self._events = step * PROGRESS_EVERY
            self.say(stream)
        self._events = end

    def say(self, stream: str) -> None:
        """Say how many there were."""
        if self._progress is not None:
            self._progress(stream, self._events)


class _Walks(dict[str, "_StreamVerification"]):
    """The walks through streams. A missing walk begins when it is asked for."""

    def __init__(self, begin: "Callable[[str], _StreamVerification]", names: Iterable[str]) -> None:
        super().__init__((stream, begin(stream)) for stream in names)
        self._begin = begin

    def __missing__(self, stream: str) -> "_StreamVerification":
        return self.setdefault(stream, self._begin(stream))


def _together(log: EventLog, begun: Callable[[Iterable[str]], _Walks]) -> _Walks:
    """Walk all streams in one reading, as far as they are whole; return the walks, so that they can go on.

    At a break the reading ends. All walks begin again without the stream that is broken, which is left to be read by itself: what
    is wrong with another one may lie behind the place. The log is asked last for its streams: then it knows them.
    """
    broken: set[str] = set()
    names: Sequence[str] = ()
    while True:
        walks = begun(names)
        try:
            for batch in log.tail(dict.fromkeys(broken, MAX_SEQ)):
                for stream, records in groupby(sorted(batch, key=_STREAM), key=_STREAM):
                    walks[stream].take(list(records))
            for stream in log.streams():
                walks[stream]
            return walks
        except IntegrityError as error:
            names = log.streams()
            if error.stream not in {*names, *walks} or error.stream in broken:  # of no one stream: each is read by itself
                return begun(names)
            broken.add(error.stream)


class _StreamVerification:
    """The walk through one stream: at most one break of the chain, which ends it, and the contradictions of envelopes."""

    def __init__(
        self,
        log: EventLog,
        stream: str,
        stated: StatedHeads | None,
        pace: _Pace,
        position: int = 0,
        reached: Mark | None = None,
        now_us: int | None = None,
    ) -> None:
        self._now_us = now_us
        self.future: AheadOfClock | None = None
        self.position, self._reached = position, reached
        self._hashes: dict[int, bytes] = dict.fromkeys((position, reached.head.seq if reached is not None else 0), b"")
        self.log, self.stream, self._pace = log, stream, pace
        self._stated = stated
        self._tree = StreamHeads(stream, stated)
        self.unread = 0
        self.events = 0
        self.breaks: list[Break] = []
        self.notices: list[RefusalNotice] = []
        self.head = Head(0, b"")
        self._day: str | None = None
        self._rounds = DayRounds()
        self._recorded_at_us = 0
        self._place = (log.log_id, log.property_id, stream)
        self._keys = KeyRing()
        self._index = None if log.is_interleaved else StreamIndex()
        self._lost_track = False  # after an unreadable event, which could have opened a day or a round
        self._nothing_new = False

    @property
    def start(self) -> StreamStart | None:
        """Where a later verification may begin; None if something is wrong, or nothing is stated."""
        return start_of(self._tree) if not self.breaks else None

    @property
    def hash_at_position(self) -> bytes:
        """The chain hash at the replay position; empty if the walk did not reach it."""
        return self._hashes[self.position]

    @property
    def lost(self) -> list[Break]:
        """Return at most one break: the stream is consistent, but lacks events that an earlier verification reached."""
        mark = self._reached
        if mark is None or self.breaks:
            return []
        try:
            compare(self.stream, mark, self.head, self._hashes[mark.head.seq])
        except IntegrityError as error:
            return [_break_of(error)]
        return []

    def run(self, since: StreamStart | None = None) -> None:
        if since is not None and not self._begin_after(since):
            self._forget()
        try:
            for run in () if self._nothing_new else runs_of(self.log.read(self.stream, self.head.seq + 1)):
                self.take(run)
            self.log.verify_head(self.stream)
            self._tree.end()
            self._compare_index()
        except IntegrityError as error:
            self.breaks.append(_break_of(error))
        if self.future is None and self.unread:  # the first of them may be among those that were not read again
            self._note_time(self.head.seq, self._recorded_at_us)
        self._pace.say(self.stream)

    def _note_time(self, seq: int, recorded_at_us: int) -> None:
        """Remember the first event that was recorded in the future."""
        if self.future is None and self._now_us is not None and is_ahead(recorded_at_us, self._now_us):
            self.future = AheadOfClock(self.stream, seq, recorded_at_us)

    def take(self, run: Sequence[Record]) -> None:
        """Check the next records."""
        events = read_all([record.data for record in run]) or repeat(None)
        last: Record | None = None
        try:
            for record, event in zip(run, events, strict=False):
                self._tree.bear_out(record.data, record.hash)
                self._check(record, event)
                if record.seq in self._hashes:
                    self._hashes[record.seq] = record.hash
                last = record
        finally:
            if last is not None:
                self.head = Head(last.seq, last.hash)
                self.events += last.seq - run[0].seq + 1
                self._pace.take(self.stream, last.seq - run[0].seq + 1)

    def _begin_after(self, since: StreamStart) -> bool:
        """Begin after the last event that an earlier verification and a checkpoint confirm; return whether they do.

        A few events before it are read where others follow, for the day and whether a round is open: their chain ends in the
        stated hash. If none follows, that event alone is read, and what comes in meanwhile is for the next verification.
        """
        last: Record | None = None
        try:
            self._nothing_new = next(self.log.read(self.stream, since.size + 1), None) is None
            first = min(since.size - (0 if self._nothing_new else LEAD), self.position or since.size)
            self._lost_track = first > 1
            for record in self.log.read(self.stream, max(1, first), since.size):
                event, last = read(record.data), record
                self._check_day(record.seq, event)
                self._recorded_at_us = max(self._recorded_at_us, event.recorded_at_us)
                if record.seq in self._hashes:
                    self._hashes[record.seq] = record.hash
        except (IntegrityError, EventError):
            return False
        if self._stated is None or last is None or last.seq != since.size or self.breaks:
            return False
        tree = since.heads(self.stream, self._stated, last.hash)
        if tree is None:
            return False
        self._tree, self.head, self.unread = tree, Head(last.seq, last.hash), last.seq
        return True

    def _forget(self) -> None:
        """Go back to the beginning of the stream."""
        self.breaks, self._hashes, self._nothing_new = [], dict.fromkeys(self._hashes, b""), False
        self._day, self._rounds, self._recorded_at_us, self._lost_track = None, DayRounds(), 0, False
        self.future = None

    def _compare_index(self) -> None:
        """Compare the index of repeats with the events, if nothing is wrong with them and all were read."""
        if self._index is not None and not self.breaks and not self.unread:
            differs = self.log.compare_index(self.stream, self._index)
            if differs is not None:
                raise IndexChanged(self.stream, differs)

    def _check(self, record: Record, event: ReadEnvelope[Event] | None) -> None:
        try:
            event = event or read(record.data)
        except EventError as error:
            self._report(record.seq, "unreadable", str(error))
            self._lost_track = True
            return
        if self._index is not None:
            self._index.take(event.event_id, event.source, event.source_seq, record.seq)
        if isinstance(event.payload, IntakeRefused):
            self.notices.append(notice_of(record.stream, record.seq, event.payload))
        if event.seq != record.seq or (event.log_id, event.property_id, event.stream) != self._place:
            stated = (event.log_id, event.property_id, event.stream, event.seq)
            place = (*self._place, record.seq)
            self._report(record.seq, "envelope", f"the event says that it stands at {stated}, it stands at {place}")
        if event.recorded_at_us < self._recorded_at_us:
            self._report(record.seq, "envelope", "recorded before the event that stands before it")
        else:
            self._recorded_at_us = event.recorded_at_us
        self._note_time(record.seq, event.recorded_at_us)
        if type(event.payload) in OF_THE_DAY or event.gaming_day != self._day or self._lost_track:
            self._check_day(record.seq, event)
        if self.stream == PROPERTY_STREAM:
            self._keys.add(record)
            if record.seq in self._keys.faults:
                self._report(record.seq, "vouch", self._keys.faults[record.seq])

    def _check_day(self, seq: int, event: ReadEnvelope[Event]) -> None:
        if self._lost_track:
            self._day, self._rounds, self._lost_track = event.gaming_day, UNKNOWN_ROUNDS, False
        try:
            self._day, self._rounds = day_after(
                self.stream, self._day, self._rounds, event.payload, round_no=event.round_no, stated=event.gaming_day
            )
        except EventError as error:
            self._report(seq, "envelope", str(error))
            self._day, self._rounds = event.gaming_day, DayRounds()

    def _report(self, seq: int, kind: BreakKind, message: str) -> None:
        code = "LOG-UNREADABLE" if kind == "unreadable" else "LOG-SEAL"
        self.breaks.append(Break(stream=self.stream, seq=seq, kind=kind, code=code, message=message))


def _break_of(error: IntegrityError) -> Break:
    return Break(stream=error.stream, seq=error.seq, kind=_kind(error), code=error.code, message=error.detail)


def _kind(error: IntegrityError) -> BreakKind:
    match error:
        case ResultBroken() | PositionBroken():
            return error.fault
        case EntryChanged():
            return "entry_changed"
        case EntryMissing():
            return "entry_missing"
        case MisplacedEvent(swapped=True):
            return "swapped"
        case MisplacedEvent():
            return "moved"
        case BadCheckpoint():
            return error.fault
        case IndexChanged():
            return "index"
        case LostTail():
            return "tail_cut"
        case SequenceGap():
            return "removed"
        case Fork():
            return "fork"
        case BrokenSeal():
            return "changed"
        case _:
            return "unreadable"
