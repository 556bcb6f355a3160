"""A disk that fails: what was not synced may be lost or torn when the power goes; a write or a sync may be refused.

The files lie in a real folder, so that SQLite's own code runs on them (shared memory and locks included). Next to each file
stands what of it would survive a power loss: its content at the last sync, and the writes since. A power loss puts that
content back, with a random part of the later writes, one of them torn perhaps. Creating and deleting a file are durable at
once; replacing one is when its folder was synced.
"""

from __future__ import annotations

import errno
import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from events.log import high_water
from events.sqlite import database

VOLATILE = "-shm"
"""Shared memory: nothing of it outlives the machine."""

KINDS = ("kill", "power", "full", "error", "torn")
"""What can happen at an operation: the process or the machine dies; the disk is full, fails, or fails half way through."""


class Shadow:
    """What a power loss leaves of a file: its content at the last sync, and a part of the writes since."""

    def __init__(self, path: str) -> None:
        self.durable = Path(path).read_bytes() if os.path.exists(path) else b""
        self.pending: list[tuple[int, bytes | None]] = []

    def synced(self, path: str) -> None:
        self.durable, self.pending = Path(path).read_bytes(), []

    def after_power_loss(self, rng: random.Random) -> bytes:
        """Each write since the last sync arrived, did not, or did in part: the disk may take them in any order."""
        content = bytearray(self.durable)
        kept = rng.choice((0.0, 0.5, 1.0))
        for offset, data in self.pending:
            if rng.random() >= kept:
                continue
            if data is None:
                del content[offset:]
                continue
            part = data[: rng.randrange(len(data))] if data and rng.random() < 0.2 else data
            content.extend(bytes(max(0, offset - len(content))))
            content[offset : offset + len(part)] = part
        return bytes(content)


