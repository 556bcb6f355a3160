"""The one loop: reads the log onward from where it stopped, lets each stream's worker judge, and commits all at once.

Positions, snapshots, adjudications and findings go into one transaction (see *Replay position* in the design), so a
replay can be killed anywhere and taken up again, and replaying twice changes nothing.
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
    """What a replay did: events read, rounds judged, results that were new, findings that stand, broken streams, and the
    foreign records that it passed over.
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


class _Said(msgspec.Struct):
    """What is read of an adjudication or a finding without reading it whole."""

    verdict: str = ""
    code: str = ""
    stream: str = ""
    withdrawn: bool | list[str] = False
    revision: int = 1


_said = msgspec.json.Decoder(_Said)


class Tally:
    """The verdict of each round and the code of each finding as they stand, counted as results come.

    `upheld` are further rounds, whose verdicts are not handed in: a batch upholds more than need be remembered one by one.
    """

    def __init__(self) -> None:
        self.upheld = 0
        self._verdicts: dict[str, str] = {}
        self._codes: dict[str, str] = {}

    def add(self, results: Iterable[Result]) -> None:
        """Take results in the order in which they were said."""
        for kind, key, data in results:
            if kind == "adjudications":
                adjudication = _said.decode(data)
                self.upheld -= adjudication.revision > 1 and key not in self._verdicts
                self._verdicts[key] = adjudication.verdict
            elif kind == "findings":
                said = _said.decode(data)
                self._codes.pop(key, None)
                if said.withdrawn is not True:
                    self._codes[key] = said.code

    def into(self, summary: Summary) -> Summary:
        """Fill in a summary."""
        summary.findings = dict(sorted(Counter(self._codes.values()).items()))
        verdicts = Counter(self._verdicts.values()) + Counter(UPHELD=self.upheld)
        summary.verdicts = dict(sorted(verdicts.items()))
        return summary


