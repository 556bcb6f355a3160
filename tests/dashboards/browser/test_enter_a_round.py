"""A round is stored from the page in a real Chromium: in the observer's name, by the rules on file; the table stays as it is."""

import re
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from dashboards.run import KEY_VARIABLE
from desk.review.observed_table import ObservedTable
from events.open import open_log
from events.vocabulary.codec import decode
from events.vocabulary.model import RoundObserved
from rack.cli import main
from tests.dashboards.browser.test_guided_dispute import Hand
from tests.dashboards.conftest import served
from tests.dashboards.running import SCREEN, expect_drawn, log_in_browser

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A house with one table, at which the office filed rules, and no device."""
    folder = tmp_path_factory.mktemp("houses") / "house"
    today = (datetime.now(UTC) - timedelta(hours=6)).date().isoformat()
    words = ["--name", "Bellwether", "--zone", "UTC", "--cutover", "06:00", "--currency", "USD", "--first-day", today]
    assert main(["--quiet", "init", str(folder), *words, "--tables", "1 face_up_pai_gow"]) == 0
    file = folder / "property.toml"
    text = file.read_text()
    for number, person in enumerate(("m.ortiz", "s.lee"), 1):
        text = text.replace(f'id = "person-{number}"', f'id = "{person}"\naccounts = ["{person}@bellwether.example"]')
    file.write_text(text)
    rules = folder / "rules" / "face_up_pai_gow.toml"
    offered = '\n[wagers.ace_high_bonus]\npaytable = "1"\nmin = "5.00"\nmax = "100.00"\n'
    rules.write_text(rules.read_text() + offered)
    assert main(["--quiet", "apply", str(folder), "--by", "m.ortiz"]) == 0
    log = ["--log", f"sqlite:///{folder / 'floor.db'}"]
    assert main(["--quiet", "keys", "new", str(folder / "log.key"), "--by", "custodian", *log]) == 0
    return folder


@pytest.fixture(scope="module")
def house_site(house: Path) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(KEY_VARIABLE, str(house / "log.key"))
        with served(house / "warehouse.duckdb", log_of(house), login=True) as address:
            yield address


def log_of(house: Path) -> str:
    return f"sqlite:///{house / 'floor.db'}"


def last_of(house: Path, stream: str) -> int:
    with closing(open_log(log_of(house), read_only=True)) as log:
        return sum(1 for _ in log.read(stream))


def test_a_round_typed_on_the_felt_is_stored_in_the_observers_name(house_site: str, house: Path, page: Page) -> None:
    before = last_of(house, "table/fu-01")
    log_in_browser(page, house_site, "m.ortiz", "")  # the first page where no device records rounds
    page.wait_for_url("**/entry")
    expect_drawn(page)
    page.get_by_role("combobox", name="Table", exact=True).click()
    page.get_by_role("option", name="FU-01").click()
    expect(page.get_by_text("by the rules on file")).to_be_visible()
    expect(page.get_by_label("Dealer: cards")).to_have_count(1)  # the felt before is gone
    page.get_by_label("Dealer: cards").click()
    for words in ("*KdJc9s8h4d3c3", "AsQdTh9h7c5s2d", "b25a10"):
        page.keyboard.type(words)
        page.keyboard.press("Tab")
    page.keyboard.type("rp100")
    expect(page.locator(".headline")).to_contain_text("Seat 3 is owed $100.00")
    page.get_by_role("button", name="Store at FU-01").click()
    expect(page.get_by_text("name the camera that saw the round")).to_be_visible()
    expect(page.locator(".headline")).to_contain_text("Seat 3 is owed $100.00")
    page.get_by_role("textbox", name="Camera").fill("cam-4")
    page.get_by_label("Seat 3: outcomes").click()
    page.keyboard.press("Control+Enter")  # one key stores
    expect(page.get_by_text("Stored: entry 1 at FU-01")).to_be_visible()
    expect_drawn(page)
    assert last_of(house, "table/fu-01") == before
    with closing(open_log(log_of(house), read_only=True)) as log:
        events = [decode(record.data) for record in log.read("observed/fu-01")]
    (header,) = [event.payload for event in events if isinstance(event.payload, RoundObserved)]
    assert (header.by, header.basis, header.camera, header.order_seen, header.dealer) == (
        "m.ortiz", "video", "cam-4", False, None,
    )  # fmt: skip
    assert {event.source for event in events} == {"observer-m-ortiz"}
    expect(page.get_by_label("Seat 3: wagers")).to_have_value("b25 a10")
    expect(page.get_by_label("Dealer: cards")).to_have_value("")


def test_what_cannot_be_stored_is_said_and_nothing_is_written(house_site: str, house: Path, page: Page) -> None:
    before = last_of(house, "observed/fu-01")
    log_in_browser(page, house_site, "m.ortiz", "entry")
    page.get_by_role("combobox", name="Table", exact=True).click()
    page.get_by_role("option", name="FU-01").click()
    page.get_by_label("Dealer: cards").click()
    page.keyboard.type("*KdJc9s8h4d3c")
    page.get_by_role("textbox", name="Camera").fill("cam-4")
    page.get_by_role("textbox", name="Same as round").fill("4711")
    page.get_by_role("button", name="Store at FU-01").click()
    expect(page.get_by_text("Not saved")).to_be_visible()
    assert last_of(house, "observed/fu-01") == before


def type_round(page: Page, seat: int, paid: str) -> None:
    """Type a round of one seat on the felt of a table that is chosen."""
    expect(page.get_by_text("by the rules on file")).to_be_visible()
    page.get_by_role("textbox", name="Camera").fill("cam-4")
    page.get_by_label("Dealer: cards").click()
    for words in (f"*KdJc9s8h4d3c{seat}", "AsQdTh9h7c5s2d", "b25a10"):
        page.keyboard.type(words)
        page.keyboard.press("Tab")
    page.keyboard.type(f"rp{paid}")
    expect(page.locator(".headline")).to_be_visible()


@pytest.mark.nightly
def test_of_two_people_at_a_round_the_second_is_told_no_draft_is_lost_and_a_typo_takes_6_inputs(
    house_site: str, house: Path, page: Page, browser: Browser
) -> None:
    """A draft is its writer's alone in one browser, too; a line of an entry is not corrected over another person."""
    path = "entry?table=fu-01"
    log_in_browser(page, house_site, "m.ortiz", path)
    type_round(page, 4, "100")
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("button", name="Log in").wait_for()
    log_in_browser(page, house_site, "s.lee", path)
    expect(page.get_by_text("by the rules on file")).to_be_visible()
    expect(page.get_by_label("Dealer: cards")).to_have_value("")
    type_round(page, 4, "200")
    kept = page.context.storage_state()
    kept["cookies"] = []
    other = browser.new_context(viewport=SCREEN, storage_state=kept)
    try:
        his = other.new_page()
        log_in_browser(his, house_site, "m.ortiz", path)
        expect(his.get_by_label("Seat 4: outcomes")).to_have_value("r p100")  # what he typed before she logged in
        his.get_by_role("textbox", name="Camera").fill("cam-4")
        page.get_by_role("button", name="Store at FU-01").click()
        stored = page.get_by_text(re.compile(r"Stored: entry \d+ at"))
        expect(stored).to_be_visible()
        number = int(re.findall(r"entry (\d+)", stored.inner_text())[0])
        his.get_by_role("button", name="Store at FU-01").click()
        told = his.locator(".rk-notice").filter(has_text="Not saved")
        expect(told).to_contain_text(f"s.lee stored round {number} of FU-01 at ")
        expect(his.get_by_label("Seat 4: outcomes")).to_have_value("r p100")
        his.get_by_role("textbox", name="Same as round").fill(f"entry {number}")
        his.get_by_role("button", name="Store at FU-01").click()
        expect(his.get_by_text(f"Stored: entry {number + 1} at")).to_be_visible()
        with closing(open_log(log_of(house), read_only=True)) as log:
            same = ObservedTable(log, "fu-01").rounds[number + 1].header.same_as
        assert same is not None
        assert (same.stream, same.round_no) == ("observed/fu-01", number)

        his.goto(f"{house_site}/observations?table=fu-01&round={number}")
        hers, second = Hand(page), Hand(his)
        hers.click(page.get_by_role("link", name="Open round"))
        for hand, says in ((hers, "150.00"), (second, "100.00")):
            hand.chooses("Line to correct", "pay seat=4")
            expect(hand.page.get_by_role("textbox", name="It should say")).to_have_value(re.compile("pay seat=4"))
            hand.write("It should say", f"pay seat=4 ace_high_bonus {says}")
        for hand in (hers, second):
            hand.page.locator(".st-key-correct-line").get_by_role("textbox", name="Why").fill("misread")
            hand.click(hand.page.locator(".st-key-correct-line").get_by_role("button", name="Correct"))
            expect(hand.page.locator("table.rk-table").filter(has_text="150.00").first).to_be_visible()
        assert (hers.clicks, hers.texts + 1) == (4, 2)  # a typo, from the stored round on
        expect(told).to_contain_text("s.lee corrected this entry meanwhile")
        expect(told).to_contain_text("You typed: “pay seat=4 ace_high_bonus 100.00”")
    finally:
        other.close()


