"""From nothing to five open tables by pages alone: `rack dashboard` in an empty folder, six questions, two invitations.

No field asks for JSON or an id in hex. Inputs are counted: at three seconds each, 30 minutes are 600 and 90 seconds 30.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from desk.house.new_property import PEOPLE, QUESTIONS
from desk.review.persons import read
from tests.dashboards import houses
from tests.dashboards.browser.test_axe import lasting_faults
from tests.dashboards.conftest import ROOT, free_port
from tests.dashboards.houses import House
from tests.dashboards.running import PHONE, expect_drawn, expect_fits

pytestmark = pytest.mark.browser
TABLES = ("DW-01", "FU-01", "FU-02", "FU-03", "OU-01")
ANSWERS = {
    QUESTIONS["name"]: "Bellwether",
    QUESTIONS["zone"]: "UTC",
    QUESTIONS["cutover"]: "06:00",
    "Tables of Face Up Pai Gow Poker": "3",
    "Tables of DJ Wild Stud Poker": "1",
    "Tables of Over/Under": "1",
    PEOPLE: "M. Ortiz, S. Kane",
}
FIELDS = """() => [...document.querySelectorAll('input, textarea, [contenteditable=true]')]
    .filter((field) => field.checkVisibility())
    .flatMap((field) => [...(field.labels ?? [])].map((label) => label.textContent)
        .concat(field.ariaLabel ?? '', field.placeholder ?? '', field.title ?? ''))"""
"""What every field of a page asks for."""
FOR_PROGRAMS = re.compile(r"json|toml|\bhex|sha-?256|digest|uuid|event id|\b[0-9a-f]{16,}\b|[{}]", re.IGNORECASE)


class Begun(NamedTuple):
    """A house that a page began, how many inputs it took, each person's invitation, and the address that began it."""

    house: House
    count: int
    links: dict[str, str]
    address: str


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Begun]:
    """Start the pages in an empty folder, and answer what they ask."""
    folder, port = tmp_path_factory.mktemp("five") / "house", free_port()
    folder.mkdir()
    words = [sys.executable, "-m", "rack", "dashboard", "--port", str(port)]
    own = {name: said for name, said in os.environ.items() if not name.startswith("RACK_")} | {"PYTHONPATH": str(ROOT)}
    with (
        (folder.parent / "server.log").open("wb") as log,
        subprocess.Popen(words, cwd=folder, env=own, stdout=subprocess.PIPE, stderr=log) as pages,
    ):
        try:
            assert pages.stdout is not None
            address = pages.stdout.readline().decode().strip()
            new = Hands(browser)
            new.page.goto(address)
            links = answer_questions(new)
            assert len(list(folder.iterdir())) > 5
            new.page.context.close()
            yield Begun(House(folder, port), new.count, links, address)
        finally:
            pages.terminate()


def answer_questions(new: Hands) -> dict[str, str]:
    """Answer the questions, look at the plan, change nothing, and apply it; return the invitations."""
    for size in (PHONE, WIDE):
        new.page.set_viewport_size(size)
        expect_fits(new.page)
        assert lasting_faults(new.page) == []
    for label, words in {**ANSWERS, QUESTIONS["first_day"]: houses.today()}.items():
        new.types(label, words, exact=True)
    new.presses("Show the plan")
    expect(new.page.get_by_text("fu-03")).to_be_visible()
    assert lasting_faults(new.page) == []
    new.presses("Change the answers")
    expect(new.page.get_by_label("Tables of DJ Wild Stud Poker")).to_have_value("1")
    new.presses("Show the plan")
    new.presses("Apply")
    expect(new.page.get_by_role("heading", name="The house is made")).to_be_visible()
    expect(new.page.get_by_role("status")).to_have_text("The pages run.")
    assert lasting_faults(new.page) == []
    return {name: new.page.get_by_role("link", name=name).get_attribute("href") or "" for name in ("M. Ortiz", "S. Kane")}


@pytest.fixture(scope="module")
def house(begun: Begun) -> House:
    return begun.house


