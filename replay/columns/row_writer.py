"""One table's stream on its way to rows: what is told of each round alone, and what only together with others.

The law of this file: a row says from which state of the table and which events its round can be folded again, so that the
single path says of it what it would have said in the whole stream. Where something came late for a round, or stood between
rounds that the fold could not be taken up at, the rounds are told together, from the first of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Final

import msgspec

from games.rulebook.rulebook import Rulebook
from replay.columns.game_row_schemas import form_of
from replay.columns.row_course import Aside, Row
from replay.columns.row_schemas import REST, empty_row
from replay.columns.screened_games import ROW_WRITERS, fill_row
from replay.fold.round import Round
from replay.fold.table_state import Filed, TableState
from replay.run.stream_worker import Result, StreamWorker, encode, rules_in_force

LATE: Final = "what came late for an earlier round"


class RowWriter(StreamWorker):
    """A worker that writes rounds down instead of judging them.

    `odd` says why the stream cannot be told row by row; `texts` are the submissions on file by digest: a row's state names
    them by it.
    """

    def __init__(self, stream: str, property_id: str) -> None:
        self.rest, self.rest_seq = encode(TableState()), 0
        self._named: list[Filed] = []
        self.rows: list[Row] = []
        self.numbers: dict[int, Row] = {}
        self.touched_to = 0
        self.texts: dict[str, str] = {}
        self.odd = ""
        self.property_id = property_id
        super().__init__(stream, lambda kind, key: None)

    def judge(self, round_: Round) -> list[Result]:
        """Write a round down; one that was written already is touched by what came late."""
        if round_.round_no in self.numbers:
            self._touch(round_.round_no)
            return []
        if round_.round_no <= self.judged_to:
            self.odd = self.odd or f"round {round_.round_no} came after round {self.judged_to}"
            return []
        self.judged_to = round_.round_no
        book = rules_in_force(round_)
        form = form_of(round_.before.game if isinstance(book, str) else book.game)
        row = empty_row(form)
        self._describe(row, round_, book)
        try:
            if isinstance(book, str):
                raise Aside("no rules in force")
            if book.game not in ROW_WRITERS:
                self.odd = self.odd or f"rounds of {book.game} are not screened"
                raise Aside(self.odd)
            fill_row(row, round_, book)
        except Aside as why:
            described = {name: row[name] for name in _DESCRIBED}
            row = empty_row(form) | described | {"aside": str(why)}
        with_earlier = bool(self.rows) and self.rest_seq < max(self.rows[-1]["last_seq"], self.touched_to)
        row["until_seq"] = self.seq
        self.rows.append(row)
        self.numbers[round_.round_no] = row
        if with_earlier:
            self._join(len(self.rows) - 1, LATE)
        return []

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
            self._join(later, LATE)
        first = self._first(at)
        self.rows[first]["until_seq"] = max(self.rows[first]["until_seq"], self.seq)
        self.rows[at]["aside"] = self.rows[at]["aside"] or "what came late"

    def _first(self, at: int) -> int:
        while self.rows[at]["until_seq"] == 0:
            at -= 1
        return at

    def _join(self, at: int, why: str) -> None:
        """Let a round be told together with the one before it."""
        first, row = self._first(at - 1), self.rows[at]
        for each in self.rows[first : at + 1]:
            each["aside"] = each["aside"] or why
        self.rows[first]["until_seq"] = max(self.rows[first]["until_seq"], row["until_seq"])
        row["until_seq"], row[REST] = 0, None

    def _keep_rest(self) -> None:
        super()._keep_rest()
        if self.table is not None:
            rules = self.table.state.rules
            if len(rules) != len(self._named):
                self._named = [Filed(each.effective_gaming_day, digest_of(each.toml), each.seq) for each in rules]
                self.texts |= {digest_of(each.toml): each.toml for each in rules}
            state = msgspec.structs.replace(self.table.state, rules=self._named)
            self.rest, self.rest_seq = encode(state), self.seq

    def written(self, keep: int) -> list[Row]:
        """Hand out the rounds that nothing reaches any more: all but the last so many."""
        end = max(0, len(self.rows) - keep)
        while 0 < end < len(self.rows) and self.rows[end]["until_seq"] == 0:
            end -= 1
        done, self.rows = self.rows[:end], self.rows[end:]
        for row in done:
            del self.numbers[row["round_no"]]
        return done


_DESCRIBED: Final = (
    "property_id", "stream", "round_no", "game", "gaming_day", "shift", "dealer", "rules", "first_seq", "last_seq",
    "opened_at_us", "closed_at_us", "rest_seq", REST,
)  # fmt: skip


def with_texts(rest: bytes, texts: Mapping[str, str]) -> TableState:
    """Return the state that a row keeps, with the submissions' texts in it again."""
    state = msgspec.msgpack.decode(rest, type=TableState)
    state.rules = [Filed(each.effective_gaming_day, texts[each.toml], each.seq) for each in state.rules]
    return state


def digest_of(text: str) -> str:
    """Return the digest by which the table names a submission's text."""
    return sha256(text.encode()).hexdigest()
