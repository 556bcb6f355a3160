"""The money under other rules: every round of a history settled by replacement rules, next to the amounts due.

Invariant: there is one set of rules. A row is settled by the game's own `settle`; a round that its row cannot settle is judged by
event replay, under the rules on file and under the others. Amounts are cents from the patron's side: the cost of a change to the
house is the patrons' additional due.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec
import pyarrow as pa

from events.log.contract import EventLog
from replay.findings import Adjudication, Settlement
from replay.fold.wager_keys import key_in
from replay.run.replayer import MemoryResults, adjudications, replay
from rulebook.chapters.rulebook import Rulebook
from whatif.groups import RowGroup, groups_of
from whatif.round_table import RoundTable
from whatif.row_replayer import RowReplayer
from whatif.row_schema import REST, SETTLED
from whatif.settled_round import SettledRound, due_by, has_same_meter, is_played_alike, net_dues, rulebook_in, unpacked
from whatif.workers.pool import Pool

Progress = Callable[[int], None]
"""Called with the rounds settled so far."""

_SETTLED: Final = ("rules", SETTLED)
"""The columns of a row from which it is settled."""
_REPLAYED: Final = ("stream", "round_no", "rest_seq", "until_seq")
"""The columns of a row that event replay needs, next to the state it starts from."""


class WagerTotals(msgspec.Struct):
    """A wager's sums in cents: staked, paid, due by the rules on file and by others; `unknown` wagers are only counted."""

    wagers: int = 0
    staked_cents: int = 0
    done_cents: int = 0
    due_cents: int = 0
    replacement_cents: int = 0
    unknown: int = 0

    @property
    def difference_cents(self) -> int:
        """The patrons' additional due under the replacement rules."""
        return self.replacement_cents - self.due_cents

    def add(self, other: "WagerTotals") -> None:
        """Add the results of other rounds."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class WhatIfResult(msgspec.Struct, kw_only=True):
    """The sums of every wager, their number of rounds, how many of these event replay judged, and the broken streams.

    `filings`: stream of a table → SHA-256 of each of its filings that the other rules replace → its rounds.
    """

    by_wager: dict[str, WagerTotals]
    rounds: int = 0
    event_replayed: int = 0
    filings: dict[str, dict[str, int]] = msgspec.field(default_factory=dict)
    integrity: list[str] = msgspec.field(default_factory=list)

    @property
    def difference_cents(self) -> int:
        """The patrons' additional due in total."""
        return sum(totals.difference_cents for totals in self.by_wager.values())

    def add(self, other: "WhatIfResult") -> None:
        """Add the results of other rounds."""
        for wager, money in other.by_wager.items():
            self.by_wager.setdefault(wager, WagerTotals()).add(money)
        self.rounds += other.rounds
        self.event_replayed += other.event_replayed
        for stream, filings in other.filings.items():
            for digest, rounds in filings.items():
                self.add_filing(stream, digest, rounds)

    def add_filing(self, stream: str, digest: str, rounds: int = 1) -> None:
        """Count rounds of a table under the filing that they were judged by."""
        of_table = self.filings.setdefault(stream, {})
        of_table[digest] = of_table.get(digest, 0) + rounds


def what_if(log: EventLog, table: RoundTable, book: Rulebook, pool: Pool, progress: Progress | None = None) -> WhatIfResult:
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
    """The job of a what-if: the money of a group's rounds by the rules on file (`texts`, by digest) and by replacement rules."""

    def __init__(self, texts: Mapping[str, str], replacement: str) -> None:
        self.texts, self.replacement = dict(texts), replacement

    def at(self, log: EventLog) -> Callable[[RowGroup], WhatIfResult]:
        """Return a function that settles a group on a machine with this log."""
        book = rulebook_in(self.replacement)
        replayers = RowReplayer(log, self.texts), RowReplayer(log, self.texts, book)

        alike = {digest: filed for digest, filed in self._filed().items() if is_played_alike(filed, book)}

        def settle(group: RowGroup) -> WhatIfResult:
            batch = group.read((*_SETTLED, *_REPLAYED))
            answer, others = WhatIfResult(by_wager={}, rounds=len(batch)), []
            columns = map(pa.Array.to_pylist, batch.select(("stream", *_SETTLED)))
            for at, (stream, digest, data) in enumerate(zip(*columns, strict=True)):
                answer.add_filing(stream, digest)
                settled = unpacked(data) if data is not None and digest in alike else None
                if settled is not None and has_same_meter(settled, alike[digest], book):
                    add_settled(answer, settled, book)
                else:
                    others.append(at)
            answer.event_replayed = len(others)
            for row in _rows_to_replay(group, batch, others):
                add_adjudications(answer, *(_verdicts(replayer, row) for replayer in replayers))
            return answer

        return settle

    def _filed(self) -> dict[str, Rulebook]:
        """Return the rules on file by digest."""
        return {digest: rulebook_in(text) for digest, text in self.texts.items()}


def _rows_to_replay(group: RowGroup, batch: pa.RecordBatch, which: list[int]) -> list[Mapping[str, Any]]:
    """Return the rows to replay, without those replayed together with an earlier row."""
    if not which:
        return []
    rows = batch.select(_REPLAYED).take(which).to_pylist()
    rest = group.read((REST,)).column(REST).take(which).to_pylist()
    return [row | {REST: state} for row, state in zip(rows, rest, strict=True) if row["until_seq"]]


def add_settled(answer: WhatIfResult, settled: SettledRound, book: Rulebook) -> None:
    """Add a round that its table settles."""
    dues = net_dues(settled.layout, book)
    for wager in settled.wagers:
        _add_wager(answer, wager.wager, wager.staked_cents, wager.done_cents, wager.due_cents, due_by(dues, wager))
    known = {key_in(wager) for wager in settled.wagers}
    for key, net_cents in dues.items():
        if key not in known:
            _add_wager(answer, key[1], 0, 0, 0, net_cents)


def add_adjudications(answer: WhatIfResult, filed: Iterable[Adjudication], replacement: Iterable[Adjudication]) -> None:
    """Add rounds that event replay judged under both rules."""
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


def _add_wager(answer: WhatIfResult, wager: str, staked: int, done: int | None, due: int | None, replacement: int | None) -> None:
    if due is None or replacement is None:
        answer.by_wager.setdefault(wager, WagerTotals()).unknown += 1
        return
    money = answer.by_wager.setdefault(wager, WagerTotals())
    money.wagers += 1
    money.staked_cents += staked
    money.done_cents += done or 0
    money.due_cents += due
    money.replacement_cents += replacement


def _verdicts(replayer: RowReplayer, row: Any) -> list[Adjudication]:
    """Return the last verdict of each round replayed with a row."""
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
    for found in verdicts[0]:
        answer.add_filing(found.stream, found.rules_digest)
    answer.rounds += len(verdicts[0])
    answer.event_replayed += len(verdicts[0])
