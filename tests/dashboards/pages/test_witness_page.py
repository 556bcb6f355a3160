"""The witness on the Integrity page, by AppTest and in a real Chromium: what it cosigned, how far behind, silent, at odds."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dashboards.drawing.names import Formats
from dashboards.parts import desk, verification_run, witness_panel
from dashboards.run import WITNESS_KEY_VARIABLE, WITNESS_VARIABLE
from desk.verification.witness_status import SIGNATURE_TIMEOUT_S, witnessed_at
from rack.cli import main
from tests.dashboards import living, sample
from tests.dashboards.conftest import served
from tests.dashboards.running import PHONE, SCREEN, expect_fits, said, start

FORMATS = Formats.of(sample.FACTS)


class Watched:
    """A floor whose checkpoints a witness cosigns."""

    def __init__(self, folder: Path) -> None:
        self.floor, self.folder = living.make(folder), folder
        self.floor.rack("keys", "new", str(folder / "floor.key"), "--by", "chief", code=0)
        assert main(["keys", "new", str(folder / "w.key"), "--witness", "north", "--quiet"]) == 0
        self.sign()
        self.cosign()

    @property
    def paths(self) -> tuple[Path, Path]:
        return self.folder / "north", self.folder / "w.key.pub"

    def sign(self) -> None:
        self.floor.rack("checkpoint", "--key", str(self.folder / "floor.key"), code=0)

    def cosign(self) -> None:
        key, seen = str(self.folder / "w.key"), str(self.folder / "north")
        self.floor.rack("witness", "--key", key, "--folder", seen, code=0)

    def serve(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.floor.serve(monkeypatch)
        for name, path in zip((WITNESS_VARIABLE, WITNESS_KEY_VARIABLE), self.paths, strict=True):
            monkeypatch.setenv(name, str(path))

    def told(self, after_s: float = 0) -> str:
        found = witnessed_at(self.floor.log, *self.paths)
        return "".join(witness_panel.sentences(found, FORMATS, time.time_ns() // 1000 + int(after_s * 1e6)))


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watched:
    desk._read.clear()
    verification_run._walks().clear()
    made = Watched(tmp_path)
    made.serve(monkeypatch)
    return made


def test_where_none_is_named_the_page_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    living.make(tmp_path).serve(monkeypatch)
    page = said(start("integrity"))
    assert "No witness is named" in page
    assert "--witness" not in page.partition("No witness is named")[0]  # the walk is offered without
    assert "<code>rack dashboard --witness DIR --witness-key FILE</code>" in page


def test_the_page_shows_which_checkpoints_were_cosigned(watched: Watched) -> None:
    page = said(start("integrity"))
    for words in ("agrees", "it has seen the newest", "cosigned</span>", "north"):
        assert words in page
    assert "not cosigned" not in page
    watched.sign()
    page = said(start("integrity"))
    assert "not cosigned" in page
    assert "0 events without its signature" in page  # an idle checkpoint
    assert "is silent" not in page


def test_a_witness_is_silent_when_a_checkpoint_has_waited_for_long(watched: Watched) -> None:
    watched.sign()
    assert "is silent" not in watched.told(SIGNATURE_TIMEOUT_S - 60)
    later = watched.told(SIGNATURE_TIMEOUT_S + 60)
    assert "The witness north is silent" in later
    assert "1 checkpoint waits for its signature" in later


def test_a_witness_that_saw_another_story_disagrees(watched: Watched) -> None:
    (note,) = watched.paths[0].glob("*.note")
    note.rename(note.with_name(f"{99:016d}.note"))
    page = said(start("integrity"))
    for words in ("The witness disagrees with this log", "✖ disagrees", "none that counts", "not cosigned"):
        assert words in page


def test_what_it_refused_is_shown(watched: Watched) -> None:
    (watched.paths[0] / "refused-00112233445566ff").write_bytes(b"what it was shown")
    page = said(start("integrity"))
    for words in ("The witness refused 1 checkpoint", "refused-00112233445566ff", "✖ disagrees"):
        assert words in page


def test_a_folder_that_is_gone_is_said(watched: Watched) -> None:
    watched.paths[0].rename(watched.folder / "elsewhere")
    page = said(start("integrity"))
    assert "The witness cannot be read" in page
    assert "Streams" in page  # the rest of the page is there


def test_health_asks_after_the_witness(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "north agrees, 0 checkpoints behind" in said(start("health"))
    watched.sign()
    monkeypatch.setattr("desk.verification.witness_status.SIGNATURE_TIMEOUT_S", 0)
    assert "1 checkpoint waits for the signature of north" in said(start("health"))
    (watched.paths[0] / "refused-00112233445566ff").write_bytes(b"what it was shown")
    page = said(start("health"))
    assert "north refused 1 checkpoint" in page
    assert "1 thing needs somebody now." in page


def test_the_walk_of_the_page_checks_the_witness_too(watched: Watched) -> None:
    test = start("integrity")
    test.button[0].click().run(timeout=120)
    assert "Every checkpoint that the witness north cosigned is among them: 1, the newest" in said(test)


# ------------------------------------------------------------------------------------------------------ in a real browser


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    return Watched(tmp_path_factory.mktemp("watched"))


@pytest.fixture(scope="module")
def watched_site(seen: Watched) -> Iterator[str]:
    with served(seen.floor.warehouse, seen.floor.log, witness=seen.paths) as address:
        yield address


@pytest.mark.nightly
@pytest.mark.browser
def test_the_page_follows_the_witness_without_a_reload(
    watched_site: str, seen: Watched, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.goto(f"{watched_site}/integrity")
    row = page.get_by_role("table", name="The log's newest checkpoints and the witness").locator("tbody tr").first
    expect(row).to_contain_text("cosigned")
    page.evaluate("window.untouched = true")
    seen.sign()
    expect(row).to_contain_text("not cosigned")
    expect(row).to_have_class("rk-marked")
    seen.cosign()
    expect(row).not_to_contain_text("not cosigned")
    assert page.evaluate("window.untouched") is True
    page.get_by_role("button", name="Verify log").click()
    expect(page.get_by_text("that the witness north cosigned is among them")).to_be_visible(timeout=90_000)


@pytest.mark.browser
def test_it_fits_a_phone_and_a_screen(watched_site: str, page: Page) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"{watched_site}/integrity")
    for size in (PHONE, SCREEN):
        page.set_viewport_size(size)
        expect(page.get_by_role("heading", name="Witness")).to_be_visible()
        expect(page.get_by_role("table", name="The log's newest checkpoints and the witness")).to_be_visible()
        expect_fits(page)
