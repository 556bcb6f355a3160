"""Findings that are alike: one line for a fingerprint (D235), and what people have done hides or shows them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from analytics.errors import queue
from analytics.errors.queue import QueueFilters
from analytics.warehouse.warehouse import Warehouse, build, reading
from replay.findings import Finding
from tests.dashboards import sample

TABLE = "table/fu-01"


def found(round_no: int, code: str = "PAY-UNDER", wager: str | None = "base", cents: int | None = -500) -> Finding:
    return sample.finding(TABLE, round_no, code, 2, wager, cents, "", "", evidence=(round_no,))


FOUND = {
    1: found(1),
    2: found(2, cents=-700),
    3: found(3, cents=500),
    4: found(4, wager="ace_high_bonus"),
    5: found(5),
    6: found(6, code="DEAL-SHAKE", wager=None, cents=None),
    7: found(7, code="DEAL-SHAKE", wager=None, cents=None),
    8: found(8, code="DEAL-SHAKE", wager=None, cents=None),
}
DEALERS = {5: "d-99"}
DAYS = {8: sample.DAY_1}


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    path = tmp_path_factory.mktemp("queue") / "warehouse.duckdb"
    rounds = [
        sample.adjudication(
            TABLE, n, [], [f], dealer=DEALERS.get(n, "d-07"), day=DAYS.get(n, sample.DAY_2), opened=sample.EVENING + n
        )
        for n, f in FOUND.items()
    ]
    build(path, rounds, ())
    with reading(path) as opened:
        yield opened


def rounds(db: Warehouse, filters: QueueFilters | None = None, *, together: bool) -> list[tuple[int, int]]:
    return queue.incidents_queue(db, filters, together=together).select("round_no", "alike").rows()


def test_alike_are_those_of_one_table_code_day_dealer_wager_and_direction(db: Warehouse) -> None:
    """Rounds 1 and 2 are alike (both short, the amounts differ); 3 is over, 4 another wager, 5 another dealer, 8 another day."""
    assert rounds(db, together=True) == [(2, 2), (3, 1), (4, 1), (5, 1), (6, 2), (8, 1)]
    assert queue.alike(db, FOUND[1].id) == [FOUND[2].id]
    assert queue.alike(db, FOUND[7].id) == [FOUND[6].id]
    assert queue.alike(db, FOUND[8].id) == []


def test_each_finding_stands_alone_unless_asked_together(db: Warehouse) -> None:
    assert len(rounds(db, together=False)) == 8
    total = queue.queue_totals(db).row(0, named=True)
    assert (total["incidents"], total["findings"], total["fingerprints"]) == (8, 8, 6)


def test_what_is_alike_is_counted_among_those_asked_for(db: Warehouse) -> None:
    assert rounds(db, QueueFilters(without=(FOUND[2].id,)), together=True)[0] != (2, 2)
    assert (1, 1) in rounds(db, QueueFilters(without=(FOUND[2].id,)), together=True)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (QueueFilters(only=(FOUND[3].id, FOUND[7].id)), [3, 7]),
        (QueueFilters(only=()), []),
        (QueueFilters(only=(FOUND[3].id,), without=(FOUND[3].id,)), []),
        (QueueFilters(dealer="d-99"), [5]),
        (QueueFilters(without=tuple(FOUND[n].id for n in (1, 2, 4, 5, 6, 7, 8))), [3]),
    ],
)
def test_filters_by_id_and_dealer(db: Warehouse, filters: QueueFilters, expected: list[int]) -> None:
    assert [number for number, _ in rounds(db, filters, together=False)] == expected
    assert queue.queue_totals(db, filters)["findings"].to_list() == [len(expected)]


def test_one_finding_by_its_id(db: Warehouse) -> None:
    assert queue.incident(db, FOUND[4].id)["round_no"].to_list() == [4]
    assert queue.incident(db, "0" * 32).is_empty()


def test_what_follows_from_one_cause_is_one_line_with_the_money_of_all(tmp_path: Path) -> None:
    """A misdeal that was played on: seat 2 is short 5.00 and has 1.00 too much, seat 3 has 7.00 too much (D536)."""
    misdeal = [
        sample.finding(TABLE, 1, "PAY-VOID", 2, "base", -500, "", "", evidence=(1,)),
        sample.finding(TABLE, 1, "PAY-VOID", 2, "fortune_bonus", 100, "", "", evidence=(2,)),
        sample.finding(TABLE, 1, "PAY-VOID", 3, "base", 700, "", "", evidence=(3,)),
        sample.finding(TABLE, 1, "DEAL-COUNT", 2, None, None, "", "", evidence=(4,)),
    ]
    alone = found(2)
    build(tmp_path / "w", [sample.adjudication(TABLE, 1, [], misdeal), sample.adjudication(TABLE, 2, [], [alone])], ())
    with reading(tmp_path / "w") as db:
        rows = queue.incidents_queue(db).select("code", "findings", "underpaid_cents", "overpaid_cents").rows()
        assert rows == [("DEAL-COUNT", 4, 500, 800), ("PAY-UNDER", 1, 500, 0)]
        members = queue.incident(db, misdeal[1].id)
        assert members["code"].to_list() == ["DEAL-COUNT", "PAY-VOID", "PAY-VOID", "PAY-VOID"]
        assert members["finding_id"][0] == misdeal[3].id
        shown = queue.incidents_queue(db, QueueFilters(without=(misdeal[3].id, misdeal[0].id)))
        assert shown["code"].to_list() == ["DEAL-COUNT", "PAY-UNDER"], "an incident is shown while one of its findings is"
        done = QueueFilters(without=tuple(finding.id for finding in misdeal))
        assert queue.queue_totals(db, done)["incidents"].to_list() == [1]


def test_an_incident_is_filtered_by_the_severity_that_it_shows(tmp_path: Path) -> None:
    """A wrong stub whose round left a patron short is one incident of high severity, and not among those of low severity."""
    cause = sample.finding(TABLE, 1, "DEAL-STUB", None, None, None, "", "", severity="low", evidence=(1,))
    money = sample.finding(TABLE, 1, "PAY-VOID", 2, "base", -500, "", "", evidence=(2,))
    build(tmp_path / "w", [sample.adjudication(TABLE, 1, [], [cause, money])], ())
    with reading(tmp_path / "w") as db:
        everything = queue.incidents_queue(db)
        gravest, every = everything["severity"].to_list(), queue.findings_listed(db)["severity"].to_list()
        assert (gravest, len(set(every))) == (["high"], 2), "one incident, of findings that differ in severity"
        for severity, shown in (("high", 1), ("medium", 0), ("low", 0)):
            asked = QueueFilters(severity=severity)
            assert queue.queue_totals(db, asked)["incidents"].to_list() == [shown]
            assert queue.incidents_queue(db, asked).height == shown
            assert queue.findings_listed(db, asked).height == 2 * shown, "its evidence stays together"
