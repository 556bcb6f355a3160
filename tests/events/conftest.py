from collections.abc import Iterator
from pathlib import Path

import pytest

from events.sqlite.log import SqliteLog
from tests.contract.drafts import Drafts
from tests.events.archive.closing import LOG_ID


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "floor.db"


@pytest.fixture
def log(path: Path) -> Iterator[SqliteLog]:
    log = SqliteLog(path, property_id="bellwether", create=True, log_id=LOG_ID)
    yield log
    log.close()


@pytest.fixture
def drafts() -> Drafts:
    return Drafts()
