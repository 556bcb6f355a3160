"""The evidence of a verdict: the few events of a table's stream that suffice for the same verdict. Pure.

A verdict depends on the round and on the state of the table when it opened: filed rules, decks and their preparation, dice,
devices, meters, seated patrons, and leftovers of earlier rounds. `evidence` includes the round and the rounds just before it
whole; of earlier events, the last of each kind about each thing; of later events, those about these rounds, and the next of a
device, which shows whether messages of the round were lost. It then judges these events alone. If that changes the verdict, it
includes twice as many earlier rounds. So no one has to trust the choice: a reader judges the chosen events again.
"""

import functools
import sys
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

import msgspec

from desk.review.disputes import place_of, round_stream
from desk.review.stored_events import event_of
from events.log.contract import Record
from events.log.runs import runs_of
from events.vocabulary import model
from events.vocabulary.codec import read as read_data
from events.vocabulary.codec import read_all
from events.vocabulary.envelope import ReadEnvelope
from events.vocabulary.model import Event
from replay.findings import Adjudication
from replay.fold.corrections import correction
from replay.fold.observed_fold import ObservedEntry
from replay.fold.record_faults import Source
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.fold.table_fold import TableFold
from replay.fold.table_state import CHANGES
from replay.run.adjudicate import Conclusion
from replay.run.observed_entries import Elsewhere, no_other_streams
from replay.run.refold import Reader, refold
from replay.run.stream_worker import LatestResult, Result, StreamWorker, rulebook, rules_in_force
from rulebook.chapters.rulebook import Rulebook

FRAME = tuple(f'"{kind.TYPE}"'.encode() for kind in (model.RoundOpened, model.RoundClosed, model.EventCorrected))
"""The stored names of the events that begin, end and correct rounds: what has none of them is not one."""
THINGS = ("deck", "seat", "device", "meter", "patron")
"""The fields that name the thing an event is about."""


class RoundUnknown(LookupError):
    """The stream has no verdict on such a round; the message says why and lists the rounds."""


def known_stream(streams: Sequence[str], table: str) -> str:
    """Return the stream of a table's rounds. Raises `RoundUnknown` if it has none."""
    stream = round_stream(table)
    if stream not in streams:
        kind = stream.partition("/")[0]
        tables = ", ".join(place_of(name) for name in streams if name.startswith(f"{kind}/"))
        raise RoundUnknown(f"the log has no table {table!r}; it has {tables or 'none'}")
    return stream


class Evidence(msgspec.Struct, frozen=True):
    """The records in order; from number `begins` to number `ends` there is no gap."""

    records: tuple[Record, ...]
    begins: int
    ends: int

    @property
    def span(self) -> tuple[int, int]:
        """The two numbers."""
        return self.begins, self.ends


class Judged(msgspec.Struct, frozen=True):
    """A verdict, its round, and the rules in force (or why there are none)."""

    adjudication: Adjudication
    round: Round
    book: Rulebook | str
    caution: str = ""
    """A note for the person who hands the packet over; may be empty."""
    header: model.RoundObserved | None = None
    """The observer's statements about an observed round."""


class EvidenceFold(TableFold):
    """A fold of chosen events.

    Events before number `begins` only change the table. Gaps in device numbers are ignored before `begins`, and after `ends` from
    the second event of a device on: what is missing there is no message of the round (D656).
    """

    def __init__(self, stream: str, begins: int, ends: int) -> None:
        super().__init__(stream)
        self._begins, self._ends = begins, ends or sys.maxsize
        self._heard_since = set[str]()

    def advance(self, events: Sequence[ReadEnvelope[Event]], start: int = 0) -> tuple[int, list[Round]]:
        """Apply events as `TableFold.advance` does; those before `begins` and after `ends` one at a time."""
        event = events[start]
        if event.seq < self._begins:
            self._change_table(event)
            return start + 1, []
        if event.seq > self._ends:
            self._pass_over_gap(event)
            return start + 1, super().advance((event,))[1]
        return super().advance(events, start)

    def _pass_over_gap(self, event: ReadEnvelope[Event]) -> None:
        """Set the counter of a device that was heard since the end so that this event shows no gap."""
        counter = self.state.sources.get(event.source)
        if counter is None or event.source_seq > counter.last:
            if counter is not None and event.source in self._heard_since:
                counter.last = event.source_seq - 1
            self._heard_since.add(event.source)

    def _change_table(self, event: ReadEnvelope[Event]) -> None:
        """Apply a corrected event to the table, its device's counter and the number of the last round."""
        state = self.state
        state.sources[event.source] = Source(event.source_seq, event.occurred_at_us, seq=event.seq)
        state.gaming_day = event.gaming_day
        state.last_round_no = max(state.last_round_no, event.round_no or 0)
        if self.replacements is not None and event.seq in self.replacements:
            substitute = self.replacements[event.seq]
            if substitute is None:
                return
            event = msgspec.structs.replace(event, payload=substitute[1])
        if isinstance(event.payload, model.EventCorrected):
            self.corrections.append(correction(event.seq, event.payload))
        else:
            state.apply(RecordedEvent.of(event))


