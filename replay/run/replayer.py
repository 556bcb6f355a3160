"""The one loop: reads the log from where it stopped, lets the worker of each stream judge, and commits everything at once.

Positions, snapshots, adjudications and findings are one transaction, so a replay can be killed anywhere and resumed, and
replaying twice changes nothing.
"""

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice, takewhile

import msgspec

from events.errors import EventError, IntegrityError, LostTail, UndecodableEvent
from events.log.contract import MAX_SEQ, EventLog, Head, Record, ResultStore
from events.log.relaxed_gc import relaxed_gc
from events.log.result_chain import JUDGE_AGAIN, check_chains
from events.log.runs import runs
from events.proofs.keys import PROPERTY_STREAM
from replay.run.advising import new_advice
from replay.run.comparison import StreamComparison, StreamLog, compare, held_to, judged_by_another, judged_to
from replay.run.engine import current_engines, shared_engine
from replay.run.held import NOTHING_HELD, HeldVerdicts, KeepsStored, KeepsUnchanged, VerdictKeeper, held_in, is_missing
from replay.run.in_force import adjudications, current_findings, findings, ledger
from replay.run.memory_results import MemoryResults, fresh_results
from replay.run.positions import ReplaySource, resolve_time, resumption
from replay.run.refold import refold
from replay.run.rest_points import RestPoints
from replay.run.round_keeper import RoundKeeper
from replay.run.shadow import Adoptions
from replay.run.stream_worker import LatestResult, Result, StreamWorker
from replay.run.tally import StreamTally, Summary, Tally, by_stream, filled, kept, may_revise, standing, stored_results, total
from rulebook.chapters.rulebook import Rulebook

__all__ = [
    "COMMIT_EVERY",
    "MemoryResults",
    "Replay",
    "Summary",
    "Tally",
    "adjudications",
    "findings",
    "ledger",
    "replay",
    "resolve_time",
    "standing",
]

COMMIT_EVERY = 50_000
"""Events between two commits of a long replay."""

COMMIT_RESULTS = 20_000
"""Results in one commit if those of a stream are stored again."""

Progress = Callable[[int, int], None]
"""Called with the events read and the rounds judged so far."""


