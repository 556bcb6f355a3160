"""The count of a gaming day's drop boxes: entered twice, the second time blind, and written when both entries agree.

The log has nothing until then. If two entries of a box differ, a person decides with a reason: the first entry is written and
corrected, so that the difference and its reason are recorded. A box is counted once; later it is only corrected.
"""

import json
import os
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path

import msgspec

from desk.house.pit import Pit
from desk.house.table_lines import (
    Entry,
    House,
    Line,
    TableRecord,
    append_after,
    drafts,
    house_event,
    records,
    replacement_of,
    table_record,
)
from desk.review.persons import Persons, ReviewRefused
from desk.review.stored_events import names_of
from events.log.contract import EventLog
from events.vocabulary import model
from events.vocabulary.model import Event

Grid = Mapping[str, int]
"""Table → cents."""


class BoxCount(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One person's entry of all boxes, each in cents."""

    by: str
    boxes: dict[str, int]


class DraftCount(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The entries of a gaming day that are not in the log yet."""

    day: str
    first: BoxCount
    again: BoxCount | None = None


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A box whose two entries differ; None: an entry left it out."""

    table: str
    first: int | None
    again: int | None


class CountRoom(Pit):
    """Records the contents of drop boxes. `folder` holds first entries until they are in the log."""

    writer: House = "count"
    role = "count"

    def __init__(self, log: EventLog, persons: Persons, now_us: Callable[[], int], folder: Path) -> None:
        super().__init__(log, persons, now_us)
        self._folder = folder

    def boxes(self, day: str) -> list[str]:
        """Return the tables that were open on a gaming day and whose box is not yet counted."""
        found = [table_record(self._log, table) for table in names_of(self._log, "table")]
        return [record.table for record in found if _was_open(record, day) and _count_of(record, day) is None]

    def counted(self, day: str) -> list[tuple[str, int]]:
        """Return the counted boxes of a gaming day: table → the valid amount in cents."""
        found = [(table, _count_of(table_record(self._log, table), day)) for table in names_of(self._log, "table")]
        return [
            (table, line.counts.amount_cents)
            for table, line in found
            if line is not None and isinstance(line.counts, model.DropCounted)
        ]

    def waiting(self, day: str) -> DraftCount | None:
        """Return the entries of a gaming day that are not yet in the log."""
        return self._draft(day) if self._path(day).exists() else None

    def enter(self, day: str, grid: Grid, *, by: str) -> None:
        """Store a first entry of a day's boxes; it replaces one without a second entry."""
        person = self._people(by)[0]
        self._check(day, grid)
        self._keep(DraftCount(day=day, first=BoxCount(by=person.id, boxes=dict(grid))))

    def enter_second(self, day: str, grid: Grid, *, by: str) -> list[Difference]:
        """Accept the second entry; return the differences. If there are none, all boxes are written."""
        person = self._people(by)[0]
        draft = self._draft(day)
        if draft.first.by == person.id:
            raise ReviewRefused(f"{person.id} made the first entry of {day}; the second must be another person's")
        self._check(day, grid)
        draft = msgspec.structs.replace(draft, again=BoxCount(by=person.id, boxes=dict(grid)))
        found = differences(draft)
        if found:
            self._keep(draft)
        else:
            self._write_all(draft, person.id, {}, "")
        return found

    def settle(self, day: str, grid: Grid, *, by: str, reason: str) -> None:
        """Decide the amount of each box that differs, with the reason; then all boxes are written."""
        person = self._people(by)[0]
        draft = self._draft(day)
        if draft.again is None:
            raise ReviewRefused(f"the boxes of {day} were entered once; another person enters them again first")
        open_ = {each.table for each in differences(draft)}
        if set(grid) != open_:
            raise ReviewRefused(f"what differs on {day} is {', '.join(sorted(open_))}: state the amount of each, and of no other")
        self._write_all(draft, person.id, grid, reason)

    def _write_all(self, draft: DraftCount, by: str, settled: Grid, reason: str) -> None:
        person, again = self._persons.known(by), draft.again
        assert again is not None
        tables = sorted({*draft.first.boxes, *again.boxes})
        with records(self._log, tables) as found:
            groups = []
            for record in found:
                _must_be_uncounted(record, draft.day)
                said = draft.first if record.table in draft.first.boxes else again
                entered = self._counted(record.table, said.boxes[record.table], said.by, draft.day)
                made = drafts(record, "count", self._persons.known(said.by), [Entry(entered, self._now_us())])
                if record.table in settled:
                    instead = self._counted(record.table, settled[record.table], by, draft.day)
                    corrected = house_event(
                        model.EventCorrected,
                        by=person.token,
                        reason=reason,
                        replacement=replacement_of(instead),
                        supersedes_event_id=made[0].event_id,
                        supersedes_seq=record.last + 1,
                    )
                    record.numbers[made[0].source] = made[0].source_seq
                    made += drafts(record, "count", person, [Entry(corrected, self._now_us())])
                groups.append((record.stream, made))
            append_after(self._log, {record.stream: record.last for record in found}, groups)
        self._path(draft.day).unlink()

    def _counted(self, table: str, cents: int, by: str, day: str) -> Event:
        return house_event(model.DropCounted, amount_cents=cents, box=table, by=self._persons.known(by).token, gaming_day=day)

    def _check(self, day: str, grid: Grid) -> None:
        if not grid:
            raise ReviewRefused("no box is named: expected TABLE=AMOUNT for each box of the day")
        for table in grid:
            record = table_record(self._log, table)
            self._must_exist(record)
            if not _was_open(record, day):
                raise ReviewRefused(f"{table} was not open on gaming day {day}, so it has no box of that day")
            _must_be_uncounted(record, day)

    def _draft(self, day: str) -> DraftCount:
        try:
            return msgspec.json.decode(self._path(day).read_bytes(), type=DraftCount)
        except FileNotFoundError:
            raise ReviewRefused(f"no first entry of {day} waits: enter the boxes with `rack count enter --day {day}`") from None
        except (msgspec.MsgspecError, ValueError) as error:
            raise ReviewRefused(f"{self._path(day)}: {error}; remove it, and enter the boxes of {day} again") from error

    def _keep(self, draft: DraftCount) -> None:
        self._folder.mkdir(exist_ok=True, mode=0o700)
        path = self._path(draft.day)
        fresh = path.with_suffix(".new")
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(msgspec.to_builtins(draft), file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)

    def _path(self, day: str) -> Path:
        try:
            date.fromisoformat(day)
        except ValueError:
            raise ReviewRefused(f"--day {day}: expected a gaming day, as in 2026-11-29") from None
        return self._folder / f"{day}.json"


def differences(draft: DraftCount) -> list[Difference]:
    """Return the boxes whose two entries differ, by table."""
    first, again = draft.first.boxes, {} if draft.again is None else draft.again.boxes
    return [
        Difference(table=table, first=first.get(table), again=again.get(table))
        for table in sorted({*first, *again})
        if first.get(table) != again.get(table)
    ]


def _was_open(record: TableRecord, day: str) -> bool:
    return any(line.gaming_day == day for line, _ in record.counting(model.TableOpened, model.TableClosed))


def _count_of(record: TableRecord, day: str) -> Line | None:
    for line, event in record.counting(model.DropCounted):
        if isinstance(event, model.DropCounted) and event.gaming_day == day:
            return line
    return None


def _must_be_uncounted(record: TableRecord, day: str) -> None:
    line = _count_of(record, day)
    if line is not None:
        raise ReviewRefused(
            f"the box of {record.table} of {day} is counted already, as line {line.seq}; correct that line if it is wrong "
            f"(`rack count correct {record.table} {line.seq}`)"
        )