class RoundWorker(StreamWorker):
    """A worker that judges one round and keeps its last judgment; of an observed round also the header."""

    def __init__(
        self, stream: str, latest: LatestResult, *, round_no: int, span: tuple[int, int], elsewhere: Elsewhere = no_other_streams
    ) -> None:
        super().__init__(stream, latest)
        self._round_no, self.elsewhere = round_no, elsewhere
        self.table = EvidenceFold(stream, *span) if self.table is not None else None
        self.judged: Round | None = None
        self.entry: ObservedEntry | None = None

    def judge(self, round_: Round) -> list[Result]:
        """Judge the round if it is the requested one."""
        if round_.round_no != self._round_no or round_.is_repeat:
            return []
        self.judged = round_
        return super().judge(round_)

    def _judge_entry(self, entry: ObservedEntry) -> list[Result]:
        if entry.round_no != self._round_no:
            return []
        self.entry = entry
        return super()._judge_entry(entry)

    def _conclude(self, round_: Round, book: Rulebook | str, conclusion: Conclusion | None = None) -> list[Result]:
        self.judged = round_
        return super()._conclude(round_, book, conclusion)


def listed(records: Sequence[Record]) -> Reader:
    """Return a reader of these records."""

    def read(first: int = 1, last: int | None = None) -> Iterator[Record]:
        return (record for record in records if first <= record.seq and (last is None or record.seq <= last))

    return read


def judge(
    stream: str, read: Reader, round_no: int, *, span: tuple[int, int] = (0, 0), elsewhere: Elsewhere = no_other_streams
) -> Judged | None:
    """Judge a round by the records of its stream that `read` yields, with corrections applied.

    Returns None if the round has no verdict. Raises `UndecodableEvent`, and what `read` raises.

    `span`: between these two numbers no event is left out (see `Evidence`); `(0, 0)` if none is anywhere. `elsewhere` reads the
    other streams that an observed round names.
    """
    make = functools.partial(RoundWorker, round_no=round_no, span=span, elsewhere=elsewhere)
    refolded = refold(stream, read, None, no_result, tuple, None, make)
    if refolded.broken is not None:
        raise refolded.broken
    assert isinstance(refolded.worker, RoundWorker)
    round_ = refolded.worker.judged
    verdicts = [data for kind, _, data in refolded.results if kind == "adjudications"]
    if round_ is None or not verdicts:
        return None
    header = refolded.worker.entry.header if refolded.worker.entry is not None else None
    verdict = msgspec.json.decode(verdicts[-1], type=Adjudication)
    return Judged(verdict, round_, rules_in_force(round_), header=header)


def evidence(stream: str, read: Reader, round_no: int) -> tuple[Evidence, Judged]:
    """Return the evidence of a round's verdict, from all records of a stream, and the verdict as of the last record.

    The stream is read several times and never held in memory. Raises `RoundUnknown` if there is no verdict, `UndecodableEvent` if
    the stream cannot be read, and what `read` raises.
    """
    whole = judge(stream, read, round_no)
    chooser = _Chooser(read)
    if whole is None:
        raise RoundUnknown(chooser.why_not(round_no))
    for begins in chooser.beginnings(whole):
        chosen = chooser.choose(whole, begins)
        alone = judge(stream, listed(chosen.records), round_no, span=chosen.span)
        if alone is not None and is_same(alone.adjudication, whole.adjudication):
            return chosen, whole
    return Evidence(tuple(read()), 0, chooser.last), whole


