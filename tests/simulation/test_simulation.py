"""The whole pipeline under seeded faults: what was acknowledged is there once, findings are the same to the byte."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.simulation.broken import BUILDS
from tests.simulation.broken_kafka import BUILDS as BROKEN_ON_KAFKA
from tests.simulation.broker import WAYS
from tests.simulation.disk import KINDS
from tests.simulation.kafka_world import run as run_on_kafka
from tests.simulation.world import run

SEEDS, KAFKA_SEEDS = 200, 60
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


@pytest.mark.parametrize("first", range(0, KAFKA_SEEDS, PACK))
def test_on_kafka_nothing_is_lost_whatever_request_or_answer_is(first: int, tmp_path: Path) -> None:
    happened = Counter[str]()
    for seed in range(first, first + PACK):
        folder = tmp_path / str(seed)
        folder.mkdir()
        try:
            happened.update(run_on_kafka(seed, folder).faults)
        except BaseException as error:
            error.add_note(f"seed {seed}: python -m tests.simulation --kafka --first {seed} --seeds 1")
            raise
    assert set(happened) == set(WAYS), "every kind of fault was tried"


@pytest.mark.parametrize("name", BROKEN_ON_KAFKA)
def test_a_broken_build_on_kafka_is_found_out(name: str, tmp_path: Path) -> None:
    build, first = BROKEN_ON_KAFKA[name]
    for seed in range(first, first + SEARCHED):
        folder = tmp_path / str(seed)
        folder.mkdir()
        try:
            run_on_kafka(seed, folder, build)
        except Exception:
            return
    pytest.fail(f"{name}: {SEARCHED} seeds did not find it")


def test_a_seed_says_it_all(tmp_path: Path) -> None:
    """The same seed runs in the same way, else it could not be looked into."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    assert run(7, tmp_path / "one") == run(7, tmp_path / "two")


def test_a_seed_says_it_all_on_kafka(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    assert run_on_kafka(7, tmp_path / "one") == run_on_kafka(7, tmp_path / "two")
