"""Group commit across requests: lines that arrive at about the same time are stored in one commit, then each request is answered.

One thread writes. It takes what is handed in, reads it into lines, and appends the group when its first has waited
`intake.piped_lines.GROUP_S`, or the group is full. A sender is answered after all its lines are durable, or hears
that they may not be: then the same is to be handed in again, and what was stored is recognized as a repeat. What waits is
bounded; beyond that nothing is taken, and that is said at once.
"""

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Final

from events.errors import AppendRefused, EventError, IntegrityError, LogUnavailable, SecondWriter
from events.log.contract import EventLog
from intake.appending import BATCH, BATCH_BYTES, LineAppender, LineOutcome
from intake.filings import ReadRules
from intake.lines import AcceptedLine, Refusal
from intake.piped_lines import GROUP_S

Lines = Sequence[AcceptedLine | Refusal]

MOST_LINES: Final = 20_000
MOST_BYTES: Final = 64 * 1024 * 1024
"""The limit of lines that wait for their commit. Beyond it, a device is told to retry."""

REOPEN_S: Final = 1.0
"""Seconds between attempts to reopen a failed log while no request comes in."""


class QueueFull(Exception):
    """The queue is full: nothing was accepted, and the same lines may be handed in again a little later."""


class NotStored(Exception):
    """It is not certain that the lines were stored; the message says why. Hand them in again."""


class CommitRequest:
    """The input of one request. `read` splits it into lines on the writing thread; its exceptions go to the request."""

    def __init__(self, read: Callable[[], Lines], count: int, size: int) -> None:
        self.read, self.count, self.size = read, count, size
        self.due = time.monotonic() + GROUP_S
        self.lines: Lines = ()
        self.outcomes: Future[tuple[Lines, list[LineOutcome]]] = Future()


