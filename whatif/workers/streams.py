"""Judges a log in independent units: its streams.

Invariant: a unit is the replay of one stream (`replay.run.replayer`). Its results are gathered in one transaction, so that they
are, byte for byte, those of one process. An interrupted unit has stored nothing and is done again. After all are gathered, an
ordinary replay goes on from there: it reads new events, and names what is broken.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

import msgspec

from events.errors import ResultBroken
from events.log.contract import NO_ADVICE, ChainedResult, EventLog, Head, ResultStore
from events.log.foreign import OwnStore
from events.log.relaxed_gc import relaxed_gc
from events.log.result_chain import ResultChains
from replay.run.comparison import StreamLog
from replay.run.engine import shared_engine
from replay.run.positions import resumption
from replay.run.replayer import Progress, Replay, Summary, Tally, replay
from replay.run.round_keeper import DividedRoundKeeper, StreamRoundKeeper
from replay.run.stream_worker import Result
from whatif.workers.pool import Pool

StoreOpener = Callable[[], ResultStore]
"""Opens the results for reading; it can be sent to another process."""


class Unit(NamedTuple):
    """A stream to judge, its stored progress, and the keeper of its rounds, if any."""

    stream: str
    position: Head | None
    snapshot: bytes | None
    misfit: str | None
    reached: int = 0
    rounds: StreamRoundKeeper | None = None


class UnitResult(NamedTuple):
    """The result of replaying a stream: the records to store in one transaction, its summary, and its rounds, if kept."""

    positions: dict[str, Head]
    snapshots: dict[str, bytes]
    records: list[Result]
    anew: tuple[str, ...]
    summary: Summary
    rounds: StreamRoundKeeper | None = None


class StreamJob:
    """The job of judging again: the replay of each stream. `stored` opens the present results, None if there are none."""

    def __init__(self, stored: StoreOpener | None, again: bool) -> None:
        self.stored, self.again = stored, again

    def at(self, log: EventLog) -> Callable[[Unit], UnitResult]:
        """Return a function that judges a stream on a machine with this log."""
        stored = self.stored() if self.stored is not None else None

        def judge(unit: Unit) -> UnitResult:
            results = _UnitResults(stored, unit)
            running = Replay(StreamLog(log, unit.stream), results, again=self.again, rounds=unit.rounds)
            for _ in running.run():
                pass
            if unit.rounds is not None:
                unit.rounds.pack()
            return results.result(running.summary, unit.rounds)

        return judge


class _UnitResults(OwnStore):
    """A result store for the replay of one stream: it reads the stored results and keeps the new ones in memory."""

    def __init__(self, stored: ResultStore | None, unit: Unit) -> None:
        self._stored, self._stream = stored, unit.stream
        self._misfits = {unit.stream: unit.misfit} if unit.misfit else {}
        self._positions = {unit.stream: unit.position} if unit.position is not None else {}
        self._snapshots = {unit.stream: unit.snapshot} if unit.snapshot is not None else {}
        heads = stored.chain_heads() if stored is not None else {}
        self._reached = {unit.stream: unit.reached} if unit.reached else {}
        self._chains = ResultChains({name: head for name, head in heads.items() if name == unit.stream})
        self._records: list[ChainedResult] = []
        self._latest: dict[tuple[str, str], bytes] = {}
        self._anew = False

    def result(self, summary: Summary, rounds: StreamRoundKeeper | None) -> UnitResult:
        """Return everything to store."""
        records = [(each.kind, each.key, each.data) for each in self._records]
        anew = (self._stream,) if self._anew else ()
        return UnitResult(self._positions, self._snapshots, records, anew, summary, rounds)

    def positions(self, engine: str) -> dict[str, Head]:
        """Return the position of the stream."""
        return dict(self._positions)

    def snapshots(self, engine: str) -> dict[str, bytes]:
        """Return its snapshot."""
        return dict(self._snapshots)

    def misfits(self, engine: str) -> dict[str, str]:
        """Return why they do not fit."""
        return dict(self._misfits)

    def reached(self) -> dict[str, int]:
        """Return the last event that an engine replayed."""
        return dict(self._reached)

    def commit(
        self,
        engine: str,
        positions: Mapping[str, Head],
        snapshots: Mapping[str, bytes],
        records: Iterable[Result],
        anew: Collection[str] = (),
        advice: Mapping[str, bytes] = NO_ADVICE,
    ) -> None:
        """Keep the records to store; identical repeats are dropped. A log that is not followed has no advice."""
        if self._stream in anew:
            self._stored, self._anew, self._records, self._latest = None, True, [], {}
            self._positions, self._snapshots = {}, {}
            self._chains.restart(self._stream)
        self._positions.update(positions)
        self._snapshots.update(snapshots)
        for kind, key, data in records:
            if self.latest(kind, key) != data:
                self._latest[kind, key] = data
                self._records.append(self._chains.extend(kind, key, data))

    def advice(self) -> dict[str, bytes]:
        """Return nothing: committing the unit removes earlier advice."""
        return {}

    def results(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Yield `(key, bytes)` of a kind in the order committed."""
        return ((each.key, each.data) for each in self.stored(self._stream) if each.kind == kind)

    def latest(self, kind: str, key: str) -> bytes | None:
        """Return the last record of a kind under a key."""
        data = self._latest.get((kind, key))
        return data if data is not None or self._stored is None else self._stored.latest(kind, key)

    def stored(self, stream: str | None = None, after: int = 0) -> Iterator[ChainedResult]:
        """Yield every record of the stream after a place, in the order committed."""
        before = self._stored.stored(self._stream, after) if self._stored is not None else ()
        return chain(before, (each for each in self._records if each.place > after))

    def chain_heads(self) -> dict[str, Head]:
        """Return the place and hash of its last record."""
        return dict(self._chains.heads)

    def broken_chains(self) -> dict[str, ResultBroken]:
        """Return what is wrong with its chain."""
        broken = self._stored.broken_chains() if self._stored is not None else {}
        return {stream: each for stream, each in broken.items() if stream == self._stream}

    def unchained(self) -> int:
        """Return 0: results from before there were chains are judged again by one process."""
        return 0

    def reset(self) -> None:
        """Forget position and snapshot."""
        self._positions, self._snapshots, self._misfits, self._reached = {}, {}, {}, {}

    def close(self) -> None:
        """Nothing to release: who opened what is stored closes it."""


