"""The anomalies of a game: for each, how a round is prepared, what is done differently, and its label.

A fault or a legitimate irregularity is an `Anomaly`. `fits` says at which tables it can happen; `before` changes the table before
the round; `prepare` changes the plan (alone it leaves the round correct, unless `edit` always labels it); `edit` changes the
actions and returns the place of the fault; `after` restores the table.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from floor.faults.labels import Spot

T = TypeVar("T")
Edit = Callable[[Any], Spot]
"""Changes the script of a play and says where the fault lies; raises `NotPossible`."""
Prepare = Callable[[Any], "bool | None"]
"""Changes a plan; returns false, or raises `NotPossible`, if it cannot."""
Fits = Callable[[Any], bool]


class NotPossible(Exception):
    """An anomaly cannot happen in this round; it is tried again later."""


def require(value: T | None) -> T:
    """Return a value that an anomaly needs; raise `NotPossible` if it is missing, empty or false."""
    if not value:
        raise NotPossible
    return value


HERE = Spot()
"""The fault is in the plan, or was done before the round."""


def anywhere(table: object) -> bool:
    """Accept every table."""
    return True


def as_it_is(plan: object) -> None:
    """Leave the round as planned."""


@dataclass(frozen=True, slots=True)
class Anomaly:
    """A fault (by its code) or a legitimate irregularity (by its kind). `per_mille` rounds have an irregularity.

    `decides`: it decides what is otherwise left to chance: which cards come, how hands are set, how a wager ends.
    """

    name: str
    edit: Edit
    fits: Fits = anywhere
    prepare: Prepare = as_it_is
    before: Callable[[Any, int], object] | None = None
    after: Callable[[Any], object] | None = None
    per_mille: float = 0
    decides: bool = False

    def can_prepare(self, plan: Any) -> bool:
        """Prepare a round for it; return whether that was possible."""
        with suppress(NotPossible):
            return self.prepare(plan) is not False
        return False

    def apply(self, play: Any) -> Spot | None:
        """Apply it to a played round; return its place, None if it cannot happen."""
        with suppress(NotPossible):
            return self.edit(play)
        return None


class Anomalies:
    """The anomalies of a game: its faults by code, its legitimate irregularities by kind.

    `natural` are the kinds that also happen by chance in a played round, each with a function that detects it.
    """

    def __init__(self) -> None:
        self.faults: dict[str, Anomaly] = {}
        self.legitimates: dict[str, Anomaly] = {}
        self.natural: dict[str, Callable[[Any], object]] = {}

    def fault(self, code: str, edit: Edit | Spot | None = None, **how: Any) -> Callable[[Edit], Edit]:
        """Register an injector under the code that shows it (`CODE/variant` if one code takes several).

        If `edit` is a spot, only the preparation matters; without `edit`, this decorates the edit.
        """
        return _register(self.faults, code, edit, how)

    def legitimate(self, kind: str, per_mille: float, edit: Edit | Spot | None = None, **how: Any) -> Callable[[Edit], Edit]:
        """Register a legitimate irregularity at this many rounds in a thousand, as `fault` does."""
        return _register(self.legitimates, kind, edit, {"per_mille": per_mille, **how})

    def natural_kinds(self, play: Any) -> list[str]:
        """Return the legitimate irregularities that happened in a round by chance."""
        return [kind for kind, occurred in self.natural.items() if occurred(play)]

    def share(self, other: "Anomalies", *names: str) -> None:
        """Use these faults and legitimate irregularities of another game unchanged in this one."""
        for name in names:
            mine, theirs = (self.faults, other.faults) if name in other.faults else (self.legitimates, other.legitimates)
            assert name not in mine
            mine[name] = theirs[name]

    def take_over(self, other: "Anomalies", *but: str) -> None:
        """Use all anomalies of another game in this one, except those named."""
        self.share(other, *(name for name in (*other.faults, *other.legitimates) if name not in but))


def _register(register: dict[str, Anomaly], name: str, edit: Edit | Spot | None, how: dict[str, Any]) -> Callable[[Edit], Edit]:
    def add(edit: Edit) -> Edit:
        assert name not in register
        register[name] = Anomaly(name, edit, **how)
        return edit

    if isinstance(edit, Spot):
        spot = edit
        add(lambda play: spot)
    elif edit is not None:
        add(edit)
    return add
