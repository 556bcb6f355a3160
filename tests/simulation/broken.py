"""Builds with one deliberate defect each: the checker of the simulation must find every one of them.

Each is a context within which the pipeline has the defect. None is far-fetched: each is a line left out, or two swapped.
"""

import contextlib
from collections.abc import Iterator
from functools import partial
from typing import Any
from unittest.mock import patch

from events.errors import LogUnavailable
from events.log.appender import report_digest
from events.log.contract import AppendResult
from events.log.high_water import HighWater
from events.sqlite import database
from events.sqlite import log as sqlite_log
from events.sqlite.database import Database
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from replay.run import refold as refolding
from tests.simulation import building

BUILDS: building.Builds = {}
"""Name of a defect → the context that has it, and the seed from which on to look (a rare one is found by few)."""

build = building.registering(BUILDS)


@build
def acknowledges_before_it_is_written() -> Iterator[None]:
    """Errors of a commit are swallowed: what was handed in counts as taken."""
    real = SqliteLog.append_groups

    def append_groups(self: SqliteLog, groups: Any) -> list[AppendResult]:
        try:
            return real(self, groups)
        except LogUnavailable:
            return []

    with patch.object(SqliteLog, "append_groups", append_groups):
        yield


@build
def acknowledges_before_it_is_on_the_disk() -> Iterator[None]:
    """SQLite's `synchronous=NORMAL`: a commit waits for no disk."""
    real = Database.__init__

    def init(self: Database, path: Any, *, read_only: bool, synchronous: str = "NORMAL") -> None:
        real(self, path, read_only=read_only, synchronous="NORMAL")

    with patch.object(Database, "__init__", init):
        yield


@build(seed=69)
def builds_on_what_a_dead_writer_left_in_the_cache() -> Iterator[None]:
    with patch.object(Database, "make_durable", lambda self: None):
        yield


@build
def forgets_what_was_reported() -> Iterator[None]:
    """No report is recognized when it comes again."""
    counter = iter(range(1 << 30))
    with patch.object(sqlite_log, "report_digest", lambda draft: report_digest(draft) + b"%d" % next(counter)):
        yield


@build
def takes_every_report_of_a_device_for_the_same() -> Iterator[None]:
    """A repeat is recognized by the device's number alone: another content is lost."""
    with patch.object(sqlite_log, "report_digest", lambda draft: b"the same"):
        yield


@build
def marks_before_it_commits() -> Iterator[None]:
    real = SqliteLog._stage

    def stage(self: SqliteLog, connection: Any, staged: Any, *rest: Any) -> AppendResult:
        done = real(self, connection, staged, *rest)
        self._high_water.record({stream: state.head for stream, state in staged.items() if state.head.seq})
        return done

    with patch.object(SqliteLog, "_stage", stage):
        yield


build(building.marking_nothing, name="never_marks")


@build
def marks_without_waiting_for_the_disk() -> Iterator[None]:
    real = HighWater.record

    def record(self: HighWater, heads: Any) -> None:
        with patch("events.log.high_water.os.fdatasync", lambda file: None, create=True):
            real(self, heads)

    with patch.object(HighWater, "record", record):
        yield


@build
def drops_half_a_group() -> Iterator[None]:
    """The last draft of a group is acknowledged and not stored."""
    real = SqliteLog.append_groups

    def append_groups(self: SqliteLog, groups: Any) -> list[AppendResult]:
        return real(self, [(stream, drafts[:-1] or drafts) for stream, drafts in groups])

    with patch.object(SqliteLog, "append_groups", append_groups):
        yield


build(partial(building.keeping_no_refused_bytes, SqliteLog), name="keeps_no_refused_bytes")


build(partial(building.committing_the_position_first, SqliteResults), name="commits_its_position_first", seed=3)


build(partial(building.keeping_no_open_rounds, SqliteResults), name="keeps_no_open_rounds")


@build(seed=119)
def forgets_the_verdict_on_a_round_that_is_open_again() -> Iterator[None]:
    real = refolding.refold

    def refold(*arguments: Any) -> refolding.Refold:
        done = real(*arguments)
        done.worker.inherited_to = 0
        return done

    with patch("replay.run.replayer.refold", refold):
        yield


@build(seed=5)
def believes_the_stored_hash() -> Iterator[None]:
    """A reader takes the chain as it is written down; only what SQLite itself finds is found."""
    with patch.object(SqliteLog, "_refuse", lambda self, stream, seq, data: None):
        yield


@build
def never_looks_at_the_marks() -> Iterator[None]:
    """No one compares if records end with what was acknowledged."""
    with patch.object(SqliteLog, "verify_head", lambda self, stream: None):
        yield


@build
def ends_a_transaction_halfway() -> Iterator[None]:
    """What is before an error is committed all the same."""

    @contextlib.contextmanager
    def transaction(self: Database) -> Iterator[Any]:
        with self.lock, self.errors("written"):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
            finally:
                with contextlib.suppress(database.apsw.Error):
                    self.connection.execute("COMMIT")

    with patch.object(Database, "transaction", transaction):
        yield