def judge_in_units(
    log: EventLog,
    results: ResultStore,
    pool: Pool,
    stored: StoreOpener,
    *,
    again: bool = False,
    progress: Progress | None = None,
    rounds: DividedRoundKeeper | None = None,
) -> Summary:
    """Judge a log stream by stream in a pool, then its new events; store every verdict as a replay does.

    `stored` opens the same results for reading; `again` judges everything again, as for `replay.run.replayer.replay`; `rounds`
    keeps the rounds. Raises `WorkerLost`, and the errors of the log and the pool.
    """
    if results.unchained():
        return replay(log, results, again=again, progress=progress, rounds=rounds)
    units = _units(log, results, rounds)
    fresh = not results.chain_heads()
    if again:
        results.reset()
    done, tally = Summary(), Tally() if fresh else None
    with relaxed_gc():
        for unit in pool.run(StreamJob(None if fresh else stored, again), units, log):
            if unit.positions or unit.records or unit.anew:
                past = dict.fromkeys(unit.positions.keys() & results.advice().keys(), b"")
                results.commit(shared_engine(), unit.positions, unit.snapshots, unit.records, unit.anew, past)
            if rounds is not None and unit.rounds is not None:
                rounds.gather(unit.rounds)
                rounds.commit(log, {}, at_once=False)
            if tally is not None:
                tally.add(unit.records)
            _add(done, unit.summary)
            if progress is not None:
                progress(done.events, done.rounds)
    rest = replay(log, results, tally=tally, rounds=rounds)
    verdicts, findings = rest.verdicts, rest.findings
    _add(rest, done)
    return msgspec.structs.replace(rest, verdicts=verdicts, findings=findings)


def _units(log: EventLog, results: ResultStore, rounds: DividedRoundKeeper | None) -> list[Unit]:
    """Return the streams, longest first, with their stored progress and the keeper of their rounds."""
    found, reached = resumption(log, results), results.reached()
    streams = sorted(log.streams(), key=lambda stream: (-log.head(stream).seq, stream))
    return [
        Unit(
            stream,
            found.positions.get(stream),
            found.snapshots.get(stream),
            found.misfits.get(stream),
            reached.get(stream, 0),
            rounds.of_stream(stream) if rounds is not None else None,
        )
        for stream in streams
    ]


def _add(total: Summary, of: Summary) -> None:
    """Add another replay to a summary, except verdicts and findings in force."""
    total.events += of.events
    total.rounds += of.rounds
    total.changed += of.changed
    total.judged_again = list(dict.fromkeys([*total.judged_again, *of.judged_again]))
    total.integrity = list(dict.fromkeys([*total.integrity, *of.integrity]))
