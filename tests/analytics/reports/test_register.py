"""The errors and disputes register: March 2026 of two tables, worked out by hand.

FU-01, dealer D-07: overpaid 100, of which two people signed that 60 were recovered: a loss of 40; underpaid 25, paid, signed by
two. Dealer D-08: underpaid 50, a false alarm; overpaid 30, of which the recovery waits for its second signature: a loss of 30.
FU-02: a dispute decided for the patron, one that is open, and one about a round of February.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest

from analytics.reports import register
from analytics.reports.register import errors_and_disputes
from desk.report.content import Report
from desk.review import cases
from desk.review.case_folder import CaseSettings
from desk.review.desk import Desk, review_event
from desk.review.state import FindingReview, Resolution, TableReview
from events.vocabulary import model
from replay.findings import Adjudication, Finding
from replay.run.replayer import MemoryResults
from tests.analytics.reports.months import log_of, match, played, rows, sources, table
from tests.dashboards.sample import finding
from tests.desk.people import PEOPLE
from tests.replay.tables import SECOND_US, START_US, Table

APRIL_US = START_US + 40 * 86_400 * SECOND_US


def wrong(round_no: int, cents: int, code: str = "PAY-OVER") -> Finding:
    return finding("table/fu-01", round_no, code, 1, "match", cents, "as due", "as done")


OVER, UNDER, FALSE, WAITS = (wrong(1, 10_000), wrong(2, -2_500, "PAY-UNDER"), wrong(3, -5_000, "PAY-UNDER"), wrong(4, 3_000))


def dealt(found: Finding, dealer: str) -> Adjudication:
    number = found.round_no
    assert number is not None
    return played("fu-01", number, "2026-03-10", [match(1, 2_500, -2_500)], findings=(found,), verdict="VARIANCE", dealer=dealer)


def resolved(desk: Desk, found: Finding, disposition: str, cents: int | None, *signed: str) -> None:
    """Dispose of a finding; whoever else signed signs the same."""
    values: dict[str, Any] = {"amount_cents": cents, "disposition": disposition, "duplicate_of": None, "finding_id": found.id}
    signs = None
    for who in signed:
        event = review_event(model.FindingResolved, by=who, reason="as the slip says", signs=signs, **values)
        (entry,) = desk.write_together("fu-01", found.round_no, [event])
        signs = entry.seq


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Report]:
    folder = tmp_path_factory.mktemp("register")
    rounds = [
        *(dealt(found, "d-07") for found in (OVER, UNDER)),
        *(dealt(found, "d-08") for found in (FALSE, WAITS)),
        *(played("fu-02", number, day, [match(1, 100, -100)]) for number, day in ((1, "2026-02-28"), (2, "2026-03-01"))),
    ]
    with log_of(folder, Table("table/fu-01"), Table("table/fu-02"), since_us=APRIL_US) as log:
        desk = Desk(log, MemoryResults(), persons=PEOPLE, clock=lambda: APRIL_US)
        resolved(desk, OVER, "confirmed_recovered", 6_000, "m.ortiz", "s.lee")
        resolved(desk, UNDER, "confirmed_paid_patron", 2_500, "m.ortiz", "s.lee")
        resolved(desk, FALSE, "false_alarm", None, "s.lee")
        resolved(desk, WAITS, "confirmed_recovered", 3_000, "s.lee")
        for name, number in (("of-february", 1), ("decided", 2), ("open", 2)):
            desk.open_dispute("fu-02", number, dispute=name, claim="paid too little", by="m.ortiz", seat=1, patron="p-1")
        cases.open_case(desk, "fu-02", 2, by="s.lee", settings=CaseSettings(days=10), dispute="open")
        cases.assign(desk, "fu-02-c1", to="m.ortiz", by="s.lee", reason="knows the table")
        desk.close_dispute("fu-02", dispute="decided", outcome="for_patron", by="s.lee", reason="video")
        with sources(folder, rounds, first="2026-03-01", last="2026-03-31", log=log) as given:
            yield errors_and_disputes(given)


def test_savings_and_losses_by_table_and_dealer(report: Report) -> None:
    """Incidents, overpaid, savings, losses, underpaid, paid or held, still owed."""
    assert rows(report, "by-table") == [("fu-01", 4, 13_000, 6_000, 7_000, 2_500, 2_500, 0)]
    assert rows(report, "by-dealer") == [
        ("d-07", 2, 10_000, 6_000, 4_000, 2_500, 2_500, 0),
        ("d-08", 2, 3_000, 0, 3_000, 0, 0, 0),
    ]


def test_every_incident_stands_with_what_was_done_and_who_signed(report: Report) -> None:
    assert rows(report, "incidents", "round_no", "incident", "disposition", "signed_by") == [
        (1, "Wager overpaid", "fault confirmed, the amount was recovered from the patron", "m.ortiz, s.lee"),
        (2, "Wager underpaid", "fault confirmed, the patron was paid", "m.ortiz, s.lee"),
        (3, "Wager underpaid", "no fault: what was done was right", "s.lee"),
        (4, "Wager overpaid", "fault confirmed, the amount was recovered from the patron, awaits the second signature", "s.lee"),
    ]
    assert table(report, "incidents").marked == (3,)


def test_disputes_of_the_period_with_their_outcome(report: Report) -> None:
    assert rows(report, "disputes", "dispute", "patron", "claim", "opened_by", "outcome", "closed_by") == [
        ("decided", "p-1", "paid too little", "m.ortiz", "decided for the patron", "s.lee"),
        ("open", "p-1", "paid too little", "m.ortiz", "open", None),
    ]
    assert table(report, "disputes").marked == (1,)


def test_a_dispute_that_is_a_case_stands_with_its_number_deadline_and_owner(report: Report) -> None:
    due = (date(2026, 3, 1) + timedelta(days=40 + 10)).isoformat()
    assert rows(report, "disputes", "dispute", "case", "due", "owner", "appeals") == [
        ("decided", None, None, None, None),
        ("open", "FU-02-C1", due, "m.ortiz", 0),
    ]


def test_d692_money_of_an_incident_is_that_of_its_findings_without_those_cleared() -> None:
    """Seat 1 has 150.00 too much, and is short of 25.00 and 5.00: never netted. Who clears the 150.00 leaves the rest."""
    row = {
        "table_id": "fu-01",
        "incident_id": "a" * 32,
        "game": "face_up_pai_gow",
        "finding_ids": ["a" * 32, "b" * 32, "c" * 32],
        "overpaid": [15_000, 0, 0],
        "underpaid": [0, 2_500, 500],
    }
    money, _ = register.money_of(row, {})
    assert (money.overpaid, money.underpaid, money.loss, money.owed) == (15_000, 3_000, 15_000, 3_000)
    review = TableReview("review/fu-01")
    cleared = Resolution(
        seq=1, by="s.lee", disposition="false_alarm", amount_cents=None, duplicate_of=None, reason="the video shows it"
    )
    review.findings["a" * 32] = FindingReview(finding_id="a" * 32, state="resolved", resolution=cleared)
    money, _ = register.money_of(row, {"fu-01": review})
    assert (money.overpaid, money.underpaid, money.loss, money.owed) == (0, 3_000, 0, 3_000)


def test_d692_what_a_player_dealer_paid_is_no_loss_of_the_house() -> None:
    row = {
        "table_id": "ca-01",
        "incident_id": "a" * 32,
        "game": "player_dealer",
        "finding_ids": ["a" * 32],
        "overpaid": [13_000],
        "underpaid": [0],
    }
    money, _ = register.money_of(row, {})
    assert (money.overpaid, money.loss) == (13_000, 0)
