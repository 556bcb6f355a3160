"""The Cases page by AppTest: the list by deadline, a case opened from its round, worked on to its appeal, and who may."""

from datetime import date, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboards.access import access
from dashboards.parts import desk
from dashboards.run import CASES_VARIABLE
from desk.review import cases
from desk.review.case_folder import SETTINGS, CaseFolder, CaseSettings
from desk.review.cases import PatronCase
from desk.review.desk import desk_at
from tests.dashboards import living
from tests.dashboards.living import Living
from tests.dashboards.running import fill, log_in, press, said, start
from tests.desk.people import PEOPLE, pay_what_is_owed


@pytest.fixture(autouse=True)
def _cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CASES_VARIABLE, str(tmp_path))


def opened(floor: Living, claim: str = "paid too little", days: int = 30) -> PatronCase:
    settings = CaseSettings(days=days)
    with desk_at(floor.log, persons=PEOPLE) as at:
        found = cases.open_case(at, "fu-01", 1, by="m.ortiz", settings=settings, claim=claim, seat=3, patron="p-7")
    desk._read.clear()
    return found


def read(floor: Living, name: str) -> PatronCase:
    with desk_at(floor.log, read_only=True) as at:
        return cases.case(at, name)


def choose(test: AppTest, action: str) -> AppTest:
    [each for each in test.get("button_group") if each.label == "Action"][-1].set_value(action).run(timeout=60)
    return test


def decide(test: AppTest, outcome: str) -> None:
    next(each for each in test.get("button_group") if each.label == "Outcome").set_value(outcome).run(timeout=60)


def labels(test: AppTest) -> list[str]:
    return [each.label for each in test.button]


def let_days_pass(monkeypatch: pytest.MonkeyPatch, days: int) -> None:
    """Let the desk's gaming day be this many days later."""
    from desk.review.desk import Desk

    real = Desk.today
    monkeypatch.setattr(Desk, "today", lambda self: (date.fromisoformat(real(self)) + timedelta(days=days)).isoformat())


def test_the_due_date_is_moved_on_the_page(floor: Living) -> None:
    name = opened(floor).name
    log_in("m.ortiz@bellwether.example", "surveillance")
    test = choose(start("cases", case=name), "due")
    later = date.fromisoformat(read(floor, name).case.due) + timedelta(days=10)
    next(each for each in test.date_input if each.label == "New due date").set_value(later)
    press(test, "Move due date")
    assert read(floor, name).case.due != later.isoformat()  # without a reason nothing is written
    choose(test, "due")
    next(each for each in test.date_input if each.label == "New due date").set_value(later)
    fill(test, "Reason", "the patron is abroad")
    press(test, "Move due date")
    assert read(floor, name).case.due == later.isoformat()
    assert "the patron is abroad" in said(test)


