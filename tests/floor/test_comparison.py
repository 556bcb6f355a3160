"""Found, missed, false alarm: each with both sides."""

import pytest

from floor.faults.comparison import compare
from floor.faults.labels import Planted
from replay.findings import Finding
from tests.dashboards import sample


def label(code: str, round_no: int | None = 1, seat: int | None = None, wager: str | None = None, *consequences: str) -> Planted:
    return Planted(
        code=code, stream="table/a", table="table/a", round_no=round_no, seat=seat, wager=wager, consequences=consequences
    )


def finding(
    code: str, round_no: int | None = 1, seat: int | None = None, wager: str | None = None, stream: str = "table/a"
) -> Finding:
    return sample.finding(stream, round_no, code, seat, wager, None, "", "")


@pytest.mark.parametrize(
    ("planted", "found", "missed", "false_alarms"),
    [
        ([], [], 0, 0),
        ([label("PAY-OVER")], [finding("PAY-OVER")], 0, 0),
        ([label("PAY-OVER")], [finding("PAY-OVER", seat=3, wager="base")], 0, 0),
        ([label("PAY-OVER", 1, 3, "base")], [finding("PAY-OVER", seat=3, wager="base")], 0, 0),
        ([label("PAY-OVER")], [], 1, 0),
        ([], [finding("PAY-OVER")], 0, 1),
        # another round, another stream, another code: missed, and a false alarm
        ([label("PAY-OVER")], [finding("PAY-OVER", 2)], 1, 1),
        ([label("PAY-OVER")], [finding("PAY-OVER", stream="table/b")], 1, 1),
        ([label("PAY-OVER")], [finding("PAY-UNDER")], 1, 1),
        # another seat or wager: missed; the code itself is explained
        ([label("PAY-OVER", 1, 3)], [finding("PAY-OVER", seat=4)], 1, 0),
        ([label("PAY-OVER", 1, 3, "base")], [finding("PAY-OVER", seat=3, wager="progressive")], 1, 0),
        # a label that names the seat is not met by a finding that names none
        ([label("PAY-OVER", 1, 3)], [finding("PAY-OVER")], 1, 0),
        # consequences explain, and are not found in its stead
        ([label("DEAL-START", 1, None, None, "PAY-VOID")], [finding("DEAL-START"), finding("PAY-VOID", seat=1)], 0, 0),
        ([label("DEAL-START", 1, None, None, "PAY-VOID")], [finding("PAY-VOID", seat=1)], 1, 0),
        ([label("DEAL-START", 1, None, None, "PAY-VOID")], [finding("DEAL-START"), finding("PAY-VOID", 2)], 0, 1),
        # a stream's own findings
        ([label("LOG-CLOCK", None)], [finding("LOG-CLOCK", None)], 0, 0),
        ([label("LOG-CLOCK", None)], [finding("LOG-CLOCK", 1)], 1, 1),
    ],
)
def test_compare(planted: list[Planted], found: list[Finding], missed: int, false_alarms: int) -> None:
    comparison = compare(planted, found)
    assert (len(comparison.missed), len(comparison.false_alarms)) == (missed, false_alarms)
    assert comparison.perfect == (missed == false_alarms == 0)


def test_counts_by_code() -> None:
    comparison = compare([label("B"), label("A", 1), label("A", 2)], [finding("A", 2), finding("B"), finding("C", 3)])
    assert comparison.planted == {"A": 2, "B": 1}
    assert comparison.found == {"A": 1, "B": 1}
    assert [(each.code, each.round_no) for each in comparison.missed] == [("A", 1)]
    assert [(each.code, each.round_no) for each in comparison.false_alarms] == [("C", 3)]
