"""The pages of a floor with a log in a real Chromium: the floor follows it, the queue writes to it."""

import re
from contextlib import suppress

import pytest
from playwright.sync_api import Page, expect

from desk.review.desk import desk_at
from tests.dashboards.living import Living
from tests.dashboards.running import PHONE, choose, expect_drawn, expect_fits
from tests.dashboards.running import log_in_browser as log_in

pytestmark = pytest.mark.browser


def test_the_floor_follows_the_log_without_a_reload(live_site: str, floor: Living, page: Page) -> None:
    page.goto(f"{live_site}/floor")
    tile = page.locator("a.rk-tile")
    expect(tile).to_contain_text("2 high")
    page.evaluate("window.untouched = true")
    floor.play([3])
    expect(tile).to_contain_text("3 high")
    expect(tile).to_contain_text("round 3")
    assert page.evaluate("window.untouched") is True
    tile.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Incidents")


def test_a_mispayment_at_a_live_table_is_told_before_its_round_closes(live_site: str, floor: Living, page: Page) -> None:
    """Seat 3 is paid $100.00 of $200.00 and the round is still open: Floor and any other page say so without a reload."""
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{live_site}/floor")
    tile = page.locator("a.rk-tile")
    expect(tile).to_contain_text(" high")
    page.evaluate("window.untouched = true")
    number = 50
    floor.pay_short(number)
    expect(tile.get_by_role("alert")).to_contain_text("Wager underpaid · Seat 3 · Ace High Bonus · underpaid by $100.00")
    expect(tile).to_contain_text("Wagers being settled")
    expect(tile).to_contain_text(f"round {number}")
    expect(tile).to_contain_text("Correct now")
    assert page.evaluate("window.untouched") is True
    page.goto(f"{live_site}/health")
    strip = page.locator(".st-key-alarms")
    expect(strip).to_contain_text(f"FU-01 · round {number}")
    expect(strip).to_contain_text("Pay $100.00 to the patron at seat 3.")
    expect(strip).to_contain_text("▲ Open")
    expect(page).to_have_title(re.compile(r"^\(1\) "))
    expect(strip.get_by_role("button", name="Take")).to_have_count(0)  # no one is logged in
    with desk_at(floor.log, read_only=True) as desk:
        assert desk.results.latest("adjudications", f"table/fu-01#{number}") is None, "the round is not closed"


def test_an_alarm_is_taken_in_one_click_and_its_round_is_one_click_away(login_site: str, floor: Living, page: Page) -> None:
    floor.pay_short(60)
    log_in(page, login_site, "m.ortiz@bellwether.example", "health")
    strip = page.locator(".st-key-alarms")
    strip.get_by_role("button", name="Take").first.click()
    expect(strip).to_contain_text("◈ m.ortiz has it")
    with desk_at(floor.log, read_only=True) as desk:
        taken = [
            e.by for each in desk.review("fu-01").findings.values() for e in each.history if "took" in e.says or "alarm" in e.says
        ]
    assert taken
    assert set(taken) == {"m.ortiz"}
    strip.get_by_role("link", name="FU-01 · round 60").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("FU-01 · Round 60")
    expect(page.get_by_text("Still open: wagers being settled")).to_be_visible()
    expect(page.get_by_role("table", name="What was recorded")).to_contain_text("◆ evidence")


def test_an_alarm_stays_when_its_round_closes_and_can_still_be_taken(login_site: str, floor: Living, page: Page) -> None:
    """A round at ten times real time is over before anybody has read the alarm."""
    floor.pay_short(61)
    log_in(page, login_site, "m.ortiz@bellwether.example", "health")
    alarm = page.locator("[class*='st-key-alarm-']").filter(has_text="FU-01 · round 61")
    expect(alarm).to_contain_text("▲ Open")
    floor.pay_short(61, closes=True)
    expect(alarm).to_contain_text("✖ Closed uncorrected")
    alarm.get_by_role("button", name="Take").click()
    expect(alarm).to_have_count(0)
    with desk_at(floor.log, read_only=True) as desk:
        (case,) = [each for each in desk.cases() if each.finding.round_no == 61]
    assert (case.review.state, case.review.assigned_to) == ("assigned", "m.ortiz")


def press(page: Page, key: str, wanted: str) -> None:
    """Press a key until the page shows what is wanted: a page that is still being drawn does not hear it."""
    place = page.locator("h2.rk-h2").first
    for _ in range(2):
        expect_drawn(page)
        page.keyboard.press(key)
        with suppress(AssertionError):
            expect(place).to_have_text(wanted)
            return
    expect(place).to_have_text(wanted)


def test_a_finding_is_assigned_by_keyboard_and_the_log_has_it(login_site: str, floor: Living, page: Page) -> None:
    log_in(page, login_site, "m.ortiz@bellwether.example", "queue")
    place = page.locator("h2.rk-h2").first
    expect(place).to_have_text("FU-01 · round 1")
    press(page, "j", "FU-01 · round 2")
    press(page, "k", "FU-01 · round 1")
    press(page, "j", "FU-01 · round 2")
    expect_drawn(page)
    expect(page.get_by_label("To", exact=True)).to_have_count(1)  # the boxes of the round before are gone
    box = page.get_by_label("To", exact=True)
    choose(box, "S.LEE (s.lee)")
    expect(box).to_have_value("S.LEE (s.lee)")
    page.get_by_label("Why").fill("camera 4")
    page.get_by_role("button", name="Assign", exact=True).click()
    expect(page.locator(".rk-history")).to_contain_text("assigned the finding to s.lee: camera 4")
    with desk_at(floor.log, read_only=True) as desk:
        (case,) = [case for case in desk.cases() if (case.finding.round_no, case.review.state) == (2, "assigned")]
    assert case.review.assigned_to == "s.lee"
    assert [entry.by for entry in case.review.history] == ["m.ortiz"]

    page.reload()  # the address has the finding
    expect(place).to_have_text("FU-01 · round 2")


def test_the_whole_log_is_walked_from_the_page(live_site: str, page: Page) -> None:
    page.goto(f"{live_site}/integrity")
    page.get_by_role("button", name="Verify log").click()
    expect(page.get_by_role("status").filter(has_text="No break was found")).to_be_visible(timeout=90_000)


def test_the_rules_page_answers_what_another_paytable_would_return(live_site: str, page: Page) -> None:
    page.goto(f"{live_site}/rules?other-ace_high_bonus=2")
    expect(page.get_by_role("table", name="What other paytables would have returned")).to_be_visible()
    expect(page.get_by_text("paytable 2: 4.791 %")).to_be_visible()


@pytest.mark.parametrize("path", ["floor", "queue", "integrity", "health"])
def test_pages_with_a_log_fit_a_phone(live_site: str, page: Page, path: str) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"{live_site}/{path}")
    expect(
        page.locator("a.rk-tile, .rk-standing, .rk-figures, .rk-answer, table.rk-table").filter(visible=True).first
    ).to_be_visible()
    expect_fits(page)
