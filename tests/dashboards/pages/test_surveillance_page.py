"""The Surveillance log page by AppTest: entries, the change of shifts by two people, and who may write."""

import json
from datetime import date, datetime, time
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

from dashboards.access import access
from dashboards.parts import desk
from desk.review import surveillance
from desk.review.desk import TableReview, desk_at
from tests.dashboards.living import Living
from tests.dashboards.running import fill, log_in, press, said, start

DAY = {"type": "gaming_day_opened", "payload": {"gaming_day": "2026-03-01"}}
CONFIGURED = {
    "type": "property_configured",
    "payload": {"currency": "USD", "gaming_day_cutover": "06:00", "name": "Bellwether", "time_zone": "America/New_York"},
}


def line(number: int, said: dict[str, object]) -> str:
    """One of the office's lines."""
    common = {"event_id": f"{number:032x}", "occurred_at_us": 1_772_366_400_000_000 + number, "round_no": None}
    place = {"source": "office", "source_seq": number, "stream": "property/main", "version": 1}
    return json.dumps({**common, **place, **said}, sort_keys=True, separators=(",", ":")) + "\n"


@pytest.fixture(autouse=True)
def _house(floor: Living, tmp_path: Path) -> None:
    (tmp_path / "office.jsonl").write_text(line(1, DAY) + line(2, CONFIGURED))
    floor.rack("ingest", str(tmp_path / "office.jsonl"), "--office", code=0)


def of_room(floor: Living) -> TableReview:
    with desk_at(floor.log, read_only=True) as at:
        return surveillance.log(at)


def test_an_entry_is_in_the_log_and_on_the_page(floor: Living) -> None:
    log_in("m.ortiz@bellwether.example", "surveillance")
    test = start("surveillance")
    fill(test, "What happened", "patron at seat 3 shouts")
    fill(test, "Camera", "CAM-4")
    press(test, "Make entry")
    (entry,) = of_room(floor).surveillance
    assert (entry.noted.by, entry.noted.note, entry.noted.camera) == ("m.ortiz", "patron at seat 3 shouts", "cam-4")
    assert "patron at seat 3 shouts" in said(test)


def test_a_time_without_a_day_is_of_today_and_a_day_without_a_time_is_asked_for_it(floor: Living) -> None:
    log_in("m.ortiz@bellwether.example", "surveillance")
    test = start("surveillance")
    fill(test, "What happened", "patron at seat 3 shouts")
    test.date_input[0].set_value(date(2026, 3, 5))
    assert "Fill in: Time." in said(press(test, "Make entry"))
    assert not of_room(floor).surveillance
    test.date_input[0].set_value(None)
    fill(test, "Time (default: now)", "00:01")
    press(test, "Make entry")
    (entry,) = of_room(floor).surveillance
    at = datetime.fromtimestamp(entry.noted.happened_us / 1e6, ZoneInfo("America/New_York"))
    assert (at.date(), at.time()) == (datetime.now(ZoneInfo("UTC")).date(), time(0, 1))


def test_a_time_that_came_twice_or_never_is_asked_back_and_the_one_meant_is_written(floor: Living) -> None:
    """On 1 November 2026 the clocks of New York went from 02:00 EDT back to 01:00 EST; on 8 March from 02:00 to 03:00."""
    log_in("m.ortiz@bellwether.example", "surveillance")
    test = start("surveillance")
    fill(test, "What happened", "patron at seat 3 shouts")
    for day, typed, says in (
        (date(2026, 3, 8), "02:30", "never was"),
        (date(2026, 11, 1), "half past one", "expected a time like 21:14:05"),
        (date(2026, 11, 1), "01:30", "comes twice"),
    ):
        test.date_input[0].set_value(day)
        fill(test, "Time (default: now)", typed)
        refused = said(press(test, "Make entry"))
        assert says in refused
        assert not of_room(floor).surveillance
    assert "2026-11-01T01:30:00-04:00 or 2026-11-01T01:30:00-05:00" in refused
    for typed in ("1:30 am EST", "2025-11-02T01:30:00-05:00"):
        fill(test, "What happened", "patron at seat 3 shouts")
        test.date_input[0].set_value(date(2025, 11, 2))
        fill(test, "Time (default: now)", typed)
        press(test, "Make entry")
    assert {each.noted.happened_us for each in of_room(floor).surveillance} == {1_762_065_000_000_000}


