"""What a round's verdict rests on: the few events of a table's stream from which alone it is worked out the same. Pure.

A verdict rests on the round and on what the table was when it opened: rules on file, decks and how they were prepared, dice,
devices, meters, who sat where, what the rounds before left. `evidence` takes the round with rounds just before it whole and,
of what came earlier, the last event of each kind about each thing; of what came later, what is about these rounds. Then it
judges these events alone, and where that gives another verdict than the whole stream, it takes twice as many rounds before.
So nothing has to be believed about the choice: whoever has the events judges them again.
"""

from __future__ import annotations

import functools
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from events import model
from events.codec import read
from events.envelope import ReadEnvelope
from events.errors import EventError, Undecodable
from events.log import Record
from events.model import Event
from games.rulebook import Rulebook
from replay.again import fold_again
from replay.corrections import correction
from replay.findings import Adjudication
from replay.rounds import Round, TableFold
from replay.stream import Earlier, Result, Worker, rulebook, rules_in_force
from replay.table_state import CHANGES, Fact, Source

THINGS = ("deck", "seat", "device", "meter", "patron")
"""The fields that name the thing an event is about."""


class RoundUnknown(LookupError):
    """The stream has no verdict on such a round: says why, and what there is."""


class Evidence(msgspec.Struct, frozen=True):
    """The records, in order; those from number `begins` to number `ends` stand together in the stream without a gap."""

    records: tuple[Record, ...]
    begins: int
    ends: int


class Judged(msgspec.Struct, frozen=True):
    """A verdict, the round that it is about, and the rules in force (or why there are none)."""

    adjudication: Adjudication
    round: Round
    book: Rulebook | str


class EvidenceFold(TableFold):
    """The fold of chosen events: before number `begins` they only change the table, and no device's numbers are counted."""

    def __init__(self, stream: str, begins: int) -> None:
        super().__init__(stream)
        self._begins = begins

    def apply(self, seq: int, at_us: int, source: str, source_seq: int, round_no: int | None, gaming_day: str,
              payload: Event, event_id: str = "") -> list[Round]:  # fmt: skip
        """Fold one event; return the rounds that it completed or changed."""
        if seq >= self._begins:
            return super().apply(seq, at_us, source, source_seq, round_no, gaming_day, payload, event_id)
        state = self.state
        state.sources[source] = Source(source_seq, at_us)
        state.gaming_day = gaming_day
        state.last_round_no = max(state.last_round_no, round_no or 0)
        if self.known is not None and seq in self.known:
            instead = self.known[seq]
            if instead is None:
                return []
            payload = instead[1]
        if isinstance(payload, model.EventCorrected):
            self.corrections.append(correction(seq, payload))
        else:
            state.apply(Fact(seq, at_us, source, payload, event_id))
        return []


class RoundWorker(Worker):
    """A worker that judges one round only, and keeps it as it was judged last."""

    def __init__(self, stream: str, earlier: Earlier, *, round_no: int, begins: int) -> None:
        super().__init__(stream, earlier)
        self._round_no = round_no
        self.table = EvidenceFold(stream, begins)
        self.judged: Round | None = None

    def judge(self, round_: Round) -> list[Result]:
        """Judge the round if it is the one that is asked about."""
        if round_.round_no != self._round_no:
            return []
        self.judged = round_
        return super().judge(round_)


def judge(stream: str, records: Sequence[Record], round_no: int, *, begins: int = 0) -> Judged | None:
    """Judge a round by these records of its stream alone, with every correction among them in its place; null if it has no
    verdict. Raises `Undecodable`.

    From number `begins` on they stand without a gap as far as the round goes (see `Evidence`).
    """
    again = fold_again(
        stream, lambda end: (each for each in records if end is None or each.seq <= end), None, said_nothing,
        tuple, None, functools.partial(RoundWorker, round_no=round_no, begins=begins),
    )  # fmt: skip
    if again.broken is not None:
        raise again.broken
    assert isinstance(again.worker, RoundWorker)
    round_ = again.worker.judged
    said = [data for kind, _, data in again.results if kind == "adjudications"]
    if round_ is None or not said:
        return None
    return Judged(msgspec.json.decode(said[-1], type=Adjudication), round_, rules_in_force(round_))


def evidence(stream: str, records: Sequence[Record], round_no: int) -> tuple[Evidence, Judged]:
    """Return what the verdict on a round rests on, of all records of a stream, and the verdict as of the last of them.

    Raises `RoundUnknown` where there is none, `Undecodable` where the stream cannot be read.
    """
    whole = judge(stream, records, round_no)
    chooser = _Chooser(stream, records)
    if whole is None:
        raise RoundUnknown(chooser.why_not(round_no))
    for begins in chooser.beginnings(whole):
        chosen = chooser.choose(whole, begins)
        alone = judge(stream, chosen.records, round_no, begins=chosen.begins)
        if alone is not None and is_same(alone.adjudication, whole.adjudication):
            return chosen, whole
    return Evidence(tuple(records), 0, len(records)), whole


