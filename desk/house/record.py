"""A table's stream as the people of the house see it, line by line, with what counts now; and how they write to it.

Invariant: whoever writes is registered, has a role for it, and is in the source (`pit-m-ortiz`); a line is named by its
number in the stream. What is written is decided and appended in one turn of the log.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, Literal, NamedTuple

import msgspec

from desk.review.persons import Person, ReviewRefused
from events.errors import EventError, UndecodableEvent
from events.log.contract import EventLog
from events.open import open_log
from events.vocabulary import model
from events.vocabulary.card_numbers import hidden_in_text
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Draft
from events.vocabulary.model import Event, EventCorrected, PropertyConfigured, Replacement
from events.vocabulary.places import writers_of
from intake.filings import PROPERTY, TableFilings
from replay.fold.corrections import correction, counting

HouseLog = EventLog
"""The log as the people of the house write to it."""
House = Literal["office", "pit", "count"]
"""Who writes at a table in a person's name."""
BEGINNINGS: dict[House, str] = {"office": "filing-", "pit": "pit-", "count": "count-"}
"""Writer → how the source begins that names the person."""
KINDS = (
    model.TableOpened,
    model.TableClosed,
    model.InventoryCounted,
    model.ShiftChanged,
    model.DealerTappedIn,
    model.DealerTappedOut,
    model.FillReceived,
    model.CreditSent,
    model.DropCounted,
    model.DeviceFailed,
    model.DeviceCovered,
    model.DeviceRestored,
    model.DeviceAlarmed,
)
"""The events that are lines."""


class Amendment(NamedTuple):
    """A correction of a line: who made it, and why."""

    by: str
    reason: str


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a table: what was entered, and what counts in its place (None: it was struck), with the corrections of it."""

    seq: int
    event_id: str
    gaming_day: str
    at_us: int
    source: str
    entered: Event
    counts: Event | None
    amendments: tuple[Amendment, ...] = ()


class Filed(NamedTuple):
    """A filing of rules as it is in the stream: by whom, and who signed it a second time."""

    seq: int
    effective_gaming_day: str
    submission: str
    sha256: str
    source: str
    signed_by: tuple[str, ...]

    @property
    def by_office(self) -> bool:
        """Whether the office filed it, and no device."""
        return self.source.startswith(BEGINNINGS["office"])


class TableRecord:
    """What a table's stream says, read once (None: of a new table). Raises an `IntegrityError` if it is broken."""

    def __init__(self, log: EventLog | None, table: str) -> None:
        self.table, self.stream = table, f"table/{table}"
        self.last, self.gaming_day = 0, ""
        self.numbers: dict[str, int] = {}
        """Source → the last number that it gave."""
        self.ids: set[str] = set()
        self.filings = TableFilings()
        self.filed: list[Filed] = []
        lines: list[Line] = []
        made: dict[int, EventCorrected] = {}
        events = {}
        for record in log.read(self.stream) if log is not None else ():
            try:
                event = decode(record.data)
            except EventError as error:
                raise UndecodableEvent(self.stream, record.seq, str(error)) from error
            self.last, self.gaming_day = event.seq, event.gaming_day
            self.numbers[event.source] = event.source_seq
            self.ids.add(event.event_id)
            self.filings.apply(event.seq, event.event_id, event.payload, event.source)
            events[event.seq] = event.event_id
            if isinstance(event.payload, EventCorrected):
                made[event.seq] = event.payload
            elif isinstance(event.payload, model.FilingSigned):
                signs, by = event.payload.signs, event.payload.by
                self.filed = [
                    each._replace(signed_by=(*each.signed_by, by)) if each.seq == signs else each for each in self.filed
                ]
            elif isinstance(event.payload, model.RulesFiled):
                filed = event.payload
                self.filed.append(
                    Filed(event.seq, filed.effective_gaming_day, filed.submission, filed.sha256, event.source, ())
                )
            elif isinstance(event.payload, KINDS):
                lines.append(
                    Line(
                        seq=event.seq,
                        event_id=event.event_id,
                        gaming_day=event.gaming_day,
                        at_us=event.occurred_at_us,
                        source=event.source,
                        entered=event.payload,
                        counts=event.payload,
                    )
                )
        self.lines = [_as_corrected(line, made, events) for line in lines]

    def counting(self, *kinds: type[Event]) -> Iterator[tuple[Line, Event]]:
        """Yield the lines that count, of these kinds, with what counts in them."""
        for line in self.lines:
            if isinstance(line.counts, kinds):
                yield line, line.counts

    @property
    def opened(self) -> model.TableOpened | None:
        """How the table was opened; None if it is closed."""
        last = None
        for _, event in self.counting(model.TableOpened, model.TableClosed):
            last = event if isinstance(event, model.TableOpened) else None
        return last

    @property
    def dealer(self) -> str | None:
        """Who deals; None if no one does."""
        last = None
        for _, event in self.counting(model.DealerTappedIn, model.DealerTappedOut, model.TableClosed):
            last = event.dealer if isinstance(event, model.DealerTappedIn) else None
        return last

    def dealers(self, most: int = 5) -> list[str]:
        """Return who dealt here last, the latest first."""
        tapped = [
            event.dealer for _, event in self.counting(model.DealerTappedIn) if isinstance(event, model.DealerTappedIn)
        ]
        return list(dict.fromkeys(reversed(tapped)))[:most]

    @property
    def closer_cents(self) -> int | None:
        """What was last counted as closer; None if nothing was."""
        counted = [event for _, event in self.counting(model.InventoryCounted)]
        closers = [
            each.amount_cents for each in counted if isinstance(each, model.InventoryCounted) and each.kind == "closer"
        ]
        return closers[-1] if closers else None

    def signers(self, seq: int) -> tuple[str, ...]:
        """Return who signed a filing a second time."""
        return next((each.signed_by for each in self.filed if each.seq == seq), ())

    def line(self, seq: int) -> Line:
        """Return a line by its number. Raises `ReviewRefused` if none exists."""
        found = next((line for line in self.lines if line.seq == seq), None)
        if found is None:
            raise ReviewRefused(f"{self.table} has no line {seq}; `rack pit list {self.table}` shows its lines")
        return found