@pytest.mark.parametrize(
    ("button", "missing"), [("Make entry", "What happened"), ("Hand over", "Shift that ends, Note for the next shift")]
)
def test_what_is_missing_is_said_and_nothing_is_written(floor: Living, button: str, missing: str) -> None:
    log_in("m.ortiz@bellwether.example", "surveillance")
    test = press(start("surveillance"), button)
    assert f"Fill in: {missing}." in said(test)
    assert not of_room(floor).surveillance
    assert not of_room(floor).hand_overs


def test_a_shift_is_signed_over_by_one_and_accepted_by_another(floor: Living) -> None:
    log_in("m.ortiz@bellwether.example", "surveillance")
    test = start("surveillance")
    fill(test, "Shift that ends", "Swing")
    fill(test, "Note for the next shift", "watch fu-01")
    press(test, "Hand over")
    page = said(test)
    assert "The swing shift waits to be accepted" in page
    assert "handed over the swing shift with 2 open incidents and 0 open disputes: watch fu-01" in page
    assert not [each for each in test.button if each.label in ("Accept shift", "Hand over")]
    log_in("s.lee@bellwether.example", "surveillance")
    test = start("surveillance")
    fill(test, "Acceptance note", "read")
    press(test, "Accept shift")
    assert "Tick every line first: FU-01: 2 open incidents, FU-01: 2 unacknowledged incidents." in said(test)
    assert of_room(floor).waiting is not None
    for box in test.checkbox:
        box.check()
    press(test, "Accept shift")
    (shift,) = of_room(floor).hand_overs
    assert shift.accepted is not None
    assert (shift.signed.by, shift.accepted.by) == ("m.ortiz", "s.lee")


def test_one_tick_takes_over_all_lines_of_a_kind_and_none_that_comes_later(
    floor: Living, monkeypatch: pytest.MonkeyPatch
) -> None:
    """56 lines of 28 tables take two ticks; lines can be ticked one by one, and a later line is not ticked by either."""
    lines = [
        surveillance.HandOverLine(kind=kind, words=f"FU-{table:02}: 1 {kind}", page="queue")
        for table in range(28)
        for kind in ("incidents", "alarms")
    ]
    monkeypatch.setattr(surveillance, "hand_over_lines", lambda at: list(lines))
    with desk_at(floor.log, persons=desk.register()) as at:
        surveillance.sign_over(at, shift="day", note="quiet", by="m.ortiz")
    log_in("s.lee@bellwether.example", "surveillance")
    test = start("surveillance")
    fill(test, "Acceptance note", "read")
    one_by_one, together = test.checkbox[1:29], test.checkbox[29]
    for box in (*one_by_one, together):
        box.check()
    assert together.label == "Unacknowledged incidents: all 28 checked"
    lines.append(surveillance.HandOverLine(kind="alarms", words="FU-28: 1 alarms", page="queue"))
    press(test, "Accept shift")
    assert "Tick every line first: FU-00: 1 alarms, " in said(test)
    (together,) = (box for box in test.checkbox if box.label == "Unacknowledged incidents: all 29 checked")
    together.check()
    press(test, "Accept shift")
    (shift,) = of_room(floor).hand_overs
    assert shift.accepted is not None
    assert shift.accepted.says.endswith(": read (ticked: incidents 28, alarms 29)")


def test_who_may_not_review_reads_and_writes_nothing(floor: Living) -> None:
    for test in (start("surveillance"), _as_auditor()):
        assert "No entry yet" in said(test)
        assert not [each for each in test.button if each.label in ("Make entry", "Hand over")]
    log_in("a.nalyst@bellwether.example", "analyst")
    assert not access.may("surveillance")


def _as_auditor() -> AppTest:
    log_in("s.lee@bellwether.example", "auditor")
    return start("surveillance")
