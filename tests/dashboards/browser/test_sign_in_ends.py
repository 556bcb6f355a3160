"""What is left of a sign-in in a real Chromium: a cookie that somebody copied, and the packet that somebody made."""

from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from dashboards.run import KEY_VARIABLE
from tests.dashboards import living
from tests.dashboards.conftest import served
from tests.dashboards.running import log_in_browser, log_in_by_hand

pytestmark = pytest.mark.browser
ORTIZ, LEE = "m.ortiz@bellwether.example", "s.lee@bellwether.example"


@pytest.fixture(scope="module")
def key_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The pages of a floor with a log and its key, behind a login."""
    folder = tmp_path_factory.mktemp("sign-in")
    floor = living.make(folder)
    floor.rack("keys", "new", str(folder / "log.key"), "--by", "t-ops", code=0)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(KEY_VARIABLE, str(folder / "log.key"))
        with served(floor.warehouse, floor.log, login=True) as address:
            yield address


@pytest.fixture
def contexts(browser: Browser) -> Iterator[list[BrowserContext]]:
    """Three browsers that know nothing of each other."""
    opened = [browser.new_context() for _ in range(3)]
    yield opened
    for each in opened:
        each.close()


def cookies_of(context: BrowserContext) -> str:
    return "; ".join(f"{each['name']}={each['value']}" for each in context.cookies())


def status(address: str, cookie: str = "") -> int:
    try:
        with urlopen(Request(address, headers={"Cookie": cookie} if cookie else {}), timeout=60) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code


@pytest.mark.nightly
def test_a_copied_cookie_is_worth_nothing_after_the_logout(key_site: str, contexts: list[BrowserContext]) -> None:
    owner, thief = contexts[0].new_page(), contexts[1].new_page()
    log_in_by_hand(owner, key_site, ORTIZ)
    copied = contexts[0].cookies()
    login = [each for each in copied if each["name"].startswith("_streamlit_user")]
    assert [(each["expires"], each["httpOnly"]) for each in login] == [(-1, True)] * len(login)
    contexts[1].add_cookies([{"name": each["name"], "value": each["value"], "url": key_site} for each in copied])
    thief.goto(f"{key_site}/queue")
    expect(thief.get_by_role("button", name="Log out").first).to_be_visible()  # it is a bearer's cookie, until …
    owner.get_by_role("button", name="Log out").first.click()
    expect(owner.get_by_role("button", name="Log in")).to_be_visible()
    expect(thief.get_by_text("Log in to see the pages.")).to_be_visible()  # the page that was open is cut off
    thief.goto(f"{key_site}/round?table=fu-01&round=2")
    expect(thief.get_by_text("Log in to see the pages.")).to_be_visible()
    expect(thief.locator(".rk-now")).to_have_count(0)


@pytest.mark.nightly
def test_a_packet_is_fetched_by_who_made_it_and_only_while_signed_in(key_site: str, contexts: list[BrowserContext]) -> None:
    maker, other = contexts[0].new_page(), contexts[1].new_page()
    log_in_browser(maker, key_site, ORTIZ)
    log_in_browser(other, key_site, LEE)
    maker.goto(f"{key_site}/dispute?of=fu-01&round=2&seat=3")
    maker.get_by_role("button", name="Dispute packet").click()
    link = maker.get_by_role("link", name="PDF, signed")
    expect(link).to_be_visible(timeout=120_000)
    address = f"{key_site}/{link.get_attribute('href')}"
    fetched = maker.request.get(address)  # with the sign-in of the browser
    assert fetched.body().startswith(b"%PDF")
    assert fetched.headers["content-disposition"].endswith(".pdf")
    mine = cookies_of(contexts[0])
    assert status(address, mine) == 200
    assert status(address) == 404
    assert status(address, cookies_of(contexts[1])) == 404
    maker.goto(f"{key_site}/floor")
    maker.get_by_role("button", name="Log out").first.click()
    expect(maker.get_by_role("button", name="Log in")).to_be_visible()
    assert status(address, mine) == 404
    log_in_browser(maker, key_site, ORTIZ)
    assert status(address, cookies_of(contexts[0])) == 404


def test_a_list_is_saved_through_the_recorded_export_alone(key_site: str, contexts: list[BrowserContext]) -> None:
    page = contexts[0].new_page()
    log_in_browser(page, key_site, ORTIZ, "queue")
    expect(page.get_by_role("button", name="Download as CSV")).to_have_count(0)
    page.get_by_role("button", name="Export list").click()
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save 2 findings as CSV").click()
    assert Path(saved.value.path()).read_text("utf-8-sig").startswith("incident_id,finding_id,table_id,")


@pytest.mark.nightly
def test_an_address_that_nobody_could_mean_is_a_message(key_site: str, contexts: list[BrowserContext]) -> None:
    page = contexts[0].new_page()
    log_in_browser(page, key_site, ORTIZ)
    for query in (f"table=fu-01&round={'9' * 5000}", "table=fu-01&round=-1", "table=%00&round=1", "stream=x&round=1"):
        page.goto(f"{key_site}/round?{query}")
        expect(page.get_by_role("alert").filter(has_text="It was ignored")).to_be_visible()
        expect(page.get_by_role("heading", name="Open a round")).to_be_visible()
        expect(page.get_by_test_id("stException")).to_have_count(0)