class Disk:
    """The files of one machine, and which operation goes wrong next."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.folder, self.rng = folder, rng
        self.shadows: dict[str, Shadow] = {}
        self.replaced: dict[str, tuple[bytes, Shadow]] = {}

    def shadow(self, path: str) -> Shadow:
        if path not in self.shadows:
            self.shadows[path] = Shadow(path)
        return self.shadows[path]

    def deleted(self, path: str) -> None:
        self.shadows.pop(path, None)

    def lose_power(self) -> None:
        """Leave on every file what outlives the machine."""
        for path, (content, shadow) in self.replaced.items():
            if self.rng.random() < 0.5:  # the folder was not synced: the old file may be back
                self.shadows[path] = shadow
                Path(path).write_bytes(content)
        self.replaced.clear()
        for path, shadow in self.shadows.items():
            if os.path.exists(path):
                content = shadow.after_power_loss(self.rng)
                Path(path).write_bytes(content)
                self.shadows[path] = Shadow(path)
        for path in self.folder.glob(f"*{VOLATILE}"):
            path.unlink()


class Process:
    """One process at work on a disk: its operations are counted, and one of them may go wrong.

    `fault` is what happens at the operation in `left` operations from now; `dead` processes reach the disk no more.
    """

    def __init__(self, disk: Disk, name: str) -> None:
        self.disk, self.name = disk, name
        self.dead = False
        self.left = 0
        self.fault: str | None = None
        self.happened: list[str] = []

    def plan(self, fault: str | None, left: int) -> None:
        """Let an operation go wrong, `left` operations from now."""
        self.fault, self.left = fault, left

    def touch(self, partly: Callable[[], None] | None = None) -> None:
        """Count an operation that changes the disk. Raises `OSError` if it goes wrong; `partly` does half of it."""
        if self.dead:
            raise OSError(errno.EIO, "the process is dead")
        if self.fault is None:
            return
        self.left -= 1
        if self.left > 0:
            return
        fault, self.fault = self.fault, None
        self.happened.append(fault)
        if fault in ("kill", "power"):
            self.dead = True
            raise OSError(errno.EIO, "the process is dead")
        if fault == "torn" and partly is not None:
            partly()
        raise OSError(errno.ENOSPC if fault == "full" else errno.EIO, "a failing disk")


class SimFile(apsw.VFSFile):
    """A file of SQLite's on the disk, as one process has it open."""

    def __init__(self, process: Process, name: Any, flags: list[int]) -> None:
        self.process = process
        self.path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        super().__init__("", name, flags)

    def excepthook(self, kind: type[BaseException], error: BaseException, trace: Any) -> None:
        _expected(error)

    def xWrite(self, data: bytes, offset: int) -> None:
        write, shadow = super().xWrite, self.process.disk.shadow(self.path)

        def half() -> None:
            part = data[: len(data) // 2]
            write(part, offset)
            shadow.pending.append((offset, part))

        _as_sqlite(lambda: self.process.touch(half))
        write(data, offset)
        shadow.pending.append((offset, bytes(data)))

    def xTruncate(self, size: int) -> None:
        _as_sqlite(self.process.touch)
        super().xTruncate(size)
        self.process.disk.shadow(self.path).pending.append((size, None))

    def xSync(self, flags: int) -> None:
        _as_sqlite(self.process.touch)
        super().xSync(flags)
        self.process.disk.shadow(self.path).synced(self.path)


class SimVfs(apsw.VFS):
    """How one process reaches the disk through SQLite."""

    def __init__(self, process: Process) -> None:
        self.process = process
        super().__init__(process.name, "")

    def excepthook(self, kind: type[BaseException], error: BaseException, trace: Any) -> None:
        _expected(error)

    def xOpen(self, name: Any, flags: list[int]) -> SimFile:
        return SimFile(self.process, name, flags)

    def xDelete(self, filename: str, sync: bool) -> None:
        _as_sqlite(self.process.touch)
        super().xDelete(filename, sync)
        self.process.disk.deleted(filename)


def _expected(error: BaseException) -> None:
    """SQLite overlooks some failures; those that we made need no telling on stderr."""
    if not isinstance(error, apsw.Error):
        raise error


def _as_sqlite(step: Callable[[], None]) -> None:
    try:
        step()
    except OSError as error:
        raise (apsw.FullError if error.errno == errno.ENOSPC else apsw.IOError)(str(error)) from None


class SimOs:
    """What `events.log.high_water` uses of `os`, on the disk; everything else is the real one's."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._paths: dict[int, str] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    @property
    def _process(self) -> Process:
        return self._machine.running

    def open(self, path: Any, flags: int, mode: int = 0o777) -> int:
        file = os.open(path, flags, mode)
        self._paths[file] = str(path)
        if flags & os.O_TRUNC:
            self._process.disk.shadows[str(path)] = Shadow(str(path))
        return file

    def close(self, file: int) -> None:
        self._paths.pop(file, None)
        os.close(file)

    def posix_fallocate(self, file: int, offset: int, length: int) -> None:
        self._process.touch()
        os.posix_fallocate(file, offset, length)
        self._process.disk.shadow(self._paths[file]).pending.append((offset, bytes(length)))

    def pwrite(self, file: int, data: bytes, offset: int) -> int:
        shadow = self._process.disk.shadow(self._paths[file])

        def half() -> None:
            os.pwrite(file, data[: len(data) // 2], offset)
            shadow.pending.append((offset, data[: len(data) // 2]))

        self._process.touch(half)
        shadow.pending.append((offset, data))
        return os.pwrite(file, data, offset)

    def fdatasync(self, file: int) -> None:
        self._process.touch()
        self._process.disk.shadow(self._paths[file]).synced(self._paths[file])

    def fsync(self, file: int) -> None:
        path = self._paths[file]
        self._process.touch()
        if os.path.isdir(path):
            self._process.disk.replaced.clear()
        else:
            self._process.disk.shadow(path).synced(path)

    def replace(self, source: Any, target: Any) -> None:
        self._process.touch()
        disk, old, new = self._process.disk, str(target), str(source)
        if os.path.exists(old):
            disk.replaced.setdefault(old, (Path(old).read_bytes(), disk.shadow(old)))
        os.replace(source, target)
        disk.shadows[old] = disk.shadows.pop(new, Shadow(old))
        self._paths = {file: old if path == new else path for file, path in self._paths.items()}


class Machine:
    """The processes of one machine; what runs is run by one of them."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.disk = Disk(folder, rng)
        self.processes = {name: Process(self.disk, f"{name}-{id(self)}") for name in ("writer", "replayer")}
        self.running = self.processes["writer"]

    @contextmanager
    def as_(self, name: str) -> Iterator[Process]:
        """Run what is inside as this process."""
        before, self.running = self.running, self.processes[name]
        try:
            yield self.running
        finally:
            self.running = before

    @contextmanager
    def plugged_in(self) -> Iterator[Machine]:
        """Let the log and the results reach the disk through this machine."""
        vfs = {name: SimVfs(process) for name, process in self.processes.items()}
        real_connection, real_os = apsw.Connection, high_water.os

        def connect(name: str, **options: Any) -> apsw.Connection:
            return real_connection(name, vfs=self.running.name, **options)

        database.apsw.Connection = connect
        high_water.os = SimOs(self)  # the simulated disk
        try:
            yield self
        finally:
            database.apsw.Connection = real_connection
            high_water.os = real_os
            for each in vfs.values():
                each.unregister()
