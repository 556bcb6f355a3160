"""The whole pipeline under seeded faults: what was acknowledged is there once, findings are the same to the byte."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.simulation.broken import BUILDS
from tests.simulation.disk import KINDS
from tests.simulation.world import run

SEEDS = 200
PACK = 20
SEARCHED = 300
"""Seeds within which a broken build must be found out."""


@pytest.mark.parametrize("first", range(0, SEEDS, PACK))
def test_whatever_happens_nothing_is_lost_and_nothing_is_said_otherwise(first: int, tmp_path: Path) -> None:
    happened = Counter[str]()
    for seed in range(first, first + PACK):
        folder = tmp_path / str(seed)
        folder.mkdir()
        try:
            happened.update(run(seed, folder).faults)
        except BaseException as error:
            error.add_note(f"seed {seed}: python -m tests.simulation --first {seed} --seeds 1")
            raise
    assert set(happened) == set(KINDS), "every kind of fault was tried"


@pytest.mark.parametrize("name", BUILDS)
def test_a_broken_build_is_found_out(name: str, tmp_path: Path) -> None:
    build, first = BUILDS[name]
    for seed in range(first, first + SEARCHED):
        folder = tmp_path / str(seed)
        folder.mkdir()
        try:
            run(seed, folder, build)
        except Exception:
            return
    pytest.fail(f"{name}: {SEARCHED} seeds did not find it")


def test_a_seed_says_it_all(tmp_path: Path) -> None:
    """The same seed runs in the same way, else it could not be looked into."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    assert run(7, tmp_path / "one") == run(7, tmp_path / "two")
