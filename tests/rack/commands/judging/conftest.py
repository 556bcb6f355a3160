"""A signed floor of one round, replayed, with people who may act on it; and a demo."""

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


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo, for tests that change nothing of it and are marked `xdist_group("demo")`."""
    out = tmp_path_factory.mktemp("demo")
    assert main(["demo", "--rounds", "120", "--out", str(out), "--quiet"]) == 0
    return out
