"""Kernels settle what rows hold as event replay settles the rounds, and few rounds of an honest floor need event replay."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from floor.catalogue import SIMULATIONS
from floor.day import gaming_day
from replay.columns.catalogue import columns_of, games_in_columns
from replay.columns.groups import groups_of
from replay.columns.round_table import RoundTable, build
from replay.columns.row_schemas import arrow_schema, numbers_of
from replay.columns.settling import rulebook_in, settled_by
from tests.replay.columns.simulated_log import SimulatedLog

pytestmark = pytest.mark.kernels

ROUNDS = {"face_up_pai_gow": 800, "over_under": 400}


def table_of(game: str, folder: Path, **how: Any) -> RoundTable:
    log = SimulatedLog(gaming_day.simulate(11, ROUNDS.get(game, 320), games=[game], **how).groups())
    build(log, folder)
    return RoundTable(folder)


def batches(table: RoundTable, game: str) -> list[pa.RecordBatch]:
    columns = columns_of(game)
    assert columns is not None
    return [group.read(arrow_schema(columns.schema).names) for group in groups_of(table.paths(game))]


def test_every_game_is_settled_in_columns() -> None:
    assert {game.name for game in games_in_columns()} == set(SIMULATIONS)


@pytest.mark.parametrize("game", SIMULATIONS)
def test_what_a_kernel_settles_is_what_was_due(game: str, tmp_path: Path) -> None:
    """A day with every fault planted: by the rules on file, each wager and Envy Bonus comes to what its round was settled by."""
    table, columns, settled = table_of(game, tmp_path), columns_of(game), 0
    assert columns is not None
    texts = table.rules()
    for batch in batches(table, game):
        in_force = np.array(batch.column("rules").to_pylist())
        for digest, text in texts.items():
            found = settled_by(rulebook_in(text), batch, texts, columns)
            (which,) = np.nonzero((found.settled == 1) & (in_force == digest))
            assert (found.due[which] == numbers_of(batch, "due", columns.schema)[which]).all()
            assert (found.envy_due()[which] == numbers_of(batch, "envy_due", columns.schema)[which]).all()
            settled += len(which)
    assert settled > 0.5 * sum(entry.rounds for entry in table.manifest.files)


def test_few_rounds_of_an_honest_floor_go_to_event_replay(tmp_path: Path) -> None:
    """A patron who sits down, the first round of a deck, a second box, a step out of its place: all are in columns."""
    rounds, aside = 0, Counter[str]()
    for game in SIMULATIONS:
        folder = tmp_path / game
        log = SimulatedLog(gaming_day.simulate(3, 200, games=[game], plant=False, rare=False).groups())
        build(log, folder)
        for batch in batches(RoundTable(folder), game):
            rounds += len(batch)
            aside.update(reason for reason in batch.column("aside").to_pylist() if reason)
    assert aside.total() <= 0.05 * rounds, aside