class Replay:
    """A replay under way: the workers by stream, and the results that wait for the next commit.

    If stored state or results of a stream do not fit, the stream is judged again first, from its first event; with `again` every
    stream is. The streams in `without` are left out. `rounds` keeps the rounds too, next to the results. Verdicts of an earlier
    engine are held (`held.py`) until `adoptions` names others in their place.
    """

    def __init__(
        self,
        log: ReplaySource,
        results: ResultStore,
        *,
        as_of: Mapping[str, int] | None = None,
        rules: Rulebook | None = None,
        progress: Progress | None = None,
        tally: Tally | None = None,
        again: bool = False,
        without: Collection[str] = (),
        rounds: RoundKeeper | None = None,
        adoptions: Adoptions | None = None,
    ) -> None:
        self.log, self.results, self.rules, self.progress = log, results, rules, progress
        self._rounds = rounds
        self._rounds_wait = False  # whether rounds were judged that the keeper was not told of
        self.as_of, self._without = as_of, without
        self.engine = shared_engine()
        self.summary = Summary()
        self._heads = results.chain_heads()
        """Stream → the place of its last result; those that have any were judged before."""
        self._workers: dict[str, StreamWorker] = {}
        self._faults: dict[str, IntegrityError] = {}
        self._pending: list[Result] = []
        self._pending_latest: dict[tuple[str, str], bytes] = {}
        self._since_commit = self._passed_over = 0
        self._reached: dict[str, int] = {}
        """Streams that must be folded again, at the end of the commit that is being read → its last event read so far."""
        self._unsaved: set[str] = set()
        """The streams whose position, snapshot or results changed since the last commit."""
        self._advice = results.advice()
        self._is_following = False
        self._tally = tally
        self._evidence: dict[str, dict[str, bytes]] = {}  # stream → what the verdicts that are held rest on
        found = resumption(log, results)
        self.positions, self._snapshots = found.positions, found.snapshots
        broken = results.broken_chains() | (check_chains(results).broken if again else {})
        self._broken = {stream: each.detail.removesuffix(f"; {JUDGE_AGAIN}") for stream, each in broken.items()}
        self._again = dict.fromkeys(self._heads.keys() - self._snapshots.keys(), "") | found.misfits | self._broken
        if again:
            self._again = dict.fromkeys([*log.streams(), *self._heads], "") | self._again
        reached = results.reached() if self._again else {}
        self._held_to = {stream: held_to(found, results, reached, stream) for stream in self._again}
        self._adoptions, self._adoption_due, self._is_again = adoptions, adoptions is not None, again
        if again:
            results.reset()

    def run(self, wait_s: float | None = None) -> Generator[Summary]:
        """Read to the end of the log (or, with `wait_s`, for ever), yielding after each batch that was committed."""
        self._is_following = wait_s is not None
        with relaxed_gc():
            yield from self._run(wait_s)

    def _run(self, wait_s: float | None) -> Iterator[Summary]:
        if self.results.unchained():
            many = f"{self.results.unchained():,} results were stored before results were chained"
            self.summary.judged_again.append(f"{many}; their chains begin now, and every round is judged again")
        if self._rounds is not None:
            going_on = {stream: self.positions.get(stream, Head(0, b"")) for stream in self.log.streams()}
            going_on |= {stream: Head(0, b"") for stream in going_on if stream in self._again}
            self.summary.judged_again += self._rounds.resume(self.log, going_on)
            self._rounds_wait = True
        for stream, why in sorted(self._again.items()):
            self._judge_again(stream, why)
        while True:
            positions = {stream: head.seq for stream, head in self.positions.items()}
            positions |= {stream: worker.seq for stream, worker in self._workers.items()}
            after = {stream: seq for stream, seq in positions.items() if stream not in self._faults}
            after |= dict.fromkeys([*self._faults, *self._without], MAX_SEQ)
            try:
                for batch in self.log.tail(after, wait_s=wait_s):
                    for stream, run in runs(batch):
                        self._take_run(stream, run)
                    if (self._since_commit >= COMMIT_EVERY or wait_s is not None) and self._take_in():
                        self.commit()
                        yield self.summary
                break
            except IntegrityError as broken:
                if after.get(broken.stream) == MAX_SEQ:  # nothing of it was asked for: what is stored cannot be read past it
                    self.commit()
                    raise
                self._stop(broken)
        self._take_in(to_the_end=True)
        self.commit()
        self._keep_rounds(at_once=True)
        yield self.summary

    def commit(self) -> None:
        """Store everything in one transaction, then let the rounds be kept."""
        with self._adopted() as adopted:
            self._commit(adopted)
        self._keep_rounds(at_once=not self._is_following)

    def _keep_rounds(self, *, at_once: bool) -> None:
        if self._rounds is None or not self._rounds_wait:
            return
        heads = {stream: self.positions[stream] for stream in self._workers if stream in self.positions}
        self._rounds_wait = not self._rounds.commit(self.log, heads, at_once=at_once)
        for stream, worker in self._workers.items():
            worker.taker = self._rounds.taker(stream)

    def _commit(self, adopted: Iterable[Result] = ()) -> None:
        self.summary.rounds = sum(worker.rounds for worker in self._workers.values())
        self.summary.events += self._since_commit
        workers = {stream: self._workers[stream] for stream in sorted(self._unsaved & self._workers.keys())}
        heads = {stream: Head(worker.seq, worker.chain) for stream, worker in workers.items() if worker.seq}
        self.positions.update(heads)
        if self.progress is not None:
            self.progress(self.summary.events, self.summary.rounds)
        passed_over = self.log.passed_over()
        self.summary.foreign = passed_over.with_others(self.results.passed_over())
        idle = not self._since_commit and not self._pending and not self._unsaved
        if idle and passed_over.count == self._passed_over:
            return
        self._unsaved, self._rounds_wait = set(), True
        self._passed_over = passed_over.count
        snapshots = {stream: workers[stream].snapshot() for stream in heads}
        advice = new_advice(workers, self._advice, is_following=self._is_following)
        self.results.commit(self.engine, heads, snapshots, self._counted(chain(self._pending, adopted)), advice=advice)
        self._advice |= advice
        self._pending, self._pending_latest, self._since_commit = [], {}, 0

    def _counted(self, results: Iterable[Result]) -> Iterator[Result]:
        """Yield results as they are stored, counted."""
        for result in results:
            if self._tally is not None:
                self._tally.add((result,))
            self.summary.changed += result[0] == "adjudications"
            yield result

    def standing(self) -> Summary:
        """Return the summary with the findings and verdicts in force, as they were counted when they were stored.

        If no one counted those of a stream, all results are read, and the counts are stored.
        """
        self.summary.held = sum(each.rounds for each in self._held().values())
        counts = [self._tally.counts()] if self._tally is not None else self._tallies()
        if None in counts:
            self._count_again()
            return standing(self.results, self.summary)
        return filled(self.summary, total(each for each in counts if each is not None))

    def _tallies(self) -> list[StreamTally | None]:
        """Return the tally of each stream that has results; None if no one counted."""
        streams = self.results.chain_heads().keys() | self._workers.keys()
        return [
            self._workers[stream].tally
            if stream in self._workers
            else kept(self._snapshots[stream])
            if stream in self._snapshots
            else None
            for stream in sorted(streams)
        ]

    def _count_again(self) -> None:
        """Count what is stored of each stream, and store the counts with the streams' positions."""
        for stream, tally in by_stream(stored_results(self.results)).items():
            if stream in self.positions and stream not in self._faults:
                worker = self._worker(stream)
                if worker is not None:
                    worker.tally = tally
                    self._unsaved.add(stream)
        self.commit()

    def _latest(self, kind: str, key: str) -> bytes | None:
        data = self._pending_latest.get((kind, key))
        return data if data is not None else self.results.latest(kind, key)

    def _take_run(self, stream: str, run: Sequence[Record]) -> None:
        """Let a stream's worker fold records in a row, as far as they are asked for and not folded yet."""
        if self.as_of is not None:
            run = [record for record in run if record.seq <= self.as_of.get(stream, 0)]
        self._adoption_due |= stream == PROPERTY_STREAM and self._adoptions is not None
        while run and stream not in self._faults:
            worker = self._worker(stream)
            if worker is None:
                return
            position = worker.seq
            self._unsaved.add(stream)
            if run[0].seq <= self._reached.get(stream, position):  # a refold went beyond this already
                run = [record for record in run if record.seq > self._reached.get(stream, position)]
                continue
            if worker.needs_refold:
                run = self._pass_over(stream, worker, run)
                continue
            try:
                taken = worker.take_run(run, partial(self._publish, worker))
            except UndecodableEvent as unreadable:
                self._stop(unreadable)
                return
            finally:
                self._since_commit += worker.seq - position
            self._refold_at_once(stream, worker)
            run = run[taken:]

    def _refold_at_once(self, stream: str, worker: StreamWorker) -> None:
        """Fold a stream again, if that is needed and nothing is waited for."""
        if worker.needs_refold and not worker.late.is_waiting:
            self._refold(stream, worker.seq)

    def _pass_over(self, stream: str, worker: StreamWorker, run: Sequence[Record]) -> Sequence[Record]:
        """Leave to the fold after it what is taken in with what came late; return the records behind that."""
        late = list(takewhile(lambda record: worker.late.is_waiting and not worker.late_ends_before(record), run))
        if late:
            self._reached[stream] = late[-1].seq
        if len(late) < len(run):
            self._refold(stream, self._reached.pop(stream, worker.seq))
        return run[len(late) :]

    def _take_in(self, *, to_the_end: bool = False) -> bool:
        """Take in what came late in commits that were read to their end; return whether nothing else came late."""
        waiting = False
        for stream, worker in list(self._workers.items()):
            if worker.late.recorded_us is None:
                continue
            reached = self._reached.get(stream, worker.seq)
            if not to_the_end and stream not in self._faults and self.log.head(stream).seq > reached:
                waiting = True
            elif worker.needs_refold:
                self._reached.pop(stream, None)
                self._refold(stream, reached)
            else:
                for result in worker.take_in():
                    self._publish(worker, result)
        return not waiting

    def _worker(self, stream: str) -> StreamWorker | None:
        """Return the worker of a stream, at work or resumed from its snapshot; None if it could not be judged again."""
        if stream not in self._workers:
            position = self.positions.get(stream, Head(0, b""))
            try:
                worker = StreamWorker(stream, self._latest, self._snapshots.get(stream), self.rules)
            except (msgspec.MsgspecError, EventError, UnicodeDecodeError) as error:
                self._judge_again(stream, f"the stored snapshot cannot be read ({error})")
                return self._workers.get(stream)
            worker.seq, worker.chain = position.seq, position.hash
            if stream not in self._heads and not self.results.unchained():
                worker.tally = StreamTally()
            worker.elsewhere = self.log.read
            worker.taker = self._rounds.taker(stream) if self._rounds is not None else None
            if worker.table is not None:
                worker.keep_rest_points(RestPoints())
            self._workers[stream] = worker
        return self._workers[stream]

    def _new_worker(self, stream: str, latest: LatestResult) -> StreamWorker:
        """Return a worker that begins at the first event of a stream."""
        worker = StreamWorker(stream, latest)
        worker.elsewhere = self.log.read
        return worker

    def _judge_again(self, stream: str, why: str) -> None:
        """Judge a stream from its first event, and put right what is stored of it.

        What an earlier engine judged is revised if this one concludes otherwise. Otherwise results that differ in any byte are
        thrown away with all of their stream and stored again; what is only missing is added. Results that rest on events which
        can no longer be read remain as they are.
        """
        self._again, self._tally = {name: each for name, each in self._again.items() if name != stream}, None
        position = self.positions.pop(stream, Head(0, b""))
        self._snapshots.pop(stream, None)
        if stream not in self.log.streams():
            self._throw_away(stream, why)
        elif stream not in self._broken and self._held_to.get(stream):
            self._hold(stream, self._held_to[stream])
            self._note(stream, why, "the verdicts of an earlier engine remain" if why else "")
        elif stream not in self._broken and judged_by_another(self.results, stream, current_engines().__contains__):
            self._refold(stream, None)
            self._note(stream, why, "every round was judged again" if why else "")
        else:
            with fresh_results() as fresh:
                self._restore(stream, why, fresh, position)

    def _hold(self, stream: str, to: int) -> None:
        """Fold a stream again, and leave the verdicts of an earlier engine, up to an event, as they are."""
        kept = KeepsStored(own=not self._is_again, others=True, with_evidence=self._is_again)
        self._refold(stream, to, lambda seq: kept, only_missing=True)
        if self._is_again:
            self._refold(stream, None, lambda seq: KeepsUnchanged(kept.evidence))
        self._workers[stream].held = HeldVerdicts(to, len(kept.rounds))

    def _unchanged(self, stream: str, seq: int) -> VerdictKeeper | None:
        """Return who keeps what is held of a stream as long as nothing touches it, if a fold goes through that."""
        held = self._workers[stream].held if stream in self._workers else NOTHING_HELD
        if not held.are_held or seq >= held.to:
            return None
        if stream not in self._evidence:
            kept = KeepsStored(own=True, others=True, with_evidence=True)
            read = partial(self.log.read, stream)
            refold(stream, read, held.to, self._latest, set, None, self._new_worker, keeper=lambda seq: kept)
            self._evidence[stream] = kept.evidence
        return KeepsUnchanged(self._evidence[stream])

    def _held(self) -> dict[str, HeldVerdicts]:
        """Return the streams with held verdicts."""
        held = {stream: held_in(snapshot) for stream, snapshot in self._snapshots.items()}
        held |= {stream: worker.held for stream, worker in self._workers.items()}
        return {stream: each for stream, each in sorted(held.items()) if each.are_held}

    @contextmanager
    def _adopted(self) -> Iterator[Iterable[Result]]:
        """Yield what persons adopted in the place of the verdicts that are held: all of it is for the next commit."""
        due, self._adoption_due = self._adoption_due, False
        held = {stream: each for stream, each in self._held().items() if stream not in self._faults} if due else {}
        if self._adoptions is None or not held:
            yield ()
            return
        with self._adoptions.take(self.log, held, self._latest) as made:
            self.summary.judged_again += made.notes
            workers = {stream: worker for stream in made.streams if (worker := self._worker(stream)) is not None}
            for stream, worker in workers.items():
                if worker.tally is not None:
                    for result in made.results(stream):
                        self._count(worker.tally, result)
                worker.held = msgspec.structs.replace(worker.held, adopted=made.seq)
                self._unsaved.add(stream)
            yield chain.from_iterable(map(made.results, workers))

    def _count(self, tally: StreamTally, result: Result) -> None:
        """Count a result that is to be stored."""
        kind, key, data = result
        tally.add(result, self._latest(kind, key) if may_revise(kind, data) else None)

    def _restore(self, stream: str, why: str, fresh: ResultStore, position: Head) -> None:
        """Fold a stream into fresh results, compare, and store what differs."""
        run = Replay(StreamLog(self.log, stream), fresh, as_of={stream: position.seq or MAX_SEQ}, rounds=self._rounds)
        for _ in run.run():
            pass
        found = compare(stream, self.results, fresh, current_engines())
        worker = run._workers.get(stream) or StreamWorker(stream, self._latest)
        fault = self._why_not_restored(stream, run, found)
        if fault is not None:
            self._stop(fault)
            if found.judged_to > worker.seq:
                self.positions[stream] = position
                return
        worker.latest = self._latest
        self._workers[stream] = worker
        self._since_commit += worker.seq
        self._unsaved.add(stream)
        if stream in self._broken or found.differences:
            self._store_anew(stream, fresh)
            many = f"{found.differences:,} results differed" if found.differences else "no result that could be read differed"
            first = f", the first {found.first.line()}" if found.first is not None else ""
            self._note(stream, why or "the stored results were altered", f"all were stored again ({many}{first})")
            return
        tally, worker.tally = worker.tally, None  # which counts what is missing too
        for result in found.missing:
            self._publish(worker, result)
        worker.tally = tally
        if why or position.seq:
            self._note(stream, why, found.additions())

    def _why_not_restored(self, stream: str, run: "Replay", found: StreamComparison) -> IntegrityError | None:
        """Return why a new replay could not reach the stream's judged position, or None."""
        if stream in run._faults:
            return run._faults[stream]
        seq = run._workers[stream].seq if stream in run._workers else 0
        if found.judged_to > seq:
            message = f"the stream ends at event {seq}, but results rest on event {found.judged_to}; they remain as they are"
            return LostTail(stream, seq + 1, message)
        return None

    def _store_anew(self, stream: str, fresh: ResultStore) -> None:
        """Throw away what is stored of a stream, and store fresh results in its place."""
        records, anew = ((each.kind, each.key, each.data) for each in fresh.stored()), [stream]
        while some := list(islice(records, COMMIT_RESULTS)):
            self.results.commit(self.engine, {}, {}, some, anew)
            self.summary.changed += sum(1 for kind, _, _ in some if kind == "adjudications")
            anew = []
        if anew:
            self.results.commit(self.engine, {}, {}, [], anew)
        self._broken.pop(stream, None)

    def _throw_away(self, stream: str, why: str) -> None:
        """Throw away results that no stream of the log can have led to; if the log had the stream once, they remain."""
        last = judged_to(self.results, stream)
        if last or stream in self.log.acknowledged():
            message = f"the log has no such stream, but results rest on its event {last}; they remain as they are"
            self._stop(LostTail(stream, 1, message))
            return
        self.results.commit(self.engine, {}, {}, [], [stream])
        if self._rounds is not None:
            self._rounds.forget(stream)
        self._note(stream, why or "the log has no such stream", "the results were thrown away")

    def _note(self, stream: str, why: str, outcome: str) -> None:
        """Say what did not fit and what was done about it; nothing if all was in order."""
        if why or outcome:
            self.summary.judged_again.append(f"{stream}: {'; '.join(filter(None, (why, outcome)))}")

    def _publish(self, worker: StreamWorker, result: Result) -> None:
        kind, key, data = result
        if worker.tally is not None:
            self._count(worker.tally, result)
        self._unsaved.add(worker.stream)
        self._pending.append(result)
        self._pending_latest[kind, key] = data

    def _stop(self, broken: IntegrityError) -> None:
        """Judge nothing later in a broken stream; the others go on."""
        if broken.stream in self._faults:
            return
        self._faults[broken.stream] = broken
        self.summary.integrity.append(f"{broken.code} {broken}")
        if self._rounds is not None:
            self._rounds.broken(broken.stream, f"{broken.code} {broken}")
            self._rounds_wait = True

    def _refold(
        self,
        stream: str,
        end: int | None,
        keeper: Callable[[int], VerdictKeeper | None] | None = None,
        only_missing: bool = False,
    ) -> None:
        before = self._workers.get(stream)
        position = before.seq if before is not None else self.positions.get(stream, Head(0, b"")).seq
        table = before.table if before is not None else None
        refolded = refold(
            stream,
            partial(self.log.read, stream),
            end,
            self._latest,
            lambda: self._finding_ids(stream),
            self.rules,
            self._new_worker,
            points=before.rest_points if before is not None else None,
            judged=before.refold_evidence if before is not None else None,
            keeper=keeper or partial(self._unchanged, stream),
            asked=table.missed_rounds if table is not None else (),
        )
        worker = self._workers[stream] = refolded.worker
        if before is not None:
            opened = worker.opened_rounds or ()
            worker.rounds = before.rounds + sum(before.judged_to < number <= worker.judged_to for number in opened)
            worker.late = before.late
            before.late.pop()
            worker.inherited_to = max(worker.inherited_to, before.inherited_to)
            worker.tally, worker.held = before.tally, before.held
        self._unsaved.add(stream)
        if self._rounds is not None:
            self._rounds.refolded(stream)
            self._rounds_wait = True
        self._since_commit += max(0, worker.seq - position)
        if refolded.broken is not None:
            self._stop(refolded.broken)
        if worker.seq >= position:  # else the results of the part that can no longer be read remain in force
            for kind, key, data in refolded.results:
                is_wanted = not only_missing or is_missing(self._latest, (kind, key, data))
                if is_wanted and self._latest(kind, key) != data:
                    self._publish(worker, (kind, key, data))
        else:
            worker.refold_evidence.clear()

    def _finding_ids(self, stream: str) -> set[str]:
        """Return the ids of the findings on a stream that are in force."""
        pending = [(key, data) for kind, key, data in self._pending if kind == "findings"]
        records = [*self.results.results("findings"), *pending]
        return {finding.id for finding in current_findings(records) if finding.stream == stream}