class GroupCommit:
    """The one writer of a gateway. `hand_in` may be called from any thread.

    `observe(lines, seconds)` hears of each commit,
    `report(sentence)` of files next to the chain that differed from it and were made again.
    """

    def __init__(
        self,
        open_log: Callable[[], EventLog],
        observe: Callable[[int, float], None] = lambda *_: None,
        report: Callable[[str], None] = lambda _: None,
        read_rules: ReadRules | None = None,
    ) -> None:
        self._open_log, self._observe, self._report, self._read_rules = open_log, observe, report, read_rules
        self._queue: queue.SimpleQueue[CommitRequest | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self.waiting_lines = self.waiting_bytes = 0
        self.trouble: str | None = None
        """Why nothing can be stored at present; None if the last attempt succeeded."""
        self._closing = self._succeeded = False
        self._log: EventLog | None = open_log()
        self._log_id = self._log.log_id
        self._appender, self._repairs = LineAppender(self._log, self._read_rules), 0
        self._thread = threading.Thread(target=self._run, name="group-commit")
        self._thread.start()

    @property
    def log_id(self) -> str:
        """Return the id of the log that the gateway writes to."""
        return self._log_id

    @property
    def alive(self) -> bool:
        """Whether the writing thread runs."""
        return self._thread.is_alive() and not self._closing

    def hand_in(self, handed: CommitRequest) -> None:
        """Take what a request hands in. Raises `QueueFull` if too much waits already, `NotStored` after `close`."""
        with self._lock:
            if self._closing:
                raise NotStored("the gateway is being stopped; hand it in again")
            full = self.waiting_lines + handed.count > MOST_LINES or self.waiting_bytes + handed.size > MOST_BYTES
            if full and self.waiting_lines:
                raise QueueFull(f"{self.waiting_lines:,} lines wait to be stored; hand it in again later")
            self.waiting_lines += handed.count
            self.waiting_bytes += handed.size
            self._queue.put(handed)

    def close(self) -> None:
        """Store what was accepted, answer it, and close the log. A second call does nothing."""
        with self._lock:
            if not self._closing:
                self._closing = True
                self._queue.put(None)
        self._thread.join()

    # --------------------------------------------------------------------------------------------- on the writing thread

    def _run(self) -> None:
        try:
            open_ = True
            while open_:
                open_ = self._turn()
        finally:
            if self._log is not None:
                self._log.close()

    def _turn(self) -> bool:
        """Gather a group and store it; return whether there is to be another."""
        group, due, lines, size, open_ = list[CommitRequest](), float("inf"), 0, 0, True
        while open_ and lines < BATCH and size < BATCH_BYTES:
            try:
                handed = self._queue.get(timeout=self._patience_s(due))
            except queue.Empty:
                break
            if handed is None:
                open_ = False
                break
            if not self._read(handed):
                continue
            due = min(due, handed.due)
            group.append(handed)
            lines += len(handed.lines)
            size += handed.size
        if group:
            self._store(group)
        elif self.trouble is not None and open_:
            self._reopen()
        return open_

    def _patience_s(self, due: float) -> float | None:
        """Return how long to wait for more lines: until the group is due, counted from when its first line arrived."""
        if due < float("inf"):
            return max(0.0, due - time.monotonic())
        return None if self.trouble is None else REOPEN_S

    def _read(self, handed: CommitRequest) -> bool:
        """Split the received bodies into lines; return whether there is anything to store."""
        if not handed.outcomes.set_running_or_notify_cancel():  # the device has gone before anything was stored
            self._release(handed)
            return False
        try:
            handed.lines = handed.read()
        except Exception as error:  # refused as a whole, or a defect of the reading: its request says it, others go on
            self._fail(handed, error)
            return False
        return True

    def _store(self, group: Sequence[CommitRequest]) -> None:
        lines = [line for handed in group for line in handed.lines]
        began = time.monotonic()
        try:
            outcomes = self._append(lines)
        except IntegrityError as error:
            if len(group) > 1:  # a stream cannot be continued: the others' requests are not to wait for that
                for handed in group:
                    self._store([handed])
                return
            self._fail(group[0], NotStored(f"{error.code} {error}; nothing more can be stored in this stream"))
            return
        except (LogUnavailable, AppendRefused) as error:
            self._give_up(error)
            for handed in group:
                self._fail(handed, NotStored(str(error)))
            return
        except Exception as error:  # a defect: no one may wait for ever, and the log is looked at again
            self._give_up(error)
            for handed in group:
                self._fail(handed, NotStored(f"unexpected {type(error).__name__}: {error}; whether it is stored is not known"))
            return
        self.trouble = None
        self._observe(len(lines), time.monotonic() - began)
        done = iter(outcomes)
        for handed in group:
            mine = [next(done) for _ in handed.lines]
            self._release(handed)
            handed.outcomes.set_result((handed.lines, mine))

    def _append(self, lines: Lines) -> list[LineOutcome]:
        """Append lines, as many at a time as a batch may have. All of them are durable when this returns."""
        if self._log is None:
            self._reopen()
        if self._log is None:
            raise LogUnavailable(self.trouble or "the log is not open")
        outcomes: list[LineOutcome] = []
        for at in range(0, len(lines), BATCH):
            outcomes += self._appender.append(lines[at : at + BATCH])
        self._appender.summary.misfits.clear()
        self._appender.summary.refused.clear()  # the account of a file's lines: here it would grow for ever
        for repair in self._log.repairs()[self._repairs :]:
            with contextlib.suppress(OSError):  # no one reads it
                self._report(repair)
            self._repairs += 1
        return outcomes

    def _give_up(self, error: Exception) -> None:
        """Close a log whose state is unknown: the next group opens it again, and finds out what it has stored.

        This is not done if another gateway has taken over: opening the log would take it back.
        """
        self.trouble = str(error) or type(error).__name__
        self._succeeded = isinstance(error, SecondWriter)
        if not isinstance(error, AppendRefused):
            self._shut()

    def _reopen(self) -> None:
        """Open a log that was given up; one that only refused a group (a full disk) is tried again by the next."""
        if self._log is None:
            try:
                self._log = self._open_log()
            except (LogUnavailable, AppendRefused, IntegrityError, EventError) as error:
                self.trouble = str(error)
                return
            self._appender, self._repairs = LineAppender(self._log, self._read_rules), 0
        elif self._succeeded:
            return
        self.trouble = None

    def _shut(self) -> None:
        log, self._log = self._log, None
        if log is not None:
            try:
                log.close()
            except LogUnavailable as error:
                self.trouble = str(error)

    def _fail(self, handed: CommitRequest, error: Exception) -> None:
        self._release(handed)
        handed.outcomes.set_exception(error)

    def _release(self, handed: CommitRequest) -> None:
        with self._lock:
            self.waiting_lines -= handed.count
            self.waiting_bytes -= handed.size
