"""A reload of the pages reads of the reviews what is new alone, and what a page was given does not change under it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from dashboards.parts import desk
from desk.review import persons
from desk.review.desk import Desk, desk_at
from tests.counting import Counting
from tests.dashboards import living
from tests.dashboards.living import Living
from trial.property_folder import PERSONS

OPENED_THE_DAY = 1
"""The first event of a review stream opens its gaming day."""


@pytest.fixture
def floor(tmp_path: Path) -> Living:
    return living.make(tmp_path)


@pytest.fixture
def logs(monkeypatch: pytest.MonkeyPatch) -> list[Counting]:
    """The logs that the pages open from here on, which count what is read of them."""
    opened: list[Counting] = []

    @contextmanager
    def counted(*place: Any, **options: Any) -> Iterator[Desk]:
        with desk_at(*place, **options) as at:
            at.log = Counting(at.log)
            opened.append(at.log)
            yield at

    monkeypatch.setattr(desk, "desk_at", counted)
    return opened


def noted(floor: Living, times: int) -> str:
    """Note something on the first finding, this many times; return its id."""
    with desk_at(floor.log, persons=persons.read(floor.warehouse.with_name(PERSONS))) as at:
        finding: str = at.cases()[0].finding.id
        for number in range(times):
            at.note(finding, note=f"seen {number}", by="s.lee")
    return finding


def reloaded(floor: Living, logs: list[Counting]) -> tuple[desk.Reviews, int]:
    """Return what a page is given after its time is over, and how many events were read for it."""
    desk._read.clear()
    return desk._read(floor.log), logs[-1].events_read


@pytest.mark.parametrize("history", [3, 30])
def test_a_reload_reads_what_came_since_whatever_came_before(floor: Living, logs: list[Counting], history: int) -> None:
    finding = noted(floor, history)
    first, read = reloaded(floor, logs)
    assert read == history + OPENED_THE_DAY
    assert reloaded(floor, logs)[1] == 1, "the last that was read shows that the log goes on from there"
    noted(floor, 2)
    second, read = reloaded(floor, logs)
    assert read == 1 + 2
    assert len(second.of("fu-01", finding).history) == history + 2
    assert len(first.of("fu-01", finding).history) == history, "a page that is being drawn keeps what it was given"


def test_a_review_that_was_altered_where_it_was_read_to_is_read_anew(floor: Living, logs: list[Counting]) -> None:
    noted(floor, 3)
    reloaded(floor, logs)
    with closing(sqlite3.connect(floor.warehouse.with_name("floor.db"))) as database, database:
        for trigger in ("events_keep", "events_stay"):
            database.execute(f"DROP TRIGGER IF EXISTS {trigger}")
        changed = "CAST(replace(CAST(data AS TEXT), 'seen 2', 'seen 9') AS BLOB)"
        database.execute(f"UPDATE events SET data = {changed} WHERE stream = 'review/fu-01' AND seq = 4")
    said, _ = reloaded(floor, logs)
    assert list(said.broken) == ["fu-01"]
    assert said.tables == {}
