"""The pit's entries at a table: opening and closing, dealers, fills and credits, failed devices, and corrections.

Invariant: only opening begins a gaming day, and the day of an entry is the table's. The opener is the last closer unless stated.
A line is corrected by its listed number, with a reason; the original entry stays.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, Final, Literal

import msgspec

from desk.house.table_lines import (
    Entry,
    House,
    Line,
    TableRecord,
    configured,
    drafts,
    house_event,
    records,
    replacement_of,
    table_record,
)
from desk.review.persons import Person, Persons, ReviewRefused, acting
from desk.review.stored_events import names_of
from events.log.contract import EventLog
from events.vocabulary import model
from events.vocabulary.model import Event
from replay.narrative.names import unsigned_amount
from replay.transcript.clock import Clock, UnreadableTime, clock_of
from rulebook.chapters.rulebook import Rulebook, RulesRefused, parse_submission

Fault = Literal["jam", "stopped", "incomplete", "inoperative"]
AMOUNT = re.compile(r"(?:[0-9]{1,12}|[0-9]{1,3}(?:,[0-9]{3}){1,3})(?:\.[0-9]{2})?", re.ASCII)
_CHIPS: Final = re.compile(r"([0-9]+(?:\.[0-9]{2})?)x([0-9]{1,6})", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MAY_CHANGE: Final = {
    model.InventoryCounted: ("amount_cents", "verified_by"),
    model.FillReceived: ("amount_cents", "slip"),
    model.CreditSent: ("amount_cents", "slip"),
    model.DropCounted: ("amount_cents", "box"),
    model.DealerTappedIn: ("dealer",),
    model.DealerTappedOut: ("dealer",),
    model.ShiftChanged: ("shift",),
    model.DeviceFailed: ("device", "fault"),
    model.DeviceRestored: ("device",),
}
"""Line → what of it can be stated otherwise; any line can be struck."""


def amount_cents(text: str) -> int:
    """Read an amount. Raises `ReviewRefused`.

    >>> amount_cents("12,345.00"), amount_cents("25")
    (1234500, 2500)
    """
    if AMOUNT.fullmatch(text) is None:
        raise ReviewRefused(f"{text!r} is no amount: expected one like 12,345.00")
    whole, _, cents = text.replace(",", "").partition(".")
    return int(whole) * 100 + int(cents or 0)


def typed_cents(text: str) -> int:
    """Read an amount as people type it, in total or as chips. Raises `ReviewRefused`.

    >>> typed_cents("$2,000.00"), typed_cents("25x80")
    (200000, 200000)
    """
    return chips_cents(text) if "x" in text else amount_cents(unsigned_amount(text))


def chips_cents(text: str) -> int:
    """Read chips as they are counted: value x number, separated by commas. Raises `ReviewRefused`.

    >>> chips_cents("25x20,100x5,0.50x4")
    100200
    """
    total, seen = 0, set()
    for part in text.replace(" ", "").split(","):
        found = _CHIPS.fullmatch(part)
        if found is None:
            raise ReviewRefused(f"{part!r}: expected chips as value x number, as in 25x20,100x5")
        value = amount_cents(found[1])
        if value in seen:
            raise ReviewRefused(f"{text!r}: chips of {found[1]} are given twice; add them up")
        seen.add(value)
        total += value * int(found[2])
    return total


class Pit:
    """Records events at tables in the name of people of the pit. Methods that write return the lines after it.

    Raises `ReviewRefused`, which says what to do, if an entry does not fit; then nothing is written.
    """

    writer: House = "pit"
    role = "pit"

    def __init__(
        self, log: EventLog, persons: Persons, now_us: Callable[[], int], closed: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """`closed`: table → the gaming day on which it ceases to exist (`property_file.closed_tables`)."""
        self._log, self._persons, self._now_us, self._closed = log, persons, now_us, closed
        self.clock: Clock = clock_of(configured(log))

    def open(
        self,
        table: str,
        *,
        by: str,
        verified_by: str | None = None,
        cents: int | None = None,
        dealer: str | None = None,
        at: str | None = None,
        day: str | None = None,
    ) -> list[Line]:
        """Open a table on gaming day `day`: its opener is the last closer unless `cents` states it; `dealer` taps in."""
        person, second = self._people(by, verified_by)
        with records(self._log, [table]) as (record,):
            self._must_exist(record)
            if record.opened is not None:
                raise ReviewRefused(f"{table} is open already; close it first")
            gaming_day = day or self._today()
            if gaming_day > self._today():
                raise ReviewRefused(f"gaming day {gaming_day} has not begun: it is {self._today()} now")
            if gaming_day >= self._closed.get(table, "9999"):
                raise ReviewRefused(f"{table} is closed from gaming day {self._closed[table]} on, as the property's file says")
            if gaming_day < record.gaming_day:
                raise ReviewRefused(
                    f"{table} is on gaming day {record.gaming_day} already, so that {gaming_day} cannot be opened; if this is "
                    f"that day's opening, give --day {record.gaming_day}"
                )
            opener = record.closer_cents if cents is None else cents
            if opener is None:
                raise ReviewRefused(f"{table} was never closed, so its opener is not known: give --chips or --amount")
            book = self._rules(record, gaming_day)
            at_us = self._moment(at, gaming_day)
            events: list[Event] = [] if gaming_day == record.gaming_day else [model.GamingDayOpened(gaming_day=gaming_day)]
            events += [
                self._inventory("opener", opener, person, second),
                house_event(
                    model.TableOpened,
                    deal_method=book.deal_method,
                    game=book.game,
                    seats=book.chapter.numbers["seats"],
                    shuffler=book.shuffler,
                ),
            ]
            if dealer is not None:
                events.append(house_event(model.DealerTappedIn, dealer=dealer))
            return self._write(record, person, events, at_us)

    def close(self, table: str, *, by: str, cents: int, verified_by: str | None = None, at: str | None = None) -> list[Line]:
        """Close a table: its inventory is counted as closer, and the dealer leaves."""
        person, second = self._people(by, verified_by)

        def events(record: TableRecord) -> list[Event]:
            counted = self._inventory("closer", cents, person, second)
            out = [] if record.dealer is None else [house_event(model.DealerTappedOut, dealer=record.dealer)]
            return [counted, *out, house_event(model.TableClosed, by=person.token)]

        return self._enter(table, person, events, at)

    def tap_in(self, table: str, *, by: str, dealer: str, at: str | None = None) -> list[Line]:
        """A dealer takes over; the dealer before taps out."""

        def events(record: TableRecord) -> list[Event]:
            if record.dealer == dealer:
                raise ReviewRefused(f"{dealer} deals at {table} already")
            out = [] if record.dealer is None else [house_event(model.DealerTappedOut, dealer=record.dealer)]
            return [*out, house_event(model.DealerTappedIn, dealer=dealer)]

        return self._enter(table, self._people(by)[0], events, at)

    def tap_out(self, table: str, *, by: str, at: str | None = None) -> list[Line]:
        """The dealer leaves, and no one takes over."""

        def events(record: TableRecord) -> list[Event]:
            if record.dealer is None:
                raise ReviewRefused(f"no one deals at {table}, so no one can tap out")
            return [house_event(model.DealerTappedOut, dealer=record.dealer)]

        return self._enter(table, self._people(by)[0], events, at)

    def fill(
        self, table: str, *, by: str, cents: int, slip: str, verified_by: str | None = None, at: str | None = None
    ) -> list[Line]:
        """Chips come to the table from the cage, by this slip; `verified_by` is the second person."""
        kinds = (model.FillReceived, model.FillReceived2)
        return self._slip(kinds, table, (by, verified_by), cents, slip, at)

    def credit(
        self, table: str, *, by: str, cents: int, slip: str, verified_by: str | None = None, at: str | None = None
    ) -> list[Line]:
        """Chips go from the table to the cage, by this slip; `verified_by` is the second person."""
        kinds = (model.CreditSent, model.CreditSent2)
        return self._slip(kinds, table, (by, verified_by), cents, slip, at)

    def _slip(
        self,
        kinds: tuple[type[Event], type[Event]],
        table: str,
        people: tuple[str, str | None],
        cents: int,
        slip: str,
        at: str | None,
    ) -> list[Line]:
        """Record a slip; `kinds`: the event without a second person, and with one."""
        person, second = self._people(*people)

        def events(record: TableRecord) -> list[Event]:
            for line, event in record.counting(kinds[0]):
                if getattr(event, "slip", None) == slip:
                    raise ReviewRefused(f"{table}: slip {slip} is line {line.seq} already; correct that line if it is wrong")
            said: dict[str, Any] = {"amount_cents": cents, "by": person.token, "slip": slip}
            if second is None:
                return [house_event(kinds[0], **said)]
            return [house_event(kinds[1], **said, verified_by=second.token)]

        return self._enter(table, person, events, at)

    def shift(self, table: str, *, by: str, shift: str, at: str | None = None) -> list[Line]:
        """A new shift begins at the table."""
        return self._enter(table, self._people(by)[0], lambda _: [house_event(model.ShiftChanged, shift=shift)], at)

    def device_out(
        self, table: str, *, by: str, device: str, fault: str, how: str | None = None, at: str | None = None
    ) -> list[Line]:
        """A device is out of order; `how` it is marked: `cover` or `sign`."""
        covered = [] if how is None else [house_event(model.DeviceCovered, device=device, how=how)]
        failed = house_event(model.DeviceFailed, device=device, fault=fault)
        return self._enter(table, self._people(by)[0], lambda _: [failed, *covered], at)

    def device_back(self, table: str, *, by: str, device: str, at: str | None = None) -> list[Line]:
        """A device works again."""
        return self._enter(table, self._people(by)[0], lambda _: [house_event(model.DeviceRestored, device=device)], at)

    def correct(self, table: str, seq: int, *, by: str, reason: str, **fields: Any) -> Line:
        """Correct a line, or, without fields, strike it: it never happened. Return the line after it."""
        person = self._people(by)[0]
        with records(self._log, [table]) as (record,):
            line = record.line(seq)
            if not line.source.startswith(f"{self.writer}-"):
                raise ReviewRefused(
                    f"{table} line {seq} was reported by {line.source}: correct only what the {self.writer} entered"
                )
            replacement = None
            if fields:
                now = line.entered if line.counts is None else line.counts
                if fields.get("verified_by") is not None:
                    fields["verified_by"] = self._second(line, fields["verified_by"]).token
                may = MAY_CHANGE.get(now.KIND, ())
                wrong = sorted(set(fields) - set(may))
                if wrong:
                    expected = ", ".join(name.removesuffix("_cents") for name in may) or "nothing; strike it"
                    raise ReviewRefused(f"{table} line {seq} has no {wrong[0]} to correct: expected {expected}")
                changed = house_event(type(now), **(msgspec.structs.asdict(now) | fields))
                if changed == line.counts:
                    raise ReviewRefused(f"{table} line {seq} says that already; nothing was written")
                replacement = replacement_of(changed)
            elif line.counts is None:
                raise ReviewRefused(f"{table} line {seq} was struck already; nothing was written")
            made = house_event(
                model.EventCorrected,
                by=person.token,
                reason=reason,
                replacement=replacement,
                supersedes_event_id=line.event_id,
                supersedes_seq=line.seq,
            )
            self._write(record, person, [made], self._now_us())
        return table_record(self._log, table).line(seq)

    def initial(self, table: str, seq: int, *, by: str, counts: Event | None = None) -> Line:
        """Add a second person's initials to a line; `counts` is the content that person saw. Return the line after it."""
        with records(self._log, [table]) as (record,):
            line = record.line(seq)
            person = self._second(line, by)
            if not line.awaits_initials:
                raise ReviewRefused(f"{table} line {seq} waits for no initials; `rack pit list {table}` shows its lines")
            if counts not in (None, line.counts):
                raise ReviewRefused(f"{table} line {seq} was corrected meanwhile; look at it again")
            made = house_event(model.EntryInitialed, by=person.token, entry=seq)
            self._write(record, person, [made], self._now_us())
        return table_record(self._log, table).line(seq)

    # ------------------------------------------------------------------------------------------------------- within

    def _second(self, line: Line, by: str) -> Person:
        person = self._persons.known(by)
        if person.token in line.authors:
            raise ReviewRefused(f"{person.id} entered or corrected line {line.seq}; the initials must be another person's")
        return person

    def _people(self, by: str, verified_by: str | None = None) -> tuple[Person, Person | None]:
        person = acting(self._persons, by, self.role)
        if verified_by is None:
            return person, None
        second = self._persons.known(verified_by)
        if second.id == person.id:
            raise ReviewRefused(f"{person.id} enters it; the second initials must be another person's")
        return person, second

    def _enter(self, table: str, person: Person, events: Callable[[TableRecord], list[Event]], at: str | None) -> list[Line]:
        """Append an event at an open table, on its gaming day."""
        with records(self._log, [table]) as (record,):
            self._must_exist(record)
            if record.opened is None:
                raise ReviewRefused(f"{table} is closed; open it first (`rack pit open {table}`)")
            return self._write(record, person, events(record), self._moment(at, record.gaming_day))

    def _write(self, record: TableRecord, person: Person, events: Sequence[Event], at_us: int) -> list[Line]:
        made = drafts(record, self.writer, person, [Entry(event, at_us) for event in events])
        self._log.append(record.stream, record.last + 1, made)
        return [line for line in table_record(self._log, record.table).lines if line.seq > record.last]

    def _inventory(self, kind: str, cents: int, person: Person, second: Person | None) -> Event:
        verified_by = None if second is None else second.token
        return house_event(model.InventoryCounted, amount_cents=cents, by=person.token, kind=kind, verified_by=verified_by)

    def _must_exist(self, record: TableRecord) -> None:
        if not record.last:
            known = ", ".join(names_of(self._log, "table")) or "none"
            raise ReviewRefused(f"the log has no table {record.table!r}: expected one of {known}")

    def _rules(self, record: TableRecord, gaming_day: str) -> Rulebook:
        filed = record.filings.in_force(gaming_day)
        if filed is None:
            raise ReviewRefused(f"{record.table} has no rules in force on {gaming_day}; file them (`rack rules file`)")
        try:
            return parse_submission(filed.toml, f"rules of {record.table}")
        except RulesRefused as error:
            raise ReviewRefused(str(error)) from error

    def _today(self) -> str:
        return self.clock.gaming_day(_EPOCH + timedelta(microseconds=self._now_us()))

    def _moment(self, at: str | None, gaming_day: str) -> int:
        """Return the time of an event: now, or an earlier time of the gaming day."""
        now_us = self._now_us()
        if at is None and gaming_day != self._today():
            raise ReviewRefused(
                f"this is of gaming day {gaming_day}, and it is {self._today()} now: say when it happened (--at 21:14) or, "
                f"after the end of that day, with its date (--at {self._today()}T06:10)"
            )
        if at is None:
            return now_us
        try:
            moment, _ = self.clock.read(at, gaming_day, None)
            at_us = (moment - _EPOCH) // timedelta(microseconds=1)
            self.clock.must_be_past(at_us, now_us)
        except UnreadableTime as error:
            raise ReviewRefused(f"--at {at}: {error}") from error
        if self.clock.gaming_day(moment) < gaming_day:
            raise ReviewRefused(f"--at {at} is before gaming day {gaming_day} began; expected a time of that day")
        return at_us
