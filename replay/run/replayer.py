"""The one loop: reads the log from where it stopped, lets the worker of each stream judge, and commits everything at once.

Positions, snapshots, adjudications and findings are one transaction, so a replay can be killed anywhere and resumed, and
replaying twice changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import takewhile

import msgspec

from events.errors import EventError, IntegrityError, UndecodableEvent
from events.log.contract import EventLog, Record, ResultStore
from events.log.foreign import ForeignReport, OwnStore
from events.log.relaxed_gc import relaxed_gc
from events.vocabulary.envelope import RawEnvelope
from games.rulebook.rulebook import Rulebook
from replay.findings import Adjudication, Finding, LedgerEntry
from replay.run.engine import engine
from replay.run.refold import refold
from replay.run.stream_worker import RUN, Result, StreamWorker, current_findings

COMMIT_EVERY = 50_000
"""Events between two commits of a long replay."""

BEYOND = 2**53 - 1
"""A position past the end of any stream: the tail leaves such a stream out."""

KINDS = ("adjudications", "findings", "ledger")

Progress = Callable[[int, int], None]
"""Called with the events read and the rounds judged so far."""


class Summary(msgspec.Struct, kw_only=True):
    """What a replay did: events read, rounds judged, verdicts that are new or revised, the findings (by code) and verdicts in
    force, the faults of broken streams, and the foreign records passed over.
    """

    events: int = 0
    rounds: int = 0
    changed: int = 0
    findings: dict[str, int] = {}
    verdicts: dict[str, int] = {}
    integrity: list[str] = []
    foreign: ForeignReport = ForeignReport()


class MemoryResults(OwnStore):
    """A `ResultStore` for questions that change nothing: `--as-of`, what-if rules."""

    def __init__(self) -> None:
        self._records: list[Result] = []
        self._latest: dict[tuple[str, str], bytes] = {}
        self._positions: dict[str, int] = {}
        self._snapshots: dict[str, bytes] = {}

    def positions(self, engine: str) -> dict[str, int]:
        """Return stream → last number replayed."""
        return dict(self._positions)

    def snapshots(self, engine: str) -> dict[str, bytes]:
        """Return stream → snapshot."""
        return dict(self._snapshots)

    def commit(
        self, engine: str, positions: Mapping[str, int], snapshots: Mapping[str, bytes], records: Sequence[Result]
    ) -> None:
        """Keep results; identical repeats are dropped."""
        self._positions.update(positions)
        self._snapshots.update(snapshots)
        for kind, key, data in records:
            if self._latest.get((kind, key)) != data:
                self._latest[kind, key] = data
                self._records.append((kind, key, data))

    def results(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Yield `(key, bytes)` of a kind in the order committed."""
        for each, key, data in self._records:
            if each == kind:
                yield key, data

    def latest(self, kind: str, key: str) -> bytes | None:
        """Return the last record of a kind under a key."""
        return self._latest.get((kind, key))

    def reset(self) -> None:
        """Forget positions and snapshots."""
        self._positions, self._snapshots = {}, {}

    def close(self) -> None:
        """Nothing to release."""


class _Heading(msgspec.Struct):
    """The fields of an adjudication or a finding that are read without reading it whole."""

    verdict: str = ""
    code: str = ""
    stream: str = ""
    withdrawn: bool | list[str] = False
    revision: int = 1


_headings = msgspec.json.Decoder(_Heading)


class Tally:
    """The verdict of each round and the code of each finding in force, counted as results come.

    `upheld` counts further rounds, whose verdicts are not added one by one: a batch upholds too many to remember each.
    """

    def __init__(self) -> None:
        self.upheld = 0
        self._verdicts: dict[str, str] = {}
        self._codes: dict[str, str] = {}

    def add(self, results: Iterable[Result]) -> None:
        """Add results, in the order stored."""
        for kind, key, data in results:
            if kind == "adjudications":
                adjudication = _headings.decode(data)
                self.upheld -= adjudication.revision > 1 and key not in self._verdicts
                self._verdicts[key] = adjudication.verdict
            elif kind == "findings":
                finding = _headings.decode(data)
                self._codes.pop(key, None)
                if finding.withdrawn is not True:
                    self._codes[key] = finding.code

    def into(self, summary: Summary) -> Summary:
        """Fill in the findings and verdicts of a summary, and return it."""
        summary.findings = dict(sorted(Counter(self._codes.values()).items()))
        verdicts = Counter(self._verdicts.values()) + Counter(UPHELD=self.upheld)
        summary.verdicts = dict(sorted(verdicts.items()))
        return summary


