"""Small streams made by hand: a table's devices turn transcripts and single events into drafts, stored or folded.

A table numbers its events as a log would (the first is 1), so that a test can speak of the event it means.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from events.errors import AppendRefused, IntegrityError
from events.log.appender import StreamState, place
from events.log.contract import NOTHING_EXPECTED, AppendResult, EventLog, Head, QuarantineEntry, Record
from events.log.foreign import OwnStore
from events.log.hash_chain import genesis
from events.log.turn import SoleWriter
from events.vocabulary.envelope import Draft, ReadEnvelope, unlogged
from events.vocabulary.model import Event, EventCorrected, GamingDayOpened, Replacement, RoundClosed, RoundOpened, RulesFiled
from replay.fold.round import Round
from replay.fold.table_fold import TableFold
from replay.run.adjudicate import Conclusion, adjudicate
from replay.transcript.transcript import parse
from rulebook.chapters.rulebook import Rulebook, parse_submission
from rulebook.chapters.submission import submission_from_words

DAY = "2026-03-01"
LOG_ID = "5e" * 16
PROPERTY = "bellwether"
START_US = 1_772_400_000_000_000
SECOND_US = 1_000_000
DESK_US = START_US + 3_600 * SECOND_US
"""When somebody works at the review desk: an hour later."""

RULES_LINE = "rules pa-688a ace_high_bonus=1 fortune_bonus=3 progressive=4"

DEALER = "Kh Qd Js 9c 8d 4h 3s"
"""No pair: the house way sets K-9-8-4-3 and Q-J."""

PAID = """
covers settlement
wager   seat=1 base 10.00
wager   seat=3 base 25.00
deal    seat1=Th 9d 7h 6c 4d 3c 2c  seat3=As Ah 7c 7d 5s 4c 2h  dealer=Kh Qd Js 9c 8d 4h 3s
set     seat=3 high=As Ah 5s 4c 2h low=7c 7d
set     seat=1 high=Th 7h 6c 4d 3c low=9d 2c
pay     seat=3 base 25.00
take    seat=1 base 10.00
close
"""
"""Seat 3 wins 25.00, seat 1 loses 10.00; both are settled rightly."""

UNPAID = PAID.replace("pay     seat=3 base 25.00\n", "")
"""The same, and seat 3 was not paid: PAY-MISSED -25.00."""


def rules_text(words: str = "pa-688a") -> str:
    return submission_from_words(words.split())


def filed(words: str = "pa-688a") -> RulesFiled:
    toml = rules_text(words)
    book = parse_submission(toml)
    return RulesFiled(
        submission=book.name, effective_gaming_day=book.effective_gaming_day, toml=toml, sha256=sha256(toml.encode()).hexdigest()
    )


class Table:
    """The devices of one stream; `drafts[n - 1]` becomes its event n. Every event is one second after the one before."""

    def __init__(self, name: str = "table/fu-01", words: str | None = "pa-688a", day: str = DAY) -> None:
        self.stream, self.day = name, day
        self.words = words or "pa-688a"
        self.drafts: list[Draft] = []
        self._counts: dict[str, int] = {}
        self.say(GamingDayOpened(gaming_day=day), source="pit")
        if words is not None and name.startswith("table/"):
            self.say(filed(words), source="pit")

    @property
    def last(self) -> int:
        """The number of the last event."""
        return len(self.drafts)

    def say(
        self,
        payload: Event,
        round_no: int | None = None,
        *,
        source: str = "table",
        source_seq: int | None = None,
        at_us: int | None = None,
    ) -> int:
        """A device reports an event; returns the number that it gets. `source_seq` skips or repeats numbers."""
        number = source_seq if source_seq is not None else self.next(source)
        self._counts[source] = max(number, self._counts.get(source, 0))
        seq = self.last + 1
        draft = Draft(
            event_id=sha256(f"{self.stream}/{seq}".encode()).hexdigest()[:32],
            source=source,
            source_seq=number,
            occurred_at_us=at_us if at_us is not None else START_US + seq * SECOND_US,
            round_no=round_no,
            payload=payload,
        )
        self.drafts.append(draft)
        return seq

    def next(self, source: str = "table") -> int:
        """The next number of a device's own counter."""
        return self._counts.get(source, 0) + 1

    def skip(self, source: str) -> int:
        """Lose the next message of a device; returns its number."""
        self._counts[source] = self.next(source)
        return self._counts[source]

    def play(self, round_no: int, text: str) -> dict[str, int]:
        """Play a round as transcribed; returns the number of the last event of each type in it."""
        said = {}
        inside = False
        (script,) = parse(f"rules {self.words}\nround {round_no}\n{text}", "played")
        for each in script.events:
            if isinstance(each.payload, RulesFiled):
                continue
            inside = inside or isinstance(each.payload, RoundOpened)
            said[each.payload.TYPE] = self.say(each.payload, round_no if inside else None)
        return said

    def correct(self, seq: int, payload: Event | None, round_no: int | None = None, event_id: str = "") -> int:
        """Supersede an event (by another id than its own, if given) by a payload, or by nothing; the correction's number."""
        replacement = None
        if payload is not None:
            content: dict[str, Any] = msgspec.to_builtins(payload)
            replacement = Replacement(type=payload.TYPE, version=payload.VERSION, round_no=round_no, payload=content)
        return self.say(
            EventCorrected(
                supersedes_seq=seq,
                supersedes_event_id=event_id or self.drafts[seq - 1].event_id,
                replacement=replacement,
                by="sv-1",
                reason="video shows otherwise",
            ),
            source="office",
        )

    def payload(self, seq: int) -> Any:
        return self.drafts[seq - 1].payload

    # ----------------------------------------------------------------------------------------- folded, without a log

    def fold(self, fold: TableFold | None = None) -> Iterator[Round]:
        """Yield rounds as the fold hands them out."""
        fold = fold if fold is not None else TableFold(self.stream)
        for event in self.events():
            yield from fold.apply(event)

    def events(self) -> Iterator[ReadEnvelope[Event]]:
        """Yield what the devices reported as the events of a stream."""
        day = self.day
        for seq, draft in enumerate(self.drafts, 1):
            if isinstance(draft.payload, GamingDayOpened):
                day = draft.payload.gaming_day
            yield in_stream(draft, self.stream, seq, day)

    def verdicts(self) -> list[tuple[int, Conclusion]]:
        """Return what each round comes to, again whenever it changed."""
        book = self.book
        return [(round_.round_no, adjudicate(round_, book)) for round_ in self.fold()]

    @property
    def book(self) -> Rulebook:
        return parse_submission(rules_text(self.words))


