"""Batch replay: history judged in columns, and single rounds event by event where that is not enough.

The law of this file: the single path is the only one that explains. Every round of the table is screened; one that passes is
upheld with what the columns say; one that does not, or whose row is aside, is told by the single path. The streams that have
no rows, what was appended since, and the meters are replayed afterwards as ever. The results are the same to the byte.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa

from events.log.contract import EventLog, ResultStore
from events.log.relaxed_gc import relaxed_gc
from replay.columns.adjudication_writer import SAID, Upheld
from replay.columns.kernels.judged import ASIDE, CHECKS, UPHELD
from replay.columns.round_table import RoundTable, TableError
from replay.columns.row_groups import Engine, Judged, groups_of
from replay.columns.row_replayer import RowReplayer
from replay.columns.row_schemas import REST
from replay.columns.screening import Screen, judged_of, rulebook_in
from replay.run.engine import engine
from replay.run.replayer import Summary, replay
from replay.run.replayer import Tally as StandingTally
from replay.run.stream_worker import Result

COMMIT_EVERY: Final = 20_000
"""Results between two commits."""
PLACED: Final = ("stream", "round_no", "aside", "rest_seq", "until_seq")
"""What is read of a row that is told, beside the state it starts from."""

Progress = Callable[[int], None]
"""Called with the rounds judged so far."""


class BatchSummary(Summary, kw_only=True):
    """What a batch replay did: rounds upheld in columns, rounds told by the single path, and why (check or reason → rounds)."""

    upheld_in_columns: int = 0
    told: int = 0
    why: dict[str, int] = msgspec.field(default_factory=dict)


class Tally:
    """Counts what was done with the rounds of a table; `standing` has the verdicts of those that the single path told."""

    def __init__(self, progress: Progress | None = None) -> None:
        self.upheld, self.why, self._progress = 0, Counter[str](), progress
        self.standing = StandingTally()

    def add(self, upheld: int, why: Iterable[str]) -> None:
        """Count the rounds of a group."""
        self.upheld += upheld
        self.why.update(why)
        if self._progress is not None:
            self._progress(self.upheld + self.told)

    @property
    def told(self) -> int:
        """The rounds that the single path told."""
        return self.why.total()

    def into(self, summary: BatchSummary) -> BatchSummary:
        """Fill in a summary."""
        summary.upheld_in_columns, summary.told, summary.why = self.upheld, self.told, dict(self.why.most_common())
        return summary


def replay_batch(
    log: EventLog, results: ResultStore, table: RoundTable, by: Engine, progress: Progress | None = None
) -> BatchSummary:
    """Judge a log by its round table, then what the table does not have; store every verdict as a replay does.

    Raises `TableError` where the table is not of this log, or the results hold verdicts already.
    """
    table.must_be_of(log)
    _must_be_new(results)
    tally = Tally(progress)
    with relaxed_gc():
        waiting, changed = list[Result](), 0
        for said in judged_results(log, table, by, tally):
            waiting.append(said)
            changed += said[0] == "adjudications"
            if len(waiting) >= COMMIT_EVERY:
                results.commit(engine(), {}, {}, waiting)
                waiting = []
        carried = table.carried()
        waiting += [entry for each in carried.values() for entry in each.ledger]
        positions = {stream: table.manifest.heads[stream].seq for stream in carried}
        results.commit(engine(), positions, {stream: each.snapshot for stream, each in carried.items()}, waiting)
    tally.standing.upheld += tally.upheld
    rest = replay(log, results, tally=tally.standing)
    summary = BatchSummary(**{name: getattr(rest, name) for name in Summary.__struct_fields__})
    summary.rounds += tally.upheld + tally.told
    summary.events += sum(positions.values())
    summary.changed += changed
    return tally.into(summary)


def _must_be_new(results: ResultStore) -> None:
    """An earlier batch that was interrupted may have left results: they are said again, and dropped as repeats."""
    first = next(results.results("adjudications"), None)
    if results.positions(engine()) or (first is not None and msgspec.json.decode(first[1])["engine"] != engine()):
        raise TableError(
            "the results beside the log hold verdicts already; `rack replay` without --batch goes on from there, and with "
            "--again judges the whole log anew"
        )


def judged_results(
    log: EventLog, table: RoundTable, by: Engine, tally: Tally, upheld_too: bool = True
) -> Iterator[Result]:
    """Yield the verdicts on the rounds of a table, as results, in the order of its groups.

    `upheld_too=False` leaves out the adjudications of rounds that were upheld in columns: most of the work, where only what
    differs is asked for.
    """
    for part in by.each(Verdicts(table.rules(), upheld_too), groups_of(table.paths()), log):
        tally.add(part.upheld, part.why)
        tally.standing.add(part.told)
        yield from part.adjudications
        yield from part.told


class Part(NamedTuple):
    """What comes of a group: how many rounds were upheld in columns, with their adjudications where they are asked for; why
    the others were not, and what the single path said of them.
    """

    upheld: int
    adjudications: list[Result]
    why: list[str]
    told: list[Result]


class Verdicts:
    """The job of a batch replay: the verdicts on the rounds of a group. `texts`: the submissions in force, by digest."""

    def __init__(self, texts: Mapping[str, str], upheld_too: bool) -> None:
        self.texts, self.upheld_too = texts, upheld_too
        self.screens = [Screen(texts)]
        self.columns = (*PLACED, *(SAID if upheld_too else ()))

    def at(self, log: EventLog) -> Callable[[Judged], Part]:
        """Return what finishes a group that was screened, where this log is at hand."""
        teller = RowReplayer(log, self.texts)
        upheld = Upheld({digest: rulebook_in(text) for digest, text in self.texts.items()})

        def finish(judged: Judged) -> Part:
            batch, columns = judged.batch, judged_of(judged.said[0])
            passed, others = np.flatnonzero(columns.check == UPHELD), np.flatnonzero(columns.check != UPHELD)
            adjudications = upheld.adjudications(batch, columns, passed.tolist()) if self.upheld_too else ()
            told = [result for row in rows_to_tell(batch, judged.rest, others) for result in teller.tell(row)]
            return Part(len(passed), list(adjudications), reasons(batch, columns.check, others), told)

        return finish


def reasons(batch: pa.RecordBatch, check: Any, which: Any) -> list[str]:
    """Return why rows were not upheld: the check that each did not pass, or why it is aside."""
    if not len(which):
        return []
    aside = batch.column("aside").take(pa.array(which)).to_pylist()
    return [
        (why or "rules that no kernel knows") if at == ASIDE else CHECKS[at]
        for at, why in zip(check[which].tolist(), aside, strict=True)
    ]


def rows_to_tell(batch: pa.RecordBatch, rest: pa.Array | None, which: Any) -> list[Mapping[str, Any]]:
    """Return what the single path needs of rows; those that are told with an earlier one are left out."""
    if not len(which):
        return []
    assert rest is not None, "a screen let a row of them not pass"
    at = pa.array(which)
    rows = batch.select(PLACED).take(at).to_pylist()
    return [row | {REST: state} for row, state in zip(rows, rest.take(at).to_pylist(), strict=True) if row["until_seq"]]
