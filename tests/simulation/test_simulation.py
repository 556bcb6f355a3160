"""The whole pipeline under seeded faults: what was acknowledged is there once, findings are the same to the byte."""

from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.simulation import broken, broken_kafka, kafka_world, world
from tests.simulation.broker import HELD, WAYS
from tests.simulation.building import Builds
from tests.simulation.disk import KINDS
from tests.simulation.world import Outcome

PACK = 20
SEARCHED = 300
"""Seeds within which a broken build must be found out."""


class Where(NamedTuple):
    """A world: how it runs, the kinds of faults in it, how many seeds are tried, and its broken builds."""

    run: Callable[..., Outcome]
    faults: Collection[str]
    seeds: int
    builds: Builds


WORLDS = {
    "sqlite": Where(world.run, KINDS, 60, broken.BUILDS),
    "kafka": Where(kafka_world.run, (*WAYS, HELD), 20, broken_kafka.BUILDS),
}


def of_seed(tmp_path: Path, seed: int) -> Path:
    folder = tmp_path / str(seed)
    folder.mkdir()
    return folder


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("where", "first"),
    [
        pytest.param(name, first, marks=[pytest.mark.nightly] if first else [])
        for name, each in WORLDS.items()
        for first in range(0, each.seeds, PACK)
    ],
)
def test_whatever_happens_nothing_is_lost_and_nothing_is_said_otherwise(where: str, first: int, tmp_path: Path) -> None:
    happened = Counter[str]()
    for seed in range(first, first + PACK):
        try:
            happened.update(WORLDS[where].run(seed, of_seed(tmp_path, seed)).faults)
        except BaseException as error:
            on = " --kafka" * (where == "kafka")
            error.add_note(f"seed {seed}: python -m tests.simulation{on} --first {seed} --seeds 1")
            raise
    assert set(happened) == set(WORLDS[where].faults), "every kind of fault was tried"


@pytest.mark.nightly
@pytest.mark.parametrize(("where", "name"), [(where, name) for where, each in WORLDS.items() for name in each.builds])
def test_a_broken_build_is_found_out(where: str, name: str, tmp_path: Path) -> None:
    build, first = WORLDS[where].builds[name]
    with build():
        pass  # what it replaces is there
    for seed in range(first, first + SEARCHED):
        try:
            WORLDS[where].run(seed, of_seed(tmp_path, seed), build)
        except Exception:
            return
    pytest.fail(f"{name}: {SEARCHED} seeds did not find it")


@pytest.mark.parametrize("where", WORLDS)
def test_a_seed_says_it_all(where: str, tmp_path: Path) -> None:
    """The same seed runs in the same way, else it could not be looked into."""
    one, two = (WORLDS[where].run(7, of_seed(tmp_path, number)) for number in (1, 2))
    assert one == two
