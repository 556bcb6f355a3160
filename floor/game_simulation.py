"""A game on the floor: its tables, how a round of it is planned and played, and what can be irregular."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from floor.faults.anomaly import Anomalies
from floor.table.casino import TableSpec
from floor.table.table import Table


@dataclass(frozen=True, slots=True)
class GameSimulation:
    """A game on the floor.

    `specs` gives so many tables, of which there are at least `tables`. `plan(table, random)` decides a round: it has
    `round_no`, `turn` and `stack(number)`, which lets a rare hand come up. `play(plan)` writes it down: `write()`, `script`,
    `table`, `plan`. `natural` names what was irregular and right by itself in a round that was played.
    """

    name: str
    tables: int
    specs: Callable[[int], list[TableSpec]]
    table: type[Table]
    plan: Callable[..., Any]
    play: Callable[[Any], Any]
    anomalies: Anomalies
    natural: Callable[[Any], list[str]]