def is_same(one: Adjudication, other: Adjudication) -> bool:
    """Whether two verdicts say the same; as of which event and by which version makes no difference."""
    return msgspec.structs.replace(one, as_of=other.as_of, engine=other.engine) == other


class _Chooser:
    """Chooses among the events of a stream, which it decodes once."""

    def __init__(self, stream: str, records: Sequence[Record]) -> None:
        self._records = records
        self._events = [_read(stream, record) for record in records]
        self._opened = [each.seq for each in self._events if each.payload.KIND is model.RoundOpened]
        self._closed = [each.seq for each in self._events if each.payload.KIND is model.RoundClosed]

    def why_not(self, round_no: int) -> str:
        numbers = [self._event(seq).round_no or 0 for seq in self._opened]
        if round_no in numbers:
            if numbers[-1] == round_no and (not self._closed or self._closed[-1] < self._opened[-1]):
                return f"round {round_no} is not over"
            return f"a correction says that round {round_no} was never opened"
        return f"there is no round {round_no}; " + (
            f"there are rounds {min(numbers)} to {max(numbers)}" if numbers else "there are none"
        )

    def beginnings(self, judged: Judged) -> Iterator[int]:
        """Yield where to begin: 1, 2, 4, … rounds before, and last at the first event."""
        place, before = bisect_left(self._opened, judged.adjudication.first_seq), 1
        while before < place:
            yield self._between(self._opened[place - before])
            before *= 2
        yield 1

    def choose(self, judged: Judged, begins: int) -> Evidence:
        """Return the evidence with everything from number `begins` on as far as the round goes."""
        first = judged.adjudication.first_seq
        place = bisect_left(self._opened, first)
        following = self._opened[place + 1] if place + 1 < len(self._opened) else len(self._records)
        closed = [seq for seq in self._closed if first < seq < following]
        ends = closed[-1] if closed else following
        chosen = set(range(begins, ends + 1))
        chosen.update(self._earlier(begins, judged))
        chosen.update(self._later(begins, ends))
        self._add_corrections(chosen, begins, ends)
        return Evidence(tuple(self._records[seq - 1] for seq in sorted(chosen)), begins, ends)

    def _between(self, opened: int) -> int:
        """Return the number of the first event after the round before one."""
        at = bisect_left(self._closed, opened)
        before = self._opened[bisect_left(self._opened, opened) - 1]
        return self._closed[at - 1] + 1 if at and self._closed[at - 1] > before else opened

    def _earlier(self, begins: int, judged: Judged) -> Iterator[int]:
        """Yield what made the table what it was: the last word on each thing, and of each device."""
        devices: dict[str, int] = {}
        last: dict[tuple[Any, ...], int] = {}
        in_force = _in_force(judged.round)
        for event in self._events[: begins - 1]:
            payload = event.payload
            devices[event.source] = event.seq
            if isinstance(payload, model.DeckRemoved):
                last = {key: seq for key, seq in last.items() if key[1] != payload.deck}
            elif isinstance(payload, model.RulesFiled):
                if event.seq >= in_force:
                    yield event.seq
            elif payload.KIND in CHANGES or payload.KIND is model.RoundClosed:
                last[payload.TYPE, *(getattr(payload, thing, None) for thing in THINGS)] = event.seq
        yield from devices.values()
        yield from last.values()

    def _later(self, begins: int, ends: int) -> Iterator[int]:
        """Yield what was said later of the rounds taken whole, and what came late from a device."""
        rounds = {event.round_no for event in self._events[begins - 1 : ends]} - {None}
        numbers = {event.source: event.source_seq for event in self._events[:ends]}
        for event in self._events[ends:]:
            if event.round_no in rounds or event.source_seq < numbers.get(event.source, 0):
                yield event.seq

    def _add_corrections(self, chosen: set[int], begins: int, ends: int) -> None:
        """Add the corrections of what is chosen, or that put something into these rounds; and what they correct."""
        rounds = {event.round_no for event in self._events[begins - 1 : ends]} - {None}
        corrections = [
            (event.seq, event.payload) for event in self._events if isinstance(event.payload, model.EventCorrected)
        ]
        before = -1
        while before < len(chosen):
            before = len(chosen)
            for seq, payload in corrections:
                replacement, old = payload.replacement, payload.supersedes_seq
                if seq in chosen or old in chosen or (replacement is not None and replacement.round_no in rounds):
                    chosen.add(seq)
                    if old < seq:
                        chosen.add(old)

    def _event(self, seq: int) -> ReadEnvelope[Event]:
        return self._events[seq - 1]


def _in_force(round_: Round) -> int:
    """Return the number of the filing that a round was judged by; 0 where none could be."""
    for filed in round_.before.rules_filed(round_.gaming_day):
        book = rulebook(filed.toml)
        if isinstance(book, str) or book.chapter.in_force:
            return filed.seq
    return 0


def _read(stream: str, record: Record) -> ReadEnvelope[Event]:
    try:
        return read(record.data)
    except EventError as error:
        raise Undecodable(stream, record.seq, str(error)) from error


def said_nothing(kind: str, key: str) -> bytes | None:
    """Say that no result was stored before."""
    return None
