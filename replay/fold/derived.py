"""Facts derived from a round: computed once, kept with the round, and forgotten when the round changes.

Invariant: the function that computes a fact is its name and its type, and its file is its home. No other code stores facts there.
A fact that also depends on the rules is kept with them: under other rules it is computed again.
"""

import functools
from collections.abc import Callable, Hashable
from typing import TypeVar

from replay.fold.round import Round
from rulebook.chapters.rulebook import Rulebook

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


def derived(work_out: Callable[[Round], T]) -> Callable[[Round], T]:
    """Cache a fact that depends only on the round."""

    @functools.wraps(work_out)
    def fact(round_: Round) -> T:
        facts = round_.derived
        result: T
        try:
            result = facts[work_out]
        except KeyError:
            result = facts[work_out] = work_out(round_)
        return result

    return fact


def derived_by_rules(work_out: Callable[[Round, Rulebook], T]) -> Callable[[Round, Rulebook], T]:
    """Cache a fact that depends on the round and its rules."""

    @functools.wraps(work_out)
    def fact(round_: Round, book: Rulebook) -> T:
        entry: tuple[Rulebook, T] | None = round_.derived.get(work_out)
        if entry is None or entry[0] is not book:
            entry = round_.derived[work_out] = book, work_out(round_, book)
        return entry[1]

    return fact


def derived_of_each(work_out: Callable[[Round, Rulebook, K], T]) -> Callable[[Round, Rulebook, K], T]:
    """Cache a fact about each of several things (positions, hands) that depends on the round and its rules."""

    @functools.wraps(work_out)
    def fact(round_: Round, book: Rulebook, of: K) -> T:
        entry: tuple[Rulebook, dict[K, T]] | None = round_.derived.get(work_out)
        if entry is None or entry[0] is not book:
            entry = round_.derived[work_out] = book, {}
        results = entry[1]
        try:
            return results[of]
        except KeyError:
            result = results[of] = work_out(round_, book, of)
            return result

    return fact
