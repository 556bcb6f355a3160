"""One machine: writers that take turns, and what lies next to the chain and is not believed."""

import contextlib
import os
import random
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import apsw

from events.errors import AppendRefused, LogUnavailable
from events.log import turn as turn_at
from events.proofs.verify import verify
from events.sqlite.log import SqliteLog
from events.sqlite.repeats import DeviceReport, ShortForms
from events.vocabulary.envelope import Draft
from intake.appending import append_lines
from intake.lines import line_of, read_arriving
from intake.piped_lines import ArrivingLines, Pace
from tests.faults.child import TURN
from tests.faults.floor import LOG_ID, PROPERTY, check, check_stored, groups, tables
from tests.faults.processes import child
from tests.faults.table import Lost, demand, fault

AREA = "one machine"


def _created(place: Path) -> SqliteLog:
    place.mkdir(parents=True)
    return SqliteLog(place / "floor.db", create=True, property_id=PROPERTY, log_id=LOG_ID)


def _settled(log: SqliteLog) -> None:
    """Everything is there once, the findings are those of the run without faults, and every stream's end is marked."""
    check(log)
    marks, ends = log.acknowledged(), {stream: log.head(stream) for stream in log.streams()}
    demand(marks == ends, f"the high-water mark is {marks}, the streams end at {ends}")
    log.close()


# -------------------------------------------------------------------------------------------------------------- turns


@fault(
    AREA,
    "a writer killed at a step of its turn, others at work",
    how="kill -9 while it stands in line, has the turn, has caught up, has room, has staged, has committed, has marked, hands "
    "over; another process and a long-open one hand in the same",
    held="the others go on; everything acknowledged is there and marked, each event once",
    quick=len(TURN),
    often=6 * len(TURN),
)
def killed_in_its_turn(folder: Path, times: int) -> int:
    dying, other = (table.stream for table in tables())
    for number in range(times):
        point, nth = TURN[number % len(TURN)], 2 + number // len(TURN)
        place = folder / str(number)
        log = _created(place)
        path = place / "floor.db"
        with (
            child("write", path, place, "--only", dying, "--die", f"{point}:{nth}") as first,
            child("write", path, place, "--only", other) as second,
        ):
            first.until("acknowledged", 1)
            _hand_in(log, other)
            demand(first.end() == -9, f"the writer did not die {point} for the {nth}th time: {first.told[-1:]}")
            demand(second.end() == 0, f"the other writer failed: {second.told[-1:]}")
            told = sum(len(drafts) for _, drafts in _groups_of(dying)[: first.said("acknowledged")])
        for table in tables():
            check_stored(log, table, told if table.stream == dying else table.last)
        _hand_in(log)
        _settled(log)
        _settled(SqliteLog(path))
        shutil.rmtree(place)
    return times


def _groups_of(stream: str) -> list[tuple[str, list[Draft]]]:
    return [group for group in groups() if group[0] == stream]


def _hand_in(log: SqliteLog, stream: str | None = None) -> None:
    """Hand in everything, or all of a stream."""
    for number, group in enumerate(groups() if stream is None else _groups_of(stream), start=1):
        try:
            log.append_groups([group])
        except (AppendRefused, LogUnavailable) as error:
            raise Lost(f"the writer that is open was refused group {number}: {error}") from error


@contextlib.contextmanager
def _open_pipe(log: SqliteLog) -> Iterator[int]:
    """Take in what is written to a descriptor, until it is closed."""
    reading, writing = os.pipe()
    pace = Pace()
    lines = read_arriving(ArrivingLines(reading, pace), "pipe")
    taking_in = threading.Thread(target=lambda: [None for _ in append_lines(log, lines, pace)])
    taking_in.start()
    try:
        yield writing
    finally:
        os.close(writing)
        taking_in.join()
        os.close(reading)


@fault(
    AREA,
    "lines that come in slowly",
    how="a line, and then nothing, down a pipe that is being taken in",
    held="the line is stored in time",
    quick=1,
    often=20,
)
def slow_pipe(folder: Path, times: int) -> int:
    for number in range(times):
        log = _created(folder / str(number))
        with _open_pipe(log) as writing, closing(SqliteLog(log.path, read_only=True)) as reader:
            for stream, drafts in groups()[:2]:
                os.write(writing, line_of(stream, drafts[0]) + b"\n")
                _until_stored(reader, stream, 1)
        _hand_in(log)
        _settled(log)
    return times


