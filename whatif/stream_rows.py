"""The rows of a table's stream: which rounds can be replayed by themselves, and which only together with others.

Invariant: a row has the table's state and the events from which its round can be folded again, so that event replay gives the
results of replaying the whole stream. If an event came late for a round, or the fold could not be resumed between two rounds,
these rounds are replayed together, from the first of them. Rounds in, rows out; no I/O.
"""

from collections.abc import Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Final

import msgspec

from replay.fold.device_order import as_played
from replay.fold.device_reports import RECENT_ROUNDS
from replay.fold.round import Round
from replay.fold.table_state import RulesOnFile, TableState
from replay.run.stream_worker import encode
from rulebook.chapters.rulebook import Rulebook
from whatif.row_schema import REST, SETTLED, Row, empty_row
from whatif.settled_round import Ineligible, packed

LATE_ARRIVAL: Final = "what came late for an earlier round"
VOID_CORRECTION: Final = "a correction that does not count"
"""It may name an event of any round at hand: only if those are folded too is it known not to count."""
ROUNDS_AT_HAND: Final = 16
"""Rounds that are kept back while something late may still reach them; a fold keeps fewer at hand."""


class Unfinished(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of a stream that late events may still change, and the state needed for its next rows.

    `texts`: the digests of the submissions named in the stream's rows.
    """

    rows: list[Row]
    rest: bytes
    rest_seq: int
    touched_to: int
    last_round_no: int
    texts: list[str]


NO_TEXTS: Final[Mapping[str, str]] = MappingProxyType({})
NOTHING_YET: Final = Unfinished(rows=[], rest=encode(TableState()), rest_seq=0, touched_to=0, last_round_no=0, texts=[])


class StreamRows:
    """Receives the rounds of a stream from its worker (`replay.run.round_keeper.RoundTaker`) and writes them as rows.

    `event_replay_reason` says why the stream cannot be written row by row; `texts` are the submissions on file by the digest that
    a row's state uses. `goes_on` is the state after earlier rows.
    """

    def __init__(
        self, stream: str, property_id: str, goes_on: Unfinished = NOTHING_YET, texts: Mapping[str, str] = NO_TEXTS
    ) -> None:
        self.stream, self.property_id = stream, property_id
        self.texts = {digest: texts[digest] for digest in goes_on.texts}
        self.event_replay_reason = ""
        self._filed: dict[str, str] = {}
        self._rest, self._has_texts = goes_on.rest, False
        self.rest_seq, self._touched_to = goes_on.rest_seq, goes_on.touched_to
        self._last_round_no = goes_on.last_round_no
        self.rows = list(goes_on.rows)
        self._by_number = {row["round_no"]: row for row in self.rows}

    def unfinished(self) -> Unfinished:
        """Return the state from which the stream's rows can go on."""
        rest = self.rest()
        return Unfinished(
            rows=self.rows,
            rest=rest,
            rest_seq=self.rest_seq,
            touched_to=self._touched_to,
            last_round_no=self._last_round_no,
            texts=sorted(self.texts),
        )

    def at_rest(self, state: bytes, seq: int) -> None:
        """Store the packed state after an event that leaves no round open: the next round is folded from there."""
        self._rest, self._has_texts, self.rest_seq = state, True, seq

    def rest(self) -> bytes:
        """Return the last stored state, with digests in place of the submissions' texts."""
        if self._has_texts:
            state = msgspec.msgpack.decode(self._rest, type=TableState)
            state.rules = [RulesOnFile(filed.effective_gaming_day, self._digest(filed.toml), filed.seq) for filed in state.rules]
            self._rest, self._has_texts = encode(state), False
        return self._rest

    def _digest(self, text: str) -> str:
        digest = self._filed.get(text)
        if digest is None:
            digest = self._filed[text] = digest_of(text)
            self.texts[digest] = text
        return digest

    def take(self, round_: Round, book: Rulebook | str, seq: int) -> None:
        """Write a round as a row, as of the event `seq`; a late event may change a round that has a row."""
        if self.event_replay_reason:
            return
        if round_.round_no in self._by_number:
            self._touch(round_.round_no, seq)
            return
        if round_.round_no <= self._last_round_no:
            self._reject(f"round {round_.round_no} came after round {self._last_round_no}")
            return
        self._last_round_no = round_.round_no
        row = empty_row()
        self._describe(row, round_, book)
        try:
            if isinstance(book, str):
                raise Ineligible(book)
            row[SETTLED] = packed(as_played(round_), book)
        except Ineligible as reason:
            row["ineligible_reason"] = str(reason)
        with_earlier = bool(self.rows) and self.rest_seq < max(self.rows[-1]["last_seq"], self._touched_to)
        row["until_seq"] = seq
        self.rows.append(row)
        self._by_number[round_.round_no] = row
        if any(fault.kind == "correction" for fault in round_.record_faults):
            for joined in range(max(1, len(self.rows) - RECENT_ROUNDS), len(self.rows)):
                self._join(joined, VOID_CORRECTION)
        if with_earlier:
            self._join(len(self.rows) - 1, LATE_ARRIVAL)

    def _reject(self, reason: str) -> None:
        """Record the first reason why the stream cannot be written row by row."""
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
            "dealer": round_.dealer,
            "rules": "" if isinstance(book, str) else book.digest,
            "first_seq": round_.first_seq,
            "last_seq": round_.last_seq,
            "opened_at_us": round_.opened.at_us,
            "closed_at_us": round_.closed.at_us if round_.closed else facts[-1].at_us,
            "rest_seq": self.rest_seq,
            REST: self.rest(),
        }

    def _touch(self, round_no: int, seq: int) -> None:
        self._touched_to = seq
        at = next(at for at in range(len(self.rows) - 1, -1, -1) if self.rows[at]["round_no"] == round_no)
        for later in range(at + 1, len(self.rows)):
            self._join(later, LATE_ARRIVAL)
        first = self._first(at)
        self.rows[first]["until_seq"] = max(self.rows[first]["until_seq"], seq)
        _set_ineligible(self.rows[at], "what came late")

    def _first(self, at: int) -> int:
        while self.rows[at]["until_seq"] == 0:
            at -= 1
        return at

    def _join(self, at: int, reason: str) -> None:
        """Mark a round to be replayed together with the round before it."""
        first, row = self._first(at - 1), self.rows[at]
        for joined in self.rows[first : at + 1]:
            _set_ineligible(joined, reason)
        self.rows[first]["until_seq"] = max(self.rows[first]["until_seq"], row["until_seq"])
        row["until_seq"], row[REST] = 0, None

    def written(self, keep: int) -> list[Row]:
        """Return the rows that no late event can change: all but the last this many."""
        end = max(0, len(self.rows) - keep)
        while 0 < end < len(self.rows) and self.rows[end]["until_seq"] == 0:
            end -= 1
        finished, self.rows = self.rows[:end], self.rows[end:]
        for row in finished:
            del self._by_number[row["round_no"]]
        return finished


def _set_ineligible(row: Row, reason: str) -> None:
    """Leave a round to event replay; the first reason stays."""
    row["ineligible_reason"] = row["ineligible_reason"] or reason
    row[SETTLED] = None


def with_texts(rest: bytes, texts: Mapping[str, str]) -> TableState:
    """Return a row's state with the submissions' texts restored."""
    state = msgspec.msgpack.decode(rest, type=TableState)
    state.rules = [RulesOnFile(filed.effective_gaming_day, texts[filed.toml], filed.seq) for filed in state.rules]
    return state


def digest_of(text: str) -> str:
    """Return the digest that names a submission's text in the table."""
    return sha256(text.encode()).hexdigest()