class Hands:
    """Somebody with a device that has a passkey: every press and every field is counted, and what is typed is kept."""

    def __init__(self, browser: Browser) -> None:
        self.page: Page = browser.new_context(viewport=PHONE).new_page()
        self.page.set_default_timeout(30_000)
        self.count, self.typed = 0, list[str]()

    @classmethod
    def invited(cls, browser: Browser, house: House, link: str) -> Hands:
        """Somebody who sets a passkey up by an invitation, and signs in."""
        self = cls(browser)
        devices = self.page.context.new_cdp_session(self.page)
        devices.send("WebAuthn.enable")
        options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True}
        options |= {"isUserVerified": True, "automaticPresenceSimulation": True}
        devices.send("WebAuthn.addVirtualAuthenticator", {"options": options})
        self.page.goto(link)
        self.presses("Go on")
        self.presses("Set up a passkey")
        expect(self.page.get_by_role("heading", name="You are set up")).to_be_visible()
        self.page.get_by_role("link", name="Open the pages").click()
        self.presses("Log in")
        self.presses("Sign in with a passkey")
        expect(self.page.get_by_role("button", name="Log out").first).to_be_visible()
        return self

    @classmethod
    def known(cls, browser: Browser, house: House, person: str) -> Hands:
        """Somebody of the register, whom the administrator invites."""
        code = house.accounts.invite(read(house.folder / "persons.toml").known(person), time.time(), 24)
        return cls.invited(browser, house, f"{house.address}/sign-in/invited#{code}")

    def asks_people(self) -> None:
        """Expect that no field of the page asks for what only programs write."""
        asked = self.page.evaluate(FIELDS)
        assert [each for each in asked if FOR_PROGRAMS.search(each)] == []

    def opens(self, site: str, page: str) -> None:
        self.page.goto(f"{site}/{page}")
        expect(self.page.get_by_role("heading", name=page.capitalize(), exact=True)).to_be_visible()
        expect_drawn(self.page)
        self.asks_people()

    def presses(self, name: str, within: str = "body") -> None:
        button = self.page.locator(within).get_by_role("button", name=name, exact=True).first
        expect(button).to_be_visible(timeout=30_000)  # a page that is being left cannot be asked
        self.asks_people()
        button.click()
        self.count += 1

    def types(self, label: str, words: str, within: str = "body", *, exact: bool = False) -> None:
        self.page.locator(within).get_by_label(label, exact=exact).first.fill(words)
        self.count += 1
        self.typed.append(words)


def test_a_house_is_begun_once_and_only_from_its_own_address(begun: Begun) -> None:
    """The address that began it leads nowhere now: the pages of the house answer, and they do not know its seal."""
    assert {each.name for each in begun.house.folder.iterdir()} >= {"property.toml", "rules", "floor.db", "login.toml"}
    before = (begun.house.folder / "property.toml").read_bytes()
    again = Request(begun.address, urlencode({"step": "apply", "name": "Other"}).encode())
    with pytest.raises(HTTPError):
        urlopen(again, timeout=60).close()
    assert (begun.house.folder / "property.toml").read_bytes() == before


@pytest.mark.nightly
def test_two_people_open_five_tables_from_nothing(begun: Begun, browser: Browser) -> None:
    house, own_site = begun.house, begun.house.address
    kane = Hands.invited(browser, house, begun.links["S. Kane"])
    assert kane.count <= 5
    kane.opens(own_site, "filing")
    for game in ("Sign DW-01", "Sign 3 filings", "Sign OU-01"):
        kane.presses(game)
        expect(kane.page.get_by_role("button", name=game, exact=True)).to_have_count(0)
        expect_drawn(kane.page)
    kane.opens(own_site, "setup")
    expect(kane.page.locator(".st-key-card-filings")).to_contain_text("Every filing has its second signature")
    expect(kane.page.locator(".st-key-card-key")).to_contain_text("Published and in force")
    expect_fits(kane.page)
    assert lasting_faults(kane.page) == []

    ortiz = Hands.invited(browser, house, begun.links["M. Ortiz"])
    ortiz.opens(own_site, "pit")
    setting_up, ortiz.count = begun.count + kane.count + ortiz.count, 0
    for table in TABLES:
        tile = f".st-key-tile-{table.lower()}"
        ortiz.presses("Open", tile)
        ortiz.types("Opener", "25x400,100x100", tile)
        ortiz.types("Dealer", "d-07", tile)
        ortiz.presses(f"Open {table}", tile)
        expect(ortiz.page.locator(tile)).to_contain_text("open, d-07")
        expect_drawn(ortiz.page)
    assert ortiz.count <= 30
    assert setting_up + ortiz.count <= 60  # three minutes at three seconds an input; 30 minutes are 600
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