@fault(
    AREA,
    "a writer beside a pipe that stays open",
    how="another writer comes while lines are taken in from a pipe that is not closed",
    held="it writes at once; each event once",
    quick=1,
    often=20,
)
def beside_a_pipe(folder: Path, times: int) -> int:
    for number in range(times):
        log = _created(folder / str(number))
        with _open_pipe(log) as writing:
            stream, drafts = groups()[0]
            os.write(writing, line_of(stream, drafts[0]) + b"\n")
            _others_write(log.path)
        _settled(log)
    return times


def _until_stored(reader: SqliteLog, stream: str, seq: int) -> None:
    until = time.monotonic() + 60.0
    while reader.head(stream).seq < seq:
        demand(time.monotonic() < until, f"a line of {stream} was not stored though its pipe is open")
        time.sleep(0.01)


def _others_write(path: Path) -> None:
    try:
        with patch.object(turn_at, "TURN_WAIT_S", 30.0), closing(SqliteLog(path)) as other:
            _hand_in(other)
    except AppendRefused as error:
        raise Lost(f"nobody else can write: {error}") from error


# --------------------------------------------------------------------------------------------------- the index of repeats

Poison = Callable[[apsw.Connection, random.Random], None]
OTHER_IDS = "UPDATE event_ids SET event_id = abs(random()) % 16777216"


def _forget_everything(db: apsw.Connection, rng: random.Random) -> None:
    db.execute("DELETE FROM reports; DELETE FROM event_ids")


def _forget_a_source(db: apsw.Connection, rng: random.Random) -> None:
    source = rng.choice(sorted(db.execute("SELECT DISTINCT stream, source FROM reports")))
    db.execute(
        "DELETE FROM event_ids WHERE (stream, seq) IN (SELECT stream, seq FROM reports WHERE (stream, source) = (?, ?))", source
    )
    db.execute("DELETE FROM reports WHERE (stream, source) = (?, ?)", source)


def _other_contents(db: apsw.Connection, rng: random.Random) -> None:
    db.execute("UPDATE reports SET digest = abs(random()) % 16777216; " + OTHER_IDS)


def _other_sources(db: apsw.Connection, rng: random.Random) -> None:
    db.execute("UPDATE reports SET source = source + 1000; " + OTHER_IDS)


def _other_numbers(db: apsw.Connection, rng: random.Random) -> None:
    db.execute("UPDATE reports SET source_seq = source_seq + 1000; " + OTHER_IDS)


def _coming_reports(db: apsw.Connection, rng: random.Random) -> None:
    """What is still to come counts as reported: each names some event that is there."""
    from events.log.appender import report_digest

    index = ShortForms(db)
    for stream, drafts in groups()[len(groups()) // 2 :]:
        for draft in drafts:
            report = DeviceReport(stream, draft.source, draft.source_seq, report_digest(draft))
            db.execute("INSERT OR IGNORE INTO reports VALUES (?, ?, ?, ?, ?)", (*index.report(report), rng.randint(0, 9)))


def _coming_ids(db: apsw.Connection, rng: random.Random) -> None:
    index = ShortForms(db)
    for stream, drafts in groups()[len(groups()) // 2 :]:
        for draft in drafts:
            row = (index.number(stream), index.digest(bytes.fromhex(draft.event_id)), rng.randint(0, 9))
            db.execute("INSERT OR IGNORE INTO event_ids VALUES (?, ?, ?)", row)


POISONS: tuple[Poison, ...] = (
    _forget_everything, _other_contents, _coming_reports, _coming_ids, _other_sources, _other_numbers, _forget_a_source,
)  # fmt: skip


@fault(
    AREA,
    "the index of repeats poisoned",
    how="its rows deleted, their contents, sources or numbers changed, rows of coming reports or ids put in; then everything is "
    "handed in again and the rest after it",
    held="verify names the stream; nothing is dropped or stored twice; what differed is said and made anew",
    quick=len(POISONS),
    often=8 * len(POISONS),
)
def poisoned(folder: Path, times: int) -> int:
    half = len(groups()) // 2
    for number in range(times):
        log = _created(folder / str(number))
        path, poison = log.path, POISONS[number % len(POISONS)]
        for group in groups()[:half]:
            log.append_groups([group])
        log.close()
        with closing(apsw.Connection(str(path))) as db:
            poison(db, random.Random(number))
        with closing(SqliteLog(path, read_only=True)) as reader:
            found = verify(reader).breaks
        if poison not in (_coming_reports, _coming_ids):  # what names no event that was read may be of one still to come
            demand({each.kind for each in found} == {"index"}, f"{poison.__name__}: verify says {found}")
        log = SqliteLog(path)
        for group in groups():
            log.append_groups([group])
        demand(log.repairs() != [], f"{poison.__name__}: nothing was said")
        _settled(log)
        shutil.rmtree(path.parent)
    return times
