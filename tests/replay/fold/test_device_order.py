"""The order of two events: by the numbers of one device, by the log and the clocks of two (D26, D132, D850)."""

import pytest

from events.vocabulary import model
from replay.fold.device_order import as_arrived, as_played, by_the_clocks
from replay.fold.round import Round
from tests.replay.tables import SECOND_US, START_US, Table

LOCKED = model.ProgressiveLocked(accepted=1, collected=1)
ACCEPTED = model.ProgressiveAccepted(seat=3, meter="m-1", amount_cents=500, reading_centicents=5_000_000, meter_seq=2)
OPENED = model.RoundOpened(deck="d-1", observed=[])
CLOSED = model.RoundClosed(by="d-7")

Report = tuple[model.Event, str, int, int]
"""What is reported, by which device, under which number, how many seconds into the round."""


def round_of(*reports: Report) -> Round:
    """A round of these reports, in the order in which they arrive."""
    table = Table()
    table.say(OPENED, 1, source="pit")
    for payload, source, number, at in reports:
        table.say(payload, 1, source=source, source_seq=number, at_us=START_US + (100 + at) * SECOND_US)
    table.say(CLOSED, 1, source="pit", at_us=START_US + 200 * SECOND_US)
    return list(table.fold())[-1]


def order(round_: Round | None) -> list[str] | None:
    """The devices and numbers of the reports, in the order of the round."""
    if round_ is None:
        return None
    return [f"{fact.source} {fact.source_seq}" for fact in round_.facts if fact.source not in ("pit", "table")]


@pytest.mark.parametrize(
    ("reports", "played", "arrived", "clocks"),
    [
        pytest.param([("a", 1, 1), ("a", 2, 2)], ["a 1", "a 2"], None, None, id="in order"),
        pytest.param([("a", 1, 2), ("a", 2, 1)], ["a 1", "a 2"], None, None, id="its clock was set back"),
        pytest.param([("a", 1, 1), ("a", 3, 3), ("a", 2, 2)], ["a 1", "a 2", "a 3"], None, None, id="late"),
        pytest.param([("a", 1, 1), ("a", 3, 3), ("a", 2, 9)], ["a 1", "a 2", "a 3"], None, None, id="late, wrong clock"),
        pytest.param([("a", 2, 2), ("a", 1, 1)], ["a 1", "a 2"], None, None, id="the first one is late"),
        pytest.param(
            [("a", 1, 1), ("a", 4, 4), ("a", 3, 3), ("a", 2, 2)], ["a 1", "a 2", "a 3", "a 4"], None, None, id="two late"
        ),
        pytest.param(
            [("a", 1, 1), ("b", 1, 3), ("a", 3, 4), ("a", 2, 2)],
            ["a 1", "a 2", "b 1", "a 3"],
            ["a 1", "b 1", "a 2", "a 3"],
            None,
            id="late, and its clock says before another device",
        ),
        pytest.param(
            [("a", 1, 1), ("b", 1, 2), ("a", 3, 4), ("a", 2, 3)],
            ["a 1", "b 1", "a 2", "a 3"],
            None,
            None,
            id="late, and its clock says after another device",
        ),
        pytest.param(
            [("a", 1, 1), ("b", 1, 3), ("a", 2, 2)],
            ["a 1", "b 1", "a 2"],
            None,
            ["a 1", "a 2", "b 1"],
            id="two devices whose clocks contradict the log",
        ),
    ],
)
def test_order(
    reports: list[tuple[str, int, int]], played: list[str], arrived: list[str] | None, clocks: list[str] | None
) -> None:
    round_ = as_played(round_of(*((LOCKED, *report) for report in reports)))
    assert order(round_) == played
    assert order(as_arrived(round_)) == arrived
    assert order(by_the_clocks(round_)) == clocks
    by_log = sorted(round_.number(fact.seq) for fact in round_.facts)
    assert by_log == sorted(fact.seq for fact in round_.facts)


@pytest.mark.parametrize(
    ("second", "later", "before"),
    [
        (("a", 2), 1, True),
        (("a", 2), -1, True),  # its own clock was set back
        (("b", 1), 1, True),
        (("b", 1), 0, True),
        (("b", 1), -1, None),  # two devices that contradict each other
        (("pit-s-kane", 2), 1, True),
        (("pit-s-kane", 2), -1, None),  # a person enters in any order
    ],
)
def test_certainly_before(second: tuple[str, int], later: int, before: bool | None) -> None:
    first = "a" if second[0] == "b" else second[0]
    round_ = round_of((LOCKED, first, 1, 10), (ACCEPTED, *second, 10 + later))
    locked, accepted = round_.of(model.ProgressiveLocked)[0], round_.of(model.ProgressiveAccepted)[0]
    assert round_.certainly_before(locked, accepted) is before
    assert round_.certainly_before(accepted, locked) is (None if before is None else not before)
