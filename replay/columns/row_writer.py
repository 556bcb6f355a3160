"""The rows of a table's stream: which round can be replayed by itself, and which only together with others.

The law of this file: a row says from which state of the table and from which events its round can be folded again, so that event
replay reaches the results of a replay of the whole stream. Where something came late for a round, or the fold could not be
taken up between two rounds, the rounds are replayed together, from the first of them. Events in, rows out; no I/O.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Final

import msgspec

from games.rulebook.rulebook import Rulebook
from replay.columns.catalogue import columns_of, schema_of
from replay.columns.game_columns import Row
from replay.columns.layout_row import Ineligible, write_round
from replay.columns.row_schemas import REST, empty_row
from replay.fold.round import Round
from replay.fold.table_state import Filed, TableState
from replay.run.stream_worker import Result, StreamWorker, encode, rules_in_force

LATE_ARRIVAL: Final = "what came late for an earlier round"


class RowWriter(StreamWorker):
    """A stream worker that writes rounds as rows and judges none.

    `event_replay_reason` says why the stream cannot be written row by row; `texts` are the submissions on file by digest: the
    state in a row names them by it.
    """

    def __init__(self, stream: str, property_id: str) -> None:
        self.rest, self.rest_seq = encode(TableState()), 0
        self._filed: list[Filed] = []
        self.rows: list[Row] = []
        self.numbers: dict[int, Row] = {}
        self.touched_to = 0
        self.texts: dict[str, str] = {}
        self.event_replay_reason = ""
        self.property_id = property_id
        super().__init__(stream, lambda kind, key: None)

    def judge(self, round_: Round) -> list[Result]:
        """Write a round as a row; something came late for a round that has its row already."""
        if round_.round_no in self.numbers:
            self._touch(round_.round_no)
            return []
        if round_.round_no <= self.judged_to:
            self._reject(f"round {round_.round_no} came after round {self.judged_to}")
            return []
        self.judged_to = round_.round_no
        book = rules_in_force(round_)
        schema = schema_of(round_.before.game if isinstance(book, str) else book.game)
        row = empty_row(schema)
        self._describe(row, round_, book)
        try:
            if isinstance(book, str):
                raise Ineligible("no rules in force")
            game = columns_of(book.game)
            if game is None:
                self._reject(f"rounds of {book.game} have no columns")
                raise Ineligible(self.event_replay_reason)
            write_round(row, round_, book, game)
        except Ineligible as reason:
            described = {name: row[name] for name in _DESCRIBED}
            row = empty_row(schema) | described | {"aside": str(reason)}
        with_earlier = bool(self.rows) and self.rest_seq < max(self.rows[-1]["last_seq"], self.touched_to)
        row["until_seq"] = self.seq
        self.rows.append(row)
        self.numbers[round_.round_no] = row
        if with_earlier:
            self._join(len(self.rows) - 1, LATE_ARRIVAL)
        return []

    def _reject(self, reason: str) -> None:
        """Note the first reason why the stream cannot be written row by row."""
        self.event_replay_reason = self.event_replay_reason or reason

    def _describe(self, row: Row, round_: Round, book: Rulebook | str) -> None:
        before, facts = round_.before, round_.facts
        row |= {
            "property_id": self.property_id,
            "stream": self.stream,
            "round_no": round_.round_no,
            "game": before.game if isinstance(book, str) else book.game,
            "gaming_day": round_.gaming_day,
            "shift": before.shift,
            "dealer": before.dealer,
            "rules": "" if isinstance(book, str) else book.digest,
            "first_seq": round_.first_seq,
            "last_seq": round_.last_seq,
            "opened_at_us": round_.opened.at_us,
            "closed_at_us": round_.closed.at_us if round_.closed else facts[-1].at_us,
            "rest_seq": self.rest_seq,
            REST: self.rest,
        }

    def _touch(self, round_no: int) -> None:
        self.touched_to = self.seq
        at = next(at for at in range(len(self.rows) - 1, -1, -1) if self.rows[at]["round_no"] == round_no)
        for later in range(at + 1, len(self.rows)):
            self._join(later, LATE_ARRIVAL)
        first = self._first(at)
        self.rows[first]["until_seq"] = max(self.rows[first]["until_seq"], self.seq)
        self.rows[at]["aside"] = self.rows[at]["aside"] or "what came late"

    def _first(self, at: int) -> int:
        while self.rows[at]["until_seq"] == 0:
            at -= 1
        return at

    def _join(self, at: int, reason: str) -> None:
        """Let a round be replayed together with the round before it."""
        first, row = self._first(at - 1), self.rows[at]
        for joined in self.rows[first : at + 1]:
            joined["aside"] = joined["aside"] or reason
        self.rows[first]["until_seq"] = max(self.rows[first]["until_seq"], row["until_seq"])
        row["until_seq"], row[REST] = 0, None

    def _keep_rest(self) -> None:
        super()._keep_rest()
        if self.table is not None:
            rules = self.table.state.rules
            if len(rules) != len(self._filed):
                self._filed = [Filed(filed.effective_gaming_day, digest_of(filed.toml), filed.seq) for filed in rules]
                self.texts |= {digest_of(filed.toml): filed.toml for filed in rules}
            state = msgspec.structs.replace(self.table.state, rules=self._filed)
            self.rest, self.rest_seq = encode(state), self.seq

    def written(self, keep: int) -> list[Row]:
        """Return the rows that nothing late can reach any more: all but the last so many."""
        end = max(0, len(self.rows) - keep)
        while 0 < end < len(self.rows) and self.rows[end]["until_seq"] == 0:
            end -= 1
        finished, self.rows = self.rows[:end], self.rows[end:]
        for row in finished:
            del self.numbers[row["round_no"]]
        return finished


_DESCRIBED: Final = (
    "property_id", "stream", "round_no", "game", "gaming_day", "shift", "dealer", "rules", "first_seq", "last_seq",
    "opened_at_us", "closed_at_us", "rest_seq", REST,
)  # fmt: skip


def with_texts(rest: bytes, texts: Mapping[str, str]) -> TableState:
    """Return the state that a row keeps, with the submissions' texts in it again."""
    state = msgspec.msgpack.decode(rest, type=TableState)
    state.rules = [Filed(filed.effective_gaming_day, texts[filed.toml], filed.seq) for filed in state.rules]
    return state


def digest_of(text: str) -> str:
    """Return the digest by which the table names a submission's text."""
    return sha256(text.encode()).hexdigest()
