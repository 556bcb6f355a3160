"""A shift's tasks in a real Chromium, each in so many clicks and texts, at a desk and on a phone."""

from collections.abc import Iterator
from itertools import count

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from dashboards.run import KEY_VARIABLE
from desk.review import persons, surveillance
from desk.review.desk import desk_at
from tests.dashboards import living
from tests.dashboards.browser.test_guided_dispute import Hand
from tests.dashboards.conftest import served
from tests.dashboards.living import RULES, SHORT, Living
from tests.dashboards.pages.test_surveillance_page import CONFIGURED, DAY, line
from tests.dashboards.running import PHONE, SCREEN
from tests.dashboards.running import log_in_browser as log_in
from tests.device_lines import as_lines
from trial.property_folder import PERSONS

pytestmark = pytest.mark.browser
NUMBERS = count(60)
"""Numbers of open rounds: each try has its own."""


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Living:
    """A floor of five tables, each with an incident, of a property that said when its days begin, with the log's key."""
    folder = tmp_path_factory.mktemp("shift")
    floor = living.make(folder, (1, 2))
    rounds = folder / "rounds.txt"
    rounds.write_text("".join(RULES.replace("fu-01", f"fu-{table:02}") + SHORT.format(number=1) for table in range(2, 6)))
    floor.rack("ingest", str(as_lines(rounds)), "--property", "bellwether", code=0)
    floor.rack("replay", code=1)
    (folder / "office.jsonl").write_text(line(1, DAY) + line(2, CONFIGURED))
    floor.rack("ingest", str(folder / "office.jsonl"), "--office", code=0)
    floor.rack("keys", "new", str(folder / "log.key"), "--by", "t-ops", code=0)
    return floor


@pytest.fixture(scope="module")
def login_site(floor: Living) -> Iterator[str]:
    """Serve this floor behind a login, with the key."""
    folder = floor.warehouse.parent
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(KEY_VARIABLE, str(folder / "log.key"))
        with served(floor.warehouse, floor.log, login=True) as address:
            yield address


def accept_what_waits(floor: Living) -> None:
    """Have the hand-over of an earlier try accepted: while one waits, no shift is handed over."""
    with desk_at(floor.log, persons=persons.read(floor.warehouse.with_name(PERSONS))) as at:
        if surveillance.log(at).waiting is not None:
            surveillance.accept(at, note="an earlier try", by="s.lee")


def what_if(hand: Hand) -> None:
    """What another paytable would have returned, on all tables in one sum."""
    page = hand.page
    hand.click(page.get_by_role("navigation", name="Places").get_by_role("link", name="Trust"))
    hand.click(page.get_by_role("navigation", name="Trust").get_by_role("link", name="Rules"))
    hand.chooses("Ace High Bonus", "Paytable 2")
    expect(page.get_by_role("table", name="What other paytables would have returned")).to_be_visible()
    hand.click(page.get_by_text("All tables", exact=True))
    page.wait_for_url("**what-if-all=true**")
    expect(page.get_by_role("table", name="What other paytables would have returned")).to_be_visible()


@pytest.mark.nightly
@pytest.mark.parametrize(("size", "shift"), [(SCREEN, "day"), (PHONE, "swing")], ids=["1280", "390"])
def test_an_alarm_a_month_a_what_if_and_a_shift_take_so_many_clicks(
    login_site: str, floor: Living, page: Page, browser: Browser, size: ViewportSize, shift: str
) -> None:
    """A live alarm taken, a month filed, another paytable asked about, a shift handed over and taken over."""
    inputs = {}
    accept_what_waits(floor)
    log_in(page, login_site, "m.ortiz@bellwether.example")
    page.set_viewport_size(size)
    hand = Hand(page)
    floor.pay_short(next(NUMBERS))
    page.locator(".st-key-alarms").get_by_role("button", name="Take").first.click()
    hand.clicks += 1
    expect(page.locator(".st-key-alarms")).to_contain_text("m.ortiz has it")
    inputs["alarm"] = hand.clicks, hand.texts

    hand = Hand(page)
    hand.click(page.get_by_role("navigation", name="Places").get_by_role("link", name="Reports"))
    hand.button("All reports of the month")
    with page.expect_download() as taken:
        page.get_by_role("link", name="Save").click()
    hand.clicks += 1
    assert taken.value.suggested_filename.endswith(".zip")
    inputs["month"] = hand.clicks, hand.texts

    hand = Hand(page)
    what_if(hand)
    inputs["what-if"] = hand.clicks, hand.texts

    hand = Hand(page)
    hand.click(page.get_by_role("navigation", name="Places").get_by_role("link", name="Work"))
    hand.click(page.get_by_role("navigation", name="Work").get_by_role("link", name="Surveillance log"))
    hand.write("Shift that ends", shift)
    hand.write("Note for the next shift", "watch FU-01")
    hand.button("Hand over")
    expect(page.get_by_text(f"The {shift} shift waits to be accepted")).to_be_visible()
    inputs["hand over"] = hand.clicks, hand.texts
    other = browser.new_context(viewport=size)
    try:
        hand = Hand(other.new_page())
        log_in(hand.page, login_site, "s.lee@bellwether.example", "surveillance")
        for words in ("Open incidents: all 5 checked", "Unacknowledged incidents: all 5 checked", "acknowledged"):
            hand.tick(words)
        hand.write("Acceptance note", "taken over")
        hand.button("Accept shift")
        expect(hand.page.get_by_role("table", name="Shifts handed over")).to_contain_text("s.lee")
        inputs["take over"] = hand.clicks, hand.texts
    finally:
        other.close()
    assert inputs == {"alarm": (1, 0), "month": (3, 0), "what-if": (5, 0), "hand over": (3, 2), "take over": (4, 1)}
