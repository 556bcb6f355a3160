"""The website in a real Chromium: one file from a disk, and a folder that is served. Its answers are those of `rack judge`."""

import gzip
import json
import os
import re
import shutil
import subprocess
import threading
import zipfile
from base64 import b64decode, b64encode
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from rack.cli import main
from replay.run.engine import engine
from replay.transcript.entry import answer
from tests.dashboards.conftest import ROOT
from tests.dashboards.running import PHONE, SCREEN
from tests.golden.rounds import read_cases, round_files
from website import build

pytestmark = pytest.mark.browser

AT_ONCE = 100
"""Rounds judged in one call of the page."""
EVERY = 40
"""Of the golden rounds one in this many is judged in each test run, all of them by `make test-nightly`."""
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


@pytest.fixture(scope="module")
def started(browser: Browser, folder: Path) -> Iterator[Page]:
    """The one file as it is when the judge runs in it, which takes seconds."""
    context = browser.new_context(viewport=SCREEN)
    page = context.new_page()
    page.goto((folder / "discard-rack.html").as_uri())
    expect(page.locator("#verify")).to_be_visible(timeout=STARTS_WITHIN_MS)
    yield page
    context.close()


@pytest.fixture
def verifier(started: Page) -> Page:
    """The same with nothing chosen and nothing said."""
    started.set_viewport_size(SCREEN)
    forget(started)
    return started


def forget(page: Page) -> None:
    for field in ("#packet", "#key"):
        page.locator(field).set_input_files([])
    page.locator("#result").evaluate("(result) => result.replaceChildren()")


def type_the_dispute(page: Page) -> None:
    page.get_by_label("Dealer: cards").wait_for(timeout=STARTS_WITHIN_MS)
    page.get_by_label("Ace High Bonus paytable").select_option("1")
    page.get_by_label("Dealer: cards").click()
    for words in ("*KdJc9s8h4d3c3", "AsQdTh9h7c5s2d", "b25a10"):
        page.keyboard.type(words)
        page.keyboard.press("Tab")
    page.keyboard.type("rp100")
    expect(page.locator(".headline")).to_contain_text("Seat 3 is owed $100.00")


