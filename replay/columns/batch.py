"""Batch replay: history judged in columns, and single rounds by event replay where columns are not enough.

The law of this file: only event replay explains. Every round of the table is screened. A round that passes is upheld with what
the columns say; a round that does not pass, or that cannot be judged in columns, is judged by event replay. The streams without
rows, what was appended since, and the meters are replayed afterwards as ever. The results are the same to the byte. This file
writes results; screening itself is pure (`screening.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa

from events.log.contract import EventLog, Head, ResultStore
from events.log.relaxed_gc import relaxed_gc
from replay.columns.adjudication_writer import AdjudicationWriter, adjudication_columns
from replay.columns.kernels.screening_result import CHECKS, INELIGIBLE, UPHELD
from replay.columns.round_table import RoundTable, TableError
from replay.columns.row_groups import Engine, ScreenedGroup, groups_of
from replay.columns.row_replayer import RowReplayer
from replay.columns.row_schemas import REST
from replay.columns.screening import Screen, result_of, rulebook_in
from replay.findings import Adjudication, read_result
from replay.run.engine import engine
from replay.run.replayer import Summary, Tally, replay
from replay.run.stream_worker import Result

COMMIT_EVERY: Final = 20_000
"""Results between two commits."""
REPLAY_COLUMNS: Final = ("stream", "round_no", "aside", "rest_seq", "until_seq")
"""The columns of a row that event replay needs, beside the state it starts from."""

Progress = Callable[[int], None]
"""Called with the rounds judged so far."""


class BatchSummary(Summary, kw_only=True):
    """What a batch replay did: rounds upheld in columns, rounds judged by event replay, and why (reason → rounds)."""

    upheld_in_columns: int = 0
    event_replayed: int = 0
    reasons: dict[str, int] = msgspec.field(default_factory=dict)


class BatchTally:
    """Counts what was done with the rounds of a table; `standing` has the verdicts that event replay reached."""

    def __init__(self, progress: Progress | None = None) -> None:
        self.upheld, self.reasons, self._progress = 0, Counter[str](), progress
        self.standing = Tally()

    def add(self, upheld: int, reasons: Iterable[str]) -> None:
        """Count the rounds of a group."""
        self.upheld += upheld
        self.reasons.update(reasons)
        if self._progress is not None:
            self._progress(self.upheld + self.event_replayed)

    @property
    def event_replayed(self) -> int:
        """The rounds that event replay judged."""
        return self.reasons.total()

    def into(self, summary: BatchSummary) -> BatchSummary:
        """Fill in a summary."""
        summary.upheld_in_columns, summary.event_replayed = self.upheld, self.event_replayed
        summary.reasons = dict(self.reasons.most_common())
        return summary


def replay_batch(
    log: EventLog, results: ResultStore, table: RoundTable, by: Engine, progress: Progress | None = None
) -> BatchSummary:
    """Judge a log by its round table, then what the table does not have; store every verdict as a replay does.

    Raises `TableError` where the table is not of this log, or the results hold verdicts already.
    """
    table.must_be_of(log)
    _must_be_new(results)
    tally = BatchTally(progress)
    with relaxed_gc():
        waiting, changed = list[Result](), 0
        for result in judged_results(log, table, by, tally):
            waiting.append(result)
            changed += result[0] == "adjudications"
            if len(waiting) >= COMMIT_EVERY:
                results.commit(engine(), {}, {}, waiting)
                waiting = []
        carried = table.carried()
        waiting += [entry for left in carried.values() for entry in left.ledger]
        heads = {stream: table.manifest.heads[stream] for stream in carried}
        positions = {stream: Head(head.seq, bytes.fromhex(head.hash)) for stream, head in heads.items()}
        results.commit(engine(), positions, {stream: left.snapshot for stream, left in carried.items()}, waiting)
    tally.standing.upheld += tally.upheld
    rest = replay(log, results, tally=tally.standing)
    summary = BatchSummary(**{name: getattr(rest, name) for name in Summary.__struct_fields__})
    summary.rounds += tally.upheld + tally.event_replayed
    summary.events += sum(head.seq for head in positions.values())
    summary.changed += changed
    summary.foreign = log.foreign()
    return tally.into(summary)


def _must_be_new(results: ResultStore) -> None:
    """Raise `TableError` where results hold verdicts. What an interrupted batch left is stored again, and dropped as repeats."""
    first = next(results.results("adjudications"), None)
    if results.positions(engine()) or (first is not None and _engine_of(*first) != engine()):
        raise TableError(
            "the results beside the log hold verdicts already; `rack replay` without --batch goes on from there, and with "
            "--again judges the whole log anew"
        )


def _engine_of(key: str, data: bytes) -> str:
    return read_result("adjudications", key, data, Adjudication).engine


def judged_results(
    log: EventLog, table: RoundTable, by: Engine, tally: BatchTally, with_adjudications: bool = True
) -> Iterator[Result]:
    """Yield the verdicts on the rounds of a table, as results, in the order of its groups.

    `with_adjudications=False` leaves out the adjudications of rounds that were upheld in columns, which are most of the work,
    where only findings are asked for.
    """
    for verdicts in by.run(VerdictJob(table.rules(), with_adjudications), groups_of(table.paths()), log):
        tally.add(verdicts.upheld, verdicts.reasons)
        tally.standing.add(verdicts.event_replayed)
        yield from verdicts.adjudications
        yield from verdicts.event_replayed


class GroupVerdicts(NamedTuple):
    """The verdicts on a group: how many rounds were upheld in columns, with their adjudications where they are asked for; the
    reasons why the others were not, and the results of their event replay.
    """

    upheld: int
    adjudications: list[Result]
    reasons: list[str]
    event_replayed: list[Result]


class VerdictJob:
    """The job of a batch replay: the verdicts on the rounds of a group. `texts`: the submissions in force, by digest."""

    def __init__(self, texts: Mapping[str, str], with_adjudications: bool) -> None:
        self.texts, self.upheld_too = texts, with_adjudications
        self.screens = [Screen(texts)]
        self.columns = (*REPLAY_COLUMNS, *(adjudication_columns() if with_adjudications else ()))

    def at(self, log: EventLog) -> Callable[[ScreenedGroup], GroupVerdicts]:
        """Return what finishes a group that was screened, where this log is at hand."""
        replayer = RowReplayer(log, self.texts)
        writer = AdjudicationWriter({digest: rulebook_in(text) for digest, text in self.texts.items()})

        def finish(group: ScreenedGroup) -> GroupVerdicts:
            batch, result = group.batch, result_of(group.results[0])
            passed, others = np.flatnonzero(result.check == UPHELD), np.flatnonzero(result.check != UPHELD)
            adjudications = writer.adjudications(batch, result, passed.tolist()) if self.upheld_too else ()
            replayed = [made for row in rows_to_replay(batch, group.rest, others) for made in replayer.replay(row)]
            return GroupVerdicts(len(passed), list(adjudications), reasons_of(batch, result.check, others), replayed)

        return finish


def reasons_of(batch: pa.RecordBatch, check: Any, which: Any) -> list[str]:
    """Return why rows were not upheld: the check that each did not pass, or why it cannot be judged in columns."""
    if not len(which):
        return []
    ineligible = batch.column("aside").take(pa.array(which)).to_pylist()
    return [
        (reason or "rules that no kernel knows") if number == INELIGIBLE else CHECKS[number]
        for number, reason in zip(check[which].tolist(), ineligible, strict=True)
    ]


def rows_to_replay(batch: pa.RecordBatch, rest: pa.Array | None, which: Any) -> list[Mapping[str, Any]]:
    """Return what event replay needs of rows, without those that are replayed together with an earlier row."""
    if not len(which):
        return []
    assert rest is not None, "every row passed the screen, so no state was read"
    at = pa.array(which)
    rows = batch.select(REPLAY_COLUMNS).take(at).to_pylist()
    return [row | {REST: state} for row, state in zip(rows, rest.take(at).to_pylist(), strict=True) if row["until_seq"]]
