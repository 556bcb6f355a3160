"""The queue by AppTest: its order and filters, its views, and what is done about a finding, which must be in the log."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from analytics.errors import queue
from analytics.warehouse.warehouse import build
from dashboards.incidents import views
from dashboards.incidents.incident_list import CHOSEN
from dashboards.parts import desk
from dashboards.parts.review_panel import cents_typed
from dashboards.run import PERSONS_VARIABLE
from desk.review.desk import desk_at
from tests.dashboards import sample
from tests.dashboards.living import Living
from tests.dashboards.running import log_in, press, run, said, start


def lines(test: AppTest) -> list[dict[str, str]]:
    """The rows of the list: column → its words."""
    (shown,) = test.get("bidi_component")
    html = json.loads(shown.proto.json)["html"]
    rows = re.findall(r"<tr data-id=.*?</tr>", html)
    cells = [re.findall(r'<td data-label="([^"]*)">(.*?)</td>', row) for row in rows]
    return [{name: re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", words)).strip() for name, words in row} for row in cells]


# ------------------------------------------------------------------------------------------------- order and filters


def test_the_gravest_stands_first_and_is_shown(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = run("queue", warehouse, monkeypatch)
    page, (first, *_, last) = said(test), lines(test)
    assert "6 incidents in 4 rounds" in page
    assert first == {
        "Severity": "● High",
        "Incident": "Wager underpaid",
        "Money": "▼ −$100.00 short",
        "Where": "FU-01 · 17 Seat 3 · Ace High Bonus",
        "When": "21:14 Fri 6 Mar",
    }
    assert last["Incident"] == "Improper dice shake"
    assert f'href="round?table=fu-01&amp;round=17&amp;finding={sample.DISPUTE.id}"' in page
    assert "<dt>Severity</dt><dd>money was paid or taken in error</dd>" in page  # the badge says how severe
    assert test.query_params["finding"] == sample.DISPUTE.id


def test_a_generation_that_comes_while_the_page_is_drawn_is_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, asked = sample.make(tmp_path / "warehouse.duckdb"), queue.incidents_queue

    def built_meanwhile(*about: Any, **more: Any) -> Any:
        rows = asked(*about, **more)
        build(path, sample.adjudications()[:1], ())
        return rows

    with monkeypatch.context() as patched:
        patched.setattr(queue, "incidents_queue", built_meanwhile)
        test = run("queue", path, monkeypatch)
    assert "6 incidents in 4 rounds" in said(test)
    (offered,) = (button for button in test.button if button.label == "Show new results")
    offered.click().run()
    assert "Nothing was found in any round on record" in said(test)


def test_filters_from_the_address_and_by_hand(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = run("queue", warehouse, monkeypatch, table="fu-02", severity="nonsense")
    assert "4 incidents in 2 rounds" in said(test)
    test.selectbox(key="choose-code").set_value("PAY-OVER").run()
    assert "1 incident in 1 round" in said(test)
    assert test.query_params["code"] == "PAY-OVER"
    test.selectbox(key="choose-table").set_value("fu-01").run()
    assert "No incident fits" in said(test)


def test_a_link_to_what_is_not_here_says_so_and_a_link_to_what_is_does_not(
    warehouse: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = said(run("queue", warehouse, monkeypatch, table="zz-99", day="2031-01-09"))
    assert "Table zz-99 is not here" in page
    assert "Gaming day 2031-01-09 is not here" in page
    assert "is not here" not in said(run("queue", warehouse, monkeypatch, table="fu-02", severity="high"))


def test_a_link_to_a_finding_shows_it(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    over = next(f for a in sample.adjudications() for f in a.findings if f.code == "PAY-OVER")
    test = run("queue", warehouse, monkeypatch, finding=over.id)
    assert "FU-02 · round 4" in said(test)
    assert "Other reading" in said(test)


def test_a_link_to_a_finding_that_was_withdrawn_says_so(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "a later verdict withdrew it" in said(run("queue", warehouse, monkeypatch, finding="0" * 32))


def test_many_findings_come_in_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = [
        sample.adjudication("table/a", n, [], [sample.finding("table/a", n, "PAY-OVER", 1, "base", n, "", "")])
        for n in range(1, 121)
    ]
    build(tmp_path / "w", rounds, ())
    test = run("queue", tmp_path / "w", monkeypatch)
    assert len(lines(test)) == 50
    test.number_input[0].set_value(3).run()
    assert len(lines(test)) == 20
    test.toggle(key="alike").set_value(True).run()
    assert [line["Incident"] for line in lines(test)] == ["Wager overpaid ×120"]


def test_without_a_log_the_page_says_how_to_review(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = run("queue", warehouse, monkeypatch)
    assert "rack dashboard --log ADDR" in said(test)


# -------------------------------------------------------------------------------------------------------- the review


def act(test: AppTest, todo: str, button: str, *, tick: bool = False, **boxes: str) -> AppTest:
    """Choose what to do, fill in, tick the box, press."""
    test.button_group[0].set_value(todo).run()
    if tick:
        test.checkbox[0].check()
    for name, value in boxes.items():
        inputs = (*test.text_input, *test.selectbox)
        next(box for box in inputs if box.key and box.key.startswith(f"{name} ")).set_value(value)
    press(test, button)
    return test


def signed_in(person: str, role: str = "surveillance") -> AppTest:
    """Open the queue as somebody whom the login named."""
    desk._read.clear()
    log_in(person, role)
    return start("queue")


def choose(test: AppTest, disposition: str) -> None:
    test.button_group[0].set_value("resolve").run()
    next(box for box in test.selectbox if box.label == "Disposition").set_value(disposition).run()


@pytest.mark.slow
def test_a_finding_is_assigned_resolved_and_signed_by_two_people(floor: Living) -> None:
    test = act(signed_in("M.Ortiz"), "assign", "Assign", to="s.lee", reason="camera 4")
    assert lines(test)[0]["State"] == "◐ Assigned"
    assert lines(test)[0]["Owner"] == "s.lee"
    assert "assigned the finding to s.lee: camera 4" in said(test)

    test = signed_in("s.lee")
    choose(test, "confirmed_paid_patron")
    act(test, "resolve", "Resolve", reason="paid at the cage")
    assert lines(test)[0]["State"] == "◈ Awaits signature"
    act(test, "sign", "Sign $100.00", reason="I did it")
    assert "another person" in said(test)
    assert "Not saved" in said(test)

    test = act(signed_in("m.ortiz"), "sign", "Sign $100.00", reason="slip 17 seen")
    assert [line["Where"] for line in lines(test)] == [
        "FU-01 · 2 Seat 3 · Ace High Bonus"
    ]  # what is resolved is no longer to be done
    test.selectbox(key="choose-state").set_value("resolved").run()
    assert "signed by s.lee and m.ortiz" in said(test)
    with desk_at(floor.log, read_only=True) as at:
        (case,) = [case for case in at.cases() if case.review.state == "resolved"]
    assert case.review.resolution is not None
    assert case.review.resolution.amount_cents == 10_000
    assert [entry.by for entry in case.review.history] == ["m.ortiz", "s.lee", "m.ortiz"]
    floor.rack("verify", code=0)


def test_an_alarm_is_acknowledged_on_record(floor: Living) -> None:
    test = act(signed_in("m.ortiz"), "acknowledge", "Acknowledge alarm", doing="on my way")
    assert "acknowledged the alarm: on my way" in said(test)
    with desk_at(floor.log, read_only=True) as at:
        (entry,) = (entry for case in at.cases() for entry in case.review.history)
    assert (entry.by, entry.what) == ("m.ortiz", "alarm_acknowledged")


@pytest.mark.slow
def test_the_same_person_does_not_sign_again_under_the_name_of_another_sign_in(floor: Living) -> None:
    test = signed_in("s.lee@bellwether.example")
    choose(test, "confirmed_paid_patron")
    act(test, "resolve", "Resolve", reason="paid at the cage")
    test = act(signed_in("S.Lee"), "sign", "Sign $100.00", reason="slip 17 seen")
    assert "s.lee signed first" in said(test)
    assert "s.lee has signed already" in said(test)
    with desk_at(floor.log, read_only=True) as at:
        (case,) = [case for case in at.cases() if case.review.state == "awaiting_signature"]
    assert [entry.by for entry in case.review.history] == ["s.lee"]


def test_who_is_not_registered_can_look_and_act_on_nothing(floor: Living) -> None:
    test = signed_in("x.new@bellwether.example")
    page = said(test)
    assert "You can look but not act" in page
    assert "rack review register ID --name TEXT" in page
    assert not [each for each in test.button if each.label == "Assign"]
    assert desk.act(lambda at: at.note("x", note="x", by="x.new@bellwether.example")) is None


def test_without_a_register_the_page_says_how_one_is_made(floor: Living, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PERSONS_VARIABLE)
    assert "name its file with RACK_PERSONS" in said(signed_in("s.lee"))
    monkeypatch.setenv(PERSONS_VARIABLE, str(floor.warehouse.with_name("none.toml")))
    assert "there is no register of persons" in said(signed_in("s.lee"))


@pytest.mark.slow
def test_those_alike_are_resolved_as_duplicates(floor: Living) -> None:
    test = signed_in("m.ortiz")
    choose(test, "false_alarm")
    act(test, "resolve", "Resolve", tick=True, reason="the paytable was changed at noon")
    with desk_at(floor.log, read_only=True) as at:
        said_of = sorted(case.review.resolution.disposition for case in at.cases() if case.review.resolution)
    assert said_of == ["duplicate", "false_alarm"]
    assert "the queue is clear" in said(test)


@pytest.mark.slow
def test_a_finding_can_be_reopened_and_noted(floor: Living) -> None:
    test = signed_in("m.ortiz")
    choose(test, "cannot_tell")
    act(test, "resolve", "Resolve", reason="no video")
    test.selectbox(key="choose-state").set_value("resolved").run()
    act(test, "reopen", "Reopen", reason="video was found")
    test.selectbox(key="choose-state").set_value("reopened").run()
    act(test, "note", "Add note", note="camera 4, 21:14")
    page = said(test)
    assert "↺ Reopened" in page
    assert page.rindex("no video") < page.rindex("video was found") < page.rindex("camera 4, 21:14")


@pytest.mark.slow
def test_what_is_missing_is_said_and_nothing_is_written(floor: Living) -> None:
    test = act(signed_in("m.ortiz"), "note", "Add note")
    assert "Fill in: Note." in said(test)
    choose(test, "confirmed_recovered")
    act(test, "resolve", "Resolve", reason="x", amount="ten")
    assert "must say the amount" in said(test)
    with desk_at(floor.log, read_only=True) as at:
        assert at.review("fu-01").seq == 0


@pytest.mark.parametrize(("person", "role"), [("m.ortiz", "analyst"), ("m.ortiz", "auditor"), ("<b>", "surveillance")])
def test_who_does_not_review_is_offered_nothing(floor: Living, person: str, role: str) -> None:
    test = signed_in(person, role)
    assert "log in with a role that reviews" in said(test)
    assert not test.button_group


def test_a_role_that_was_taken_away_meanwhile_does_nothing(floor: Living) -> None:
    """The form is open; the action itself asks again."""
    test = signed_in("m.ortiz")
    test.button_group[0].set_value("note").run()
    next(box for box in test.text_input if box.key and box.key.startswith("note ")).set_value("seen")
    log_in("m.ortiz", "auditor")
    press(test, "Add note")
    assert "Your role may not review findings" in said(test)
    with desk_at(floor.log, read_only=True) as at:
        assert at.review("fu-01").seq == 0


def test_another_writer_with_the_log_open_is_in_nobodys_way(floor: Living) -> None:
    with desk_at(floor.log):
        test = act(signed_in("m.ortiz"), "note", "Add note", note="seen")
        assert "Not saved" not in said(test)
        assert "noted: seen" in said(test)


def test_a_writer_that_keeps_its_turn_is_said(floor: Living, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("events.log.turn.TURN_WAIT_S", 0.1)
    with desk_at(floor.log) as at, at.log.turn():
        test = act(signed_in("m.ortiz"), "note", "Add note", note="seen")
        assert "Not saved" in said(test)


def test_a_log_that_is_not_there_is_said(floor: Living, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RACK_LOG", f"sqlite://{tmp_path}/gone.db")
    desk._read.clear()
    page = said(start("queue"))
    assert "nothing can be reviewed" in page
    assert "2 incidents" in page


@pytest.mark.parametrize(
    ("typed", "cents"),
    [
        ("100.00", 10_000),
        ("100", 10_000),
        ("1,250.50", 125_050),
        ("$ 75", 7_500),
        ("7,50", 750),
        ("0.01", 1),
        ("ten", None),
        ("", None),
        ("-5", None),
        ("1.5", None),
        ("1,25,000", None),
        ("1.234", None),
    ],
)
def test_amounts_as_typed(typed: str, cents: int | None) -> None:
    assert cents_typed(typed) == cents


# -------------------------------------------------------------------------------------------------------- saved views


def test_a_view_is_saved_offered_as_a_link_and_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warehouse = sample.make(tmp_path / "w.duckdb")
    test = run("queue", warehouse, monkeypatch, table="fu-02")
    test.text_input(key="view-name").set_value("  Pit  two ")
    press(test, "Save view")
    assert 'href="queue?table=fu-02" target="_self" aria-current="page">Pit two</a>' in said(test)
    press(test, "Delete view")
    assert "Pit two" not in said(test)


@pytest.mark.parametrize("name", ["", "   ", "To do", "x" * 41])
def test_names_a_view_cannot_have(tmp_path: Path, name: str) -> None:
    assert "name of its own" in views.save(tmp_path / "v.json", name, {"table": "fu-01"})
    assert views.saved(tmp_path / "v.json") == {}


def test_views_keep_filters_only_and_are_not_without_end(tmp_path: Path) -> None:
    path = tmp_path / "v.json"
    for number in range(views.MOST):
        assert views.save(path, f"view {number}", {"code": "PAY-OVER", "finding": "x", "person": "y"}) == ""
    assert "delete one first" in views.save(path, "one more", {})
    assert views.save(path, "view 0", {"table": "fu-09"}) == ""
    assert views.saved(path)["view 0"] == {"table": "fu-09"}
    assert views.saved(path)["view 1"] == {"code": "PAY-OVER"}


@pytest.mark.parametrize("content", ["", "[1]", '{"a": 3}', "{"])
def test_a_file_of_views_that_cannot_be_read_is_no_views(tmp_path: Path, content: str) -> None:
    (tmp_path / "v.json").write_text(content)
    assert views.saved(tmp_path / "v.json") == {}


# ------------------------------------------------------------------------------------------------- several at once


def choose_rows(test: AppTest, *rows: int) -> AppTest:
    """Tick rows of the list, as clicks on their boxes do."""
    (shown,) = test.get("bidi_component")
    ids = re.findall(r'<tr data-id="(\w+)"', json.loads(shown.proto.json)["html"])
    test.session_state[CHOSEN] = [ids[row] for row in rows]
    return test.run()


def act_on_all(test: AppTest, todo: str, **boxes: str) -> AppTest:
    test.button_group[0].set_value(todo).run()
    for name, value in boxes.items():
        inputs = (*test.text_input, *test.selectbox)
        box = next(box for box in inputs if box.key and box.key.startswith(f"{name} bulk"))
        box.set_value(value)
        if name == "disposition":
            test.run()
    next(each for each in test.button if each.key and " bulk " in each.key).click().run()
    assert [error.value for error in test.exception] == []
    return test


@pytest.mark.slow
def test_several_incidents_are_assigned_resolved_and_signed_with_one_reason(floor: Living) -> None:
    test = choose_rows(signed_in("m.ortiz"), 0, 1)
    assert "2 incidents chosen" in said(test)
    assert "$0.00 overpaid · $200.00 underpaid" in said(test)
    act_on_all(test, "assign", to="s.lee", reason="camera 4")
    test = choose_rows(signed_in("s.lee"), 0, 1)
    act_on_all(test, "resolve", disposition="confirmed_paid_patron", reason="paid at the cage")
    test = choose_rows(signed_in("s.lee"), 0, 1)
    assert "◈ Awaits signature: 2" in said(test)
    act_on_all(test, "sign", reason="I did it")
    assert "Not saved for 2 of 2 incidents" in said(test)
    test = choose_rows(signed_in("m.ortiz"), 0, 1)
    assert "Sign 2 incidents, $200.00" in [each.label for each in test.button]
    assert "Fill in: What was checked." in said(act_on_all(test, "sign"))
    test = choose_rows(signed_in("m.ortiz"), 0, 1)
    act_on_all(test, "sign", reason="slips seen")
    with desk_at(floor.log, read_only=True) as at:
        cases = at.cases()
    assert [case.review.state for case in cases] == ["resolved", "resolved"]
    assert [[entry.by for entry in case.review.history] for case in cases] == [["m.ortiz", "s.lee", "m.ortiz"]] * 2
    floor.rack("verify", code=0)


def test_a_reason_is_asked_for_and_without_one_nothing_is_written(floor: Living) -> None:
    test = act_on_all(choose_rows(signed_in("m.ortiz"), 0, 1), "assign", to="s.lee")
    assert "Fill in: Why." in said(test)
    with desk_at(floor.log, read_only=True) as at:
        assert at.review("fu-01").seq == 0


def test_a_filter_that_is_set_can_be_cleared_alone(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = said(run("queue", warehouse, monkeypatch, table="fu-02", severity="high"))
    assert '<a class="rk-chip rk-clear" href="queue?severity=high"' in page  # without the table
    assert '<a class="rk-chip rk-clear" href="queue?table=fu-02"' in page
    assert '<a class="rk-chip rk-clear" href="queue" ' in page  # all of them
    assert '<a class="rk-chip rk-clear' not in said(run("queue", warehouse, monkeypatch))
