"""A table's stream as lines for the people of the house, with the valid content of each; and their writing to it.

Invariant: a person who writes is registered, has a role for it, and is in the source (`pit-m-ortiz`); a line is named by its
number in the stream. Entries are decided and appended in one turn of the log.
"""

import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from copy import copy
from typing import Any, Literal, NamedTuple

import msgspec

from desk.review.persons import Person, ReviewRefused
from desk.review.stored_events import event_of
from events.errors import WrongSequence
from events.log.contract import EventLog, Record
from events.open import open_log
from events.vocabulary import model
from events.vocabulary.card_numbers import hidden_in_text
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Draft
from events.vocabulary.model import Event, EventCorrected, PropertyConfigured, Replacement
from events.vocabulary.places import writers_of
from intake.filings import PROPERTY, TableFilings
from replay.fold.corrections import correction, counting
from replay.narrative.events import sentence

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


WITH_SECOND: dict[type[Event], type[Event]] = {
    model.InventoryCounted: model.InventoryCounted,
    model.FillReceived: model.FillReceived2,
    model.CreditSent: model.CreditSent2,
}
"""The event that a second person checks → the event that names this person."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a table: the entry, its valid content (None: struck), its corrections, and who saw that content."""

    seq: int
    event_id: str
    gaming_day: str
    at_us: int
    source: str
    entered: Event
    counts: Event | None
    amendments: tuple[Amendment, ...] = ()
    initials: str | None = None

    @property
    def says(self) -> str:
        """The line as a sentence: the valid content, the original entry if it differs, and who corrected it why."""
        said = sentence(self.shown) + ("; waits for a second person's initials" if self.awaits_initials else "")
        if self.counts is None:
            said += ": struck"
        elif self.counts != self.entered:
            said += f" (entered: {sentence(self.entered)})"
        return said + "".join(f"; corrected by {each.by}: {each.reason}" for each in self.amendments)

    def values(self) -> dict[str, Any]:
        """Return the line as JSON values."""
        return {
            "line": self.seq,
            "gaming_day": self.gaming_day,
            "at_us": self.at_us,
            "source": self.source,
            "type": self.entered.TYPE,
            "entered": msgspec.to_builtins(self.entered),
            "counts": msgspec.to_builtins(self.counts),
            "initials": self.initials,
            "corrections": [each._asdict() for each in self.amendments],
        }

    @property
    def authors(self) -> set[str]:
        """Return the authors of the valid content: who entered the event and who corrected it."""
        return {getattr(self.entered, "by", ""), *(each.by for each in self.amendments)}

    @property
    def awaits_initials(self) -> bool:
        """Whether the line needs a second person: it was entered without one, or corrected since."""
        counts = self.counts
        if self.initials or not self.source.startswith(BEGINNINGS["pit"]) or not isinstance(counts, tuple(WITH_SECOND)):
            return False
        return bool(self.amendments) or getattr(counts, "verified_by", None) is None

    @property
    def shown(self) -> Event:
        """The valid content, or the original entry if it was struck, with the second person."""
        counts = self.entered if self.counts is None else self.counts
        if self.initials is None:
            return counts
        kind = WITH_SECOND.get(type(counts), type(counts))
        return kind(**(msgspec.structs.asdict(counts) | {"verified_by": self.initials}))


class Filed(NamedTuple):
    """A filing of rules in the stream: who filed it, and who signed second."""

    seq: int
    effective_gaming_day: str
    submission: str
    sha256: str
    source: str
    signed_by: tuple[str, ...]

    @property
    def by_office(self) -> bool:
        """Whether the office filed it, not a device."""
        return self.source.startswith(BEGINNINGS["office"])