def test_cases_are_listed_by_deadline_with_the_overdue_first(floor: Living, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(floor, "the later", days=40)
    opened(floor, "the earlier", days=10)
    page = said(start("cases"))
    assert page.index("the earlier") < page.index("the later")
    assert "due in 10 days" in page
    assert "overdue" not in page.lower().replace("overdue</div>", "")
    let_days_pass(monkeypatch, 11)
    desk._read.clear()
    page = said(start("cases"))
    assert "overdue by 1 day" in page
    assert "rk-marked" in page
    assert "overdue by 1 day" in said(start("queue"))


def test_a_case_is_opened_from_its_round(floor: Living) -> None:
    log_in("m.ortiz@bellwether.example", "surveillance")
    assert 'href="dispute?of=fu-01&amp;round=1"' in said(start("round", table="fu-01", round="1"))
    test = start("dispute", of="fu-01", round="1", seat="3")
    fill(test, "Patron's claim", "the bonus was short")
    fill(test, "Patron's token", "P-7")
    press(test, "Open case")
    found = read(floor, "fu-01-c1").case
    assert (found.claim, found.seat, found.patron, found.opened_by) == ("the bonus was short", 3, "p-7", "m.ortiz")
    page = said(start("cases", case="FU-01-C1"))
    assert "Case FU-01-C1" in page
    assert "Seat 3 is owed $100.00" in page


def test_a_case_without_a_seat_ends_with_a_packet_and_its_claim_says_so(floor: Living) -> None:
    log_in("s.lee@bellwether.example", "surveillance")
    test = start("dispute", of="fu-01", round="1")
    assert "A letter is about one seat" in [each.value[:26] for each in test.caption]
    fill(test, "Patron's claim", "the bonus was short")
    press(test, "Open case")
    with desk_at(floor.log, persons=PEOPLE) as at:
        pay_what_is_owed(at)
    desk._read.clear()
    test = start("cases", case="fu-01-C1")
    decide(test, "for_patron")
    fill(test, "Why, as the patron will read it", "the cards show it")
    press(test, "Record decision")
    assert read(floor, "fu-01-c1").case.decision is not None
    assert "Make packet" in labels(test)


def test_a_dispute_of_the_command_line_becomes_a_case(floor: Living) -> None:
    with desk_at(floor.log, persons=PEOPLE) as at:
        at.open_dispute("fu-01", 1, dispute="d-1", claim="short", by="m.ortiz", seat=3)
    log_in("m.ortiz@bellwether.example", "surveillance")
    press(start("dispute", of="fu-01", round="1"), "Open case")
    assert read(floor, "fu-01-c1").case.dispute == "d-1"


def case_of(floor: Living, place: str) -> str:
    """Open a case of a round that was paid short: one that devices recorded, or one that a person entered."""
    if place.startswith("observed/"):
        entry = floor.warehouse.with_name("entry.txt")
        entry.write_text(living.SHORT.format(number=1).replace("close\n", ""))
        words = ["--table", "fu-01", "--observer", "m.ortiz", "--camera", "cam-4", "--day", "2025-01-01"]
        floor.rack("ingest", str(entry), *words, code=0)
        floor.rack("replay", code=1)
    with desk_at(floor.log, persons=PEOPLE) as at:
        found = cases.open_case(at, place, 1, by="m.ortiz", settings=CaseSettings(), claim="short", seat=3)
    desk._read.clear()
    return found.name


@pytest.mark.parametrize("place", ["fu-01", "observed/fu-01"])
@pytest.mark.parametrize("is_paid", [True, False])
def test_what_is_owed_is_paid_and_signed_or_found_not_owed_on_the_case_page(floor: Living, place: str, is_paid: bool) -> None:
    name = case_of(floor, place)
    log_in("s.lee@bellwether.example", "surveillance")
    test = start("cases", case=name)
    assert "Pay $100.00." in said(test)
    assert "Outcome" not in [each.label for each in test.get("button_group")]
    if is_paid:
        fill(test, "Slip or note", "slip 9")
        press(test, "Record $100.00 paid")
        assert "needs second signature" in said(start("cases", case=name))
        log_in("m.ortiz@bellwether.example", "surveillance")
        test = start("cases", case=name)
        next(each for each in test.text_area if each.label == "What was checked").input("slip 9 seen")
        press(test, "Sign $100.00")
    else:
        next(each for each in test.get("button_group") if each.label == "Action").set_value("resolve").run(timeout=60)
        next(each for each in test.selectbox if each.label == "Disposition").set_value("false_alarm").run(timeout=60)
        fill(test, "Why", "the video shows the rest was paid")
        press(test, "Resolve")
    desk._read.clear()
    test = start("cases", case=name)
    decide(test, "for_patron" if is_paid else "settled")
    fill(test, "Why, as the patron will read it", "the cards show it")
    press(test, "Record decision")
    found = read(floor, name).case
    assert found.decision is not None
    with desk_at(floor.log, read_only=True) as at:
        (made,) = at.review(place).disposed.values()
    assert (made.by, made.second_by, made.amount_cents) == (("s.lee", "m.ortiz", 10_000) if is_paid else ("s.lee", None, None))


@pytest.mark.slow
def test_a_case_is_noted_assigned_decided_and_appealed(floor: Living) -> None:
    opened(floor)
    log_in("s.lee@bellwether.example", "surveillance")
    test = start("cases", case="fu-01-C1")
    fill(test, "What was seen or done", "asked for the video")
    press(test, "Add note")
    choose(test, "assign")
    fill(test, "Reason", "knows the table")
    press(test, "Assign case")
    with desk_at(floor.log, persons=PEOPLE) as at:
        pay_what_is_owed(at)
    desk._read.clear()
    test = start("cases", case="fu-01-C1")
    decide(test, "for_patron")
    fill(test, "Why, as the patron will read it", "")
    press(test, "Record decision")
    assert "Fill in: Why" in said(test)
    fill(test, "Why, as the patron will read it", "the cards show it")
    press(test, "Record decision")
    found = read(floor, "fu-01-c1").case
    assert found.decision is not None
    assert (found.decision.outcome, found.decision.by) == ("for_patron", "s.lee")
    assert found.owner is not None
    assert "Make letter and packet" in labels(test)
    choose(test, "appeal")
    fill(test, "What the patron says", "it was more")
    press(test, "Record appeal")
    assert read(floor, "fu-01-c1").case.state == "appealed"
    assert "Appealed, open again" in said(test)


def test_an_attachment_is_opened_each_time_and_one_that_is_gone_is_named(floor: Living) -> None:
    opened(floor)
    folder = CaseFolder(floor.warehouse.parent)
    with desk_at(floor.log, persons=PEOPLE) as at:
        cases.attach(at, folder, "fu-01-c1", file="slip.jpg", data=b"slip", by="m.ortiz", note="the slip")
    log_in("m.ortiz@bellwether.example", "surveillance")
    page = said(start("cases", case="FU-01-C1"))
    assert "slip.jpg" in page
    assert "✓ as attached" in page
    (stored,) = (path for path in (floor.warehouse.parent / "attachments").rglob("*") if path.is_file())
    stored.write_bytes(b"slop")
    test = start("cases", case="FU-01-C1")
    assert "An attachment cannot be read as it was recorded" in said(test)
    assert "✗ was changed" in said(test)
    assert "Export attachment" not in labels(test)
    stored.unlink()
    assert "✗ is gone" in said(start("cases", case="FU-01-C1"))


def test_taking_an_attachment_out_is_on_record(floor: Living) -> None:
    opened(floor)
    folder = CaseFolder(floor.warehouse.parent)
    with desk_at(floor.log, persons=PEOPLE) as at:
        cases.attach(at, folder, "fu-01-c1", file="slip.jpg", data=b"slip", by="m.ortiz", note="the slip")
    log_in("r.haas@bellwether.example", "auditor")
    test = press(start("cases", case="FU-01-C1"), "Export attachment")
    assert "Save slip.jpg" in said(test)
    with desk_at(floor.log, read_only=True) as at:
        custody = at.review("fu-01").custody
    assert "exported the round as attachment" in custody[-1].says
    assert custody[-1].by == "r.haas"


def test_who_may_not_review_reads_and_writes_nothing(floor: Living) -> None:
    opened(floor)
    log_in("r.haas@bellwether.example", "auditor")
    test = start("cases", case="FU-01-C1")
    assert "paid too little" in said(test)
    assert not {"Add note", "Assign case", "Record decision", "Make letter and packet"} & set(labels(test))
    assert "Open case" not in labels(start("dispute", of="fu-01", round="1"))
    log_in("a.nalyst@bellwether.example", "analyst")
    assert not access.may("cases")


@pytest.mark.parametrize("name", ["FU-01-C9", "nonsense", "fu-01"])
def test_a_case_that_is_not_there_is_said(floor: Living, name: str) -> None:
    assert "no case" in said(start("cases", case=name))


def test_settings_out_of_form_are_said_and_nothing_is_opened(floor: Living) -> None:
    (floor.warehouse.parent / SETTINGS).write_text("days = 0")
    log_in("m.ortiz@bellwether.example", "surveillance")
    test = start("dispute", of="fu-01", round="1")
    fill(test, "Patron's claim", "short")
    press(test, "Open case")
    assert "expected days" in said(test)


def test_no_case_is_open(floor: Living) -> None:
    assert "No case is open" in said(start("cases"))


def test_a_link_may_name_ids_in_capitals(floor: Living) -> None:
    with desk_at(floor.log, read_only=True) as at:
        finding = at.cases()[0].finding
    page = said(start("round", table="FU-01", round="1", finding=finding.id.upper()))
    assert "Round 1" in page
    assert "The address gives" not in page
    assert "Seat 3 is owed $100.00" in said(start("dispute", of="FU-01", round="1", seat="3"))
    assert "The address gives finding" in said(start("round", table="fu-01", round="1", finding="g" * 32))


def test_what_somebody_wrote_is_text_on_every_page(floor: Living) -> None:
    """Markup is escaped, and a character that would turn the words around is shown as its number."""
    written = "<img src=x onerror=alert(1)></td></table> [a](javascript:x) $y$ \u202e001$ diap"
    case = opened(floor, claim=written)
    with desk_at(floor.log, persons=PEOPLE) as at:
        at.note(at.cases()[0].finding.id, note=written, by="m.ortiz")
    desk._read.clear()
    log_in("m.ortiz@bellwether.example", "surveillance")
    at_round = {"table": "fu-01", "round": "1"}
    for name, query in (("cases", {"case": case.name}), ("queue", {"words": written}), ("round", at_round), ("cases", {})):
        page = said(start(name, **query))
        assert "<img src" not in page, name
        assert "\u202e" not in page, name
        assert "[U+202E]001$ diap" in page, name
