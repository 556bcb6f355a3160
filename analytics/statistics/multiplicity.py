"""Many tests at once: p-values corrected for their number, so that a long report raises no more alarms than a short one."""

from collections.abc import Sequence


def holm(p_values: Sequence[float], tests: int | None = None) -> list[float]:
    """Return p-values adjusted by Holm's step-down method (1979), in the order given.

    `tests` is the total number of tests, if only those with the smallest p-values are given.

    If everything at or below a level is called an alarm, the chance of any false alarm in the whole report is at most that level,
    however the tests depend on each other.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    >>> holm([0.01], tests=10)
    [0.1]
    """
    count = max(len(p_values), tests or 0)
    adjusted, so_far = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        so_far = max(so_far, min(1.0, (count - rank) * p_values[place]))
        adjusted[place] = so_far
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Benjamini and Hochberg (1995), in the order given: they bound the share of false alarms.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    adjusted, so_far, count = [0.0] * len(p_values), 1.0, len(p_values)
    for rank, place in reversed(list(enumerate(sorted(range(count), key=lambda index: p_values[index]), start=1))):
        so_far = min(so_far, p_values[place] * count / rank)
        adjusted[place] = so_far
    return adjusted