class TableRecord:
    """The content of a table's stream (None: of a new table). Raises an `IntegrityError` if it is broken.

    Device reports about rounds, nearly all of a stream, are not decoded.
    """

    def __init__(self, log: EventLog | None, table: str) -> None:
        self.table, self.stream = table, f"table/{table}"
        self.last, self.gaming_day = 0, ""
        self.numbers: dict[str, int] = {}
        """Source → the last number that it gave."""
        self.ids: set[str] = set()
        self.filings = TableFilings()
        self.filed: list[Filed] = []
        self.lines: list[Line] = []
        self._end = b""
        self._entered: list[Line] = []
        self._made: dict[int, EventCorrected] = {}
        self._initialed: dict[int, model.EntryInitialed] = {}
        self._ids: dict[int, str] = {}
        if log is not None:
            self.read_on(log)

    def read_on(self, log: EventLog) -> bool:
        """Read the new events; return whether the stream still continues the part already read."""
        end: Record | None = None
        goes_on = not self.last
        for record in log.read(self.stream, max(self.last, 1)):
            if record.seq == self.last:
                goes_on = record.data == self._end
                if not goes_on:
                    return False
                continue
            end = record
            if _type_of(record.data) in _READ:
                self._apply(record)
        if end is not None:
            self.last, self._end = end.seq, end.data
            self.gaming_day = event_of(end, decode).gaming_day
            self.lines = [
                _initialed(_as_corrected(line, self._made, self._ids), self._made, self._initialed) for line in self._entered
            ]
        return goes_on

    def _apply(self, record: Record) -> None:
        event = event_of(record, decode)
        payload = event.payload
        self.numbers[event.source] = event.source_seq
        self.ids.add(event.event_id)
        self.filings.apply(event.seq, event.event_id, payload, event.source)
        self._ids[event.seq] = event.event_id
        if isinstance(payload, EventCorrected):
            self._made[event.seq] = payload
        elif isinstance(payload, model.EntryInitialed):
            self._initialed[event.seq] = payload
        elif isinstance(payload, model.FilingSigned):
            self.filed = [
                each._replace(signed_by=(*each.signed_by, payload.by)) if each.seq == payload.signs else each
                for each in self.filed
            ]
        elif isinstance(payload, model.RulesFiled):
            self.filed.append(
                Filed(event.seq, payload.effective_gaming_day, payload.submission, payload.sha256, event.source, ())
            )
        elif isinstance(payload, KINDS):
            self._entered.append(
                Line(
                    seq=event.seq,
                    event_id=event.event_id,
                    gaming_day=event.gaming_day,
                    at_us=event.occurred_at_us,
                    source=event.source,
                    entered=payload,
                    counts=payload,
                )
            )

    def counting(self, *kinds: type[Event]) -> Iterator[tuple[Line, Event]]:
        """Yield the valid lines of these kinds, with their valid content."""
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
        """Return the dealer; None if the table has none."""
        last = None
        for _, event in self.counting(model.DealerTappedIn, model.DealerTappedOut, model.TableClosed):
            last = event.dealer if isinstance(event, model.DealerTappedIn) else None
        return last

    def dealers(self, most: int = 5) -> list[str]:
        """Return the dealers of this table, the latest first."""
        tapped = [event.dealer for _, event in self.counting(model.DealerTappedIn) if isinstance(event, model.DealerTappedIn)]
        return list(dict.fromkeys(reversed(tapped)))[:most]

    @property
    def closer_cents(self) -> int | None:
        """The last closer in cents; None if none exists."""
        counted = [event for _, event in self.counting(model.InventoryCounted)]
        closers = [each.amount_cents for each in counted if isinstance(each, model.InventoryCounted) and each.kind == "closer"]
        return closers[-1] if closers else None

    @property
    def awaiting(self) -> list[Line]:
        """The lines of this and the last gaming day that need a second person's initials, newest first."""
        days = sorted({line.gaming_day for line in self.lines})[-2:]
        return [line for line in reversed(self.lines) if line.awaits_initials and line.gaming_day in days]

    def values(self) -> dict[str, Any]:
        """Return the state of the table as JSON values."""
        return {
            "table": self.table,
            "gaming_day": self.gaming_day,
            "open": self.opened is not None,
            "dealer": self.dealer,
            "closer_cents": self.closer_cents,
            "last_dealers": self.dealers(),
        }

    def signers(self, seq: int) -> tuple[str, ...]:
        """Return the second signers of a filing."""
        return next((each.signed_by for each in self.filed if each.seq == seq), ())

    def line(self, seq: int) -> Line:
        """Return a line by its number. Raises `ReviewRefused` if none exists."""
        found = next((line for line in self.lines if line.seq == seq), None)
        if found is None:
            raise ReviewRefused(f"{self.table} has no line {seq}; `rack pit list {self.table}` shows its lines")
        return found


_READ = frozenset(
    kind.TYPE
    for kind in (
        *KINDS,
        EventCorrected,
        model.FilingSigned,
        model.EntryInitialed,
        model.IntakeRefused,
        model.RulesFiled,
        model.GamingDayOpened,
        model.ChapterPublished,
    )
)
"""The types of events that are read here. People of the house write no other ones."""
_MOST_KNOWN = 400
"""Tables whose last reading is kept in memory."""
_known: dict[tuple[str, str], TableRecord] = {}
_lock = threading.Lock()


