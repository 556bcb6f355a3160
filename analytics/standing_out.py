"""Who stands out from the rest: counts of wrong rounds held against the rates of all who do not stand out.

The law of this file: pure arithmetic on counts. The first who stands out is held against everybody; once one does, the others are
held against the rest without that one, so that one bad value neither hides a second nor makes the rest look good.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from analytics.exact import binomial_at_least
from analytics.multiplicity import holm

Cells = Mapping[str, tuple[int, int]]
"""Game → rounds, and how many of them went wrong."""


class Held(msgspec.Struct, frozen=True):
    """What the rest's rates give for a value, the chance of so many or more, and that corrected for how many values there are."""

    expected: float
    p: float
    p_adjusted: float


def standing_out(values: Sequence[Cells], level: float) -> list[Held]:
    """Return each value held against the rest, in the order given.

    >>> found = standing_out([{"g": (100, 2)}, {"g": (100, 3)}, {"g": (100, 30)}, {"g": (100, 12)}], 0.01)
    >>> [each.p_adjusted <= 0.01 for each in found], round(found[2].expected, 1)
    ([False, False, True, True], 11.7)
    """
    out: set[int] = set()
    while True:
        rest = [at for at in range(len(values)) if at not in out]
        shared = _sums(values[at] for at in rest)
        held = [_held(each, _sums([each], shared) if at in out else shared) for at, each in enumerate(values)]
        adjusted = dict(zip(rest, holm([held[at].p for at in rest], len(values)), strict=True))
        found = [at for at in rest if adjusted[at] <= level]
        if not found:
            return [
                Held(each.expected, each.p, adjusted.get(at, min(1.0, each.p * len(values))))
                for at, each in enumerate(held)
            ]
        out.add(min(found, key=lambda at: held[at].p))


def _sums(values: Iterable[Cells], more: Mapping[str, tuple[int, int]] | None = None) -> dict[str, tuple[int, int]]:
    """Game → rounds and wrong rounds of the values together, and of what is given besides."""
    sums = dict(more or {})
    for value in values:
        for game, (rounds, wrong) in value.items():
            before = sums.get(game, (0, 0))
            sums[game] = before[0] + rounds, before[1] + wrong
    return sums


def _held(value: Cells, shared: Mapping[str, tuple[int, int]]) -> Held:
    """A value among those that share the floor's rates: their wrong rounds fall on it by its share of the rounds of each game."""
    total = sum(wrong for _, wrong in shared.values())
    expected = sum(wrong * value.get(game, (0, 0))[0] / rounds for game, (rounds, wrong) in shared.items() if rounds)
    if not total or not expected:
        return Held(expected, 1.0, 1.0)
    mine = sum(wrong for _, wrong in value.values())
    return Held(expected, binomial_at_least(mine, total, min(1.0, expected / total)), 1.0)
