"""A log in a file of its own, a second between any two appends, and the results next to it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from tests.replay.tables import PROPERTY, SECOND_US, START_US


@pytest.fixture
def log(tmp_path: Path) -> Iterator[SqliteLog]:
    ticks = iter(range(START_US, START_US + 10_000 * SECOND_US, SECOND_US))
    log = SqliteLog(tmp_path / "floor.db", property_id=PROPERTY, create=True, clock=lambda: next(ticks))
    yield log
    log.close()


@pytest.fixture
def results(tmp_path: Path) -> Iterator[SqliteResults]:
    results = SqliteResults(tmp_path / "floor.db.verdicts")
    yield results
    results.close()
