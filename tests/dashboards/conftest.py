"""Pages served on this machine, and a real Chromium that can reach nothing else. One server for each floor, one browser for all.

Skipped with one line where there is no Chromium; with REQUIRE_BROWSER=1 that is a failure. Pages are looked at without a login,
unless a test logs somebody in.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

from dashboards import access
from dashboards.run import ACCESS_VARIABLE, READ_ONLY, command
from deploy.login.provider import Provider
from tests.dashboards import living, sample
from tests.dashboards.living import Living
from tests.dashboards.running import WHO

ROOT = Path(__file__).parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PATIENCE_MS = 30_000
ROLES = {"claim": "roles", **{role.value: [role.value] for role in access.Role}}
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(autouse=True)
def nobody_is_logged_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What AppTest runs in this process is looked at without a login; `running.log_in` lets somebody in."""
    monkeypatch.setenv(ACCESS_VARIABLE, READ_ONLY)
    monkeypatch.setattr(access, "claims", lambda: dict(WHO))
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
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address, file = f"http://127.0.0.1:{port}", None
    with ExitStack() as stack:
        said = stack.enter_context(warehouse.with_name("server.log").open("wb"))
        if login:
            provider = stack.enter_context(Provider(f"{address}/oauth2callback"))
            file = provider.login_file(warehouse.with_name(f"login-{port}.toml"))
        server = subprocess.Popen(
            command(warehouse, port, log, login=file, witness=witness), cwd=ROOT, stdout=said, stderr=subprocess.STDOUT
        )
        try:
            _wait(f"{address}/_stcore/health", server)
            yield address
        finally:
            server.terminate()
            server.wait(timeout=20)


def _wait(address: str, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        assert server.poll() is None, "the dashboard's process ended"
        try:
            with urlopen(address, timeout=2):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise AssertionError(f"nothing answered at {address}")


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample floor's warehouse; it has no log."""
    return sample.make(tmp_path_factory.mktemp("sample") / "warehouse.duckdb")


@pytest.fixture(scope="module")
def site(warehouse: Path) -> Iterator[str]:
    """The pages of the sample floor."""
    with served(warehouse) as address:
        yield address


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Living:
    """A floor with a log."""
    return living.make(tmp_path_factory.mktemp("living"))


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


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Open a page that can reach this machine only; at the end, assert that it asked nothing of any other address."""
    outside: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 900})  # in which nobody has logged in
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)

    def refuse(route: Route) -> None:
        outside.append(route.request.url)
        route.abort()

    page.route(_is_outside, refuse)
    page.on("websocket", lambda socket_: outside.append(socket_.url) if _is_outside(socket_.url) else None)
    yield page
    context.close()
    assert outside == []


def _is_outside(url: str) -> bool:
    return urlsplit(url).scheme not in ("data", "blob") and urlsplit(url).hostname != "127.0.0.1"
