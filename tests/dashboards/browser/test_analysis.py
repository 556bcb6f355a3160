"""The analysis pages in a real Chromium: a heading sorts its table, a filter is in the address, the SQL can be read."""

import pytest
from playwright.sync_api import Page, expect

from tests.dashboards.running import expect_drawn

pytestmark = pytest.mark.browser


def numbers(page: Page) -> list[int]:
    """The column of wagers, from the top."""
    cells = page.locator("table[aria-label='House win by wager'] td[data-label='Wagers']").all_inner_texts()
    return [int(cell.replace(",", "")) for cell in cells]


def test_a_heading_sorts_its_table_down_and_up(site: str, page: Page) -> None:
    page.goto(f"{site}/hold?view=wagers")
    expect_drawn(page)
    heading = page.get_by_role("columnheader", name="Wagers", exact=True)
    before = numbers(page)
    assert len(set(before)) > 1
    heading.get_by_role("button").click()
    expect(heading).to_have_attribute("aria-sort", "descending")
    assert numbers(page) == sorted(before, reverse=True)
    heading.get_by_role("button").press("Enter")
    expect(heading).to_have_attribute("aria-sort", "ascending")
    assert numbers(page) == sorted(before)
    page.get_by_role("columnheader", name="Wager", exact=True).get_by_role("button").click()
    expect(page.get_by_role("columnheader", name="Wager", exact=True)).to_have_attribute("aria-sort", "ascending")
    expect(heading).not_to_have_attribute("aria-sort", "ascending")


def test_gaming_days_and_the_period_before_stand_in_the_address(site: str, page: Page) -> None:
    page.goto(f"{site}/hold")
    expect_drawn(page)
    page.get_by_role("combobox", name="Gaming days").click()
    page.get_by_role("option", name="Fri 6 Mar").click()
    page.wait_for_url("**from=2026-03-06&to=2026-03-06**")
    expect_drawn(page)
    page.get_by_text("Period before").click()
    page.wait_for_url("**compare=true**")
    expect(page.get_by_text("Fri 6 Mar 2026, compared with Thu 5 Mar 2026.")).to_be_visible()


def test_the_sql_of_a_figure_can_be_read(site: str, page: Page) -> None:
    page.goto(f"{site}/hold?view=wagers&by=table")
    expect_drawn(page)
    page.get_by_text("Export and SQL").click()
    expect(page.get_by_role("button", name="Export CSV")).to_be_disabled()
    expect(page.get_by_text("FROM mart_hold_wager").first).to_be_visible()


COVER = """([under, over]) => {
    const place = over.getAttribute('style');
    under.setAttribute('style', place);
    over.before(under);
    over.insertAdjacentHTML('afterend', `<b class="rk-words" style="${place};margin-left:-20px">a number beside it</b>`);
}"""


@pytest.mark.parametrize("by", ["mouse", "keys"])
def test_a_point_of_a_chart_under_another_is_reached(site: str, page: Page, by: str) -> None:
    page.goto(f"{site}/hold")
    expect_drawn(page)
    points = page.locator("a.rk-point-link")
    under, over = points.nth(0).element_handle(), points.nth(1).element_handle()
    page.evaluate(COVER, [under, over])
    name = under.get_attribute("aria-label")
    assert name is not None
    if by == "mouse":
        points.nth(1).click()
        page.get_by_role("dialog").get_by_role("link", name=name, exact=True).click()
    else:
        under.focus()
        assert page.evaluate(
            "(a) => { const at = a.getBoundingClientRect(); return document.elementFromPoint("
            "at.x + at.width / 2, at.y + at.height / 2).closest('a') === a }",
            under,
        ), "it is seen"
        page.keyboard.press("Enter")
    page.wait_for_url(f"**view=day&table={name[:5].lower()}**")
    expect(page.get_by_role("dialog")).to_be_hidden()
