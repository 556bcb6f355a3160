"""The website in a real Chromium: one file from a disk, and a folder that is served. Its answers are those of `rack judge`."""

from __future__ import annotations

import gzip
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from replay.transcript.entry import answer
from tests.dashboards.running import PHONE, SCREEN
from tests.golden.rounds import read_cases, round_files
from website import build

pytestmark = pytest.mark.browser

AT_ONCE = 100
"""Rounds judged in one call of the page."""
STARTS_WITHIN_MS = 60_000


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return build.assets()


@pytest.fixture(scope="module")
def folder(files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("website")
    for name, content in files.items():
        (made / name).write_bytes(content)
    (made / "discard-rack.html").write_bytes(build.one_file(files))
    return made


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *words: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page without anything stored; a file on the disk is no address of the network, so it has none of the other fixtures."""
    context = browser.new_context(viewport=SCREEN)
    yield context.new_page()
    context.close()


def type_the_dispute(page: Page) -> None:
    page.get_by_label("Dealer: cards").wait_for(timeout=STARTS_WITHIN_MS)
    page.get_by_label("Ace High Bonus paytable").select_option("1")
    page.get_by_label("Dealer: cards").click()
    for words in ("*KdJc9s8h4d3c3", "AsQdTh9h7c5s2d", "b25a10"):
        page.keyboard.type(words)
        page.keyboard.press("Tab")
    page.keyboard.type("rp100")
    expect(page.locator(".headline")).to_contain_text("Seat 3 is owed $100.00")


def test_one_file_answers_from_a_disk_and_asks_no_network(folder: Path, page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((folder / "discard-rack.html").as_uri())
    type_the_dispute(page)
    assert [url for url in asked if not url.startswith(("blob:", "data:"))] == [(folder / "discard-rack.html").as_uri()]


def test_the_folder_answers_from_a_server_and_asks_no_other(address: str, page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}/index.html")
    type_the_dispute(page)
    page.set_viewport_size(PHONE)
    expect(page.locator("html")).to_have_js_property("scrollWidth", PHONE["width"])
    assert [url for url in asked if not url.startswith((address, "blob:", "data:"))] == []


def test_every_golden_round_gets_the_same_answer_in_the_browser(address: str, page: Page) -> None:
    page.goto(f"{address}/index.html")
    page.get_by_label("Dealer: cards").wait_for(timeout=STARTS_WITHIN_MS)
    texts = [case.transcript for path in round_files() for case in read_cases(path)]
    differ = []
    for first in range(0, len(texts), AT_ONCE):
        some = texts[first : first + AT_ONCE]
        for text, theirs in zip(some, page.evaluate("(texts) => texts.map(window.answer)", some), strict=True):
            if theirs != answer(text):
                differ.append(text)
    assert differ == []


def test_it_is_small_enough_to_be_served_and_to_be_sent(files: dict[str, bytes]) -> None:
    assert sum(len(gzip.compress(content, 9)) for content in files.values()) <= build.MOST_SERVED
    assert len(build.one_file(files)) <= build.MOST_WHOLE


def test_the_judge_holds_nothing_but_what_judges() -> None:
    with zipfile.ZipFile(BytesIO(build.judge())) as archive:
        names = archive.namelist()
    assert "replay/transcript/entry.py" in names
    assert [
        name for name in names if name.startswith(("rack/", "dashboards/", "tests/", "events/sqlite", "events/kafka"))
    ] == []
    assert [name for name in names if "/simulation/" in name or "/rounds/" in name] == []


def test_another_package_than_the_expected_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "PYODIDE_SHA256", "0" * 64)
    with pytest.raises(ValueError, match="expected 0000"):
        build.assets()