def test_a_dispute_leads_to_its_signed_packet_in_four_clicks(house_site: str, house: Path, page: Page) -> None:
    """From the felt: Store, Open case, Dispute packet, and the link to the signed PDF; the packet has the claim."""
    log_in_browser(page, house_site, "m.ortiz", "entry?table=fu-01")
    expect(page.get_by_text("by the rules on file")).to_be_visible()
    page.get_by_role("textbox", name="Camera").fill("cam-4")
    page.get_by_label("Dealer: cards").click()
    for words in ("*KdJc9s8h4d3c5", "AsQdTh9h7c5s2d", "b25a10"):
        page.keyboard.type(words)
        page.keyboard.press("Tab")
    page.keyboard.type("rp100")
    expect(page.locator(".headline")).to_contain_text("Seat 5 is owed $100.00")
    page.get_by_role("button", name="Store at FU-01").click()
    page.get_by_label("What the patron says").fill("paid half of the bonus")
    page.get_by_role("button", name="Open case").click()
    expect(page.get_by_role("link", name=re.compile("Case FU-01-OC"))).to_be_visible()
    page.get_by_role("button", name="Dispute packet").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="PDF, signed").click()
    name = download.value.suggested_filename
    assert re.fullmatch(r"observed-fu-01-\d+\.pdf", name)
    file = house / name
    download.value.save_as(file)
    assert main(["--quiet", "verify", str(file), "--key", str(house / "log.key.pub")]) == 0


