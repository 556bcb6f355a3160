"""The right to write to a log on one machine, by turns: a writer takes it for one group and gives it back.

Three locks of the kernel on `<path>.lock`, each given up when its process ends. The *turn* is the lock of the whole file: its
holder is the one writer. The *place in line* is a lock of the file's byte 0: a writer takes it before it waits for the turn, and
gives it back as soon as it has the turn. So a writer that gives the turn back and wants it again comes after the waiting one, and
continuous writing cannot keep another out. The *presence* is a shared lock of byte 1, held as long as the log is open for
writing.

While the turn is taken, the file holds the process number of the writer. A file that is not empty when the turn is taken means
that the writer before did not give it back: it died, or did not know whether its last group was stored.
"""

import fcntl
import os
import struct
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Final

from events.errors import LogUnavailable, SecondWriter
from events.log.contract import StreamIndex
from events.log.lock import holder_of, lock_of, open_lock

TURN_WAIT_S: Final = 15.0
"""The wait for a turn before a writer is refused: a group takes some milliseconds, on a slow disk a second."""

_POLL_S = 0.001, 0.01
"""The shortest and longest pause between two requests of a waiting writer."""

_PLACE_IN_LINE, _PRESENCE = 0, 1


class Turns:
    """One writer's turns at a log; `take` and `give_back` alternate. Used by one thread at a time.

    Raises `LogUnavailable` if the lock's file cannot be opened, `SecondWriter` if another process removes the log.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._name = lock_of(path)
        self._file: int | None = None
        self._join()

    def take(self) -> bool:
        """Wait for the turn and take it; return whether the writer before gave it back in order.

        Raises `SecondWriter` naming the process that has it, if the turn does not come within `TURN_WAIT_S`.
        """
        until = time.monotonic() + TURN_WAIT_S
        while True:
            file = self._opened()
            self._stand_in_line(file, until)
            try:
                self._wait(partial(fcntl.flock, file, fcntl.LOCK_EX | fcntl.LOCK_NB), until)
            finally:
                _lock_byte(file, fcntl.F_UNLCK, _PLACE_IN_LINE)
            if self._is_in_place(file):
                break
            self.close()  # somebody removed the file: the locks on it exclude no one who opens another
            self._join()
        in_order, holder = os.fstat(file).st_size == 0, str(os.getpid()).encode()
        try:
            os.pwrite(file, holder, 0)
            os.ftruncate(file, len(holder))
        except OSError as error:
            fcntl.flock(file, fcntl.LOCK_UN)
            raise LogUnavailable(f"{self._name}: {error.strerror}; nothing was stored") from error
        return in_order

    def give_back(self, *, in_order: bool = True) -> None:
        """Give the turn back; not `in_order` if the next writer must check what was stored."""
        file = self._opened()
        if in_order:
            os.ftruncate(file, 0)
        fcntl.flock(file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the log, and give back a turn that is still held."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _opened(self) -> int:
        if self._file is None:
            raise LogUnavailable(f"{self.path} was closed")
        return self._file

    def _join(self) -> None:
        try:
            self._file = os.open(self._name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
            self._wait(lambda: _lock_byte(self._opened(), fcntl.F_RDLCK, _PRESENCE), time.monotonic() + TURN_WAIT_S)
        except OSError as error:
            self.close()
            raise LogUnavailable(f"{self._name}: {error.strerror}") from error
        except SecondWriter:
            self.close()
            raise

    def _stand_in_line(self, file: int, until: float) -> None:
        self._wait(lambda: _lock_byte(file, fcntl.F_WRLCK, _PLACE_IN_LINE), until)

    def _is_in_place(self, file: int) -> bool:
        try:
            return os.path.samestat(os.fstat(file), os.stat(self._name))
        except FileNotFoundError:
            return False

    def _wait(self, take: Callable[[], None], until: float) -> None:
        pause_s, longest_s = _POLL_S
        while True:
            try:
                return take()
            except BlockingIOError:
                if time.monotonic() > until:
                    who = holder_of(self._opened())
                    raise SecondWriter(
                        f"{self.path} is being written by process {who}, which did not give its turn back "
                        f"within {TURN_WAIT_S:.0f} s; nothing was stored: end that process if it hangs, and repeat"
                    ) from None
            time.sleep(pause_s)
            pause_s = min(longest_s, 2 * pause_s)


class SoleWriter:
    """The answers of a log that has one writer as long as it is open, or none (see `EventLog`)."""

    is_interleaved = False

    def turn(self) -> AbstractContextManager[None]:
        """Do nothing: no one else writes."""
        return nullcontext()

    def repairs(self) -> list[str]:
        """Return that nothing was made again."""
        return []

    def compare_index(self, stream: str, events: StreamIndex) -> str | None:
        """Return that nothing differs: repeats are known by the events themselves."""
        return None


def keep_writers_out(path: Path) -> int:
    """Return the descriptor of a lock that keeps every writer out of a log until it is closed.

    Raises `SecondWriter` if a process has it open for writing, `LogUnavailable` if the lock's file cannot be opened.
    """
    file = open_lock(path)
    try:
        _lock_byte(file, fcntl.F_WRLCK, _PRESENCE)
    except OSError as error:
        os.close(file)
        raise SecondWriter(f"{path} is open for writing by another process; let it finish, and repeat") from error
    return file


def _lock_byte(file: int, kind: int, byte: int) -> None:
    """Lock one byte of this open file, or unlock it. Raises `BlockingIOError` if another has it."""
    fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack("@hhqqi", kind, os.SEEK_SET, byte, 1, 0))
