"""The documents as a website: every page is of one kind, and a link or anchor that leads nowhere ends the build."""

from __future__ import annotations

from pathlib import Path

import pytest

from rack.cli import COMMANDS
from website import documents

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("broken", ["", "\n[x](decisions.md#d99999)\n", "\n[x](nowhere.md)\n"])
def test_a_link_that_leads_nowhere_ends_the_build(
    broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = documents.controls
    monkeypatch.setattr(documents, "controls", lambda: [*whole(), broken])
    monkeypatch.setattr("sys.argv", ["documents", "--out", str(tmp_path)])
    assert documents.main() == (1 if broken else 0), capfd.readouterr().err
    if not broken:
        assert 'id="pay-under"' in (tmp_path / "findings.html").read_text()
        reference = (tmp_path / "command-reference.html").read_text()
        assert [name for name in COMMANDS if f'id="rack-{name}"' not in reference] == []
        assert (tmp_path / "search" / "search_index.js").is_file()
