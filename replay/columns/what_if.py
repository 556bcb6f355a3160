"""What other rules would have led to, as money: a history settled by the rules on file and by others, in columns.

The law of this file: what the columns cannot settle under either rules is told by the single path under both. Amounts are
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
from replay.columns.batch import rows_to_tell
from replay.columns.game_row_schemas import form_of
from replay.columns.kernels.judged import Judged as Columns
from replay.columns.round_table import RoundTable
from replay.columns.row_groups import Engine, Judged, groups_of
from replay.columns.row_replayer import RowReplayer
from replay.columns.row_schemas import ENVY_WAGERS, numbers_of
from replay.columns.screening import Screen, judged_of, rulebook_in
from replay.findings import Adjudication
from replay.run.replayer import MemoryResults, adjudications, replay
from replay.settlement.stakes import ENVY

Array = npt.NDArray[Any]
Progress = Callable[[int], None]
"""Called with the rounds settled so far."""


class Money(msgspec.Struct):
    """A wager over a history: staked, done, and due by the rules on file and by the others; `unknown` could not be told.

    A wager is unknown where either rules leave it so; its money is in none of the sums.
    """

    wagers: int = 0
    staked_cents: int = 0
    done_cents: int = 0
    due_cents: int = 0
    instead_cents: int = 0
    unknown: int = 0

    @property
    def difference_cents(self) -> int:
        """What the patrons would have been due more by the others."""
        return self.instead_cents - self.due_cents

    def add(self, other: Money) -> None:
        """Add what came of other rounds."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Answer(msgspec.Struct, kw_only=True):
    """The money of every wager; the rounds it is of, how many of them were told event by event, and streams that broke."""

    by_wager: dict[str, Money]
    rounds: int = 0
    told: int = 0
    integrity: list[str] = msgspec.field(default_factory=list)

    @property
    def difference_cents(self) -> int:
        """What the patrons would have been due more in all."""
        return sum(each.difference_cents for each in self.by_wager.values())

    def add(self, other: Answer) -> None:
        """Add what came of other rounds."""
        for wager, money in other.by_wager.items():
            self.by_wager.setdefault(wager, Money()).add(money)
        self.rounds += other.rounds
        self.told += other.told


def what_if(log: EventLog, table: RoundTable, book: Rulebook, by: Engine, progress: Progress | None = None) -> Answer:
    """Settle all rounds of the book's game by the rules on file and by the book. Raises `TableError`."""
    table.must_be_of(log)
    answer = Answer(by_wager={})
    for part in by.each(Settlements(table.rules(), book.text), groups_of(table.paths()), log):
        answer.add(part)
        if progress is not None:
            progress(answer.rounds)
    _without_rows(log, table, book, answer)
    answer.by_wager = dict(sorted(answer.by_wager.items()))
    return answer


class Settlements:
    """The job of a what-if: the money of a group's rounds by the rules on file (`texts`, by digest) and by another text."""

    columns = ("stream", "round_no", "rest_seq", "until_seq")

    def __init__(self, texts: Mapping[str, str], instead: str) -> None:
        self.texts, self.instead = texts, instead
        self.screens = [Screen(texts), Screen(texts, instead)]

    def at(self, log: EventLog) -> Callable[[Judged], Answer]:
        """Return what finishes a group that was screened, where this log is at hand."""
        book = rulebook_in(self.instead)
        tellers = RowReplayer(log, self.texts), RowReplayer(log, self.texts, book)

        def finish(judged: Judged) -> Answer:
            batch, (filed, instead) = judged.batch, judged.said
            ours = np.array(batch.column("game").to_pylist()) == book.game
            sides = judged_of(filed), judged_of(instead)
            settled = ours & (sides[0].settled == 1) & (sides[1].settled == 1)
            told = np.flatnonzero(ours & ~settled)
            answer = Answer(by_wager={}, rounds=int(ours.sum()), told=len(told))
            add_columns(answer, batch, sides, np.flatnonzero(settled), form_of(book.game).wagers)
            for row in rows_to_tell(batch, judged.rest, told):
                add_told(answer, *(_verdicts(teller, row) for teller in tellers))
            return answer

        return finish


def add_columns(
    answer: Answer, batch: pa.RecordBatch, sides: tuple[Columns, Columns], which: Array, wagers: Sequence[str]
) -> None:
    """Add up rows that both rules settle in columns; `wagers` are those of a box."""
    if not len(which):
        return
    staked, net = (numbers_of(batch, name)[which].astype(np.int64) for name in ("staked", "net"))
    filed, instead = (side.due[which] for side in sides)
    width = len(wagers)
    for at, wager in enumerate(wagers):
        _add(
            answer,
            wager,
            int((staked[:, at::width] > 0).sum()),
            staked[:, at::width].sum(),
            net[:, at::width].sum(),
            filed[:, at::width].sum(),
            instead[:, at::width].sum(),
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


def _add(answer: Answer, wager: str, wagers: int, staked: int, done: int, due: int, instead: int) -> None:
    if not wagers:
        return
    money = answer.by_wager.setdefault(wager, Money())
    money.wagers += wagers
    money.staked_cents += int(staked)
    money.done_cents += int(done)
    money.due_cents += int(due)
    money.instead_cents += int(instead)


def add_told(answer: Answer, filed: Iterable[Adjudication], instead: Iterable[Adjudication]) -> None:
    """Add up rounds that the single path told under both rules."""
    others = {_place(said, each): each for said in instead for each in said.settlements}
    for said in filed:
        for each in said.settlements:
            other = others.pop(_place(said, each), None)
            due = other.due_cents if other is not None else 0
            _add_one(answer, each.wager, each.staked_cents, each.done_cents, each.due_cents, due)
    for each in others.values():
        _add_one(answer, each.wager, each.staked_cents, each.done_cents, 0, each.due_cents)


def _place(said: Adjudication, each: Any) -> tuple[Any, ...]:
    return said.stream, said.round_no, each.seat, each.wager, each.number, each.bettor


def _add_one(answer: Answer, wager: str, staked: int, done: int | None, due: int | None, instead: int | None) -> None:
    if due is None or instead is None:
        answer.by_wager.setdefault(wager, Money()).unknown += 1
        return
    _add(answer, wager, 1, staked, done or 0, due, instead)


def _verdicts(teller: RowReplayer, row: Any) -> list[Adjudication]:
    """The last word on each round that a row tells."""
    last = {key: data for kind, key, data in teller.tell(row) if kind == "adjudications"}
    return [msgspec.json.decode(data, type=Adjudication) for data in last.values()]


def _without_rows(log: EventLog, table: RoundTable, book: Rulebook, answer: Answer) -> None:
    """Add the rounds of streams that have no rows, event by event."""
    ends = {stream: log.head(stream).seq for stream in table.manifest.single_path}
    if not ends:
        return
    said = []
    for rules in (None, book):
        results = MemoryResults()
        summary = replay(log, results, as_of=ends, rules=rules)
        said.append([each for each in adjudications(results) if each.game == book.game])
    answer.integrity = summary.integrity
    add_told(answer, *said)
    answer.rounds += len(said[0])
    answer.told += len(said[0])
