"""Builds without the defenses of one machine, each found out by a fault of `local` or `beside` (see `test_broken_builds`)."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from desk.review.case_folder import CaseFolder
from events.errors import DamagedMark
from events.log.high_water import HighWater
from events.log.turn import Turns
from events.sqlite.log import SqliteLog
from events.sqlite.repeats import RepeatIndex
from intake.piped_lines import Pace
from tests.faults import beside
from tests.simulation.world import Build

BUILDS: dict[str, Build] = {}


def build(function: Callable[[], Iterator[None]]) -> Callable[[], Iterator[None]]:
    BUILDS[function.__name__] = contextlib.contextmanager(function)
    return function


@build
def takes_in_nothing_that_others_did() -> Iterator[None]:
    with patch.object(SqliteLog, "_begin_turn", lambda self: self._turns.take()):
        yield


@build
def waits_for_a_thousand_lines() -> Iterator[None]:
    with patch.object(Pace, "is_due", lambda self: False):
        yield


@build
def keeps_the_turn_for_as_long_as_it_is_open() -> Iterator[None]:
    with patch.object(Turns, "give_back", lambda self, in_order=True: None):
        yield


@build
def believes_the_index_of_repeats() -> Iterator[None]:
    def is_stored(self: RepeatIndex, connection: Any, report: Any, columns: Any) -> bool:
        sql = "SELECT 1 FROM reports WHERE (stream, source, source_seq, digest) = (?, ?, ?, ?)"
        return bool(connection.execute(sql, columns).fetchall())

    with patch.object(RepeatIndex, "_is_stored", is_stored), patch.object(RepeatIndex, "_look_for"):
        yield


@build
def takes_a_damaged_mark_for_none() -> Iterator[None]:
    real = HighWater.load

    def load(self: HighWater) -> Any:
        try:
            return real(self)
        except DamagedMark:
            return {}

    with patch.object(HighWater, "load", load):
        yield


@build
def names_the_demos_log_by_its_place() -> Iterator[None]:
    def demo_log(folder: Path) -> str:
        return f"sqlite://{folder.with_name(folder.name.removesuffix(' copied'))}/floor.db"

    with patch.object(beside, "demo_log", demo_log):
        yield


@build
def believes_what_the_warehouse_holds() -> Iterator[None]:
    with patch("analytics.warehouse.extending.differing", lambda db, database: []):
        yield


@build
def leaves_folders_of_dead_builds() -> Iterator[None]:
    with patch("analytics.warehouse.generations.glob.escape", lambda prefix: "none"):
        yield


@build
def takes_a_full_disk_for_a_defect() -> Iterator[None]:
    with patch.object(beside, "PRELUDE", "import analytics.warehouse.warehouse as w; w.DISK_ERRORS = ()\n"):
        yield


@build
def takes_an_attachment_as_it_lies_there() -> Iterator[None]:
    with patch.object(CaseFolder, "read", lambda self, table, attached: self._path(attached.digest).read_bytes()):
        yield


FOUND_BY = {
    "a writer killed at a step of its turn, others at work": "takes_in_nothing_that_others_did",
    "lines that come in slowly": "waits_for_a_thousand_lines",
    "a writer beside a pipe that stays open": "keeps_the_turn_for_as_long_as_it_is_open",
    "the index of repeats poisoned": "believes_the_index_of_repeats",
    "a file beside the log damaged": "takes_a_damaged_mark_for_none",
    "an attachment of a case harmed": "takes_an_attachment_as_it_lies_there",
    "a copied demo folder": "names_the_demos_log_by_its_place",
    "rows altered in the warehouse": "believes_what_the_warehouse_holds",
    "a build of the warehouse killed": "leaves_folders_of_dead_builds",
    "no room for what is written": "takes_a_full_disk_for_a_defect",
}
"""Fault → the build that it finds out."""
