"""What other rules would have led to, as money: a history settled by the rules on file and by replacement rules, in columns.

The law of this file: what the columns cannot settle under either rules is judged by event replay under both. Amounts are
cents from the patron's side, so what a change costs the house is what the patrons are due more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from events.log.contract import EventLog
from games.rulebook.rulebook import Rulebook
from replay.columns.batch import rows_to_replay
from replay.columns.catalogue import schema_of
from replay.columns.kernels.screening_result import ScreeningResult
from replay.columns.round_table import RoundTable
from replay.columns.row_groups import Engine, ScreenedGroup, groups_of
from replay.columns.row_replayer import RowReplayer
from replay.columns.row_schemas import ENVY_WAGERS, numbers_of
from replay.columns.screening import Screen, result_of, rulebook_in
from replay.findings import Adjudication, Settlement
from replay.run.replayer import MemoryResults, adjudications, replay
from replay.settlement.stakes import ENVY

Array = npt.NDArray[Any]
Progress = Callable[[int], None]
"""Called with the rounds settled so far."""


class WagerTotals(msgspec.Struct):
    """The sums of a wager over a history, in cents: staked, done, due by the rules on file, and due by the replacement rules.

    `unknown` counts the wagers whose due either rules leave undetermined; their money is in none of the sums.
    """

    wagers: int = 0
    staked_cents: int = 0
    done_cents: int = 0
    due_cents: int = 0
    replacement_cents: int = 0
    unknown: int = 0

    @property
    def difference_cents(self) -> int:
        """What the patrons would have been due more by the replacement rules."""
        return self.replacement_cents - self.due_cents

    def add(self, other: WagerTotals) -> None:
        """Add what came of other rounds."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class WhatIfResult(msgspec.Struct, kw_only=True):
    """The sums of every wager; the rounds they are of, how many of them event replay judged, and the streams that are broken."""

    by_wager: dict[str, WagerTotals]
    rounds: int = 0
    event_replayed: int = 0
    integrity: list[str] = msgspec.field(default_factory=list)

    @property
    def difference_cents(self) -> int:
        """What the patrons would have been due more in all."""
        return sum(totals.difference_cents for totals in self.by_wager.values())

    def add(self, other: WhatIfResult) -> None:
        """Add what came of other rounds."""
        for wager, money in other.by_wager.items():
            self.by_wager.setdefault(wager, WagerTotals()).add(money)
        self.rounds += other.rounds
        self.event_replayed += other.event_replayed


def what_if(
    log: EventLog, table: RoundTable, book: Rulebook, by: Engine, progress: Progress | None = None
) -> WhatIfResult:
    """Settle all rounds of the book's game by the rules on file and by the book. Raises `TableError`."""
    table.must_be_of(log)
    answer = WhatIfResult(by_wager={})
    for part in by.run(SettlementJob(table.rules(), book.text), groups_of(table.paths()), log):
        answer.add(part)
        if progress is not None:
            progress(answer.rounds)
    _without_rows(log, table, book, answer)
    answer.by_wager = dict(sorted(answer.by_wager.items()))
    return answer


class SettlementJob:
    """The job of a what-if: the money of a group's rounds by the rules on file (`texts`, by digest) and by a replacement."""

    columns = ("stream", "round_no", "rest_seq", "until_seq")

    def __init__(self, texts: Mapping[str, str], replacement: str) -> None:
        self.texts, self.replacement = texts, replacement
        self.screens = [Screen(texts), Screen(texts, replacement)]

    def at(self, log: EventLog) -> Callable[[ScreenedGroup], WhatIfResult]:
        """Return what finishes a group that was screened, where this log is at hand."""
        book = rulebook_in(self.replacement)
        replayers = RowReplayer(log, self.texts), RowReplayer(log, self.texts, book)

        def finish(group: ScreenedGroup) -> WhatIfResult:
            batch, (filed, replacement) = group.batch, group.results
            of_game = np.array(batch.column("game").to_pylist()) == book.game
            sides = result_of(filed), result_of(replacement)
            settled = of_game & (sides[0].settled == 1) & (sides[1].settled == 1)
            others = np.flatnonzero(of_game & ~settled)
            answer = WhatIfResult(by_wager={}, rounds=int(of_game.sum()), event_replayed=len(others))
            add_columns(answer, batch, sides, np.flatnonzero(settled), schema_of(book.game).wagers)
            for row in rows_to_replay(batch, group.rest, others):
                add_adjudications(answer, *(_verdicts(replayer, row) for replayer in replayers))
            return answer

        return finish