def replay(
    log: EventLog,
    results: ResultStore,
    *,
    as_of: Mapping[str, int] | None = None,
    rules: Rulebook | None = None,
    progress: Progress | None = None,
    tally: Tally | None = None,
    again: bool = False,
    without: Collection[str] = (),
    rounds: RoundKeeper | None = None,
    adoptions: Adoptions | None = None,
) -> Summary:
    """Replay a log to its end and return the summary; `tally` has counted the results stored before.

    `again` judges everything again and restores what is stored otherwise; the streams in `without` are left out; `rounds` keeps
    the rounds that are judged.

    `as_of` (stream → number; other streams are left out) reproduces an earlier verdict, `rules` asks what other rules
    would have led to; both need a `MemoryResults`, for their answers are not verdicts.
    """
    run = Replay(
        log,
        results,
        as_of=as_of,
        rules=rules,
        progress=progress,
        tally=tally,
        again=again,
        without=without,
        rounds=rounds,
        adoptions=adoptions,
    )
    for _ in run.run():
        pass
    return run.standing()


def follow(
    log: EventLog,
    results: ResultStore,
    *,
    wait_s: float = 0.2,
    again: bool = False,
    rounds: RoundKeeper | None = None,
    adoptions: Adoptions | None = None,
) -> Iterator[Summary]:
    """Replay for ever, yielding after every batch; the caller stops when it has enough. `again`, `rounds` as for `replay`."""
    yield from Replay(log, results, again=again, rounds=rounds, adoptions=adoptions).run(wait_s=wait_s)
