"""The documents as a website: every page is of one kind, and a link or anchor that leads nowhere ends the build."""

import re
from pathlib import Path

import pytest

import discard_rack
from rack.cli import COMMANDS
from website import documents

pytestmark = pytest.mark.slow


@pytest.mark.sampled(3)
@pytest.mark.parametrize("broken", ["", "\n[x](decisions.md#d99999)\n", "\n[x](nowhere.md)\n"])
def test_a_link_that_leads_nowhere_ends_the_build(
    broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = documents.controls
    monkeypatch.setattr(documents, "controls", lambda: [*whole(), broken])
    monkeypatch.setattr("sys.argv", ["documents", "--out", str(tmp_path)])
    assert documents.main() == (1 if broken else 0), capfd.readouterr().err
    if not broken:
        pages = tmp_path / discard_rack.__version__
        assert 'id="pay-under"' in (pages / "findings.html").read_text()
        assert (pages / "findings.html").read_text().count('title="Light') == 2  # as the system says, or fixed
        assert discard_rack.__version__ in (tmp_path / "versions.html").read_text()
        assert f"{discard_rack.__version__}/index.html" in (tmp_path / "index.html").read_text()
        assert len(list(pages.glob("for-*.html"))) == 6
        asked = re.compile(r'<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)="(?:https?:)?//[^"]*"')
        assert [found for page in pages.glob("*.html") for found in asked.findall(page.read_text())] == []
        reference = (pages / "command-reference.html").read_text()
        assert [name for name in COMMANDS if f'id="rack-{name}"' not in reference] == []
        assert (pages / "search" / "search_index.js").is_file()
