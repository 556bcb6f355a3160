"""The desk's tasks in a real Chromium, each in so many clicks and texts; drafts, two people at once, and two columns."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from dashboards.run import CASES_VARIABLE, KEY_VARIABLE
from tests.dashboards import living
from tests.dashboards.conftest import served
from tests.dashboards.living import Living
from tests.dashboards.running import PHONE, SCREEN, choose, expect_drawn, expect_fits
from tests.dashboards.running import log_in_browser as log_in

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def desk_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve a floor of its own behind a login, with the log's key and a folder of cases."""
    folder = tmp_path_factory.mktemp("dispute")
    floor: Living = living.make(folder, (1, 2, 3, 4))
    floor.rack("keys", "new", str(folder / "log.key"), "--by", "t-ops", code=0)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(KEY_VARIABLE, str(folder / "log.key"))
        patched.setenv(CASES_VARIABLE, str(folder))
        with served(floor.warehouse, floor.log, login=True) as address:
            yield address


LONG = "He was told 20 to 1, and got 10 to 1.\n" * 100
CLAIM = "Patron's claim"


@pytest.mark.nightly
def test_a_draft_outlives_reload_tab_and_session_and_is_its_writers_alone(desk_site: str, page: Page) -> None:
    path = "dispute?of=fu-01&round=1&seat=3"
    log_in(page, desk_site, "m.ortiz@bellwether.example", path)
    page.get_by_label(CLAIM).fill(LONG)
    page.reload()
    expect(page.get_by_label(CLAIM)).to_have_value(LONG)
    tab = page.context.new_page()
    tab.goto(page.url)
    expect(tab.get_by_label(CLAIM)).to_have_value(LONG)
    tab.get_by_label(CLAIM).fill("typed in the other tab")
    told = page.locator("#rack-other-tab")
    expect(told).to_contain_text("you are writing this in another tab, too")
    page.get_by_label(CLAIM).press("End")
    page.keyboard.type("!")
    page.reload()
    told.get_by_role("button", name="Use the other text").click()  # nothing that was typed is lost over a reload
    expect(page.get_by_label(CLAIM)).to_have_value("typed in the other tab")
    page.get_by_label(CLAIM).fill(LONG)
    tab.locator("#rack-other-tab").get_by_role("button", name="Keep this text").click()
    expect(page.get_by_label(CLAIM)).to_have_value(LONG)
    tab.close()
    told.get_by_role("button", name="Keep this text").click()
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("button", name="Log in").wait_for()
    log_in(page, desk_site, "s.lee@bellwether.example", path)
    expect(page.get_by_label(CLAIM)).to_have_value("")
    page.get_by_label(CLAIM).fill("what lee heard")
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("button", name="Log in").wait_for()
    log_in(page, desk_site, "m.ortiz@bellwether.example", path)
    expect(page.get_by_label(CLAIM)).to_have_value(LONG)
    page.get_by_role("button", name="Open case", exact=True).click()
    expect(page.get_by_text("Case FU-01-C1").first).to_be_visible()
    kept = page.evaluate("Object.entries(localStorage).filter(([key]) => key.startsWith('rack-')).map(([, words]) => words)")
    assert kept == ["what lee heard"]  # what is stored is forgotten


@pytest.mark.nightly
def test_a_link_that_is_redrawn_between_press_and_release_is_followed(desk_site: str, page: Page) -> None:
    log_in(page, desk_site, "m.ortiz@bellwether.example", "dispute?of=fu-01&round=2&seat=3")
    page.get_by_role("button", name="Dispute packet").click()
    link = page.get_by_role("link", name="PDF, signed")
    link.hover()
    page.mouse.down()
    link.evaluate("(a) => a.replaceWith(a.cloneNode(true))")  # as a redraw does
    with page.expect_download() as taken:
        page.mouse.up()
    assert taken.value.suggested_filename.endswith(".pdf")


ENTER_AND_CLICK = """{
    const enter = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true });
    document.querySelector('input[aria-label="What the patron remembers"]').dispatchEvent(enter);
    document.querySelector('a.rk-hit').click();
}"""


