"""The count finds each kind of damage, and nothing in a sound history."""

import pytest

from tests.faults.table import Tally
from tests.faults.three_nodes.history import Handed, Place, weigh

HANDED = [Handed("table/a", ("1", "2")), Handed("table/b", ("3",)), Handed("table/a", ("4", "5"))]
FIRST, SECOND, LAST = (group.places() for group in HANDED)
ALL = [*FIRST, *SECOND, *LAST]


@pytest.mark.parametrize(
    ("acknowledged", "stored", "wrong"),
    [
        (3, ALL, {}),
        (2, [*FIRST, *SECOND], {}),
        (2, ALL, {}),  # the last one was stored, and the answer lost
        (3, [*FIRST, *SECOND], {"lost": 2}),
        (0, [], {}),
        (1, [], {"lost": 2}),
        (3, [*ALL, *SECOND], {"doubled": 1}),
        (2, [*FIRST, *SECOND, LAST[0]], {"torn": 1}),
        (3, [*FIRST, *SECOND, LAST[1]], {"torn": 1, "lost": 1}),
        (3, [*ALL, ("table/c", "6")], {"refused": 1}),
        (3, [*ALL, ("table/b", "1")], {"refused": 1}),  # the event of another stream
    ],
)
def test_what_is_counted(acknowledged: int, stored: list[Place], wrong: dict[str, int]) -> None:
    tally = weigh(HANDED, acknowledged, stored)
    promised = sum(len(group.ids) for group in HANDED[:acknowledged])
    assert tally == Tally(acknowledged=promised)._replace(**wrong)
    assert tally.sound == (not wrong)


def test_tallies_add_up() -> None:
    total = Tally(1, 10, lost=1).plus(Tally(1, 5, torn=2))
    assert total == Tally(2, 15, lost=1, torn=2)
    assert str(total) == "1 of 15 acknowledged; 0 doubled, 0 refused but stored, 2 torn, 0 unnoticed"
