"""The desk in a real Chromium: what is on the first screen, what keys do, what a print has, and how calm a page is."""

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from dashboards.access.page_list import PAGES, Place
from tests.dashboards import sample
from tests.dashboards.living import Living
from tests.dashboards.running import PHONE, SCREEN, expect_drawn, expect_fits
from tests.dashboards.running import log_in_browser as log_in

pytestmark = pytest.mark.browser

EVENTS = len(sample.rounds_events()[0].events)


def expect_on_first_screen(found: Locator) -> None:
    """Expect a thing to stand whole above the fold."""
    expect(found).to_be_visible()
    box = found.bounding_box()
    assert box is not None
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= SCREEN["height"]


def test_felt_and_finding_stand_side_by_side_above_the_fold(site: str, page: Page) -> None:
    page.goto(f"{site}/round?table=fu-01&round=17&step=45")
    expect_drawn(page)
    felt, finding = page.locator(".rk-wide svg"), page.locator(".rk-finding").first
    expect_on_first_screen(felt)
    expect_on_first_screen(finding)
    left, right = finding.bounding_box(), felt.bounding_box()
    assert left is not None
    assert right is not None
    assert left["x"] + left["width"] <= right["x"]
    expect_on_first_screen(page.get_by_text("Pay $100.00 to the patron at seat 3."))


def test_the_list_of_moves_stands_beside_the_board_and_leads_to_a_step(site: str, page: Page) -> None:
    page.goto(f"{site}/round?table=fu-01&round=17&step=45")
    expect_drawn(page)
    page.get_by_role("tab", name="Moves").click()
    moves = page.locator(".st-key-moves label:visible")
    expect(moves).to_have_count(EVENTS)
    expect(page.locator(".st-key-moves label:has(input:checked)")).to_be_in_viewport()  # the 45th
    expect_on_first_screen(page.locator(".rk-wide svg"))
    moves.filter(has_text="The dealer returned $25.00 of the Base wager to seat 3").click()
    page.wait_for_url("**step=44**")
    expect(page.locator(".rk-now")).to_contain_text("The dealer returned $25.00 of the Base wager to seat 3")


def test_the_dispute_is_answered_on_the_first_screen(site: str, page: Page) -> None:
    page.goto(f"{site}/dispute?of=fu-01&round=17&seat=3")
    expect_drawn(page)
    answer = page.locator(".rk-answer")
    for words in (
        "Seat 3 is owed $100.00",
        "Variance",
        "Wager underpaid · Seat 3 · Ace High Bonus · underpaid by $100.00",
        "$10.00 pays $200.00 (both ace high, paytable 1); $100.00 was paid",
        "Pay $100.00 to the patron at seat 3.",
    ):
        expect(answer).to_contain_text(words)
    expect_on_first_screen(answer)
    hands = page.locator("[aria-label='The hands of the ruling']")
    expect_on_first_screen(hands)
    expect(hands).to_contain_text("Seat 3")
    expect_on_first_screen(page.get_by_role("button", name="Print this page"))
    expect_on_first_screen(page.get_by_role("button", name="Dispute packet"))


def test_keys_open_list_and_go(site: str, page: Page) -> None:
    page.goto(f"{site}/queue")
    expect(page.get_by_role("link", name="Open round")).to_be_visible()
    expect_drawn(page)
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    expect(keys).to_contain_text("Next in the queue")
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("FU-01 · Round 17")
    expect_drawn(page)
    page.keyboard.press("n")
    expect(page.get_by_role("heading", level=1)).to_contain_text("FU-02 · Round 4")
    expect_drawn(page)
    page.keyboard.press("g")
    page.keyboard.press("d")
    page.wait_for_url("**/dispute*")
    expect(page.get_by_role("heading", level=1)).to_have_text("Dispute")
    box = page.get_by_label("Cards")
    box.press("?")  # what is typed is typed
    expect(keys).to_be_hidden()
    expect(box).to_have_value("?")


def test_what_has_the_focus_is_seen(site: str, page: Page) -> None:
    page.goto(f"{site}/round?table=fu-01&round=17")
    expect_drawn(page)
    link = page.get_by_role("link", name="Previous round")
    link.focus()
    page.keyboard.press("Tab")
    focused = page.locator(":focus-visible")
    expect(focused).to_have_css("outline-width", "3px")
    expect(focused).to_have_css("outline-style", "solid")