@pytest.mark.parametrize("sends", [True, False], ids=["entered", "typed"])
def test_a_round_that_an_earlier_sentence_found_is_not_opened(site: str, page: Page, *, sends: bool) -> None:
    """A click on the old list comes to nothing, and the list of the new sentence takes its place."""
    page.goto(f"{site}/dispute")
    box, hit = page.get_by_label("What the patron remembers"), page.locator("a.rk-hit").first
    box.fill("fu-02 round 4")
    box.press("Enter")
    expect(hit).to_contain_text("FU-02 · Round 4")
    box.fill("fu-01 round 17 seat 3")
    page.evaluate(ENTER_AND_CLICK if sends else "document.querySelector('a.rk-hit').click()")
    box.press("Tab")
    expect(hit).to_contain_text("FU-01 · Round 17")
    expect(page).not_to_have_url(re.compile("of="))
    expect_drawn(page)
    hit.click()
    expect(page.locator(".rk-answer")).to_contain_text("Seat 3 is owed $100.00")


def test_an_open_form_tears_nothing_apart(desk_site: str, page: Page) -> None:
    """The steps have a column of their own: what is next to them follows its own heading, however long they are."""
    log_in(page, desk_site, "m.ortiz@bellwether.example", "dispute?of=fu-01&round=2&seat=3")
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


@pytest.mark.nightly
def test_of_two_people_at_the_same_claim_and_case_the_second_is_told_who_was_first(
    desk_site: str, page: Page, browser: Browser
) -> None:
    """One case, one payment and one decision are written; the second person reads who was first, and goes on from there."""
    path = "dispute?of=fu-01&round=2&seat=3"
    log_in(page, desk_site, "m.ortiz@bellwether.example", path)
    other = browser.new_context(viewport=SCREEN)
    hers = other.new_page()
    refused = hers.locator(".rk-notice").filter(has_text="Not saved")
    try:
        log_in(hers, desk_site, "s.lee@bellwether.example", path)
        for person in (page, hers):
            person.get_by_label(CLAIM).fill("the bonus was paid short")
        hers.get_by_label(CLAIM).fill("20 to 1, she says")
        page.get_by_role("button", name="Open case", exact=True).click()
        expect(page.get_by_text("Case FU-01-C").first).to_be_visible()
        hers.get_by_role("button", name="Open case", exact=True).click()
        expect(refused).to_contain_text("m.ortiz opened a case of this round meanwhile: “the bonus was paid short”")
        expect(refused).to_contain_text("You typed: “20 to 1, she says”")
        for person in (page, hers):
            expect_drawn(person)
            person.get_by_label("Slip or note", exact=True).fill("slip 4711")
        page.get_by_role("button", name="Record $100.00 paid").click()
        expect(page.get_by_text("$100.00 recorded as paid.")).to_be_visible()
        hers.get_by_role("button", name="Record $100.00 paid").click()
        expect(refused).to_contain_text("m.ortiz")
        expect(refused).to_contain_text("You typed: “slip 4711”")
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


