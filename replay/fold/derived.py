"""Facts derived from a round: worked out once, kept with the round, and forgotten when the round changes.

Invariant: the function that works a fact out is its name and its type, and its file is its home. No one else puts anything there.
A fact that depends on the rules, too, is kept with the rules it was worked out by: under other rules it is worked out again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import TypeVar

from replay.fold.round import Round
from rulebook.chapters.rulebook import Rulebook

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


def derived(work_out: Callable[[Round], T]) -> Callable[[Round], T]:
    """Keep what follows from a round alone."""

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
    """Keep what follows from a round and the rules that it is judged by."""

    @functools.wraps(work_out)
    def fact(round_: Round, book: Rulebook) -> T:
        entry: tuple[Rulebook, T] | None = round_.derived.get(work_out)
        if entry is None or entry[0] is not book:
            entry = round_.derived[work_out] = book, work_out(round_, book)
        return entry[1]

    return fact


def derived_of_each(work_out: Callable[[Round, Rulebook, K], T]) -> Callable[[Round, Rulebook, K], T]:
    """Keep what follows from a round and its rules for each of something: a position, a hand."""

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
