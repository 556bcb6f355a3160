"""Who stands out from the rest: counts of wrong rounds held against the rates of all who do not stand out.

The law of this file: pure arithmetic on counts. The first who stands out is held against everybody; once one does, the others are
held against the rest without that one, so that one bad value neither hides a second nor makes the rest look good.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    out: list[int] = []
    while True:
        held = [
            _held(value, [each for at, each in enumerate(values) if at not in out or at == mine])
            for mine, value in enumerate(values)
        ]
        rest = [at for at in range(len(values)) if at not in out]
        adjusted = holm([held[at].p for at in rest], len(values))
        found = [at for at, p in zip(rest, adjusted, strict=True) if p <= level]
        if not found:
            corrected = dict(zip(rest, adjusted, strict=True))
            return [
                Held(each.expected, each.p, corrected.get(at, min(1.0, each.p * len(values))))
                for at, each in enumerate(held)
            ]
        out.append(min(found, key=lambda at: held[at].p))


def _held(value: Cells, among: Sequence[Cells]) -> Held:
    """A value among those that share the floor's rates: their wrong rounds fall on it by its share of the rounds of each game."""
    expected = total = 0.0
    for game in {game for each in among for game in each}:
        rounds = sum(each.get(game, (0, 0))[0] for each in among)
        wrong = sum(each.get(game, (0, 0))[1] for each in among)
        total += wrong
        expected += wrong * value.get(game, (0, 0))[0] / rounds if rounds else 0.0
    if not total or not expected:
        return Held(expected, 1.0, 1.0)
    mine = sum(wrong for _, wrong in value.values())
    return Held(expected, binomial_at_least(mine, round(total), min(1.0, expected / total)), 1.0)
