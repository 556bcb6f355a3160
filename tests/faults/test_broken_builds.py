"""Each fault of the table is shown to be found out on a build that is broken on purpose: a check that cannot fail shows nothing.

What needs a real broker, or ends processes of its own on one, has its counterpart in the simulated cluster (`COUNTERPARTS`).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from events.errors import EventError, IntegrityError
from events.log.contract import Appended, Record
from events.proofs import verify
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from replay.run.stream_worker import StreamWorker
from tests.faults import all_faults
from tests.faults.served import served_in_memory
from tests.faults.table import Lost
from tests.simulation.broken import BUILDS as ON_SQLITE
from tests.simulation.broken_kafka import BUILDS as ON_KAFKA
from tests.simulation.world import Build

HERE: dict[str, Build] = {}


def build(function: Callable[[], Iterator[None]]) -> Callable[[], Iterator[None]]:
    HERE[function.__name__] = contextlib.contextmanager(function)
    return function


def _appends(change: Callable[[Any], Any]) -> contextlib.AbstractContextManager[Any]:
    """A log to which other groups are appended than were handed in."""
    real = SqliteLog.append_groups
    return patch.object(SqliteLog, "append_groups", lambda self, groups: real(self, change(list(groups))))


@build
def commits_each_event_by_itself() -> Iterator[None]:
    real = SqliteLog.append_groups

    def append_groups(self: SqliteLog, groups: Any) -> list[Appended]:
        return [real(self, [(stream, [draft])])[0] for stream, drafts in groups for draft in drafts]

    with patch.object(SqliteLog, "append_groups", append_groups):
        yield


@build
def overlooks_what_was_removed() -> Iterator[None]:
    real = verify._Walk.run

    def run(self: Any) -> None:
        real(self)
        self.breaks = [each for each in self.breaks if each.kind != "removed"]

    with patch.object(verify._Walk, "run", run):
        yield


@build
def drops_what_comes_after_another_table() -> Iterator[None]:
    last: list[str] = []

    def change(groups: Any) -> Any:
        kept = [each for each in groups if not last or each[0] == last[-1]]
        last.extend(stream for stream, _ in groups)
        return kept

    with _appends(change):
        yield


@build
def takes_the_clock_as_it_comes() -> Iterator[None]:
    with patch("events.log.appender.max", lambda now, before: now, create=True):
        yield


@build
def drops_what_seems_older() -> Iterator[None]:
    newest: dict[str, int] = {}

    def change(groups: Any) -> Any:
        kept = []
        for stream, drafts in groups:
            new = [draft for draft in drafts if draft.occurred_at_us >= newest.get(stream, 0)]
            newest[stream] = max([newest.get(stream, 0), *(draft.occurred_at_us for draft in drafts)])
            kept.append((stream, new))
        return kept

    with _appends(change):
        yield


@build
def passes_over_what_it_cannot_read() -> Iterator[None]:
    real = StreamWorker.take

    def take(self: StreamWorker, record: Record) -> Any:
        try:
            return real(self, record)
        except IntegrityError:
            return ()

    with patch.object(StreamWorker, "take", take):
        yield


@build
def forgets_what_it_said_first() -> Iterator[None]:
    real = SqliteResults.results

    with patch.object(SqliteResults, "results", lambda self, kind: islice(real(self, kind), 1, None)):
        yield


@build
def takes_no_lock() -> Iterator[None]:
    with patch("events.sqlite.log.take_lock", lambda path: os.open(os.devnull, os.O_RDONLY)):
        yield


FOUND_BY = {
    "full disk": "ends_a_transaction_halfway",
    "EIO": "acknowledges_before_it_is_written",
    "torn write": "acknowledges_before_it_is_written",
    "process dies": "acknowledges_before_it_is_written",
    "power loss": "acknowledges_before_it_is_on_the_disk",
    "last record torn, acknowledged": "never_marks",
    "last record torn, not acknowledged": "commits_each_event_by_itself",
    "mark torn": "forgets_what_was_reported",
    "database bytes changed": "believes_the_stored_hash",
    "bit flipped": "believes_the_stored_hash",
    "record removed": "overlooks_what_was_removed",
    "record inserted": "believes_the_stored_hash",
    "records swapped": "believes_the_stored_hash",
    "stream truncated": "never_looks_at_the_marks",
    "record forged and the chain computed anew": "never_looks_at_the_marks",
    "duplicates": "forgets_what_was_reported",
    "stale deliveries": "forgets_what_was_reported",
    "reordered between tables": "drops_what_comes_after_another_table",
    "reordered within a table": "drops_what_comes_after_another_table",
    "the log's clock days off, or running back": "takes_the_clock_as_it_comes",
    "a device's clock days off, or running back": "drops_what_seems_older",
    "a line of an unknown version, or of rubbish": "keeps_no_refused_bytes",
    "a stored record that cannot be decoded": "passes_over_what_it_cannot_read",
    "SQLite writer killed": "forgets_what_was_reported",
    "SQLite replayer killed": "forgets_what_it_said_first",
    "SQLite writer stopped, a second one comes": "takes_no_lock",
}
"""Fault that needs no broker → a build that it finds out."""

SERVED = (
    "believes_the_stored_hash",
    "takes_another_event_of_a_number_for_a_repeat",
    "calls_every_repeat_a_fork",
    "goes_on_after_a_gap",
)
"""Builds that the records which a broker serves find out, here served by the simulated cluster."""

COUNTERPARTS = {
    "Kafka producer killed": "marks_before_it_commits",
    "Kafka replayer killed": "commits_its_position_first",
    "zombie writer": "fences_nobody",
    "zombie replayer": "takes_an_unclear_answer_for_kept_results",
    "group member killed": "keeps_no_open_rounds",
    "killed, comes back with its log": "takes_an_unclear_answer_for_a_yes",
    "stopped for longer than a client waits": "swallows_what_goes_wrong_in_a_commit",
    "comes back without the end of its log": "never_marks",
    "an answer lost or late, a request lost, a connection cut": "takes_an_unclear_answer_for_a_yes",
    "network cut": "forgets_that_the_tail_was_not_read",
}
"""Fault that needs a real broker → the build that the same check finds out in the simulated cluster (tests/simulation)."""


def test_every_fault_has_a_build_that_it_finds_out() -> None:
    named = {
        *FOUND_BY,
        *COUNTERPARTS,
        "records as a Kafka broker serves them",
        "every record as a Kafka cluster serves it",
    }
    assert named == {fault.name for fault in all_faults()}
    assert set(FOUND_BY.values()) <= {*HERE, *ON_SQLITE}
    assert {*SERVED, *COUNTERPARTS.values()} <= set(ON_KAFKA)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a dead process cannot tidy up
@pytest.mark.parametrize("name", FOUND_BY)
def test_a_broken_build_is_found_out_by_the_fault(name: str, tmp_path: Path) -> None:
    (fault,) = (each for each in all_faults() if each.name == name)
    which = FOUND_BY[name]
    broken = HERE[which] if which in HERE else ON_SQLITE[which][0]
    with pytest.raises((Lost, IntegrityError, EventError)), broken():
        fault.run(tmp_path, fault.quick)


@pytest.mark.parametrize("name", SERVED)
def test_a_broken_fold_is_found_out_by_what_a_cluster_serves(name: str, tmp_path: Path) -> None:
    with pytest.raises(Lost), ON_KAFKA[name][0]():
        served_in_memory(tmp_path, 400)
