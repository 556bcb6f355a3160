"""A game on the floor: its tables, the plan and play of a round, and its anomalies."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from floor.faults.anomaly import Anomalies
from floor.table.casino import SimulatedFiling, TableSpec, as_filed, grown
from floor.table.table import Table


@dataclass(frozen=True, slots=True)
class GameSimulation:
    """A game on the floor.

    `models` are tables that together use everything that can be filed; `own_filing` gives further tables of these kinds their own
    meters. `plan(table, random)` decides a round: it has `round_no`, `turn` and `stack(number)`, which makes a rare hand come.
    `play(plan)` writes its script: `write()`, `script`, `table`, `plan`.
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
        """The smallest number of tables."""
        return len(self.models)

    def specs(self, tables: int) -> list[TableSpec]:
        """Return this many tables. Raises `ValueError` for fewer than the smallest number."""
        return grown(self.models, tables, self.own_filing)
