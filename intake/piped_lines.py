"""Lines as they arrive through a pipe: the reader waits for the next line no longer than the time that it set."""

import os
import select
import time
from typing import Final

GROUP_S: Final = 0.05
"""How long a line that came in waits for others, to be appended with them."""

_CHUNK: Final = 64 * 1024


class Pace:
    """When the lines that are held are due: seconds of the monotonic clock, None while none is held."""

    def __init__(self) -> None:
        self.due: float | None = None

    def hold(self) -> None:
        """Note that a line is held; the first one sets the time."""
        if self.due is None:
            self.due = time.monotonic() + GROUP_S

    def is_due(self) -> bool:
        """Whether the time has come."""
        return self.due is not None and time.monotonic() >= self.due

    def release(self) -> None:
        """Note that no line is held any more."""
        self.due = None


class ArrivingLines:
    """The lines of a descriptor, read like those of a file, but no later than the time at which the reader's lines are due."""

    def __init__(self, descriptor: int, pace: Pace) -> None:
        self._descriptor, self._pace = descriptor, pace
        self._data, self._at, self._ended = b"", 0, False

    def readline(self, limit: int) -> bytes | None:
        """Return the next line, or `limit` bytes of a longer one; None if the reader's lines are due before it comes.

        Returns no bytes at the end of the pipe. Raises `OSError`.
        """
        while True:
            end = self._data.find(b"\n", self._at, self._at + limit)
            if end >= 0:
                return self._taken(end + 1)
            if len(self._data) - self._at >= limit:
                return self._taken(self._at + limit)
            if self._ended:
                return self._taken(len(self._data))
            if not self._read():
                return None

    def _taken(self, end: int) -> bytes:
        line, self._at = self._data[self._at : end], end
        return line

    def _read(self) -> bool:
        """Read what has arrived, waiting at most until the reader's lines are due; return whether anything arrived."""
        due = self._pace.due
        wait_s = None if due is None else max(0.0, due - time.monotonic())
        if not select.select([self._descriptor], [], [], wait_s)[0]:
            return False
        chunk = os.read(self._descriptor, _CHUNK)
        self._data, self._at, self._ended = self._data[self._at :] + chunk, 0, not chunk
        return True