class Replay:
    """A replay under way: the workers by stream, and the results that wait for the next commit."""

    def __init__(
        self,
        log: EventLog,
        results: ResultStore,
        *,
        as_of: Mapping[str, int] | None = None,
        rules: Rulebook | None = None,
        progress: Progress | None = None,
        tally: Tally | None = None,
    ) -> None:
        self.log, self.results, self.rules, self.progress = log, results, rules, progress
        self.as_of = as_of
        self.engine = engine()
        self.summary = Summary()
        self.positions = self.results.positions(self.engine)
        self._snapshots = self.results.snapshots(self.engine)
        self._fresh = all(next(iter(results.results(kind)), None) is None for kind in KINDS)
        self._streams_with_results: frozenset[str] | None = None
        self._workers: dict[str, StreamWorker] = {}
        self._faults: dict[str, str] = {}
        self._pending: list[Result] = []
        self._pending_latest: dict[tuple[str, str], bytes] = {}
        self._since_commit = self._passed_over = 0
        self._tally = tally if tally is not None or not self._fresh else Tally()

    def run(self, wait_s: float | None = None) -> Generator[Summary]:
        """Read to the end of the log (or, with `wait_s`, for ever), yielding after each batch that was committed."""
        with relaxed_gc():
            yield from self._run(wait_s)

    def _run(self, wait_s: float | None) -> Iterator[Summary]:
        while True:
            positions = self.positions | {stream: worker.seq for stream, worker in self._workers.items()}
            after = {stream: seq for stream, seq in positions.items() if stream not in self._faults}
            after |= dict.fromkeys(self._faults, BEYOND)
            try:
                for batch in self.log.tail(after, wait_s=wait_s):
                    for stream, run in runs(batch):
                        self._take_run(stream, run)
                    if self._since_commit >= COMMIT_EVERY or wait_s is not None:
                        self.commit()
                        yield self.summary
                break
            except IntegrityError as broken:
                if (
                    after.get(broken.stream) == BEYOND
                ):  # nothing of it was asked for: what is stored cannot be read past it
                    self.commit()
                    raise
                self._stop(broken)
        self.commit()
        yield self.summary

    def commit(self) -> None:
        """Store everything in one transaction."""
        self.summary.rounds = sum(worker.rounds for worker in self._workers.values())
        self.summary.events += self._since_commit
        self.positions.update({stream: worker.seq for stream, worker in self._workers.items()})
        if self.progress is not None:
            self.progress(self.summary.events, self.summary.rounds)
        passed_over = self.log.passed_over()
        self.summary.foreign = passed_over.with_others(self.results.passed_over())
        if not self._since_commit and not self._pending and passed_over.count == self._passed_over:
            return
        self._passed_over = passed_over.count
        snapshots = {stream: worker.snapshot() for stream, worker in self._workers.items()}
        self.results.commit(self.engine, self.positions, snapshots, self._pending)
        if self._tally is not None:
            self._tally.add(self._pending)
        self.summary.changed += sum(1 for kind, _, _ in self._pending if kind == "adjudications")
        self._pending, self._pending_latest, self._since_commit = [], {}, 0

    def standing(self) -> Summary:
        """Return the summary with the findings and verdicts in force: from memory where all of them are of this run."""
        if self._tally is None:
            return standing(self.results, self.summary)
        return self._tally.into(self.summary)

    def _latest(self, kind: str, key: str) -> bytes | None:
        data = self._pending_latest.get((kind, key))
        return data if data is not None else self.results.latest(kind, key)

    def _take_run(self, stream: str, run: Sequence[Record]) -> None:
        """Let a stream's worker fold records in a row, as far as they are asked for and not folded yet."""
        if self.as_of is not None:
            run = [record for record in run if record.seq <= self.as_of.get(stream, 0)]
        while run and stream not in self._faults:
            worker = self._worker(stream)
            position = worker.seq
            if run[0].seq <= position:  # a refold went beyond this already
                run = [record for record in run if record.seq > position]
                continue
            try:
                taken = worker.take_run(run, self._publish)
            except UndecodableEvent as unreadable:
                self._stop(unreadable)
                return
            finally:
                self._since_commit += worker.seq - position
            if worker.needs_refold:
                self._refold(stream, run[taken - 1].seq)
            run = run[taken:]

    def _worker(self, stream: str) -> StreamWorker:
        """Return the worker of a stream: at work, resumed from its snapshot, or after a refold where another engine judged."""
        if stream not in self._workers:
            snapshot = self._snapshots.get(stream)
            if snapshot is None and self._was_replayed(stream):
                self._refold(stream, self.as_of[stream] if self.as_of is not None else None)
            else:
                self._workers[stream] = StreamWorker(stream, self._latest, snapshot, self.rules)
                self._workers[stream].seq = self.positions.get(stream, 0)
        return self._workers[stream]

    def _publish(self, result: Result) -> None:
        kind, key, data = result
        self._pending.append(result)
        self._pending_latest[kind, key] = data

    def _stop(self, broken: IntegrityError) -> None:
        """Judge nothing later in a broken stream; the others go on."""
        if broken.stream in self._faults:
            return
        self._faults[broken.stream] = str(broken)
        self.summary.integrity.append(f"{broken.code} {broken}")

    def _was_replayed(self, stream: str) -> bool:
        """Whether another engine's results of this stream are stored."""
        if self._fresh:
            return False
        if self._streams_with_results is None:
            streams = {
                key.partition("#")[0] for kind in ("adjudications", "ledger") for key, _ in self.results.results(kind)
            }
            self._streams_with_results = frozenset(
                streams | {_headings.decode(data).stream for _, data in self.results.results("findings")}
            )
        return stream in self._streams_with_results

    def _refold(self, stream: str, end: int | None) -> None:
        position = self._workers[stream].seq if stream in self._workers else self.positions.get(stream, 0)
        refolded = refold(
            stream, partial(self.log.read, stream), end, self._latest, lambda: self._finding_ids(stream), self.rules
        )
        if stream in self._workers:
            refolded.worker.rounds = self._workers[stream].rounds
        self._workers[stream] = refolded.worker
        self._since_commit += max(0, refolded.worker.seq - position)
        if refolded.broken is not None:
            self._stop(refolded.broken)
        if refolded.worker.seq >= position:  # else the results of the part that can no longer be read remain in force
            for kind, key, data in refolded.results:
                if self._latest(kind, key) != data:
                    self._publish((kind, key, data))

    def _finding_ids(self, stream: str) -> set[str]:
        """Return the ids of the findings on a stream that are in force."""
        pending = [(key, data) for kind, key, data in self._pending if kind == "findings"]
        records = [*self.results.results("findings"), *pending]
        return {finding.id for finding in current_findings(records) if finding.stream == stream}