def observed_evidence(
    stream: str, read: Reader, round_no: int, elsewhere: Elsewhere
) -> tuple[Evidence, Judged, dict[str, list[Record]]]:
    """Return the evidence of an observed round's verdict in its stream, the verdict, and the records of other streams.

    Its stream holds the whole entry and later events about it; other streams hold its pinned filing and the other record of the
    same round. Raises what `evidence` raises.
    """
    judged = judge(stream, read, round_no, elsewhere=elsewhere)
    if judged is None or judged.header is None:
        entered = [read_data(each.data).round_no or 0 for each in read() if b'"round_observed"' in each.data]
        why = f"there are rounds 1 to {max(entered)}" if entered else "there are none"
        raise RoundUnknown(
            f"the entry of round {round_no} was withdrawn" if round_no in entered else f"there is no round {round_no}; {why}"
        )
    own, wanted = [], judged.header.same_as
    for record in read():
        same_entry = wanted is not None and wanted.stream == stream and wanted.first_seq <= record.seq <= wanted.last_seq
        if same_entry or _is_about(record, round_no):
            own.append(record)
    table = f"table/{stream.partition('/')[2]}"
    others = {table: list(elsewhere(table, judged.header.rules.seq, judged.header.rules.seq))}
    if wanted is not None and wanted.stream == table:
        others[table] += elsewhere(table, wanted.first_seq, wanted.last_seq)
    others[table] = sorted({each.seq: each for each in others[table]}.values(), key=lambda each: each.seq)
    begins, numbers = judged.adjudication.first_seq, {record.seq for record in own}
    ends = next(seq for seq in count(begins) if seq + 1 not in numbers)
    return Evidence(tuple(own), begins, ends), judged, others


def _is_about(record: Record, round_no: int) -> bool:
    """Whether an event of a stream of observed rounds concerns an entry, or amends its chapter."""
    event = read_data(record.data)
    return event.round_no == round_no or isinstance(event.payload, model.ChapterPublished)


def rests_on(judged: Judged, stream: str) -> int:
    """Return the last event of a table's stream that an observed round depends on, as its observer states."""
    assert judged.header is not None, "an observed round"
    same = judged.header.same_as
    return max(judged.header.rules.seq, same.last_seq if same is not None and same.stream == stream else 0)


def among(records: Mapping[str, Sequence[Record]]) -> Elsewhere:
    """Return a reader of these records by stream."""

    def found(stream: str, first: int, last: int) -> Iterator[Record]:
        return listed(records.get(stream, ()))(first, last)

    return found


def is_same(one: Adjudication, other: Adjudication) -> bool:
    """Whether two verdicts agree in all but the last event read and the engine."""
    return msgspec.structs.replace(one, as_of=other.as_of, engine=other.engine) == other