class Hand:
    """A person's hand at a page: counts clicks, keys and texts, and waits after each for the page."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks, self.texts = page, 0, 0

    def click(self, found: Locator) -> None:
        self.clicks += 1
        found.click()
        expect_drawn(self.page)
        expect_fits(self.page)

    def button(self, name: str) -> None:
        self.click(self.page.get_by_role("button", name=name))

    def chooses(self, label: str, words: str) -> None:
        choose(self.page.get_by_role("combobox", name=label), words)
        self.clicks += 2
        expect_drawn(self.page)

    def tick(self, words: str) -> None:
        """Tick the last box whose label has these words; it stays ticked if the page is drawn meanwhile."""
        self.clicks += 1
        box = self.page.get_by_role("checkbox", name=words).last
        box.press("Space")
        expect(box).to_be_checked()

    def write(self, label: str, words: str) -> None:
        self.texts += 1
        self.page.get_by_role("textbox", name=label, exact=True).fill(words)


@pytest.mark.parametrize(
    ("size", "round_no"), [pytest.param(SCREEN, 3, marks=pytest.mark.nightly), (PHONE, 4)], ids=["1280", "390"]
)
def test_a_dispute_is_6_clicks_and_2_texts_and_its_case_takes_an_attachment(
    desk_site: str, page: Page, browser: Browser, size: ViewportSize, round_no: int
) -> None:
    """From the sentence to the signed letter and packet, the second person's click and text apart (docs/tour.md)."""
    page.set_viewport_size(size)
    log_in(page, desk_site, "m.ortiz@bellwether.example", "queue")
    hand = Hand(page)
    hand.click(page.get_by_role("navigation", name="Work").get_by_role("link", name="Dispute"))
    hand.write("What the patron remembers", f"fu-01 round {round_no} seat 3, ace high bonus was paid too little")
    hand.clicks += 1
    page.keyboard.press("Enter")
    found = page.locator("a.rk-hit").first
    expect(found).to_contain_text(f"Round {round_no}")
    hand.click(found)
    expect(page.get_by_label(CLAIM)).to_have_value(re.compile("ace high bonus was paid too little"))
    hand.write("Slip or note, if $100.00 is paid now", "slip 4711")
    hand.button("Open case, record $100.00 paid")
    expect(page.get_by_text("$100.00 recorded as paid.")).to_be_visible()
    other = browser.new_context(viewport=size)
    try:
        second = Hand(other.new_page())
        log_in(second.page, desk_site, "s.lee@bellwether.example", page.url.removeprefix(f"{desk_site}/"))
        second.write("What was checked", "slip 4711 seen")
        second.button("Sign $100.00")
        expect(second.page.get_by_text("For the patron")).to_be_visible()
    finally:
        other.close()
    page.reload()
    hand.click(page.get_by_text("For the patron"))
    hand.button("Record decision, make letter and packet")
    for link, name in (("Save the letter", "letter-fu-01-c"), ("PDF, signed", f"fu-01-{round_no}-seat-3")):
        with page.expect_download() as taken:
            page.get_by_role("link", name=link).click()
        assert taken.value.suggested_filename.startswith(name)
    assert ((hand.clicks, hand.texts), (second.clicks, second.texts)) == ((6, 2), (1, 1))

    case = Hand(page)
    case.click(page.get_by_role("link", name="Case FU-01-C"))
    case.click(page.get_by_text("Attach", exact=True))
    case.clicks += 1
    page.locator("input[type=file]").set_input_files({"name": "slip.png", "mimeType": "image/png", "buffer": b"slip"})
    expect(page.get_by_text("slip.png")).to_be_visible()
    case.write("What it is", "the payout slip")
    case.button("Attach file")
    expect(page.get_by_role("list", name="Review history")).to_contain_text("slip.png")
    assert (case.clicks, case.texts) == (4, 1)


def day_explained(hand: Hand) -> None:
    """Why a table's day was off: from the chart of Hold to the parts of that day, and to the round that moved it most."""
    page = hand.page
    hand.click(page.get_by_role("navigation", name="Places").get_by_role("link", name="Analysis"))
    hand.click(page.locator(".rk-chart").get_by_role("link", name="FU-01, Fri").first)
    expect(page.get_by_text("What moved it most")).to_be_visible()
    hand.click(page.get_by_role("table", name="Mispayments by incident").get_by_role("link").first)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Round 17")


def bad_memory(hand: Hand) -> None:
    """The round of a patron who remembers a bonus and the evening, and has the time wrong."""
    page = hand.page
    hand.click(page.get_by_role("navigation", name="Places").get_by_role("link", name="Work"))
    hand.click(page.get_by_role("navigation", name="Work").get_by_role("link", name="Dispute"))
    hand.write("What the patron remembers", "seat three, around nine in the evening, his ace high bonus was paid short")
    hand.clicks += 1
    page.keyboard.press("Enter")
    found = page.locator("a.rk-hit").first
    expect(found).to_contain_text("Round 17")
    hand.click(found)
    expect(page.locator(".rk-answer")).to_contain_text("Seat 3 is owed $100.00")


READING = {day_explained: (3, 0), bad_memory: (4, 1)}
"""Task → clicks and texts, from Floor on, by somebody who only reads."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("size", [SCREEN, PHONE], ids=["1280", "390"])
def test_a_figure_and_a_round_are_found_in_so_many_clicks(site: str, page: Page, size: ViewportSize) -> None:
    page.set_viewport_size(size)
    inputs = {}
    for task in READING:
        page.goto(f"{site}/floor")
        expect_drawn(page)
        hand = Hand(page)
        task(hand)
        inputs[task] = hand.clicks, hand.texts
    assert inputs == READING
