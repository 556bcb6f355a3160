"""Pages served on this machine, and a real Chromium that can reach nothing else. One server for each floor, one browser for all.

Skipped with one line where there is no Chromium; with REQUIRE_BROWSER=1 that is a failure. Pages are looked at without a login,
unless a test logs somebody in.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urljoin, urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from streamlit import config
from streamlit.components.v2 import manifest_scanner

from dashboards.access import access
from dashboards.access.page_list import Role
from dashboards.parts import desk
from dashboards.run import ACCESS_VARIABLE, KEY_VARIABLE, READ_ONLY, command
from dashboards.sign_in.trial import TrialProvider
from tests.dashboards import living, sample
from tests.dashboards.living import Living
from tests.dashboards.running import SCREEN, SECRETS, WHO
from trial.property_folder import PERSONS

ROOT = Path(__file__).parents[2]
MAIN = sys.modules["__main__"]
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--force-prefers-reduced-motion",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]
"""Every other host is unknown to the browser. To stop its requests in Playwright would turn off its cache, at twice the work."""
PATIENCE_MS = 30_000
HEALTH = "/_stcore/health"
ROLES = {"claim": "roles", **{role.value: [role.value] for role in Role}}
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(autouse=True)
def the_program_stays_the_program() -> Iterator[None]:
    """A page that Streamlit runs here becomes `__main__`: processes that other tests start would run the page again."""
    yield
    sys.modules["__main__"] = MAIN


@pytest.fixture(autouse=True, scope="session")
def app_tests_run_as_the_pages_are_served() -> Iterator[None]:
    """Let AppTest do once what a server does once, and leave what `dashboards.run.command` has it leave.

    It would read the description of every installed package for each test, in search of components, of which there are none.
    """
    magic = config.get_option("runner.magicEnabled")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        config.set_option("runner.magicEnabled", False)
        yield
    config.set_option("runner.magicEnabled", magic)


@pytest.fixture(autouse=True)
def nobody_is_logged_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What AppTest runs in this process is looked at without a login; `running.log_in` lets somebody in."""
    monkeypatch.setenv(ACCESS_VARIABLE, READ_ONLY)
    monkeypatch.setattr(access, "claims", lambda: dict(WHO))
    monkeypatch.setattr(access, "sign_in", lambda: "app-test" if WHO else None)
    monkeypatch.setattr(access, "roles_setting", lambda: ROLES)
    yield
    WHO.clear()


def chromium() -> str:
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        line = "BROWSER TEST NOT RUN: no Chromium on this machine (apt-get install chromium)"
        if os.environ.get("REQUIRE_BROWSER") == "1":
            pytest.fail(line)
        pytest.skip(line)
    return found


@contextmanager
def served(
    warehouse: Path, log: str | None = None, *, login: bool = False, witness: tuple[Path, Path] | None = None
) -> Iterator[str]:
    """Serve the pages of a floor on a free port of this machine, perhaps behind a login; give the address."""
    chromium()
    port = free_port()
    address, file = f"http://127.0.0.1:{port}", None
    with ExitStack() as stack:
        if login:
            provider = stack.enter_context(TrialProvider(f"{address}/oauth2callback"))
            file = provider.login_file(warehouse.with_name(f"login-{port}.toml"))
            SECRETS[address] = tomllib.loads(file.read_text())["auth"]["cookie_secret"]
        words = command(warehouse, port, log, login=file, witness=witness, persons=warehouse.with_name(PERSONS))
        stack.enter_context(started(words, address, warehouse.with_name("server.log")))
        yield address


def free_port() -> int:
    """A port of this machine at which nothing listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def started(words: Sequence[str], address: str, log: Path) -> Iterator[None]:
    """Start the pages by a command, until they answer at an address; what the server says goes to a file."""
    with log.open("wb") as said:
        server = subprocess.Popen(words, cwd=ROOT, stdout=said, stderr=subprocess.STDOUT)
        try:
            _wait(f"{address}{HEALTH}", server)
            yield
        finally:
            server.terminate()
            server.wait(timeout=60)


def _wait(address: str, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 180
    while time.monotonic() < end:
        assert server.poll() is None, "the dashboard's process ended"
        try:
            with urlopen(address, timeout=30):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise AssertionError(f"nothing answered at {address}")


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample floor's warehouse; it has no log."""
    return sample.make(tmp_path_factory.mktemp("sample") / "warehouse.duckdb")


@pytest.fixture(scope="session")
def site_warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample floor's warehouse, which is served."""
    return sample.make(tmp_path_factory.mktemp("site") / "warehouse.duckdb")


@pytest.fixture(scope="session")
def site(site_warehouse: Path) -> Iterator[str]:
    """The pages of the sample floor."""
    with served(site_warehouse) as address:
        yield address


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Living:
    """A floor with a log."""
    return living.make(tmp_path_factory.mktemp("living"))


@pytest.fixture
def signing_floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Living:
    """A floor of its own for a test by AppTest, with the log's key: what is taken away can be signed."""
    desk._read.clear()
    floor = living.make(tmp_path)
    floor.rack("keys", "new", str(tmp_path / "log.key"), "--by", "t-ops", code=0)
    floor.serve(monkeypatch)
    monkeypatch.setenv(KEY_VARIABLE, str(tmp_path / "log.key"))
    return floor


@pytest.fixture(scope="module")
def live_site(floor: Living) -> Iterator[str]:
    """The pages of the floor with a log."""
    with served(floor.warehouse, floor.log) as address:
        yield address


@pytest.fixture(scope="module")
def login_site(floor: Living) -> Iterator[str]:
    """The pages of the floor with a log, behind a login (see `log_in`)."""
    with served(floor.warehouse, floor.log, login=True) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield browser
        browser.close()


@dataclass
class Tab:
    """A page of the browser, and what it did that it must not do."""

    page: Page
    outside: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def tab(browser: Browser) -> Iterator[Tab]:
    """Open a page that can reach this machine only. All tests share it: to compile Streamlit again costs more than any test."""
    context = browser.new_context(viewport=SCREEN)
    tab = Tab(context.new_page())
    tab.page.set_default_timeout(PATIENCE_MS)
    tab.page.on("request", lambda request: tab.outside.append(request.url) if _is_outside(request.url) else None)
    tab.page.on("websocket", lambda socket_: tab.outside.append(socket_.url) if _is_outside(socket_.url) else None)
    tab.page.on("pageerror", lambda error: tab.failures.append(str(error)))
    yield tab
    context.close()


@pytest.fixture
def page(tab: Tab) -> Iterator[Page]:
    """Give a page in which no one has logged in; at the end, assert that it asked no other address and did not fail."""
    tab.page.set_viewport_size(SCREEN)
    tab.page.emulate_media(color_scheme="light")
    tab.outside.clear()
    tab.failures.clear()
    yield tab.page
    tab.page.goto(urljoin(tab.page.url, HEALTH))  # no page: nothing runs there that could write again
    tab.page.evaluate("localStorage.clear(); sessionStorage.clear()")
    tab.page.context.clear_cookies()
    assert tab.outside == []
    assert tab.failures == []


def _is_outside(url: str) -> bool:
    return urlsplit(url).scheme not in ("data", "blob") and urlsplit(url).hostname not in ("127.0.0.1", "localhost")
