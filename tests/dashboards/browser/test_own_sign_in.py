"""The sign-in of our own in a real Chromium: an invitation, a passkey, a password with one-time codes, and their end."""

import time
from base64 import b32decode
from collections.abc import Iterator

import pytest
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from playwright.sync_api import Page, expect

from tests.dashboards import houses
from tests.dashboards.houses import EVERYTHING, House
from tests.dashboards.running import PHONE, expect_drawn, expect_fits

pytestmark = pytest.mark.browser
PASSWORD = "a felt table, three dice"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    people = {"m.ortiz": EVERYTHING, "p.diaz": '["pit"]'}
    return houses.make(tmp_path_factory.mktemp("own"), "1 face_up_pai_gow", people)


@pytest.fixture(scope="module")
def own_site(house: House) -> Iterator[str]:
    with house.served() as address:
        yield address


def invite(house: House, person: str) -> str:
    """The code that `rack sign-in invite` prints for a person of the register."""
    from desk.review.persons import read

    return house.accounts.invite(read(house.folder / "persons.toml").known(person), time.time(), 24)


def code_now(secret: str, later: int = 0) -> str:
    return TOTP(b32decode(secret.replace(" ", "")), 6, SHA1(), 30).generate(int(time.time()) + later).decode()


def begin(page: Page, site: str) -> None:
    page.goto(f"{site}/pit")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_an_invited_person_signs_in_with_a_passkey_that_is_made_once(own_site: str, page: Page, house: House) -> None:
    devices = page.context.new_cdp_session(page)
    devices.send("WebAuthn.enable")
    options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True}
    options |= {"isUserVerified": True, "automaticPresenceSimulation": True}
    devices.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    code = invite(house, "m.ortiz")
    page.set_viewport_size(PHONE)
    page.goto(f"{own_site}/sign-in/invited#{code}")
    expect(page.get_by_label("Code")).to_have_value(code)
    assert code not in page.url
    page.get_by_role("button", name="Go on").click()
    expect_fits(page)
    page.get_by_role("button", name="Set up a passkey").click()
    expect(page.get_by_role("heading", name="You are set up")).to_be_visible()
    begin(page, own_site)
    expect_fits(page)
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.get_by_role("button", name="Log out").first).to_be_visible()
    expect(page.locator(".rk-who-short")).to_contain_text("m.ortiz")
    page.goto(f"{own_site}/sign-in/invited#{code}")
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("alert")).to_contain_text("This invitation is used")
    devices.send("WebAuthn.disable")


def test_password_and_code_open_the_pages_of_the_role_until_sign_ins_are_ended(own_site: str, page: Page, house: House) -> None:
    page.goto(f"{own_site}/sign-in/invited#{invite(house, 'p.diaz')}")
    page.get_by_role("button", name="Go on").click()
    secret = page.locator("main code").inner_text()
    page.get_by_label("Password, 12").fill(PASSWORD)
    page.get_by_label("The same again").fill(PASSWORD)
    page.get_by_label("The code that the app shows").fill(code_now(secret, -30))
    page.get_by_role("button", name="Set up password and code").click()
    expect(page.get_by_role("heading", name="You are set up")).to_be_visible()

    for person, word, code, why in (
        ("p.diaz", "something else", code_now(secret), "is wrong"),
        ("no.body", PASSWORD, code_now(secret), "is wrong"),
        ("p.diaz", PASSWORD, code_now(secret), ""),
    ):
        begin(page, own_site)
        page.get_by_label("Name").fill(person)
        page.get_by_label("Password").fill(word)
        page.get_by_label("One-time code").fill(code)
        page.get_by_role("button", name="Sign in", exact=True).click()
        if why:
            expect(page.get_by_role("alert")).to_contain_text(why)
    expect(page.get_by_role("button", name="Log out").first).to_be_visible()
    page.goto(f"{own_site}/pit")
    expect(page.get_by_role("heading", name="Pit")).to_be_visible()
    expect_drawn(page)
    page.goto(f"{own_site}/queue")
    expect(page.get_by_text("Your role has no access to this page.")).to_be_visible()

    house.accounts.end("p.diaz", time.time())
    page.wait_for_timeout(2_500)  # its open page is cut off
    page.goto(f"{own_site}/pit")
    expect(page.get_by_role("button", name="Log in")).to_be_visible()
    said = [each.what for each in house.accounts.history("p.diaz")]
    assert said == [
        "invited",
        "password and one-time code set up",
        "wrong password or code",
        "signed in by password",
        "sign-ins ended",
    ]
    server = (house.folder / "server.log").read_text()
    assert PASSWORD not in server
    assert secret.replace(" ", "") not in server
