"""A game on the floor: its tables, how a round of it is planned and played, and what can be irregular."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from floor.faults.anomaly import Anomalies
from floor.table.casino import SimulatedFiling, TableSpec, as_filed, grown
from floor.table.table import Table


@dataclass(frozen=True, slots=True)
class GameSimulation:
    """A game on the floor.

    `models` are the tables that between them use all that can be filed; `own_filing` gives further ones of the same kinds
    meters of their own. `plan(table, random)` decides a round: it has `round_no`, `turn` and `stack(number)`, which lets a rare
    hand come up. `play(plan)` writes it down: `write()`, `script`, `table`, `plan`.
    """

    name: str
    models: tuple[TableSpec, ...]
    table: type[Table]
    plan: Callable[..., Any]
    play: Callable[[Any], Any]
    anomalies: Anomalies
    own_filing: Callable[[SimulatedFiling, str], SimulatedFiling] = as_filed

    @property
    def tables(self) -> int:
        """How many tables there are at least."""
        return len(self.models)

    def specs(self, tables: int) -> list[TableSpec]:
        """Return this many tables. Raises `ValueError` for fewer than there are at least."""
        return grown(self.models, tables, self.own_filing)
