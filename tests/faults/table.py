"""The table of faults: each is a function that brings the fault about this many times and checks what must hold.

A fault is tried a few times in every test run and often by `make faults`. It raises `Lost` (or anything else) if a promise
does not hold; `Unavailable` if this machine cannot bring it about.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Lost(AssertionError):
    """What was promised does not hold."""


class Unavailable(Exception):
    """This machine cannot bring the fault about; says what is missing."""


class Tally(NamedTuple):
    """What was counted after faults, over the raw records of the log: all but `tried` and `acknowledged` must be 0.

    `acknowledged`: events; `lost`: of those; `doubled`: events stored more than once; `refused`: events stored that were
    refused, or never handed in; `torn`: transactions of which a part is there; `unnoticed`: times at which any of this was
    so and the program named nothing.
    """

    tried: int = 0
    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    refused: int = 0
    torn: int = 0
    unnoticed: int = 0

    def plus(self, other: Tally) -> Tally:
        return Tally(*(mine + more for mine, more in zip(self, other, strict=True)))

    @property
    def sound(self) -> bool:
        return not any(self[2:])

    def __str__(self) -> str:
        return (
            f"{self.lost} of {self.acknowledged:,} acknowledged; {self.doubled} doubled, {self.refused} refused but "
            f"stored, {self.torn} torn, {self.unnoticed} unnoticed"
        )


class Fault(NamedTuple):
    """A row of the table. `run(folder, times)` returns how often the fault was brought about (at most `times`), or a tally.

    `quick` times in every test run (0: by `make faults` only), `often` times by `make faults`. `kafka` needs a broker.
    """

    area: str
    name: str
    how: str
    held: str
    run: Callable[[Path, int], int | Tally]
    quick: int
    often: int
    kafka: bool


FAULTS: list[Fault] = []

Run = Callable[[Path, int], int | Tally]


def fault(area: str, name: str, *, how: str, held: str, quick: int, often: int, kafka: bool = False) -> Callable[[Run], Run]:
    """Put a function into the table."""

    def listed(run: Run) -> Run:
        FAULTS.append(Fault(area, name, how, held, run, quick, often, kafka))
        return run

    return listed


def times_tried(outcome: int | Tally) -> int:
    """Return how often a fault was brought about."""
    return outcome.tried if isinstance(outcome, Tally) else outcome


def demand(holds: bool, what: str) -> None:
    """Raise `Lost` unless it holds."""
    if not holds:
        raise Lost(what)
