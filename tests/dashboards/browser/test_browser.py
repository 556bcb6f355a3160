"""The pages in a real Chromium: from the queue to the round, stepping, every page without an error, nothing from outside."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from analytics.warehouse.warehouse import build
from tests.dashboards import sample
from tests.dashboards.running import expect_drawn

pytestmark = pytest.mark.browser


def test_from_the_queue_to_the_round_that_proves_it(site: str, page: Page) -> None:
    page.goto(f"{site}/queue")
    page.get_by_role("link", name="Open round").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("FU-01 · Round 17")
    finding = page.locator(".rk-finding")
    for words in ("Wager underpaid · Seat 3 · Ace High Bonus · underpaid by $100.00", "58 Pa. Code § 688a.12(b)"):
        expect(finding).to_contain_text(words)
    row = page.locator("tr.rk-marked").first
    for words in ("Seat 3", "+$200.00", "+$100.00", "−$100.00 short"):
        expect(row).to_contain_text(words)
    drawing = page.locator(".rk-wide svg")
    expect(drawing).to_be_visible()
    expect(drawing).to_contain_text("$100.00 short")
    expect(drawing.locator("title", has_text="ace of spades").first).to_be_attached()
    expect(page.locator(".rk-now")).to_contain_text("The dealer paid seat 3 $100.00 on the Ace High Bonus")


def test_links_and_back_need_no_new_start_and_show_what_their_address_says(site: str, page: Page) -> None:
    """The table that was chosen on Hold is not one of the queue's, whose link names another."""
    page.goto(f"{site}/hold?table=fu-02")
    expect_drawn(page)
    page.evaluate("window.openedOnce = true")
    page.get_by_role("link", name="Floor", exact=True).click()
    page.locator("a.rk-tile", has_text="FU-01").click()
    page.wait_for_url("**/queue?table=fu-01**")
    expect(page.locator(".rk-clear")).to_have_text(["Clear FU-01 ✕"], use_inner_text=False)
    page.get_by_role("link", name="Open round").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("FU-01 · Round 17")
    expect_drawn(page)
    page.get_by_role("link", name="Next round").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("FU-01 · Round 18")
    expect_drawn(page)
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_contain_text("FU-01 · Round 17")
    expect_drawn(page)
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Incidents")
    expect(page.locator(".rk-clear")).to_have_count(1)
    assert page.evaluate("window.openedOnce")


def test_a_page_finds_its_server_at_the_first_try(site: str, page: Page) -> None:
    """Streamlit looks beneath the address of a page first, and waits before it looks elsewhere."""
    missed: list[str] = []
    page.on("response", lambda answer: missed.append(answer.url) if answer.status == 404 else None)
    page.goto(f"{site}/queue")
    expect_drawn(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Incidents")
    assert missed == []


def test_stepping_moves_the_drawing_and_the_address_and_the_address_reopens_the_step(site: str, page: Page) -> None:
    page.goto(f"{site}/round?table=fu-01&round=17&step=45")
    expect(page.locator(".rk-now")).to_contain_text("The dealer paid seat 3 $100.00 on the Ace High Bonus")
    page.get_by_role("button", name="Back").click()
    expect(page.locator(".rk-now")).to_have_text("The dealer returned $25.00 of the Base wager to seat 3 (push)")
    expect(page.locator(".rk-wide svg title", has_text="Ace High Bonus, $10.00 at stake").first).to_be_attached()
    page.wait_for_url("**step=44**")
    page.reload()
    expect(page.locator(".rk-now")).to_have_text("The dealer returned $25.00 of the Base wager to seat 3 (push)")
    page.get_by_role("link", name="Next round").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("FU-01 · Round 18")


def test_a_page_offers_a_new_generation_and_shows_it_when_asked(site: str, page: Page, site_warehouse: Path) -> None:
    page.goto(f"{site}/queue")
    expect(page.get_by_text("6 incidents in 4 rounds")).to_be_visible()
    build(site_warehouse, sample.adjudications()[:1], ())
    try:
        page.get_by_role("button", name="Show new results").click()
        expect(page.get_by_text("Nothing was found in any round on record")).to_be_visible()
    finally:
        sample.make(site_warehouse)


def test_a_dispute_is_settled_from_what_the_patron_remembers(site: str, page: Page) -> None:
    page.goto(f"{site}/dispute")
    page.get_by_label("About what time").fill("9:15 pm")
    page.get_by_label("Cards").fill("ace of spades, queen")
    page.get_by_label("Cards").press("Enter")
    page.wait_for_url("**cards=ace*")
    expect(page.get_by_text("around 21:15")).to_be_visible()
    first = page.locator("a.rk-hit").first
    expect(first).to_contain_text("Round 17")  # once the cards are looked for, not only the time
    first.click()
    expect(page.locator(".rk-answer")).to_contain_text("Seat 3 is owed $100.00:")
    page.evaluate("window.print = () => { document.title = 'printed' }")
    page.get_by_role("button", name="Print this page").click()
    page.wait_for_function("document.title === 'printed'")


def test_a_round_plays_jumps_to_the_evidence_and_hides_names(site: str, page: Page) -> None:
    page.goto(f"{site}/round?table=fu-01&round=17&step=1")
    now = page.locator(".rk-now")
    expect(now).to_have_text("The round began with deck-red")
    page.get_by_role("button", name="Play").click()
    expect(now).not_to_have_text("The round began with deck-red")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.get_by_role("button", name="Evidence").click()
    expect(now).to_contain_text("The dealer paid seat 3 $100.00 on the Ace High Bonus")
    page.get_by_text("Hide names").click()
    expect(page.get_by_text("dealer DEALER-1")).to_be_visible()
    page.wait_for_url("**anonymous=true*")