DATED = """() => {
    window.dispatchEvent(new Event('beforeprint'));
    return /printed \\S/.test(document.querySelector('p.rk-paper')?.innerText ?? '');
}"""


@pytest.mark.parametrize("path", ["round?table=fu-01&round=17", "dispute?of=fu-01&round=17"])
def test_a_print_has_everything_and_no_controls(site: str, page: Page, path: str) -> None:
    page.goto(f"{site}/{path}")
    expect_drawn(page)
    expect(page.locator(".rk-paper").first).to_be_hidden()
    page.emulate_media(media="print")
    try:
        page.wait_for_function(DATED)  # the page's script may still be on its way
        heading = page.locator("p.rk-paper").inner_text()
        assert heading.startswith("Allegheny Rivers Casino · printed ")
        assert heading.rstrip().endswith(("EST", "EDT"))
        rows = page.locator("div.rk-paper table.rk-table tbody tr")
        expect(rows).to_have_count(EVENTS)
        expect(rows.last).to_be_visible()
        expect(page.get_by_text("Wager underpaid · Seat 3 · Ace High Bonus").first).to_be_visible()
        for control in ("button", "a.rk-button", "[role=slider]", "[role=tab]", "header a"):
            expect(page.locator(f"{control}:visible")).to_have_count(0)
        headings = page.locator("h2:visible").filter(has_text="What was recorded")
        expect(headings).to_have_count(0)  # the list beneath it is left out, for the evidence has all of it
    finally:
        page.emulate_media(media="screen")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("size", [PHONE, {"width": 640, "height": 450}, SCREEN, {"width": 1920, "height": 1080}])
def test_five_places_lead_to_every_page_at_every_width_by_mouse_and_keyboard(site: str, page: Page, size: ViewportSize) -> None:
    """640 × 450 is a screen of 1280 × 900 at a zoom of 200 %."""
    page.set_viewport_size(size)
    page.goto(f"{site}/floor")
    expect_drawn(page)
    places = page.get_by_role("navigation", name="Places").get_by_role("link")
    expect(places).to_have_text(["Floor", "Work", "Analysis", "Reports", "Trust"])
    page.get_by_role("link", name="Work", exact=True).click()
    page.wait_for_url("**/queue*")
    expect_drawn(page)
    row = page.get_by_role("navigation", name="Work").get_by_role("link")
    expect(row).to_have_text([entry.title for entry in PAGES.values() if entry.place == Place.WORK])
    expect(page.locator("nav:is(.rk-places, .rk-pages) [aria-current]:visible")).to_have_text(["Work", "Queue"])
    row.first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/round*")
    expect_drawn(page)
    expect_fits(page)


def test_what_the_page_is_doing_is_never_over_who_is_signed_in(site: str, page: Page) -> None:
    page.goto(f"{site}/floor")
    page.wait_for_function("""document.querySelector('.stApp')?.dataset.testScriptState === 'notRunning'""")
    page.evaluate("document.querySelector('.stApp').dataset.testScriptState = 'running'")
    expect(page.locator(".stStatusWidget:visible")).to_have_count(0)
    line = page.locator(".stApp").evaluate("app => getComputedStyle(app, '::before').height")
    assert line == "3px"


def test_who_is_signed_in_stands_in_the_header_and_what_was_done_is_said_whole(
    login_site: str, floor: Living, page: Page
) -> None:
    log_in(page, login_site, "m.ortiz@bellwether.example")
    name = page.locator(".rk-who, .rk-who-short").filter(visible=True)
    expect(name).to_be_visible()
    box = name.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 60
    page.goto(f"{login_site}/round?table=fu-01&round=2")
    expect_drawn(page)
    page.get_by_role("radio", name="Note").or_(page.get_by_role("button", name="Note", exact=True)).first.click()
    page.get_by_role("textbox", name="Note", exact=True).filter(visible=True).first.fill("ask j.kim@bellwether.example *today*")
    page.get_by_role("button", name="Add note").click()
    done = page.get_by_role("status").filter(has_text="noted:")
    expect(done).to_contain_text("FU-01 · round 2: M.ORTIZ noted: ask j.kim@bellwether.example *today*")
    expect(done.get_by_role("link")).to_have_count(0)
    assert done.evaluate("(e) => e.scrollWidth <= e.clientWidth")
