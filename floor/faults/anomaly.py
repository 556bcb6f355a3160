"""What can be irregular in a round: how it is prepared, done and labelled; and when which is due.

A fault or a legitimate irregularity is an `Anomaly`: `fits` says at which tables it can happen, `before` changes the
table ahead of the round, `prepare` changes the plan (and alone leaves the round a right one, unless `apply` always
labels it), `apply` changes what is done and says where the fault lies, `after` puts the table right again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from floor.faults.labels import Spot
from floor.table.table import Table

Fits = Callable[[Any], bool]
Before = Callable[[Any, int], None]
Prepare = Callable[[Any], bool]
Apply = Callable[[Any], "Spot | None"]
After = Callable[[Any], None]


def anywhere(table: Table) -> bool:
    """Every table is fit."""
    return True


def as_it_is(plan: object) -> bool:
    """Every round is fit."""
    return True


@dataclass(frozen=True, slots=True)
class Anomaly:
    """A fault (by its code) or a legitimate irregularity (by its kind). `per_mille` rounds have the latter.

    `decides` says that it decides what chance decides otherwise: which cards come, how hands are set, how a wager ends.
    """

    name: str
    apply: Apply
    fits: Fits = anywhere
    prepare: Prepare = as_it_is
    before: Before | None = None
    after: After | None = None
    per_mille: float = 0
    decides: bool = False


class Anomalies:
    """What can be irregular in a game: its faults by code, its legitimate irregularities by kind."""

    def __init__(self) -> None:
        self.faults: dict[str, Anomaly] = {}
        self.legitimates: dict[str, Anomaly] = {}

    def fault(self, code: str, **how: Any) -> Callable[[Apply], Apply]:
        """Register a planter under the code it plants (`CODE/variant` where one code takes two planters)."""

        def register(apply: Apply) -> Apply:
            assert code not in self.faults
            self.faults[code] = Anomaly(code, apply, **how)
            return apply

        return register

    def legitimate(self, kind: str, per_mille: float, **how: Any) -> Callable[[Apply], Apply]:
        """Register a legitimate irregularity at so many rounds in a thousand."""

        def register(apply: Apply) -> Apply:
            assert kind not in self.legitimates
            self.legitimates[kind] = Anomaly(kind, apply, per_mille=per_mille, **how)
            return apply

        return register

    def share(self, other: Anomalies, *names: str) -> None:
        """Let these faults and legitimate irregularities of another game happen in this one too, as they are."""
        for name in names:
            mine, theirs = (
                (self.faults, other.faults) if name in other.faults else (self.legitimates, other.legitimates)
            )
            assert name not in mine
            mine[name] = theirs[name]

    def take_over(self, other: Anomalies, *but: str) -> None:
        """Let what is irregular in another game happen in this one too, but for what is named."""
        for name, each in other.faults.items():
            if name not in but:
                self.faults[name] = each
        for name, each in other.legitimates.items():
            if name not in but:
                self.legitimates[name] = each
