"""Run a page by AppTest, and read what it says."""

import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urljoin, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey
from playwright.sync_api import Locator, Page, TimeoutError, ViewportSize, expect
from streamlit.testing.v1 import AppTest

import dashboards
from dashboards.access import access
from dashboards.access.page_list import PAGES
from dashboards.parts.address import fits
from dashboards.run import ACCESS_VARIABLE, LOG_VARIABLE, LOGIN, WAREHOUSE_VARIABLE

HERE = Path(dashboards.__file__).parent
SCREEN: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}

WHO: dict[str, Any] = {}
"""What the identity provider says of who looks; empty: no one logged in (see conftest.py)."""


def log_in(person: str, *roles: str, iat: float | None = None) -> None:
    """Let somebody log in: from here on the pages of this test are served with a login."""
    os.environ[ACCESS_VARIABLE] = LOGIN
    WHO.clear()
    WHO.update(is_logged_in=True, iat=time.time() if iat is None else iat, email=person, email_verified=True, roles=list(roles))


SECRETS: dict[str, str] = {}
"""The address of pages behind a login → the secret of their login file."""
RETRIES = 3
"""A connection that was kept may be closed by the server just as the next request is sent on it: that one is sent again."""


def log_in_browser(page: Page, site: str, person: str, path: str = "floor") -> None:
    """Let one of the trial provider's people log in, and open a page; `log_in_by_hand` says what that takes a person.

    The browser has the cookies that it would have, and has drawn neither the page before nor the one after.
    """
    key = OctKey.import_key(SECRETS[site])
    token = jwt.encode({"alg": "HS256"}, {"provider": "default", "exp": int(time.time()) + 60}, key)
    choice = page.request.get(f"{site}/auth/login?provider={token}", max_retries=RETRIES)
    (link,) = re.findall(rf'href="([^"]*&amp;person={quote(person)}[^"]*)"', choice.text())
    assert page.request.get(urljoin(choice.url, unescape(link)), max_retries=RETRIES).ok
    page.goto(f"{site}/{path}")
    expect_logged_in(page)


def log_in_by_hand(page: Page, site: str, person: str) -> None:
    """Let one of the trial provider's people log in by the button and the provider's page."""
    page.goto(f"{site}/floor")
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name=person).click()
    page.wait_for_url(f"{site}/**")
    expect_logged_in(page)


def expect_logged_in(page: Page) -> None:
    expect(page.get_by_role("button", name="Log out").first).to_be_visible()
    expect_drawn(page)  # a click while the first page is being drawn can be lost


def expect_drawn(page: Page) -> None:
    """Wait until the script of a page in a browser has drawn something and come to its end (before it begins, none runs)."""
    expect(page.get_by_test_id("stElementContainer").first).to_be_attached()
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")


def expect_kept(page: Page, typed: dict[str, str], opens: Callable[[], object] = lambda: None) -> None:
    """Type into one-line boxes (label → text), load the page again, and expect each text in its box; `opens` opens the form."""
    expect_drawn(page)
    opens()
    for again in (False, True):
        for label, words in typed.items():
            box = page.get_by_role("textbox", name=label, exact=True).filter(visible=True).first
            expect(box).to_have_value(words) if again else box.fill(words)
        if not again:
            page.reload()
            expect_drawn(page)
            opens()


def expect_fits(page: Page) -> None:
    """Expect that nothing of a page in a browser is beyond its right edge."""
    size = page.viewport_size
    assert size is not None
    expect(page.locator("html")).to_have_js_property("scrollWidth", size["width"])


def choose(box: Locator, words: str) -> None:
    """Choose from a list in a browser; it closes again if the page is drawn meanwhile, and then is opened once more."""
    option = box.page.get_by_role("option", name=words)
    for patience_ms in (3_000, 10_000, 30_000):
        box.click()
        with suppress(TimeoutError):
            option.click(timeout=patience_ms)
            return
    box.click()
    option.click()


def run(page: str, path: Path, monkeypatch: pytest.MonkeyPatch, **query: str) -> AppTest:
    """Run a page of a warehouse without a log."""
    monkeypatch.setenv(WAREHOUSE_VARIABLE, str(path))
    monkeypatch.delenv(LOG_VARIABLE, raising=False)
    return start(page, **query)


def start(page: str, **query: str) -> AppTest:
    """Run a page of the floor that the environment names."""
    test = AppTest.from_file(str(HERE / "pages" / f"{page}.py"), default_timeout=120)
    for name, value in query.items():
        test.query_params[name] = value
    test.run()
    assert [error.value for error in test.exception] == []
    expect_links_in_form(said(test))
    expect_links_open(said(test))
    return test


def expect_links_in_form(markup: str) -> None:
    """Expect that what a page's links give the next page in its address is not left out there as out of form."""
    for link in re.findall(r'href="([a-z_]+\?[^"]+)"', markup):
        for name, values in parse_qs(urlsplit(unescape(link)).query).items():
            assert fits(name, values), link


def expect_links_open(markup: str) -> None:
    """Expect that each page that a page links to is one that the viewer may see."""
    linked = set(re.findall(r'href="([a-z_]+)(?:\?[^"]*)?"', markup))
    assert linked & set(PAGES) <= access.session().rights


def unfold(test: AppTest, words: str) -> None:
    """Open the expander whose label has these words, as a click on it does."""
    (label,) = (each.label for each in test.expander if words in each.label)
    test.session_state[f"opened {label}"] = True
    test.run()
    assert [error.value for error in test.exception] == []


def press(test: AppTest, label: str) -> AppTest:
    """Press a button of a page, which does not fail."""
    next(each for each in test.button if each.label == label).click().run(timeout=120)
    assert [error.value for error in test.exception] == []
    return test


def fill(test: AppTest, label: str, value: str) -> None:
    """Type into the one box with this label."""
    (field,) = [each for each in (*test.text_input, *test.text_area) if each.label == label]
    field.input(value)


def said(test: AppTest) -> str:
    """Return all markup of a page."""
    texts: list[Any] = [element.proto.body for element in test.get("html")]
    words = "\n".join([*texts, *(element.value for element in test.markdown), *(element.value for element in test.code)])
    return words.replace("\N{NO-BREAK SPACE}", " ")
