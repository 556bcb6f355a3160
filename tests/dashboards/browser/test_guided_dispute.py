"""A dispute in a real Chromium: drafts that outlive reload, tab and session, clicks under a redraw, and two columns."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from dashboards.run import CASES_VARIABLE, KEY_VARIABLE
from tests.dashboards import living
from tests.dashboards.conftest import served
from tests.dashboards.living import Living
from tests.dashboards.running import SCREEN, expect_drawn
from tests.dashboards.running import log_in_browser as log_in

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def desk_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve a floor of its own behind a login, with the log's key and a folder of cases."""
    folder = tmp_path_factory.mktemp("dispute")
    floor: Living = living.make(folder)
    floor.rack("keys", "new", str(folder / "log.key"), "--by", "t-ops", code=0)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(KEY_VARIABLE, str(folder / "log.key"))
        patched.setenv(CASES_VARIABLE, str(folder))
        with served(floor.warehouse, floor.log, login=True) as address:
            yield address


LONG = "He was told 20 to 1, and got 10 to 1.\n" * 100
CLAIM = "Patron's claim"


def test_a_draft_outlives_reload_tab_and_session_and_is_its_writers_alone(desk_site: str, page: Page) -> None:
    log_in(page, desk_site, "m.ortiz@bellwether.example")
    round_ = f"{desk_site}/dispute?of=fu-01&round=1&seat=3"
    page.goto(round_)
    page.get_by_label(CLAIM).fill(LONG)
    page.reload()
    expect(page.get_by_label(CLAIM)).to_have_value(LONG)
    tab = page.context.new_page()
    tab.goto(round_)
    expect(tab.get_by_label(CLAIM)).to_have_value(LONG)
    tab.close()
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("button", name="Log in").wait_for()
    log_in(page, desk_site, "s.lee@bellwether.example")
    page.goto(round_)
    expect_drawn(page)
    expect(page.get_by_label(CLAIM)).to_have_value("")
    page.get_by_label(CLAIM).fill("what lee heard")
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("button", name="Log in").wait_for()
    log_in(page, desk_site, "m.ortiz@bellwether.example")
    page.goto(round_)
    expect(page.get_by_label(CLAIM)).to_have_value(LONG)
    page.get_by_role("button", name="Open case").click()
    expect(page.get_by_text("Case FU-01-C1").first).to_be_visible()
    kept = page.evaluate(
        "Object.entries(localStorage).filter(([key]) => key.startsWith('rack-')).map(([, words]) => words)"
    )
    assert kept == ["what lee heard"]  # what is stored is forgotten


def test_a_link_that_is_redrawn_between_press_and_release_is_followed(desk_site: str, page: Page) -> None:
    log_in(page, desk_site, "m.ortiz@bellwether.example")
    page.goto(f"{desk_site}/dispute?of=fu-01&round=2&seat=3")
    page.get_by_role("button", name="Dispute packet").click()
    link = page.get_by_role("link", name="PDF, signed")
    link.hover()
    page.mouse.down()
    link.evaluate("(a) => a.replaceWith(a.cloneNode(true))")  # as a redraw does
    with page.expect_download() as taken:
        page.mouse.up()
    assert taken.value.suggested_filename.endswith(".pdf")


def test_an_open_form_tears_nothing_apart(desk_site: str, page: Page) -> None:
    """The steps have a column of their own: what is next to them follows its own heading, however long they are."""
    log_in(page, desk_site, "m.ortiz@bellwether.example")
    page.goto(f"{desk_site}/dispute?of=fu-01&round=2&seat=3")
    expect_drawn(page)
    hands, table = page.locator("[aria-label='The hands of the ruling']"), page.locator("table.rk-table").first
    before, after = hands.bounding_box(), table.bounding_box()
    assert before
    assert after
    assert after["y"] - (before["y"] + before["height"]) < 40
    page.set_viewport_size({"width": 390, "height": 844})
    expect_drawn(page)
    steps, table_box = page.locator(".st-key-dispute-steps").bounding_box(), table.bounding_box()
    assert steps
    assert table_box
    assert steps["y"] < table_box["y"], "on a phone the next step comes before the evidence"


def test_of_two_people_at_the_same_claim_and_case_the_second_is_told_who_was_first(
    desk_site: str, page: Page, browser: Browser
) -> None:
    """One case, one payment and one decision are written; the second person reads who was first, and goes on from there."""
    place = f"{desk_site}/dispute?of=fu-01&round=2&seat=3"
    log_in(page, desk_site, "m.ortiz@bellwether.example")
    other = browser.new_context(viewport=SCREEN)
    hers = other.new_page()
    refused = hers.locator(".rk-notice").filter(has_text="Not saved")
    try:
        log_in(hers, desk_site, "s.lee@bellwether.example")
        for person in (page, hers):
            person.goto(place)
            expect_drawn(person)
            person.get_by_label(CLAIM).fill("the bonus was paid short")
        page.get_by_role("button", name="Open case").click()
        expect(page.get_by_text("Case FU-01-C").first).to_be_visible()
        hers.get_by_role("button", name="Open case").click()
        expect(refused).to_contain_text("m.ortiz opened a case of this round meanwhile: “the bonus was paid short”")
        for person in (page, hers):
            expect_drawn(person)
            person.get_by_label("Slip or note").fill("slip 4711")
        page.get_by_role("button", name="Record $100.00 paid").click()
        expect(page.get_by_text("$100.00 recorded as paid.")).to_be_visible()
        hers.get_by_role("button", name="Record $100.00 paid").click()
        expect(refused).to_contain_text("m.ortiz")
        expect_drawn(hers)
        hers.get_by_role("textbox", name="What was checked").fill("slip 4711")
        hers.get_by_role("button", name="Sign $100.00").click()
        page.reload()
        for person in (page, hers):
            person.get_by_text("Settled by agreement").click()
            expect_drawn(person)
            person.get_by_label("Why, as the patron will read it").fill("paid at the table")
        page.get_by_role("button", name="Record decision").click()
        expect(page.get_by_label("Why, as the patron will read it")).to_have_count(0)
        hers.get_by_role("button", name="Record decision").click()
        expect(refused).to_contain_text("m.ortiz")
    finally:
        other.close()
