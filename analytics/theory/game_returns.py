"""The record of a game in `analytics`: how its wagers' returns are counted, and which wagers theory combines."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from analytics.theory.result import Result
from rulebook.chapters.chapters import Chapter, chapter
from rulebook.chapters.rulebook import Rulebook


class CountTable(msgspec.Struct, frozen=True):
    """How to make a stored table of counts again: a function of a module, and its arguments.

    The module is imported only when the table is made, since some modules compile. A simulation's function takes the number of
    rounds after these arguments.
    """

    module: str
    function: str = "compute"
    arguments: tuple[Any, ...] = ()
    simulation: bool = False


_FIXED = ("deal_methods", "sections", "settings", "shufflers", "startings")
"""The parts of a chapter whose amendment needs no new count."""


def _counted(listed: Chapter, results: Callable[[], Iterable[Result]]) -> list[Result]:
    """Return counted results; none for an edition that changes more than paytables, or does not fit the stored counts."""
    if not listed.edition_digest:
        return list(results())
    first = chapter(listed.jurisdiction, listed.name)
    if any(getattr(listed, name) != getattr(first, name) for name in _FIXED):
        return []
    try:
        return list(results())
    except (ValueError, KeyError):
        return []


class BonusReturns(msgspec.Struct, frozen=True):
    """How the returns of an optional wager are counted.

    `result` returns them by chapter and paytable. `one_result`: the dice or the dealer's hand decide, so that all seats of a
    round win or lose together. `from_meter`: a meter pays part of it. `staked`: it has a stake of its own (not the Must-Hit-By
    bonus, for which another wager qualifies).
    """

    result: Callable[[Chapter, str], Result]
    one_result: bool = False
    from_meter: bool = False
    staked: bool = True

    def results(self, listed: Chapter, paytables: Sequence[str]) -> list[tuple[str, Result]]:
        """Return each paytable of the wager with its return; empty if an amendment makes it unknown."""
        names = paytables or ("",)
        return list(zip(names, _counted(listed, lambda: [self.result(listed, name) for name in names]), strict=False))


class UncountedReading(msgspec.Struct, frozen=True):
    """A wager, and the value of a setting that settles it by another reading of the text than theory's (D421)."""

    wager: str
    setting: str
    value: str


def one_version(book: Rulebook) -> str:
    """Return the name of the only version of the required wagers: empty."""
    return ""


class GameReturns(msgspec.Struct, frozen=True, kw_only=True):
    """A game for analysis.

    `required` yields the returns of the required wagers together, as one wager. `combined` names these wagers, the starting one
    first: its stake is the unit. `theory_wager` is theory's name for them together. `version` returns the version that a rules
    submission files. `companions` are further wagers with the required ones that are not side wagers.

    `bonuses` maps each optional wager to its returns, `counts` each stored table to how to make it again.
    """

    game: str
    required: Callable[[Chapter], Iterator[Result]]
    bonuses: Mapping[str, BonusReturns]
    counts: Mapping[str, CountTable] = {}
    theory_wager: str = "base"
    combined: tuple[str, ...] = ("base",)
    version: Callable[[Rulebook], str] = one_version
    companions: tuple[str, ...] = ()
    other_readings: tuple[UncountedReading, ...] = ()

    def required_results(self, listed: Chapter) -> list[Result]:
        """Return the returns of the required wagers; empty if an amendment makes them unknown."""
        return _counted(listed, lambda: self.required(listed))
