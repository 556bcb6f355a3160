"""A signed floor of one round, replayed, with people who may act on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rack.cli import main
from tests.desk.packet.signed_floor import Floor, floor_at, played
from tests.desk.people import register_people


@pytest.fixture
def floor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Floor:
    register_people(tmp_path)
    made = floor_at(tmp_path, played(1))
    assert main(["replay", "--log", made.address, "--quiet"]) == 0
    capsys.readouterr()
    return made