def test_an_audit_is_blind_until_what_was_done_is_typed(house_site: str, house: Path, page: Page) -> None:
    log_in_browser(page, house_site, "m.ortiz", "observations")
    page.get_by_text("Open an observation").first.click()
    page.get_by_role("textbox", name="Dealer").fill("d-07")
    page.get_by_role("textbox", name="From").fill("06:00")
    page.get_by_role("textbox", name="To", exact=True).fill("06:02")
    page.get_by_role("button", name="Open observation").click()
    expect(page.get_by_role("heading", name="FU-01 · o-1")).to_be_visible()
    expect(page.get_by_text("drawn before viewing (seed")).to_be_visible()
    page.get_by_role("link", name="Enter").first.click()
    page.wait_for_url("**/entry?**")
    expect_drawn(page)
    page.get_by_label("Dealer: cards").click()
    for words in ("*KdJc9s8h4d3c3", "AsQdTh9h7c5s2d", "b25a10"):
        page.keyboard.type(words)
        page.keyboard.press("Tab")
    expect(page.get_by_text("is hidden until what was done is typed")).to_be_visible()
    expect(page.locator(".headline")).to_have_count(0)
    page.get_by_role("button", name="Show it now (this is recorded)").click()
    expect(page.locator(".headline")).to_be_visible()
    page.get_by_label("Seat 3: outcomes").click()
    page.keyboard.type("rp200")
    page.get_by_role("textbox", name="Camera").fill("cam-4")
    page.get_by_role("button", name="Store at FU-01").click()
    expect(page.get_by_text("Stored: entry")).to_be_visible()
    with closing(open_log(log_of(house), read_only=True)) as log:
        rounds = ObservedTable(log, "fu-01").rounds.values()
    audited = [each for each in rounds if each.header.observation == "o-1"]
    assert [each.is_unveiled for each in audited] == [True]
    assert audited[0].header.played_from_us is not None