def add_columns(
    answer: WhatIfResult,
    batch: pa.RecordBatch,
    sides: tuple[ScreeningResult, ScreeningResult],
    which: Array,
    wagers: Sequence[str],
) -> None:
    """Add up rows that both rules settle in columns; `wagers` are those of a box."""
    if not len(which):
        return
    staked, net = (numbers_of(batch, name)[which].astype(np.int64) for name in ("staked", "net"))
    filed, replacement = (side.due[which] for side in sides)
    width = len(wagers)
    for at, wager in enumerate(wagers):
        _add(
            answer,
            wager,
            int((staked[:, at::width] > 0).sum()),
            staked[:, at::width].sum(),
            net[:, at::width].sum(),
            filed[:, at::width].sum(),
            replacement[:, at::width].sum(),
        )
    done_to, done_cents = numbers_of(batch, "envy_to")[which], numbers_of(batch, "envy_cents")[which]
    done = np.bitwise_count(done_to) * done_cents.astype(np.int64)
    envy = [np.bitwise_count(side.envy_to[which]) * side.envy_due[which] for side in sides]
    to = sides[0].envy_to[which] | sides[1].envy_to[which] | done_to
    seats = to.shape[1] // len(ENVY_WAGERS)
    for at, wager in enumerate(ENVY_WAGERS):
        hands = slice(at * seats, (at + 1) * seats)
        holders = np.bitwise_count(np.bitwise_or.reduce(to[:, hands], axis=1)).sum()
        _add(
            answer, ENVY[wager], int(holders), 0, done[:, hands].sum(), envy[0][:, hands].sum(), envy[1][:, hands].sum()
        )


def _add(answer: WhatIfResult, wager: str, wagers: int, staked: int, done: int, due: int, replacement: int) -> None:
    if not wagers:
        return
    money = answer.by_wager.setdefault(wager, WagerTotals())
    money.wagers += wagers
    money.staked_cents += int(staked)
    money.done_cents += int(done)
    money.due_cents += int(due)
    money.replacement_cents += int(replacement)


def add_adjudications(answer: WhatIfResult, filed: Iterable[Adjudication], replacement: Iterable[Adjudication]) -> None:
    """Add up rounds that event replay judged under both rules."""
    others = {_wager_key(made, wager): wager for made in replacement for wager in made.settlements}
    for made in filed:
        for wager in made.settlements:
            other = others.pop(_wager_key(made, wager), None)
            due = other.due_cents if other is not None else 0
            _add_wager(answer, wager.wager, wager.staked_cents, wager.done_cents, wager.due_cents, due)
    for wager in others.values():
        _add_wager(answer, wager.wager, wager.staked_cents, wager.done_cents, 0, wager.due_cents)


def _wager_key(made: Adjudication, wager: Settlement) -> tuple[Any, ...]:
    return made.stream, made.round_no, wager.seat, wager.wager, wager.number, wager.bettor


def _add_wager(
    answer: WhatIfResult, wager: str, staked: int, done: int | None, due: int | None, replacement: int | None
) -> None:
    if due is None or replacement is None:
        answer.by_wager.setdefault(wager, WagerTotals()).unknown += 1
        return
    _add(answer, wager, 1, staked, done or 0, due, replacement)


def _verdicts(replayer: RowReplayer, row: Any) -> list[Adjudication]:
    """Return the last revision of each round that is replayed with a row."""
    last = {key: data for kind, key, data in replayer.replay(row) if kind == "adjudications"}
    return [msgspec.json.decode(data, type=Adjudication) for data in last.values()]


def _without_rows(log: EventLog, table: RoundTable, book: Rulebook, answer: WhatIfResult) -> None:
    """Add the rounds of streams without rows, by event replay."""
    ends = {stream: log.head(stream).seq for stream in table.manifest.event_replay}
    if not ends:
        return
    verdicts = []
    for rules in (None, book):
        results = MemoryResults()
        summary = replay(log, results, as_of=ends, rules=rules)
        verdicts.append([found for found in adjudications(results) if found.game == book.game])
    answer.integrity = summary.integrity
    add_adjudications(answer, *verdicts)
    answer.rounds += len(verdicts[0])
    answer.event_replayed += len(verdicts[0])