ENTRY = ("*KdJc9s8h4d3c3", "AsQdTh9h7c5s2d", "b25")
WIDE = {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def watched(house: House) -> str:
    """The same house after a day: a table is open, and three of ten rounds of an audit were entered."""
    today, log = houses.today(), ["--log", house.log]
    if house.record("ou-01").opened is None:
        house.rack("pit", "open", "ou-01", "--by", "s.kane", "--amount", "20,000.00", "--dealer", "d-08", *log)
    house.rack("pit", "fill", "ou-01", "--by", "s.kane", "--amount", "2,000.00", "--slip", "17", *log)
    audit = ["--table", "fu-01", "--purpose", "dealer_audit", "--dealer", "d-07", "--planned", "10", "--by", "m.ortiz"]
    house.rack("observe", "open", *audit, "--selection", "random", "--rounds", "40", *log)
    entry = house.folder / "entry.txt"
    seen = ["--table", "fu-01", "--day", today, "--observer", "m.ortiz", "--camera", "cam-1", "--observation", "o-1"]
    cards = "dealer=Jk Kd Jc 9s 8h 4d 3c seat3=As Qd Th 9h 7c 5s 2d"
    for bet, done in (("25.00", "return"), ("30.00", "return"), ("35.00", "take")):
        entry.write_text(f"wager seat=3 base {bet}\ndeal {cards}\n{done} seat=3 base {bet}\n")
        house.rack("ingest", str(entry), *seen, *log)
    return house.address


def fill(hands: Hands, site: str, name: str) -> None:
    """Open a page and fill it as far as somebody who is in the middle of it."""
    page = hands.page
    if name != "entry":
        hands.opens(site, name)
    if name == "filing":
        hands.presses("FU-01")
        expect(page.get_by_label("Max payout")).to_be_visible()
    elif name == "pit":
        hands.presses("Fill", ".st-key-tile-ou-01")
        page.locator(".st-key-tile-ou-01").get_by_text("Last entries").click()
        expect(page.locator(".st-key-tile-ou-01")).to_contain_text("received a fill of $2,000.00")
        expect(page.get_by_role("heading", name="Awaiting your initials")).to_be_visible()
    elif name == "count":
        page.get_by_label("OU-01").fill("100x12, 20x33")
        page.get_by_role("button", name="Enter", exact=True).click()
        expect(page.get_by_text("Waits for the second entry")).to_be_visible()
        page.get_by_text("Enter all boxes again").click()
    elif name == "observations":
        page.get_by_text("Open an observation").first.click()
        expect(page.get_by_role("link", name="FU-01 · o-1")).to_be_visible()
    else:
        page.goto(f"{site}/entry?table=fu-01&observation=o-1")
        expect(page.get_by_text("by the rules on file")).to_be_visible()
        expect_drawn(page)
        page.get_by_label("Dealer: cards").click()
        for words in ENTRY:
            page.keyboard.type(words)
            page.keyboard.press("Tab")
        page.keyboard.type("t")
        expect(page.locator(".headline")).to_be_visible()
    expect_drawn(page)


SCROLLED = (0.3, 0.6, 1)
"""Parts of the way down a page, whose lines then lie below what is fixed at its top."""
SCROLL = """(part) => {
    const main = document.querySelector('.stMain');
    main.scrollTop = part * (main.scrollHeight - main.clientHeight);
}"""


@pytest.fixture(scope="module")
def signed_in(browser: Browser, house: House) -> Iterator[Hands]:
    hands = Hands.known(browser, house, "m.ortiz")
    yield hands
    hands.page.context.close()


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", ["filing", "pit", "count", "observations", "entry"])
def test_a_page_that_is_filled_in_can_be_read_by_everybody(watched: str, signed_in: Hands, name: str) -> None:
    hands = signed_in
    hands.page.set_viewport_size(PHONE)
    hands.page.emulate_media(color_scheme="light")
    fill(hands, watched, name)
    expect_fits(hands.page)
    for size in (PHONE, WIDE):
        hands.page.set_viewport_size(size)
        for scheme in ("light", "dark"):
            hands.page.emulate_media(color_scheme=scheme)
            expect(hands.page.locator("html")).to_have_css("color-scheme", scheme)
            expect_drawn(hands.page)
            expect(hands.page.get_by_test_id("stToast")).to_have_count(0)  # it leaves by itself
            assert lasting_faults(hands.page, *["color-contrast"] * (scheme == "dark")) == [], (name, size, scheme)
            for part in SCROLLED:
                hands.page.evaluate(SCROLL, part)
                assert lasting_faults(hands.page, "color-contrast") == [], (name, size, scheme, part)
            hands.page.evaluate(SCROLL, 0)
