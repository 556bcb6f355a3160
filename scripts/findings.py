"""Make docs/findings.md from the rules: `python -m scripts.findings`. A test keeps both in step."""

from pathlib import Path

from desk.documents import findings

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "findings.md"

if __name__ == "__main__":
    DOCUMENT.write_text(findings(whole=False), encoding="utf-8")
