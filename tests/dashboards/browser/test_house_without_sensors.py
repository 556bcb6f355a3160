"""From nothing to five open tables by pages alone, after `rack init`, `rack apply` and two invitations: every input counted.

No one writes JSON, and no one types an id in hex. At three seconds an input, thirty inputs are 90 seconds.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from desk.review.persons import read
from tests.dashboards import houses
from tests.dashboards.browser.test_axe import lasting_faults
from tests.dashboards.houses import EVERYTHING, House
from tests.dashboards.running import PHONE, expect_drawn, expect_fits

pytestmark = pytest.mark.browser
TABLES = ("DW-01", "FU-01", "FU-02", "FU-03", "OU-01")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    people = {"m.ortiz": EVERYTHING, "s.kane": EVERYTHING}
    return houses.make(tmp_path_factory.mktemp("five"), "3 face_up_pai_gow, 1 dj_wild, 1 over_under", people)


@pytest.fixture(scope="module")
def own_site(house: House) -> Iterator[str]:
    with house.served() as address:
        yield address


class Hands:
    """Somebody with a device that has a passkey: every press and every field is counted, and what is typed is kept."""

    def __init__(self, browser: Browser, house: House, person: str) -> None:
        self.page: Page = browser.new_context(viewport=PHONE).new_page()
        self.page.set_default_timeout(30_000)
        self.count, self.typed = 0, list[str]()
        devices = self.page.context.new_cdp_session(self.page)
        devices.send("WebAuthn.enable")
        options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True}
        options |= {"isUserVerified": True, "automaticPresenceSimulation": True}
        devices.send("WebAuthn.addVirtualAuthenticator", {"options": options})
        code = house.accounts.invite(read(house.folder / "persons.toml").known(person), time.time(), 24)
        self.page.goto(f"{house.address}/sign-in/invited#{code}")
        self.presses("Go on")
        self.presses("Set up a passkey")
        expect(self.page.get_by_role("heading", name="You are set up")).to_be_visible()
        self.page.get_by_role("link", name="Open the pages").click()
        self.presses("Log in")
        self.presses("Sign in with a passkey")
        expect(self.page.get_by_role("button", name="Log out").first).to_be_visible()

    def opens(self, site: str, page: str) -> None:
        self.page.goto(f"{site}/{page}")
        expect(self.page.get_by_role("heading", name=page.capitalize(), exact=True)).to_be_visible()
        expect_drawn(self.page)

    def presses(self, name: str, within: str = "body") -> None:
        self.page.locator(within).get_by_role("button", name=name, exact=True).first.click()
        self.count += 1

    def types(self, label: str, words: str, within: str) -> None:
        self.page.locator(within).get_by_label(label).first.fill(words)
        self.count += 1
        self.typed.append(words)


def test_two_people_open_five_tables_from_nothing(own_site: str, browser: Browser, house: House) -> None:
    kane = Hands(browser, house, "s.kane")
    assert kane.count <= 5
    kane.opens(own_site, "filing")
    for game in ("Sign DW-01", "Sign 3 filings", "Sign OU-01"):
        kane.presses(game)
        expect(kane.page.get_by_role("button", name=game, exact=True)).to_have_count(0)
        expect_drawn(kane.page)
    kane.opens(own_site, "setup")
    expect(kane.page.locator(".st-key-card-filings")).to_contain_text("every filing has its second signature")
    expect_fits(kane.page)
    assert lasting_faults(kane.page) == []

    ortiz = Hands(browser, house, "m.ortiz")
    ortiz.opens(own_site, "pit")
    ortiz.count = 0
    for table in TABLES:
        tile = f".st-key-tile-{table.lower()}"
        ortiz.presses("Open", tile)
        ortiz.types("Opener", "25x400,100x100", tile)
        ortiz.types("Dealer", "d-07", tile)
        ortiz.presses(f"Open {table}", tile)
        expect(ortiz.page.locator(tile)).to_contain_text("open, d-07")
        expect_drawn(ortiz.page)
    assert ortiz.count <= 30
    ortiz.count = 0
    tile = ".st-key-tile-fu-01"
    ortiz.presses("Fill", tile)
    ortiz.types("Amount", "2000", tile)
    ortiz.types("Slip", "4711", tile)
    ortiz.presses("Fill FU-01", tile)
    assert ortiz.count <= 6
    expect(ortiz.page.get_by_test_id("stToast").last).to_contain_text("fill entered")
    expect_fits(ortiz.page)
    fill = house.record("fu-01").lines[-1]
    kane.opens(own_site, "pit")
    kane.presses(f"Initial FU-01 {fill.seq}")
    expect(kane.page.get_by_test_id("stToast").last).to_contain_text("initialed")
    assert house.record("fu-01").line(fill.seq).initials == "s-kane"
    typed = " ".join(ortiz.typed + kane.typed)
    assert not re.search(r"\b[0-9a-f]{16,}\b|\{", typed)
    assert {record.opened is not None for record in map(house.record, map(str.lower, TABLES))} == {True}
    for hands in (kane, ortiz):
        hands.page.context.close()


def test_the_form_of_a_filing_can_be_read_by_everybody(own_site: str, browser: Browser, house: House) -> None:
    kane = Hands(browser, house, "s.kane")
    kane.opens(own_site, "filing")
    kane.presses("FU-01")
    expect(kane.page.get_by_label("Max payout")).to_be_visible()
    expect_drawn(kane.page)
    expect_fits(kane.page)
    assert lasting_faults(kane.page) == []
    kane.page.emulate_media(color_scheme="dark")
    expect(kane.page.locator("html")).to_have_css("color-scheme", "dark")
    assert lasting_faults(kane.page) == []
    kane.page.context.close()
