"""Make docs/decisions.md from rulebook/decisions.toml: `python scripts/decisions.py`. A test keeps both in step."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "rulebook" / "decisions.toml"
DOCUMENT = ROOT / "docs" / "decisions.md"

if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    from desk.documents import decisions

    DOCUMENT.write_text(decisions(SOURCE.read_text(encoding="utf-8"), whole=False), encoding="utf-8")