def in_stream(draft: Draft, stream: str, seq: int, gaming_day: str) -> ReadEnvelope[Event]:
    """Return what a device reported as an event of a stream, without a log."""
    return unlogged(
        draft.payload,
        stream=stream,
        seq=seq,
        gaming_day=gaming_day,
        source=draft.source,
        source_seq=draft.source_seq,
        occurred_at_us=draft.occurred_at_us,
        round_no=draft.round_no,
        event_id=draft.event_id,
    )


def lines(conclusion: Conclusion) -> list[str]:
    return [found.line() for found in conclusion.findings]


def said(table: Table) -> list[tuple[int, str, list[str]]]:
    """Return (round, verdict, findings) of every verdict in order."""
    return [(number, conclusion.verdict, lines(conclusion)) for number, conclusion in table.verdicts()]


class ReadOnly(SoleWriter, OwnStore):
    """The half of an `EventLog` that a double for reading does not need: it takes nothing, and remembers nothing besides."""

    def append(self, stream: str, expected_seq: int, drafts: Sequence[Draft]) -> AppendResult:
        raise AppendRefused("open for reading only")

    def append_groups(
        self, groups: Iterable[tuple[str, Sequence[Draft]]], expected: Mapping[str, int] = NOTHING_EXPECTED
    ) -> list[AppendResult]:
        raise AppendRefused("open for reading only")

    def quarantine(self, *entries: QuarantineEntry) -> None:
        raise AppendRefused("open for reading only")

    def quarantined(self) -> list[QuarantineEntry]:
        return []

    def acknowledged(self) -> dict[str, Head]:
        return {}

    def verify_head(self, stream: str) -> None:
        """Nothing was acknowledged that could be missing."""

    def close(self) -> None:
        """Nothing is held open."""


class MemoryLog(ReadOnly):
    """An `EventLog` for reading, in memory: streams in the order in which their events were interleaved.

    `broken` (stream → number) breaks a stream's chain there.
    """

    def __init__(self, tables: Sequence[Table], order: Sequence[int] | None = None, batch: int = 50) -> None:
        self.log_id, self.property_id, self.batch = LOG_ID, PROPERTY, batch
        self.broken: dict[str, int] = {}
        self.records: dict[str, list[Record]] = {table.stream: records(table) for table in tables}
        self.all: list[Record] = []
        left = [iter(self.records[table.stream]) for table in tables]
        for index in order if order is not None else [n for n, table in enumerate(tables) for _ in table.drafts]:
            self.all.append(next(left[index]))

    def streams(self) -> list[str]:
        return sorted(self.records)

    def head(self, stream: str) -> Head:
        return Head(self.records[stream][-1].seq, self.records[stream][-1].hash)

    def read(self, stream: str, from_seq: int = 1, to_seq: int | None = None) -> Iterator[Record]:
        for record in self.records[stream]:
            if from_seq <= record.seq <= (to_seq or record.seq):
                self._check(record)
                yield record

    def tail(self, after: Mapping[str, int], *, wait_s: float | None = None) -> Iterator[list[Record]]:
        waiting: list[Record] = []
        for record in self.all:
            if record.seq <= after.get(record.stream, 0):
                continue
            try:
                self._check(record)
            except IntegrityError:
                yield waiting
                raise
            waiting.append(record)
            if len(waiting) == self.batch:
                yield waiting
                waiting = []
        if waiting:
            yield waiting

    def _check(self, record: Record) -> None:
        if record.seq == self.broken.get(record.stream):
            raise IntegrityError(record.stream, record.seq, "the bytes do not give the recorded hash")


def records(table: Table, recorded_us: int = START_US) -> list[Record]:
    """Return a table's events as a log stores them."""
    return records_of_drafts(table.stream, table.drafts, recorded_us)


def records_of_drafts(stream: str, drafts: Sequence[Draft], recorded_us: int = START_US) -> list[Record]:
    """Return drafts of a stream as a log stores them."""
    state = StreamState(Head(0, genesis(LOG_ID, PROPERTY, stream)))
    made = []
    for count, draft in enumerate(drafts):
        record, state = place(state, draft, log_id=LOG_ID, property_id=PROPERTY, stream=stream, now_us=recorded_us + count)
        made.append(record)
    return made


def append(log: EventLog, *tables: Table, after: Mapping[str, int] | None = None) -> None:
    """Append what the tables said (beyond `after`) to a log, stream after stream."""
    behind = after or {}
    log.append_groups([(table.stream, table.drafts[behind.get(table.stream, 0) :]) for table in tables])


def closing(table: Table, round_no: int) -> int:
    """Return the number of the event that closed a round."""
    return next(
        seq for seq, draft in enumerate(table.drafts, 1) if isinstance(draft.payload, RoundClosed) and draft.round_no == round_no
    )
