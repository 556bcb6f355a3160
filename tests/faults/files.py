"""Faults of the disk under a SQLite log, at every operation and at every byte of the last record."""

import contextlib
import random
import shutil
from functools import partial
from pathlib import Path

from events.errors import AppendRefused, IntegrityError, LogUnavailable, LostTail
from events.proofs.verify import verify
from events.sqlite.log import SqliteLog
from tests.faults.floor import LOG_ID, PROPERTY, acknowledged, check, check_stored, groups, tables
from tests.faults.table import demand, fault
from tests.simulation.disk import Machine

ROUNDS = 1


def _open(path: Path, **options: bool) -> SqliteLog:
    return SqliteLog(path, create=not options, property_id=PROPERTY, log_id=LOG_ID, **options)


def _suffer(folder: Path, kind: str, operation: int) -> bool:
    """Hand everything in while one operation on the disk goes wrong; return whether there were this many operations."""
    machine, path, taken = Machine(folder, random.Random(operation)), folder / "floor.db", 0
    process = machine.processes["writer"]
    process.plan(kind, operation)
    log: SqliteLog | None = None
    with machine.plugged_in():
        while taken < len(groups(ROUNDS)):
            try:
                log = log or _open(path)
                for table in tables(ROUNDS):
                    check_stored(log, table, acknowledged(taken, ROUNDS)[table.stream])
                log.append_groups([groups(ROUNDS)[taken]])
                taken += 1
            except (AppendRefused, LogUnavailable, OSError) as error:
                if isinstance(error, AppendRefused) and not process.dead:
                    continue  # nothing was stored: once more
                if log is not None:
                    with contextlib.suppress(LogUnavailable, OSError):
                        log.close()
                    log = None
                if process.dead and "power" in process.happened:
                    machine.disk.lose_power()
                process.dead = False
        assert log is not None
        check(log, rounds=ROUNDS)
        with contextlib.suppress(LogUnavailable):  # the last operations are those of closing
            log.close()
        if "power" in process.happened and process.dead:
            machine.disk.lose_power()
    log = _open(path)
    check(log, rounds=ROUNDS)
    log.close()
    return bool(process.happened)


def _every_operation(kind: str, folder: Path, times: int) -> int:
    done, stride = 0, 1 if times > 100 else 11
    for operation in range(1, 10_000, stride):
        place = folder / f"{kind}-{operation}"
        place.mkdir()
        if done == times or not _suffer(place, kind, operation):
            break
        done += 1
        shutil.rmtree(place)
    return done


for _name, _kind, _how, _held in (
    ("full disk", "full", "an apsw VFS refuses a write or a sync with SQLITE_FULL, at each operation in turn",
     "refused at once, or found out at reopening; then each event once"),
    ("EIO", "error", "an apsw VFS fails a write or a sync with SQLITE_IOERR, at each operation in turn",
     "writing ends until the log is opened again; then each event once"),
    ("torn write", "torn", "half of a write reaches the disk, then EIO, at each operation in turn",
     "a group is stored whole or not at all"),
    ("process dies", "kill", "no operation on the disk after the n-th, n = 1, 2, 3 …",
     "everything acknowledged is there, each event once"),
    ("power loss", "power", "after the n-th operation all writes since the last sync are lost, torn or out of order",
     "everything acknowledged is there, each event once"),
):  # fmt: skip
    fault("disk", _name, how=_how, held=_held, quick=12, often=400)(partial(_every_operation, _kind))


def _filled(folder: Path) -> tuple[Path, bytes]:
    """A log in which all but the last group came to rest in the database, and the last one is in the WAL.

    Return its path and the bytes of the last record.
    """
    path = folder / "floor.db"
    log = _open(path)
    log.append_groups(groups(ROUNDS)[:-1])
    log.close()
    log = _open(path)
    log.append_groups(groups(ROUNDS)[-1:])
    for suffix in ("", "-wal", ".high-water"):
        shutil.copyfile(f"{path}{suffix}", folder / f"copy{suffix}")
    stream = groups(ROUNDS)[-1][0]
    record = next(iter(log.read(stream, log.head(stream).seq))).data
    log.close()
    return folder / "copy", record