def table_record(log: EventLog, table: str) -> TableRecord:
    """Return the content of a table's stream. Of the part read before, only its end is checked."""
    key = (log.log_id, table)
    with _lock:
        known = _known.pop(key, None)
        record = None if known is None else _copy(known)
    if record is None or not record.read_on(log):
        record = TableRecord(log, table)
    with _lock:
        _known[key] = _copy(record)
        while len(_known) > _MOST_KNOWN:
            del _known[next(iter(_known))]
    return record


def _copy(record: TableRecord) -> TableRecord:
    """Return an independent copy of a record: its values are frozen, the containers are copied."""
    made = copy(record)
    for name, value in vars(made).items():
        if isinstance(value, dict | list | set):
            setattr(made, name, value.copy())
    made.filings = copy(record.filings)
    for name, value in vars(made.filings).items():
        if isinstance(value, dict | list | set):
            setattr(made.filings, name, value.copy())
    return made


def _type_of(data: bytes) -> str:
    """Return the type in a record's last bytes: `…,"type":"wager_placed","version":1}`."""
    _, _, end = data.rpartition(b'"type":"')
    return end.partition(b'"')[0].decode("ascii", "replace")


def _as_corrected(line: Line, made: dict[int, EventCorrected], ids: dict[int, str]) -> Line:
    corrections = [correction(seq, each) for seq, each in made.items()]
    last = counting(corrections, ids).get(line.seq)
    if last is None:
        return line
    amendments = tuple(Amendment(each.by, each.reason) for each in made.values() if each.supersedes_event_id == line.event_id)
    counts = None if last.replacement is None else last.replacement[1]
    return msgspec.structs.replace(line, counts=counts, amendments=amendments)


def _initialed(line: Line, made: dict[int, EventCorrected], initialed: dict[int, model.EntryInitialed]) -> Line:
    """Return a line with another person's initials, if they are later than its last correction."""
    last = max((seq for seq, each in made.items() if each.supersedes_event_id == line.event_id), default=line.seq)
    by = (each.by for seq, each in initialed.items() if each.entry == line.seq and seq > last)
    return msgspec.structs.replace(line, initials=next((each for each in by if each not in line.authors), None))


def configured(log: EventLog) -> PropertyConfigured | None:
    """Return the property's last configuration; None if none exists. Raises an `IntegrityError`."""
    last = None
    for record in log.read(PROPERTY):
        payload = decode(record.data).payload
        last = payload if isinstance(payload, PropertyConfigured) else last
    return last


def house_event(cls: type[Event], **fields: object) -> Event:
    """Return an event without card numbers. Raises `ReviewRefused` if a value is invalid."""
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
    """Return an event as a correction's replacement."""
    return Replacement(payload=msgspec.to_builtins(payload), round_no=None, type=payload.TYPE, version=payload.VERSION)


class Entry(NamedTuple):
    """An event to write, its time (UTC microseconds), and its id (None: a random one)."""

    payload: Event
    at_us: int
    event_id: str | None = None


def drafts(record: TableRecord, writer: House, person: Person, entries: Sequence[Entry]) -> list[Draft]:
    """Return a person's entries at a table as drafts. Raises `ReviewRefused` for events that this writer may not write there."""
    source = BEGINNINGS[writer] + person.token
    first = record.numbers.get(source, 0) + 1
    for entry in entries:
        replaced = entry.payload.replacement if isinstance(entry.payload, EventCorrected) else None
        for type_ in (entry.payload.TYPE, *(() if replaced is None else (replaced.type,))):
            if writer not in writers_of(record.stream, type_):
                raise ReviewRefused(f"the {writer} may not write {type_} in {record.stream}")
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
    """Open the log at an address for the people of the house; `options` say how to reach a cluster. Raises `EventError`."""
    with closing(open_log(address, read_only=read_only, **options)) as log:
        yield log


def heads_of(log: EventLog) -> dict[str, int]:
    """Return stream → the number of its last event; read this before deciding what to append."""
    return {stream: log.head(stream).seq for stream in log.streams()}


def append_after(log: EventLog, heads: Mapping[str, int], groups: Sequence[tuple[str, Sequence[Draft]]]) -> None:
    """Append groups of several streams if each stream still ends at the number given for it (no number: it must be new).

    Raises `ReviewRefused` if another writer came first, which only Kafka allows; then nothing is written.
    """
    try:
        log.append_groups(groups, {stream: heads.get(stream, 0) + 1 for stream, _ in groups})
    except WrongSequence as error:
        raise ReviewRefused(f"another writer came between: {error}; nothing was written: look again and repeat") from error


@contextmanager
def records(log: EventLog, tables: Sequence[str]) -> Iterator[list[TableRecord]]:
    """Read tables and keep other writers out until the entries are written."""
    with log.turn():
        yield [table_record(log, table) for table in tables]