@pytest.mark.nightly
def test_one_file_answers_from_a_disk_and_asks_no_network(folder: Path, page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((folder / "discard-rack.html").as_uri())
    type_the_dispute(page)
    assert [url for url in asked if not url.startswith(("blob:", "data:"))] == [(folder / "discard-rack.html").as_uri()]


@pytest.mark.nightly
def test_the_folder_answers_from_a_server_and_asks_no_other(address: str, page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}/index.html")
    type_the_dispute(page)
    for width in (SCREEN["width"], 1101, PHONE["width"]):
        page.set_viewport_size({"width": width, "height": SCREEN["height"]})
        expect(page.locator("html")).to_have_js_property("scrollWidth", width)
    expect(page.locator(".verdict table")).to_have_count(1)
    assert [url for url in asked if not url.startswith((address, "blob:", "data:"))] == []


@pytest.mark.parametrize("step", [EVERY, pytest.param(1, marks=pytest.mark.nightly)])
def test_every_golden_round_gets_the_same_answer_in_the_browser(address: str, page: Page, step: int) -> None:
    page.goto(f"{address}/index.html")
    page.get_by_label("Dealer: cards").wait_for(timeout=STARTS_WITHIN_MS)
    texts = [case.transcript for path in round_files() for case in read_cases(path)][::step]
    differ = []
    for first in range(0, len(texts), AT_ONCE):
        some = texts[first : first + AT_ONCE]
        for text, theirs in zip(some, page.evaluate("(texts) => texts.map(window.answer)", some), strict=True):
            if theirs != answer(text):
                differ.append(text)
    assert differ == []


@pytest.fixture(scope="module")
def packet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dispute packet, with the public key of its log next to it."""
    out = tmp_path_factory.mktemp("floor")
    assert main(["--quiet", "demo", "--rounds", "20", "--out", str(out)]) == 0
    log = ["--log", f"sqlite:///{out / 'floor.db'}", "--key", str(out / "demo.key")]
    assert main(["--quiet", "dispute", "fu-01", "1", *log, "--by", "m.ortiz", "--out", str(out)]) == 0
    made = ["--warehouse", str(out / "warehouse.duckdb"), *log, "--by", "m.ortiz", "--out", str(out)]
    assert main(["--quiet", "report", "meters", *made]) <= 1  # with what the report finds
    return out / "fu-01-1.json"


def verified(page: Page, packet: Path, key: Path) -> str:
    """What the page says of a packet."""
    forget(page)
    page.locator("#key").set_input_files(key)
    page.locator("#packet").set_input_files(packet)
    expect(page.locator("#result p").first).to_contain_text("erified")
    return page.locator("#result").inner_text()


@pytest.mark.nightly
def test_a_packet_is_verified_and_judged_again_without_a_network(packet: Path, verifier: Page) -> None:
    assert verifier.locator("#judge").inner_text() == engine()
    said = verified(verifier, packet, packet.with_name("demo.key.pub"))
    assert said.startswith("✔ Verified")
    assert "replayed from these events alone: the same verdict" in said


FORMS = {
    "fu-01-1.pdf": "replayed from these events alone: the same verdict",
    "meters-*.pdf": "signed by the log's key, with 5 tables attached",
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", FORMS)
def test_a_pdf_is_verified_as_rack_verify_does_and_one_changed_byte_of_it_is_found(
    form: str, packet: Path, verifier: Page, capsys: pytest.CaptureFixture[str]
) -> None:
    (pdf,) = packet.parent.glob(form)
    key = packet.with_name("demo.key.pub")
    said = verified(verifier, pdf, key)
    capsys.readouterr()
    assert main(["--quiet", "verify", str(pdf), "--key", str(key)]) == 0
    assert said.split("\n\n") == ["✔ Verified", *capsys.readouterr().out.splitlines()]
    assert FORMS[form] in said
    verifier.set_viewport_size(PHONE)
    expect(verifier.locator("html")).to_have_js_property("scrollWidth", PHONE["width"])
    changed = bytearray(pdf.read_bytes())
    changed[len(changed) // 2] ^= 1
    packet.with_name("changed.pdf").write_bytes(changed)
    said = verified(verifier, packet.with_name("changed.pdf"), key)
    assert said.startswith("▼ Not verified")
    assert "the PDF: its signature is not one over these bytes" in said


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("node") is None and "CI" not in os.environ, reason="needs Node, which .ci/run installs")
def test_node_verifies_a_pdf_by_the_code_of_the_page_and_names_a_changed_byte(folder: Path, packet: Path) -> None:
    pdf, changed = packet.with_suffix(".pdf"), packet.with_name("one-byte.pdf")
    data = bytearray(pdf.read_bytes())
    data[len(data) // 3] ^= 1
    changed.write_bytes(data)
    files = [str(path) for path in (packet.with_name("demo.key.pub"), pdf, changed, packet)]
    words = ["node", str(ROOT / "tests/website/verify.mjs"), str(folder), str(ROOT / "website/page.js"), *files]
    done = subprocess.run(words, check=True, capture_output=True, text=True, timeout=120)
    whole, other, bundle = (json.loads(line) for line in done.stdout.splitlines())
    assert (whole["ok"], other["ok"], bundle["ok"]) == (True, False, True)
    assert "replayed from these events alone: the same verdict" in " ".join(whole["lines"])
    assert "the PDF: its signature is not one over these bytes" in " ".join(other["lines"])


def test_files_that_are_dropped_on_the_page_are_verified(packet: Path, verifier: Page) -> None:
    given = [[path.name, path.read_text()] for path in (packet, packet.with_name("demo.key.pub"))]
    verifier.evaluate(
        """(given) => { const dataTransfer = new DataTransfer();
          for (const [name, text] of given) dataTransfer.items.add(new File([text], name));
          document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true })); }""",
        given,
    )
    expect(verifier.locator("#result p").first).to_contain_text("✔ Verified")


def test_a_changed_packet_is_not_verified_and_the_event_is_named(packet: Path, verifier: Page) -> None:
    data = packet.read_bytes()
    changed = packet.with_name("changed.json")
    changed.write_bytes(data.replace(b'"amount_cents":2500', b'"amount_cents":2501', 1))
    assert changed.read_bytes() != data
    said = verified(verifier, changed, packet.with_name("demo.key.pub"))
    assert said.startswith("▼ Not verified")
    assert re.search(r"table/fu-01 event \d+: its bytes or its hashes are not those that were signed", said)


def test_a_signature_that_was_changed_or_is_of_another_key_is_not_verified(packet: Path, verifier: Page, tmp_path: Path) -> None:
    assert main(["--quiet", "demo", "--rounds", "20", "--out", str(tmp_path)]) == 0
    assert verified(verifier, packet, tmp_path / "demo.key.pub").startswith("▼ Not verified")
    bundle = json.loads(packet.read_bytes())
    lines = bundle["note"].rstrip("\n").split("\n")
    head, signature = lines[-1].rsplit(" ", 1)
    raw = bytearray(b64decode(signature))
    raw[-1] ^= 1
    forged = packet.with_name("forged.json")
    note = "\n".join([*lines[:-1], f"{head} {b64encode(bytes(raw)).decode()}"]) + "\n"
    old, new = (json.dumps(each, ensure_ascii=False).encode() for each in (bundle["note"], note))
    forged.write_bytes(packet.read_bytes().replace(old, new))
    assert forged.read_bytes() != packet.read_bytes()
    assert verified(verifier, forged, packet.with_name("demo.key.pub")).startswith("▼ Not verified")


def test_it_is_small_enough_to_be_served_and_to_be_sent(files: dict[str, bytes]) -> None:
    assert sum(len(gzip.compress(content, 9)) for content in files.values()) <= build.MOST_SERVED
    assert len(build.one_file(files)) <= build.MOST_WHOLE


def test_the_judge_holds_nothing_but_what_judges() -> None:
    with zipfile.ZipFile(BytesIO(build.judge())) as archive:
        names = archive.namelist()
    assert "replay/transcript/entry.py" in names
    assert [name for name in names if name.startswith(("rack/", "dashboards/", "tests/", "events/sqlite", "events/kafka"))] == []
    assert [name for name in names if "/simulation/" in name or "/rounds/" in name] == []


def test_another_package_than_the_expected_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "PYODIDE_SHA256", "0" * 64)
    with pytest.raises(ValueError, match="expected 0000"):
        build.assets()