def _as_corrected(line: Line, made: dict[int, EventCorrected], ids: dict[int, str]) -> Line:
    corrections = [correction(seq, each) for seq, each in made.items()]
    last = counting(corrections, ids).get(line.seq)
    if last is None:
        return line
    amendments = tuple(
        Amendment(each.by, each.reason) for each in made.values() if each.supersedes_event_id == line.event_id
    )
    counts = None if last.replacement is None else last.replacement[1]
    return msgspec.structs.replace(line, counts=counts, amendments=amendments)


def configured(log: EventLog) -> PropertyConfigured | None:
    """Return how the property configured itself last; None if it never did. Raises an `IntegrityError`."""
    last = None
    for record in log.read(PROPERTY):
        payload = decode(record.data).payload
        last = payload if isinstance(payload, PropertyConfigured) else last
    return last


def house_event(cls: type[Event], **fields: object) -> Event:
    """Return an event, without card numbers. Raises `ReviewRefused` if a value is out of form."""
    try:
        return cls(
            **{
                name: hidden_in_text(value) if isinstance(value, str) and name != "toml" else value
                for name, value in fields.items()
            }
        )
    except msgspec.ValidationError as error:
        raise ReviewRefused(f"{error}: nothing was written") from error


def replacement_of(payload: Event) -> Replacement:
    """Return an event as it is in the place of another."""
    return Replacement(payload=msgspec.to_builtins(payload), round_no=None, type=payload.TYPE, version=payload.VERSION)


class Entry(NamedTuple):
    """An event that is about to be written, when it happened (UTC microseconds), and its id (None: one that no one can guess)."""

    payload: Event
    at_us: int
    event_id: str | None = None


def drafts(record: TableRecord, writer: House, person: Person, entries: Sequence[Entry]) -> list[Draft]:
    """Return what a person enters at a table as drafts. Raises `ReviewRefused` for what this writer does not write there."""
    source = BEGINNINGS[writer] + person.token
    first = record.numbers.get(source, 0) + 1
    for entry in entries:
        replaced = entry.payload.replacement if isinstance(entry.payload, EventCorrected) else None
        for type_ in (entry.payload.TYPE, *(() if replaced is None else (replaced.type,))):
            if writer not in writers_of(record.stream, type_):
                raise ReviewRefused(f"{type_} in {record.stream} is not for the {writer} to write")
    return [
        Draft(
            event_id=entry.event_id or secrets.token_hex(16),
            source=source,
            source_seq=number,
            occurred_at_us=entry.at_us,
            round_no=None,
            payload=entry.payload,
        )
        for number, entry in enumerate(entries, first)
    ]


@contextmanager
def house_at(address: str, *, read_only: bool = False, **options: Any) -> Iterator[EventLog]:
    """Open the log at an address for the people of the house; `options` say how a cluster is reached. Raises `EventError`."""
    with closing(open_log(address, read_only=read_only, **options)) as log:
        yield log


@contextmanager
def records(log: EventLog, tables: Sequence[str]) -> Iterator[list[TableRecord]]:
    """Read tables and keep other writers out until what follows from them is written."""
    with log.turn():
        yield [TableRecord(log, table) for table in tables]
