"""Every page and view as it opens by its address: whole on a screen and a phone, and without a fault by axe-core.

axe-core finds serious faults of contrast, names, roles and order, in light and dark.

axe-core comes with a package of the tests (axe-playwright-python); nothing of it is part of the program.
"""

from contextlib import closing
from pathlib import Path

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from dashboards.access.page_list import PAGES
from desk.review.desk import Desk
from events.open import open_log
from replay.run.replayer import MemoryResults
from tests.dashboards.running import PHONE, expect_drawn, expect_fits
from tests.desk.packet.signed_floor import floor_at, played
from tests.desk.people import PEOPLE

pytestmark = pytest.mark.browser

SIZES = """() => [...new Set([...document.querySelectorAll('.stMain *:not(svg *)')]
    .filter((e) => e.checkVisibility() && [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()))
    .map((e) => getComputedStyle(e).fontSize))]"""
GRAVE = ("serious", "critical")
VIEWS = (
    "",
    "round?table=fu-01&round=19",
    "round?table=fu-01&round=17&step=45",
    "dispute?of=fu-01&round=17&seat=3",
    *(f"hold?view={view}" for view in ("wagers", "day", "luck", "time", "pace", "behind")),
    "hold?from=2026-03-06&to=2026-03-06&compare=true",
    *(f"dealers?view={view}" for view in ("repeats", "rules", "time", "alarms")),
    "fairness?family=die&by=property",
    "rules?decision=D1",
)
DRAWN = ("hold?view=wagers", "dealers")
"""Pages with a chart on the sample floor."""
WITH_A_DRAWING = ("round?table=fu-01&round=17&step=45", "dispute?of=fu-01&round=17&seat=3")
"""Pages with the layout of a round: a wide one for a screen, an upright one for a phone."""
CUT = """() => [...document.querySelectorAll('.rk-lane-of, .rk-lane > .rk-words')].filter((each) => {
    const chart = each.closest('.rk-chart').getBoundingClientRect(), box = each.getBoundingClientRect();
    return each.scrollWidth > each.clientWidth + 1 || box.right > chart.right || box.left < chart.left;
}).map((each) => each.textContent)"""
"""Names and words of a chart of lanes that its edge cuts off."""
OUTSIDE = """() => [...document.querySelectorAll('.rk-figures')].filter((each) => each.checkVisibility()).flatMap((figures) => {
    const values = [...figures.querySelectorAll('.rk-value')];
    values.forEach((value) => { value.textContent = '−$12,108,209.00 to $13,392,852.00'; });
    return values.filter((value) => value.getBoundingClientRect().right > figures.getBoundingClientRect().right
        || value.scrollWidth > value.clientWidth + 1);
}).length"""
"""How many figures reach over the edge once all are as long as those of a large house."""


def faults(page: Page, *rules: str) -> list[str]:
    """Every grave fault of the page as it is (by these rules, or by all), with the first element that has it."""
    axe = Axe("" if page.evaluate("'axe' in window") else AXE_SCRIPT)
    found = axe.run(page, options={"runOnly": list(rules)} if rules else None).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html']}" for each in found if each["impact"] in GRAVE]


def lasting_faults(page: Page, *rules: str) -> list[str]:
    """The faults that are still there when whatever was being drawn is drawn: a chart gets its names at the end."""
    for _ in range(5):
        if not (found := faults(page, *rules)):
            return []
        page.wait_for_timeout(500)
    return found


def open_page(page: Page, address: str) -> None:
    page.goto(address)
    expect_drawn(page)
    # What is being drawn again is pale for a moment.
    expect(page.locator("[data-stale=true]")).to_have_count(0)


def add_after_heading(page: Page, html: str) -> None:
    """Put markup into the page after its heading, as soon as it has one."""
    page.locator("h1").first.evaluate("(heading, html) => heading.insertAdjacentHTML('afterend', html)", html)