def runs(batch: Sequence[Record]) -> Iterator[tuple[str, Sequence[Record]]]:
    """Yield the records of a batch in runs of one stream, of up to `RUN` records."""
    streams = [record.stream for record in batch]
    start = 0
    while start < len(batch):
        stream, same = streams[start], streams[start : start + RUN]
        if same.count(stream) < len(same):
            same = list(takewhile(stream.__eq__, same))
        yield stream, batch[start : start + len(same)]
        start += len(same)


def replay(
    log: EventLog,
    results: ResultStore,
    *,
    as_of: Mapping[str, int] | None = None,
    rules: Rulebook | None = None,
    progress: Progress | None = None,
    tally: Tally | None = None,
) -> Summary:
    """Replay a log to its end and return the summary; `tally` has counted the results stored before.

    `as_of` (stream → number; other streams are left out) reproduces an earlier verdict, `rules` asks what other rules
    would have led to; both need a `MemoryResults`, for their answers are not verdicts.
    """
    run = Replay(log, results, as_of=as_of, rules=rules, progress=progress, tally=tally)
    for _ in run.run():
        pass
    return run.standing()


def follow(log: EventLog, results: ResultStore, *, wait_s: float = 0.2) -> Iterator[Summary]:
    """Replay for ever, yielding after every batch; the caller stops when it has enough."""
    yield from Replay(log, results).run(wait_s=wait_s)


def standing(results: ResultStore, summary: Summary) -> Summary:
    """Fill in the findings in force and the verdicts of the newest revisions."""
    tally = Tally()
    for kind in ("adjudications", "findings"):
        tally.add((kind, key, data) for key, data in results.results(kind))
    return tally.into(summary)


def adjudications(results: ResultStore) -> list[Adjudication]:
    """Return the newest revision of every adjudication, in the order of the first."""
    newest = dict(results.results("adjudications"))
    return [msgspec.json.decode(data, type=Adjudication) for data in newest.values()]


def findings(results: ResultStore) -> list[Finding]:
    """Return the findings in force."""
    return current_findings(results.results("findings"))


def ledger(results: ResultStore) -> list[LedgerEntry]:
    """Return the accounting entries of the tables, the newest revision of each."""
    newest = dict(results.results("ledger"))
    return [msgspec.json.decode(data, type=LedgerEntry) for data in newest.values()]


def resolve_time(log: EventLog, at_us: int) -> dict[str, int]:
    """Return the position of every stream at a time, by `recorded_at_us` (the appender's clock, which never runs back).

    Of a stream that breaks off before, it is the number where it breaks, so that a replay meets it there and names it.
    """
    positions = {}
    for stream in log.streams():
        last = 0
        try:
            for record in log.read(stream):
                if _recorded(record) > at_us:
                    break
                last = record.seq
        except IntegrityError as broken:
            last = broken.seq
        positions[stream] = last
    return positions


_raw = msgspec.json.Decoder(RawEnvelope)


def _recorded(record: Record) -> int:
    try:
        return _raw.decode(record.data).recorded_at_us
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UndecodableEvent(record.stream, record.seq, str(error)) from EventError(str(error))