def _spread(length: int, times: int) -> list[int]:
    """This many lengths from 0 to one below the whole, evenly spread; all of them if there are not more."""
    count = min(length, times)
    return [turn * length // count for turn in range(count)]


def _cuts(wal: bytes, record: bytes, times: int) -> list[int]:
    """Where to cut the last commit: if there is time for it at every byte of its last record, else anywhere."""
    at = wal.rindex(record)
    every = range(at, at + len(record) + 1)
    return [*every, *_spread(len(wal), times - len(every))] if times > 2 * len(every) else _spread(len(wal), times)


def _as_left(copy: Path, place: Path) -> Path:
    place.mkdir()
    for suffix in ("", "-wal", ".high-water"):
        shutil.copyfile(f"{copy}{suffix}", place / f"floor.db{suffix}")
    return place / "floor.db"


@fault(
    "disk",
    "last record torn, acknowledged",
    how="the WAL cut at each byte of the last commit, the mark kept",
    held="named: LostTail with stream and number",
    quick=40,
    often=600,
)
def torn_tail(folder: Path, times: int) -> int:
    (copy, record), done = _filled(folder), 0
    stream = groups(ROUNDS)[-1][0]
    first = acknowledged(len(groups(ROUNDS)) - 1, ROUNDS)[stream] + 1
    wal = Path(f"{copy}-wal").read_bytes()
    for size in _cuts(wal, record, times):
        path = _as_left(copy, folder / str(size))
        Path(f"{path}-wal").write_bytes(wal[:size])
        try:
            _open(path).close()
            demand(False, f"the WAL cut at byte {size} of {len(wal)} was not noticed")
        except LostTail as error:
            demand((error.stream, error.seq) == (stream, first), f"cut at byte {size} was reported as {error}")
        shutil.rmtree(path.parent)
        done += 1
    return done


@fault(
    "disk",
    "last record torn, not acknowledged",
    how="the WAL cut at each byte of the last commit, its mark cut too",
    held="the group is stored whole or not at all; repeated, each event once",
    quick=20,
    often=600,
)
def torn_commit(folder: Path, times: int) -> int:
    (copy, record), done = _filled(folder), 0
    wal, marks = Path(f"{copy}-wal").read_bytes(), Path(f"{copy}.high-water").read_bytes()
    last = (len(marks.rstrip(b"\0")) - 1) // 96 * 96  # the last group's mark
    for size in _cuts(wal, record, times):
        path = _as_left(copy, folder / str(size))
        Path(f"{path}-wal").write_bytes(wal[:size])
        Path(f"{path}.high-water").write_bytes(marks[:last] + bytes(len(marks) - last))
        log = _open(path)
        stream, drafts = groups(ROUNDS)[-1]
        stored = acknowledged(len(groups(ROUNDS)) - 1, ROUNDS)[stream]
        demand(log.head(stream).seq in (stored, stored + len(drafts)), f"half a group is stored at byte {size}")
        log.append_groups(groups(ROUNDS)[-1:])
        if size % 7 == 0:
            check(log, rounds=ROUNDS)
        log.close()
        shutil.rmtree(path.parent)
        done += 1
    return done


@fault(
    "disk",
    "mark torn",
    how="the high-water file zeroed from each byte of its last record on, its length kept: its room was reserved before",
    held="the mark before it counts; the log opens and goes on",
    quick=12,
    often=96,
)
def torn_mark(folder: Path, times: int) -> int:
    (copy, _), done = _filled(folder), 0
    marks = Path(f"{copy}.high-water").read_bytes()
    last = (len(marks.rstrip(b"\0")) - 1) // 96 * 96
    for kept in _spread(96, times):
        path = _as_left(copy, folder / str(kept))
        Path(f"{path}.high-water").write_bytes(marks[: last + kept] + bytes(len(marks) - last - kept))
        log = _open(path)
        log.append_groups(groups(ROUNDS)[-1:])
        check(log, rounds=ROUNDS)
        log.close()
        shutil.rmtree(path.parent)
        done += 1
    return done


@fault(
    "disk",
    "database bytes changed",
    how="each byte of the database file in turn (or many of them) has a bit turned over",
    held="harmless, or named; never another event, never another error",
    quick=60,
    often=600,
)
def flipped_file(folder: Path, times: int) -> int:
    path, rng = folder / "floor.db", random.Random(5)
    log = _open(path)
    log.append_groups(groups(ROUNDS))
    log.close()
    whole, done = path.read_bytes(), 0
    for at in _spread(len(whole), times):
        content = bytearray(whole)
        content[at] ^= 1 << rng.randrange(8)
        path.write_bytes(content)
        with contextlib.suppress(LogUnavailable, IntegrityError):  # it says that it is damaged
            damaged = _open(path, read_only=True)
            try:
                if verify(damaged).ok:
                    for table in tables(ROUNDS):
                        check_stored(damaged, table, table.last)
            finally:
                damaged.close()
        done += 1
    return done