@pytest.mark.parametrize("path", [*PAGES, *(pytest.param(view, marks=pytest.mark.nightly) for view in VIEWS)])
def test_no_page_has_a_serious_fault_or_is_cut(site: str, page: Page, path: str) -> None:
    """At a desk, light and dark, and on a phone; each has a title, and letters of five sizes at most."""
    open_page(page, f"{site}/{path}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_role("link", name="Work", exact=True)).to_be_visible()  # our own navigation, on every page
    expect(page.locator("[data-testid=stException], [data-testid=stAlert]")).to_have_count(0)
    if path in DRAWN:
        expect(page.locator(".rk-chart").first).to_be_visible()
    if path in WITH_A_DRAWING:
        expect(page.locator(".rk-wide svg")).to_be_visible()
        expect(page.locator(".rk-upright svg")).to_be_hidden()
    expect_fits(page)
    links, heading = page.locator("nav:is(.rk-places, .rk-pages):visible").last, page.locator("h1")
    above, below = links.bounding_box(), heading.bounding_box()
    assert above is not None
    assert below is not None
    assert below["y"] - above["y"] - above["height"] >= 8, "the heading is tight under the links"
    sizes = page.evaluate(SIZES)
    assert len(sizes) <= 5, sizes
    assert "`" not in page.locator(".stMain").inner_text(), "a command is set as code"
    assert page.title().endswith(" · Discard Rack")
    assert lasting_faults(page) == []
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_css("color-scheme", "dark")
    assert lasting_faults(page, "color-contrast") == []

    page.set_viewport_size(PHONE)
    expect_drawn(page)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    if path in WITH_A_DRAWING:
        expect(page.locator(".rk-upright svg")).to_be_visible()
        expect(page.locator(".rk-wide svg")).to_be_hidden()
    if path in PAGES:
        assert lasting_faults(page) == []
    expect_fits(page)
    assert page.evaluate(CUT) == []
    assert page.evaluate(OUTSIDE) == 0


@pytest.mark.nightly
def test_words_too_pale_for_the_dark_would_be_found(site: str, page: Page) -> None:
    """What can be read on a light page and not on a dark one is a fault of the dark one alone."""
    open_page(page, f"{site}/hold")
    add_after_heading(page, '<p style="color:#1c2a2e">dark</p>')
    assert lasting_faults(page) == []
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_css("color-scheme", "dark")
    assert [fault.partition(":")[0] for fault in lasting_faults(page)] == ["color-contrast"]


def test_the_choice_of_the_reader_goes_before_that_of_the_system(site: str, page: Page) -> None:
    """The menu offers light and dark; our markup, menus and charts follow at once, and so does a page opened later."""
    open_page(page, f"{site}/hold")
    figure, chart = page.locator(".rk-figure").first, page.locator(".rk-chart").first
    expect(figure).to_have_css("background-color", "rgb(255, 255, 255)")
    page.get_by_test_id("stMainMenuButton").click()
    page.get_by_test_id("stMainMenuItem-theme-Dark").click()
    expect(page.locator("html")).to_have_css("color-scheme", "dark")
    expect(figure).to_have_css("background-color", "rgb(26, 35, 38)")
    expect(chart).to_have_css("color", "rgb(228, 234, 231)")
    open_page(page, f"{site}/health")
    expect(page.locator("html")).to_have_css("color-scheme", "dark")
    page.get_by_test_id("stMainMenuButton").click()
    page.get_by_test_id("stMainMenuItem-theme-System").click()
    expect(page.locator("html")).to_have_css("color-scheme", "light")
    open_page(page, f"{site}/hold")
    expect(page.locator("html")).to_have_css("color-scheme", "light")


def test_paper_stays_light(site: str, page: Page) -> None:
    """A print of a dark page: our own markup, Streamlit's words and the charts are dark on white."""
    page.emulate_media(color_scheme="dark")
    open_page(page, f"{site}/hold")
    expect(page.locator("html")).to_have_css("color-scheme", "dark")
    expect(page.locator(".stApp")).to_have_css("background-color", "rgb(17, 24, 26)")
    page.emulate_media(media="print")
    expect(page.locator(".stApp")).to_have_css("background-color", "rgb(255, 255, 255)")
    expect(page.locator("h1").first).to_have_css("color", "rgb(28, 42, 46)")
    expect(page.locator(".rk-figure").first).to_have_css("background-color", "rgb(255, 255, 255)")
    expect(page.locator(".rk-chart").first).to_have_css("color", "rgb(28, 42, 46)")
    page.emulate_media(media="screen")


@pytest.mark.nightly
def test_a_fault_would_be_found(site: str, page: Page) -> None:
    """Words too pale to read, and a picture without a name."""
    open_page(page, f"{site}/hold")
    pale, picture = ('<p style="color:#eee;background:#fff">pale</p>', '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">')
    add_after_heading(page, pale + picture)
    assert {fault.partition(":")[0] for fault in lasting_faults(page)} == {"color-contrast", "image-alt"}


@pytest.mark.parametrize("seat", [None, 3])
def test_the_page_of_a_packet_has_no_fault_at_all(site: str, tmp_path: Path, page: Page, seat: int | None) -> None:
    """On a screen and on a phone, where wide tables scroll; all that can be unfolded is unfolded."""
    floor = floor_at(tmp_path, played())
    with closing(open_log(floor.address)) as log:
        desk = Desk(log, MemoryResults(), persons=PEOPLE)
        desk.open_dispute("fu-01", 6, dispute="d-1", claim="my aces won", by="m.ortiz", seat=3)
    floor.checkpoint()
    page.set_content(floor.packet(6, seat).html.decode())
    for each in page.locator("details").all():
        each.evaluate("folded => { folded.open = true }")
    for size in ({"width": 1280, "height": 800}, PHONE):
        page.set_viewport_size(size)
        found = Axe().run(page).response["violations"]
        assert [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found] == []
