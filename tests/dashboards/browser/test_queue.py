"""The queue in a real Chromium: worked by keys, whole at every width, and by two people at once."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from desk.review.desk import desk_at
from events.vocabulary.codec import decode
from events.vocabulary.review_events import FindingNoted
from tests.dashboards import living
from tests.dashboards.conftest import served
from tests.dashboards.living import Living
from tests.dashboards.running import PHONE, SCREEN, expect_drawn, expect_fits, expect_kept
from tests.dashboards.running import log_in_browser as log_in

pytestmark = pytest.mark.browser

ROUNDS = range(1, 7)
CUT = """() => [...document.querySelectorAll('.rk-queue td :is(span, small)')]
    .filter((e) => e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > innerWidth).map((e) => e.textContent)"""

KEPT = "Object.entries(localStorage).filter(([key]) => key.startsWith('rack-')).map(([, words]) => words)"


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Living:
    """Six incidents of the same cause, in six rounds."""
    return living.make(tmp_path_factory.mktemp("queue"), ROUNDS)


@pytest.fixture(scope="module")
def login_site(floor: Living) -> Iterator[str]:
    """The pages of this floor, behind a login."""
    with served(floor.warehouse, floor.log, login=True) as address:
        yield address


def states(floor: Living) -> list[str]:
    with desk_at(floor.log, read_only=True) as at:
        return sorted(case.review.state for case in at.cases())


def notes(floor: Living) -> list[str]:
    with desk_at(floor.log, read_only=True) as at:
        said = [decode(each.data).payload for each in at.log.read("review/fu-01")]
    return [each.note for each in said if isinstance(each, FindingNoted)]


def chosen(page: Page) -> str:
    """Where the incident is that is chosen in the list, once the page shows it."""
    expect(page.locator("tr[data-chosen]")).to_have_count(1)
    expect(page.locator(".st-key-act [role=radio]").first).to_be_visible()
    expect_drawn(page)
    return page.locator("tr[data-chosen] td[data-label=Where] span").inner_text()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("size", [PHONE, {"width": 640, "height": 450}, SCREEN, {"width": 1920, "height": 1080}])
def test_no_figure_is_cut_and_the_state_is_there_from_the_start(login_site: str, page: Page, size: ViewportSize) -> None:
    """640 × 450 is a screen of 1280 × 900 at a zoom of 200 %."""
    page.set_viewport_size(size)
    log_in(page, login_site, "m.ortiz@bellwether.example", "queue")
    expect(page.locator(".rk-queue td[data-label=State]").first).to_have_text("○ Open")
    expect(page.locator(".rk-queue td[data-label=Money]").first).to_have_text("▼ −$100.00 short")
    expect_drawn(page)
    assert page.evaluate(CUT) == []
    expect_fits(page)
    page.locator(".rk-queue tbody tr").nth(1).click()
    expect(page.get_by_role("heading", name="FU-01 · round 2")).to_be_in_viewport()


def test_an_incident_takes_two_keys_and_can_be_undone(login_site: str, floor: Living, page: Page) -> None:
    """The first of its kind is chosen by hand; each like it after that is R and Enter. Undo, within ten seconds, reopens."""
    log_in(page, login_site, "m.ortiz@bellwether.example", "queue")
    assert chosen(page) == "FU-01 · 1"
    page.keyboard.press("r")
    page.get_by_role("combobox", name="Disposition").click()
    page.get_by_role("option", name="Fault confirmed, the dealer was coached").click()
    expect_drawn(page)
    page.get_by_label("Why", exact=True).fill("paytable card was shown")
    page.keyboard.press("Enter")
    status = page.get_by_role("status").filter(has_text="resolved the finding")
    expect(status).to_contain_text("FU-01 · round 1: M.ORTIZ resolved the finding")
    keys = 0
    for number in (2, 3):  # the key is pressed before the next is drawn
        for key in ("r", "Enter"):
            page.keyboard.press(key)
            keys += 1
            if key == "r":
                expect(page.locator('input[aria-label="Why"][value="paytable card was shown"]:focus')).to_be_visible()
        expect(status).to_contain_text(f"FU-01 · round {number}:")
    page.get_by_role("button", name="Undo").click()
    assert keys == 4
    expect(page.get_by_role("status").filter(has_text="reopened")).to_contain_text("undone within 10 seconds")
    assert states(floor) == ["open"] * 3 + ["reopened"] + ["resolved"] * 2
    assert chosen(page) == "FU-01 · 3"


def test_back_leaves_the_queue_in_one_press(login_site: str, page: Page) -> None:
    log_in(page, login_site, "m.ortiz@bellwether.example")
    page.get_by_role("link", name="Work", exact=True).click()
    page.wait_for_url("**/queue?finding=*")
    expect(page.locator("tr[data-chosen]")).to_have_count(1)  # a key pressed before the list is drawn is lost
    expect_drawn(page)
    page.keyboard.press("j")
    expect(page.locator("tr").nth(2)).to_have_attribute("data-chosen", "")
    expect_drawn(page)
    page.go_back()
    page.wait_for_url("**/floor")


def test_of_two_people_at_the_same_incident_the_second_is_told_who_was_first(
    login_site: str, floor: Living, page: Page, browser: Browser
) -> None:
    """She stays at that incident; what she wrote is not saved, and who resolved it, how and when is said there."""
    log_in(page, login_site, "m.ortiz@bellwether.example", "queue?state=open")
    mine = chosen(page)
    other = browser.new_context(viewport=SCREEN)
    hers = other.new_page()
    try:
        log_in(hers, login_site, "s.lee@bellwether.example", "queue?state=open")
        assert chosen(hers) == mine
        for person in (page, hers):
            person.keyboard.press("r")
            person.get_by_role("combobox", name="Disposition").click()
            person.get_by_role("option", name="Fault confirmed, the dealer was coached").click()
            expect_drawn(person)
            person.get_by_label("Why", exact=True).fill("shown the paytable")
        before = states(floor).count("resolved")
        page.keyboard.press("Enter")
        expect(page.get_by_role("status").filter(has_text="resolved the finding")).to_be_visible()
        hers.keyboard.press("Enter")
        notice = hers.locator(".rk-notice").filter(has_text="Not saved")
        expect(notice).to_contain_text("M.ORTIZ resolved the finding")
        expect(hers.get_by_role("heading", name=mine.replace("· ", "· round "))).to_be_visible()
        assert states(floor).count("resolved") == before + 1
    finally:
        other.close()


LINES = {
    "queue?state=open": {"Why": "=HYPERLINK(1)"},
    "surveillance": {"Shift that ends": "day", "Note for the next shift": "watch FU-01", "Camera": "cam-4"},
    "observations": {"Dealer": "d-07", "From": "18:00", "To": "22:00", "Rounds in it": "12"},
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("path", LINES)
def test_what_is_typed_in_one_line_outlives_a_reload(login_site: str, page: Page, path: str) -> None:
    log_in(page, login_site, "m.ortiz@bellwether.example", path)
    expect_kept(page, LINES[path])


def test_a_key_that_is_pressed_while_the_page_is_drawn_waits_for_its_button(login_site: str, page: Page) -> None:
    log_in(page, login_site, "m.ortiz@bellwether.example")
    page.get_by_role("link", name="Work", exact=True).click()
    page.wait_for_url("**/queue*")
    page.wait_for_function(
        """() => document.querySelector('.stApp[data-test-script-state="running"], .st-key-act [role=radio]')"""
    )
    page.keyboard.press("m")
    expect(page.locator(".st-key-act").get_by_label("Note", exact=True)).to_be_focused()


def test_a_move_that_is_pressed_before_the_list_is_drawn_waits_for_it(login_site: str, page: Page) -> None:
    log_in(page, login_site, "m.ortiz@bellwether.example")
    page.get_by_role("link", name="Work", exact=True).click()
    page.wait_for_url("**/queue*")
    page.wait_for_function("() => !document.querySelector('.rk-incidents tbody tr')")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator(".rk-incidents tbody tr").nth(2)).to_have_attribute("aria-current", "true")


def test_a_line_that_is_stored_and_the_number_of_a_card_are_not_kept(login_site: str, floor: Living, page: Page) -> None:
    log_in(page, login_site, "m.ortiz@bellwether.example", "queue?state=open")
    chosen(page)
    page.keyboard.press("m")
    note = page.locator(".st-key-act").get_by_label("Note", exact=True)
    note.fill("card 4111 1111 1111 1111 shown")
    page.get_by_label("Search").fill("paid")
    assert page.evaluate(KEPT) == []
    note.fill("a slip shown")
    assert page.evaluate(KEPT) == ["a slip shown"]
    page.get_by_role("button", name="Add note").dblclick()
    expect(page.get_by_role("status").filter(has_text="noted: a slip shown")).to_be_visible()
    expect_drawn(page)
    assert notes(floor) == ["a slip shown"], "a double click stores once"
    page.keyboard.press("m")
    expect(note).to_have_value("")
    assert page.evaluate(KEPT) == []
