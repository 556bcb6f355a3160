"""Irregularities of the record itself: a device's counter that jumps or repeats, a clock that runs back, a void correction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal


class RecordFault:
    """An irregularity: numbers missing, a number repeated with other content, a clock running back, a correction refused."""

    __slots__ = ("detail", "kind", "missing", "round_no", "seq", "source")

    def __init__(
        self,
        kind: Literal["gap", "repeat", "clock", "correction"],
        source: str,
        seq: int,
        detail: str,
        missing: Sequence[Span] = (),
    ) -> None:
        self.kind, self.source, self.seq, self.detail = kind, source, seq, detail
        self.missing = list(missing)
        self.round_no = 0


def is_in(spans: Sequence[Span], number: int) -> bool:
    """Say whether a number lies in one of the spans."""
    return any(first <= number <= last for first, last in spans)


def without(spans: Sequence[Span], number: int) -> list[Span]:
    """Return spans without a number: the one that holds it becomes what is left on either side."""
    left: list[Span] = []
    for first, last in spans:
        if first <= number <= last:
            left += [span for span in ((first, number - 1), (number + 1, last)) if span[0] <= span[1]]
        else:
            left.append((first, last))
    return left


Span = tuple[int, int]
"""The first and last of numbers in a row."""
