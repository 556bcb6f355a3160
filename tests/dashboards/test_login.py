"""The login in a real Chromium, against an identity provider on this machine: how far each role reaches, by address too."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from dashboards.run import command
from deploy.login.provider import Provider
from replay.review import desk_at
from tests.dashboards import living
from tests.dashboards.living import Living
from tests.dashboards.test_browser import PATIENCE_MS, ROOT, _wait, browser, chromium

__all__ = ["browser"]
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Living:
    return living.make(tmp_path_factory.mktemp("login"))


@pytest.fixture(scope="module")
def site(floor: Living) -> Iterator[str]:
    """Serve the floor's pages with a login."""
    chromium()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address, folder = f"http://127.0.0.1:{port}", floor.warehouse.parent
    with Provider(f"{address}/oauth2callback") as provider, (folder / "server.log").open("wb") as log:
        login = provider.login_file(folder / "login.toml")
        server = subprocess.Popen(
            command(floor.warehouse, port, floor.log, login=login), cwd=ROOT, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            _wait(f"{address}/_stcore/health", server)
            yield address
        finally:
            server.terminate()
            server.wait(timeout=20)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Open a page in a browser that nobody has logged in with."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    yield context.new_page()
    context.close()


def log_in(page: Page, site: str, person: str) -> None:
    page.goto(f"{site}/floor")
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name=person).click()
    page.wait_for_url(f"{site}/**")


def test_nobody_sees_a_round_without_a_login(site: str, page: Page) -> None:
    page.goto(f"{site}/round?table=fu-01&round=2")
    expect(page.get_by_text("Log in to see the pages.")).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator(".rk-now")).to_have_count(0)


def test_surveillance_works_a_finding_under_its_own_name(site: str, page: Page, floor: Living) -> None:
    log_in(page, site, "m.ortiz@bellwether.example")
    page.get_by_role("link", name="Queue").click()
    page.get_by_role("radio", name="Note").or_(page.get_by_role("button", name="Note", exact=True)).first.click()
    page.get_by_label("Note", exact=True).or_(page.get_by_label("What you saw or did")).last.fill("camera 4 seen")
    page.get_by_role("button", name="Write the note").click()
    expect(page.locator(".rk-history")).to_contain_text("camera 4 seen", timeout=PATIENCE_MS)
    with desk_at(floor.log, read_only=True) as at:
        assert [entry.by for each in at.review("fu-01").findings.values() for entry in each.history] == [
            "m.ortiz@bellwether.example"
        ]


def test_an_administrator_reaches_no_round_by_its_address(site: str, page: Page) -> None:
    log_in(page, site, "j.kim@bellwether.example")
    expect(page.get_by_role("heading", name="The floor")).to_be_visible(timeout=PATIENCE_MS)
    expect(page.get_by_role("link", name="Queue")).to_have_count(0)
    page.goto(f"{site}/round?table=fu-01&round=2")
    expect(page.get_by_text("Your role does not reach to this.")).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator(".rk-now")).to_have_count(0)


def test_who_has_no_role_sees_nothing_and_can_leave(site: str, page: Page) -> None:
    log_in(page, site, "guest@bellwether.example")
    expect(page.get_by_text("This login has no role here")).to_be_visible(timeout=PATIENCE_MS)
    page.get_by_role("button", name="Log out").first.click()
    expect(page.get_by_role("button", name="Log in")).to_be_visible(timeout=PATIENCE_MS)


def test_an_auditors_look_at_a_round_is_in_the_log(site: str, page: Page, floor: Living) -> None:
    log_in(page, site, "r.haas@bellwether.example")
    page.goto(f"{site}/round?table=fu-01&round=2")
    expect(page.locator(".rk-now")).to_be_visible(timeout=PATIENCE_MS)
    with desk_at(floor.log, read_only=True) as at:
        assert [(each.round_no, each.by) for each in at.review("fu-01").custody] == [(2, "r.haas@bellwether.example")]
