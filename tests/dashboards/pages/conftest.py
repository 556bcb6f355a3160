"""The floor with a log whose pages a test runs by AppTest."""

from pathlib import Path

import pytest

from dashboards.parts import desk, verification_run
from tests.dashboards import living
from tests.dashboards.living import Living


@pytest.fixture
def floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Living:
    """A floor of its own for a test; the pages of this process show it."""
    desk._read.clear()
    verification_run._walks().clear()
    floor = living.make(tmp_path)
    floor.serve(monkeypatch)
    return floor
