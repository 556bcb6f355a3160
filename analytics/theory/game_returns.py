"""The record of a game in `analytics`: how the returns of its wagers are counted, and which of them theory counts as one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from analytics.theory.result import Result
from rulebook.chapters.chapters import Chapter, chapter
from rulebook.chapters.rulebook import Rulebook


class CountTable(msgspec.Struct, frozen=True):
    """How a stored table of counts is made again: a function of a module, and its arguments.

    The module is imported only when the table is made, for some modules compile. The function of a simulation takes the number
    of rounds after these arguments.
    """

    module: str
    function: str = "compute"
    arguments: tuple[Any, ...] = ()
    simulation: bool = False


_FIXED = ("deal_methods", "sections", "settings", "shufflers", "startings")
"""What theory does not count again if an amendment changes it."""


def _counted(listed: Chapter, results: Callable[[], Iterable[Result]]) -> list[Result]:
    """Return counted results; of an amended edition nothing if it changes more than paytables, wagers and numbers, or if the
    stored counts do not fit it.
    """
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

    `result` returns them by chapter and name of the paytable. `one_result`: the dice or the dealer's hand decide, so that all
    seats of a round win or lose together. `from_meter`: a part of what it returns is paid from a meter. `staked`: patrons stake
    something on it (not on the Must-Hit-By bonus, for which another wager qualifies).
    """

    result: Callable[[Chapter, str], Result]
    one_result: bool = False
    from_meter: bool = False
    staked: bool = True

    def results(self, listed: Chapter, paytables: Sequence[str]) -> list[tuple[str, Result]]:
        """Return each of the wager's paytables with what it returns; nothing that an amendment makes unknown."""
        names = paytables or ("",)
        return list(zip(names, _counted(listed, lambda: [self.result(listed, name) for name in names]), strict=False))


class UncountedReading(msgspec.Struct, frozen=True):
    """A wager, and the value of a setting by which it is settled by another reading of the text than theory counts (D421)."""

    wager: str
    setting: str
    value: str


def one_version(book: Rulebook) -> str:
    """Return the name of the required wagers' only version: they have none."""
    return ""


class GameReturns(msgspec.Struct, frozen=True, kw_only=True):
    """A game as the analysts see it.

    `required` yields the returns of the wagers without which the game cannot be played: together, as one wager. `combined` names
    these wagers, the one that a player starts with first: its stake is the unit, the others have none of their own.
    `theory_wager` is what theory calls them together. `version` returns which of several versions a rules submission files.
    `companions` are further wagers that go with the required ones and are no side wagers.

    `bonuses` maps each optional wager to its returns, `counts` each stored table that they need to how it is made again.
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
        """Return what the required wagers return; nothing that an amendment makes unknown."""
        return _counted(listed, lambda: self.required(listed))
