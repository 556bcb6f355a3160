"""A log of its own for each test of intake that asks for one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from events.sqlite.log import SqliteLog


@pytest.fixture
def log(tmp_path: Path) -> Iterator[SqliteLog]:
    log = SqliteLog(tmp_path / "floor.db", create=True, property_id="bellwether")
    yield log
    log.close()
