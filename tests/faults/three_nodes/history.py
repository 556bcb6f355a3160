"""What was handed in against what is stored, counted over the raw records, apart from the code under test.

A group is a transaction: a stream and the ids of its events. A history is judged as a whole when everything is over: each
acknowledged event is there once, none that was refused, and of no transaction a part.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tests.faults.table import Tally

Place = tuple[str, str]
"""An event: its stream and its id."""


class Handed(NamedTuple):
    """A group as it was handed in, in the order of handing in."""

    stream: str
    ids: tuple[str, ...]

    def places(self) -> list[Place]:
        return [(self.stream, each) for each in self.ids]


def weigh(handed_in: Sequence[Handed], acknowledged: int, stored: Sequence[Place]) -> Tally:
    """Count what is wrong with what is stored, where the first `acknowledged` of the groups were acknowledged.

    What was handed in and not acknowledged may be there, whole and once. All else was refused.
    """
    count = Counter(stored)
    known = {place for group in handed_in for place in group.places()}
    promised = [place for group in handed_in[:acknowledged] for place in group.places()]
    present = [sum(place in count for place in group.places()) for group in handed_in]
    return Tally(
        acknowledged=len(promised),
        lost=sum(place not in count for place in promised),
        doubled=sum(times > 1 for times in count.values()),
        refused=sum(place not in known for place in count),
        torn=sum(0 < there < len(group.ids) for there, group in zip(present, handed_in, strict=True)),
    )