class Replay:
    """A replay under way: workers by stream, results waiting for the next commit."""

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
        self._replayed: frozenset[str] | None = None
        self._workers: dict[str, StreamWorker] = {}
        self._stopped: dict[str, str] = {}
        self._waiting: list[Result] = []
        self._said: dict[tuple[str, str], bytes] = {}
        self._since_commit = self._passed_over = 0
        self._tally = tally if tally is not None or not self._fresh else Tally()

    def run(self, wait_s: float | None = None) -> Generator[Summary]:
        """Read to the end of the log (or, with `wait_s`, for ever), yielding after each batch that was committed."""
        with relaxed_gc():
            yield from self._run(wait_s)

    def _run(self, wait_s: float | None) -> Iterator[Summary]:
        while True:
            positions = self.positions | {stream: worker.seq for stream, worker in self._workers.items()}
            after = {stream: seq for stream, seq in positions.items() if stream not in self._stopped}
            after |= dict.fromkeys(self._stopped, BEYOND)
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
        if not self._since_commit and not self._waiting and passed_over.count == self._passed_over:
            return
        self._passed_over = passed_over.count
        touched = {stream: worker.snapshot() for stream, worker in self._workers.items()}
        self.results.commit(self.engine, self.positions, touched, self._waiting)
        if self._tally is not None:
            self._tally.add(self._waiting)
        self.summary.changed += sum(1 for kind, _, _ in self._waiting if kind == "adjudications")
        self._waiting, self._said, self._since_commit = [], {}, 0

    def standing(self) -> Summary:
        """Return the summary with the findings and verdicts that stand: from memory where all of them are of this run."""
        if self._tally is None:
            return standing(self.results, self.summary)
        return self._tally.into(self.summary)

    def _earlier(self, kind: str, key: str) -> bytes | None:
        said = self._said.get((kind, key))
        return said if said is not None else self.results.latest(kind, key)

    def _take_run(self, stream: str, run: Sequence[Record]) -> None:
        """Let a stream's worker take records that follow each other, as far as they are asked for and not taken yet."""
        if self.as_of is not None:
            run = [record for record in run if record.seq <= self.as_of.get(stream, 0)]
        while run and stream not in self._stopped:
            worker = self._worker(stream)
            before = worker.seq
            if run[0].seq <= before:  # folded again to beyond this already
                run = [record for record in run if record.seq > before]
                continue
            try:
                taken = worker.take_run(run, self._say)
            except UndecodableEvent as unreadable:
                self._stop(unreadable)
                return
            finally:
                self._since_commit += worker.seq - before
            if worker.needs_refold:
                self._fold_again(stream, run[taken - 1].seq)
            run = run[taken:]

    def _worker(self, stream: str) -> StreamWorker:
        """Return a stream's worker: at work, taken up where it stopped, or after folding again what another engine judged."""
        if stream not in self._workers:
            snapshot = self._snapshots.get(stream)
            if snapshot is None and self._was_replayed(stream):
                self._fold_again(stream, self.as_of[stream] if self.as_of is not None else None)
            else:
                self._workers[stream] = StreamWorker(stream, self._earlier, snapshot, self.rules)
                self._workers[stream].seq = self.positions.get(stream, 0)
        return self._workers[stream]

    def _say(self, result: Result) -> None:
        kind, key, data = result
        self._waiting.append(result)
        self._said[kind, key] = data

    def _stop(self, broken: IntegrityError) -> None:
        """Nothing later in a broken stream is judged; the others go on."""
        if broken.stream in self._stopped:
            return
        self._stopped[broken.stream] = str(broken)
        self.summary.integrity.append(f"{broken.code} {broken}")

    def _was_replayed(self, stream: str) -> bool:
        """Whether results of this stream are stored, though this engine has not read it."""
        if self._fresh:
            return False
        if self._replayed is None:
            named = {
                key.partition("#")[0] for kind in ("adjudications", "ledger") for key, _ in self.results.results(kind)
            }
            self._replayed = frozenset(
                named | {_said.decode(data).stream for _, data in self.results.results("findings")}
            )
        return stream in self._replayed

    def _fold_again(self, stream: str, end: int | None) -> None:
        before = self._workers[stream].seq if stream in self._workers else self.positions.get(stream, 0)
        again = refold(
            stream, partial(self.log.read, stream), end, self._earlier, lambda: self._standing(stream), self.rules
        )
        if stream in self._workers:
            again.worker.rounds = self._workers[stream].rounds
        self._workers[stream] = again.worker
        self._since_commit += max(0, again.worker.seq - before)
        if again.broken is not None:
            self._stop(again.broken)
        if again.worker.seq >= before:  # else what was said of the part that cannot be read any more stands
            for kind, key, data in again.results:
                if self._earlier(kind, key) != data:
                    self._say((kind, key, data))

    def _standing(self, stream: str) -> set[str]:
        waiting = [(key, data) for kind, key, data in self._waiting if kind == "findings"]
        stored = [*self.results.results("findings"), *waiting]
        return {each.id for each in current_findings(stored) if each.stream == stream}


def runs(batch: Sequence[Record]) -> Iterator[tuple[str, Sequence[Record]]]:
    """Yield a batch's streams and their records, as far as they follow each other and are not too many at once."""
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
    """Replay a log to its end and return what came of it; `tally` has counted what the results hold already.

    `as_of` (stream → number; other streams are left out) reproduces an earlier verdict, `rules` asks what other rules
    would have led to; both want a `MemoryResults`, for their answers are not verdicts.
    """
    run = Replay(log, results, as_of=as_of, rules=rules, progress=progress, tally=tally)
    for _ in run.run():
        pass
    return run.standing()


def follow(log: EventLog, results: ResultStore, *, wait_s: float = 0.2) -> Iterator[Summary]:
    """Replay for ever, yielding after every batch; the caller stops when it has enough."""
    yield from Replay(log, results).run(wait_s=wait_s)


def standing(results: ResultStore, summary: Summary) -> Summary:
    """Fill in the findings that stand and the verdicts of the newest revisions."""
    tally = Tally()
    for kind in ("adjudications", "findings"):
        tally.add((kind, key, data) for key, data in results.results(kind))
    return tally.into(summary)


def adjudications(results: ResultStore) -> list[Adjudication]:
    """Return the newest revision of every adjudication, in the order of the first."""
    newest = dict(results.results("adjudications"))
    return [msgspec.json.decode(data, type=Adjudication) for data in newest.values()]


def findings(results: ResultStore) -> list[Finding]:
    """Return the findings that stand."""
    return current_findings(results.results("findings"))


def ledger(results: ResultStore) -> list[LedgerEntry]:
    """Return the tables' accounting entries, the newest word on each."""
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
