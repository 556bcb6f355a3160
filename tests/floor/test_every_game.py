"""What holds for the floor of every game: same seed, same bytes; everything is planted; the labels are apart."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from floor.catalogue import SIMULATIONS
from floor.day.gaming_day import simulate
from tests.floor.simulated import DAYS, simulated

FLOORS = [(game, seed, rounds) for game, (seeds, rounds) in DAYS.items() for seed in seeds]


def test_every_game_has_its_days() -> None:
    assert DAYS.keys() == SIMULATIONS.keys()


@pytest.mark.parametrize("game", DAYS)
def test_same_seed_same_bytes(tmp_path: Path, game: str) -> None:
    for name in ("a", "b"):
        simulate(5, 80, games=(game,)).write(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a.labels.json").read_bytes() == (tmp_path / "b.labels.json").read_bytes()
    simulate(6, 80, games=(game,)).write(tmp_path / "c")
    assert (tmp_path / "a").read_bytes() != (tmp_path / "c").read_bytes()


@pytest.mark.parametrize(("game", "seed", "rounds"), FLOORS)
def test_every_code_is_planted_and_every_irregularity_happens(game: str, seed: int, rounds: int) -> None:
    """Each injector twice, those of a code together; what shows in a meter's stream alone is asked for there."""
    floor, anomalies = simulated(game, seed, rounds), SIMULATIONS[game].anomalies
    planted = Counter(label.code for label in floor.labels if label.stream.startswith("table/"))
    injectors = Counter(name.partition("/")[0] for name in anomalies.faults if name != "PAY-METER/stream")
    assert {code for code, count in injectors.items() if planted[code] < 2 * count} == set()
    in_meters = {label.code for label in floor.labels if label.stream.startswith("meter/")}
    assert ("PAY-METER" in in_meters) == ("PAY-METER/stream" in anomalies.faults)
    kinds = Counter(label.kind for label in floor.legitimate)
    assert {kind for kind in {*anomalies.legitimates, *anomalies.natural} if not kinds[kind]} == set()


@pytest.mark.parametrize(("game", "seed", "rounds"), FLOORS)
def test_labels_are_disjoint(game: str, seed: int, rounds: int) -> None:
    """At most one fault a round, and none in a round that is labeled as legitimate."""
    floor = simulated(game, seed, rounds)
    faulty = Counter((label.stream, label.round_no) for label in floor.labels if label.stream.startswith("table/"))
    assert max(faulty.values()) == 1
    assert not faulty.keys() & {(label.stream, label.round_no) for label in floor.legitimate}
