"""What other rules would have led to, as money: a history settled in columns by replacement rules, beside what was due.

Invariant: what the columns cannot settle is judged by event replay, under the rules on file and under the others.
Amounts are cents from the patron's side, so what a change costs the house is what the patrons are due more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from events.log.contract import EventLog
from games.rulebook.rulebook import Rulebook
from replay.columns.catalogue import columns_of
from replay.columns.game_columns import GameColumns
from replay.columns.groups import Group, groups_of
from replay.columns.kernels.settled_rows import SettledRows
from replay.columns.round_table import RoundTable
from replay.columns.row_replayer import RowReplayer
from replay.columns.row_schemas import ENVY_WAGERS, REST, numbers_of
from replay.columns.settling import rulebook_in, settled_by
from replay.findings import Adjudication, Settlement
from replay.run.replayer import MemoryResults, adjudications, replay
from replay.settlement.stakes import ENVY
from replay.workers.pool import Pool

Array = npt.NDArray[Any]
Progress = Callable[[int], None]
"""Called with the rounds settled so far."""

_REPLAYED: Final = ("stream", "round_no", "rest_seq", "until_seq")
"""The columns of a row that event replay needs, beside the state it starts from."""


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
    log: EventLog, table: RoundTable, book: Rulebook, pool: Pool, progress: Progress | None = None
) -> WhatIfResult:
    """Settle all rounds of the book's game by the rules on file and by the book. Raises `TableError`."""
    table.must_be_of(log)
    answer = WhatIfResult(by_wager={})
    paths = table.paths(book.game)
    for part in pool.run(SettlementJob(table.rules(), book.text), groups_of(paths), log):
        answer.add(part)
        if progress is not None:
            progress(answer.rounds)
    _without_rows(log, table, book, answer)
    answer.by_wager = dict(sorted(answer.by_wager.items()))
    return answer


class SettlementJob:
    """The job of a what-if: the money of a group's rounds by the rules on file (`texts`, by digest) and by a replacement."""

    def __init__(self, texts: Mapping[str, str], replacement: str) -> None:
        self.texts, self.replacement = dict(texts), replacement

    def at(self, log: EventLog) -> Callable[[Group], WhatIfResult]:
        """Return what settles a group, where this log is at hand."""
        book = rulebook_in(self.replacement)
        game = columns_of(book.game)
        replayers = RowReplayer(log, self.texts), RowReplayer(log, self.texts, book)

        def settle(group: Group) -> WhatIfResult:
            assert game is not None, "only games with columns have rows"
            schema = game.schema
            read = ("aside", "rules", "due", "net", "envy_due", "envy_net", *schema.settled_by, *_REPLAYED)
            batch = group.read(tuple(dict.fromkeys(read)))
            found = settled_by(book, batch, self.texts, game)
            others = np.flatnonzero(found.settled == 0)
            answer = WhatIfResult(by_wager={}, rounds=len(batch), event_replayed=len(others))
            add_columns(answer, batch, found, np.flatnonzero(found.settled), game)
            for row in _rows_to_replay(group, batch, others):
                add_adjudications(answer, *(_verdicts(replayer, row) for replayer in replayers))
            return answer

        return settle


def _rows_to_replay(group: Group, batch: pa.RecordBatch, which: Array) -> list[Mapping[str, Any]]:
    """Return what event replay needs of rows, without those that are replayed together with an earlier row."""
    if not len(which):
        return []
    at = pa.array(which)
    rows = batch.select(_REPLAYED).take(at).to_pylist()
    rest = group.read((REST,)).column(REST).take(at).to_pylist()
    return [row | {REST: state} for row, state in zip(rows, rest, strict=True) if row["until_seq"]]


def add_columns(
    answer: WhatIfResult, batch: pa.RecordBatch, found: SettledRows, which: Array, game: GameColumns
) -> None:
    """Add up rows that the columns settle, by the place of each wager among those of a box."""
    if not len(which):
        return
    names, schema = ("staked", "net", "due", "envy_net", "envy_due"), game.schema
    staked, net, due, envy_net, envy_due = (numbers_of(batch, name, schema)[which].astype(np.int64) for name in names)
    replacement, envy = found.due[which], found.envy_due()[which]
    for at, wager in enumerate(schema.wagers):
        every = slice(at, None, len(schema.slots))
        sums = (each[:, every].sum() for each in (staked, net, due, replacement))
        _add(answer, wager, int((staked[:, every] > 0).sum()), *sums)
    for at, wager in enumerate(ENVY_WAGERS):
        seats = slice(at * schema.seats, (at + 1) * schema.seats)
        done, filed, other = (each[:, seats] for each in (envy_net, envy_due, envy))
        holders = int(((done != 0) | (filed != 0) | (other != 0)).sum())
        _add(answer, ENVY[wager], holders, 0, done.sum(), filed.sum(), other.sum())


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