class _Chooser:
    """Chooses events of a stream; it keeps only the ends of rounds and the corrections."""

    def __init__(self, read: Reader) -> None:
        self._reader = read
        self._opened: list[int] = []
        self._closed: list[int] = []
        self._numbers: list[int] = []
        self._corrections: list[tuple[int, model.EventCorrected]] = []
        self.last = 0
        for record in read():
            self.last = record.seq
            if not any(name in record.data for name in FRAME):
                continue
            event = event_of(record, read_data)
            if isinstance(event.payload, model.RoundOpened):
                self._opened.append(event.seq)
                self._numbers.append(event.round_no or 0)
            elif isinstance(event.payload, model.RoundClosed):
                self._closed.append(event.seq)
            elif isinstance(event.payload, model.EventCorrected):
                self._corrections.append((event.seq, event.payload))

    def why_not(self, round_no: int) -> str:
        if round_no in self._numbers:
            if self._numbers[-1] == round_no and (not self._closed or self._closed[-1] < self._opened[-1]):
                return f"round {round_no} is not over"
            return f"a correction says that round {round_no} was never opened"
        numbers = f"rounds {min(self._numbers)} to {max(self._numbers)}" if self._numbers else "none"
        return f"there is no round {round_no}; there are {numbers}"

    def beginnings(self, judged: Judged) -> Iterator[int]:
        """Yield the beginnings to try: 1, 2, 4, … rounds before, finally the first event."""
        place, back = bisect_left(self._opened, judged.adjudication.first_seq), 1
        while back < place:
            yield self._between(self._opened[place - back])
            back *= 2
        yield 1

    def choose(self, judged: Judged, begins: int) -> Evidence:
        """Return the evidence with everything from number `begins` to the end of the round."""
        first = judged.adjudication.first_seq
        place = bisect_left(self._opened, first)
        following = self._opened[place + 1] if place + 1 < len(self._opened) else self.last
        closed = [seq for seq in self._closed if first < seq < following]
        ends = closed[-1] if closed else following
        chosen: dict[int, Record] = {}
        numbers: dict[str, int] = {}
        for record in self._earlier(begins, judged, numbers):
            chosen[record.seq] = record
        rounds: set[int | None] = set()
        for record, event in self._read(begins, ends):
            chosen[record.seq] = record
            rounds.add(event.round_no)
            numbers[event.source] = event.source_seq
        rounds.discard(None)
        next_of: dict[str, Record] = {}
        for record, event in self._read(ends + 1):
            last = numbers.get(event.source, 0)
            is_next = event.source_seq > last and event.source not in next_of
            if is_next:
                next_of[event.source] = record
            is_about = event.round_no in rounds or isinstance(event.payload, model.ChapterPublished)
            is_late, shows_loss = event.source_seq < last, is_next and event.source_seq > last + 1  # D656, D1192
            if is_about or is_late or shows_loss:
                chosen[record.seq] = record
        size = -1
        while size < len(chosen):
            size = len(chosen)
            self._add_corrections(chosen, rounds)
            later = {event_of(record, read_data).source for record in chosen.values() if record.seq > ends}
            chosen |= {record.seq: record for source, record in next_of.items() if source in later}
        return Evidence(tuple(chosen[seq] for seq in sorted(chosen)), begins, ends)

    def _between(self, opened: int) -> int:
        """Return the number of the first event after the round before this one."""
        at = bisect_left(self._closed, opened)
        previous = self._opened[bisect_left(self._opened, opened) - 1]
        return self._closed[at - 1] + 1 if at and self._closed[at - 1] > previous else opened

    def _earlier(self, begins: int, judged: Judged, numbers: dict[str, int]) -> Iterator[Record]:
        """Yield the records that make the state of the table: the last on each thing, and of each device."""
        devices: dict[str, Record] = {}
        last: dict[tuple[Any, ...], Record] = {}
        in_force = _in_force(judged.round)
        for record, event in self._read(1, begins - 1) if begins > 1 else ():
            payload = event.payload
            devices[event.source], numbers[event.source] = record, event.source_seq
            if isinstance(payload, model.DeckRemoved):
                last = {key: record_ for key, record_ in last.items() if key[1] != payload.deck}
            elif isinstance(payload, model.RulesFiled):
                if event.seq >= in_force:
                    yield record
            elif isinstance(payload, model.ChapterPublished):
                yield record
            elif payload.KIND in CHANGES or payload.KIND is model.RoundClosed:
                last[payload.TYPE, *(getattr(payload, thing, None) for thing in THINGS)] = record
        yield from devices.values()
        yield from last.values()

    def _add_corrections(self, chosen: dict[int, Record], rounds: set[int | None]) -> None:
        """Add the corrections of chosen events, those that move an event into these rounds, and the corrected events."""
        closure, size = set(chosen), -1
        while size < len(closure):
            size = len(closure)
            for seq, payload in self._corrections:
                replacement, old = payload.replacement, payload.supersedes_seq
                if seq in closure or old in closure or (replacement is not None and replacement.round_no in rounds):
                    closure |= {seq, old} if old < seq else {seq}
        for seq in closure - set(chosen):
            (chosen[seq],) = self._reader(seq, seq)

    def _read(self, first: int = 1, last: int | None = None) -> Iterator[tuple[Record, ReadEnvelope[Event]]]:
        for run in runs_of(self._reader(first, last)):
            yield from zip(
                run, read_all([record.data for record in run]) or [event_of(record, read_data) for record in run], strict=True
            )


def _in_force(round_: Round) -> int:
    """Return the number of the filing that judged a round; 0 if there was none."""
    for filed in round_.before.rules_filed(round_.gaming_day):
        book = rulebook(filed.toml, round_.gaming_day, round_.before.editions)
        if isinstance(book, str) or book.chapter.in_force:
            return filed.seq
    return 0


def no_result(kind: str, key: str) -> bytes | None:
    """Return None: there are no earlier results."""
    return None
