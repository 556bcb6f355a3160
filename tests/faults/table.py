"""The table of faults: each is a function that brings the fault about so many times and checks what must hold.

A fault is tried a few times in every test run and often by `make faults`. It raises `Lost` (or anything else) where a promise
does not hold; `Unavailable` where this machine cannot bring it about.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Lost(AssertionError):
    """What was promised does not hold."""


class Unavailable(Exception):
    """This machine cannot bring the fault about; says what is missing."""


class Fault(NamedTuple):
    """A row of the table. `run(folder, times)` returns how often the fault was brought about (at most `times`).

    `quick` times in every test run (0: by `make faults` only), `often` times by `make faults`. `kafka` needs a broker.
    """

    area: str
    name: str
    how: str
    held: str
    run: Callable[[Path, int], int]
    quick: int
    often: int
    kafka: bool


FAULTS: list[Fault] = []

Run = Callable[[Path, int], int]


def fault(
    area: str, name: str, *, how: str, held: str, quick: int, often: int, kafka: bool = False
) -> Callable[[Run], Run]:
    """Put a function into the table."""

    def listed(run: Run) -> Run:
        FAULTS.append(Fault(area, name, how, held, run, quick, often, kafka))
        return run

    return listed


def demand(holds: bool, what: str) -> None:
    """Raise `Lost` unless it holds."""
    if not holds:
        raise Lost(what)
