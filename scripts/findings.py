"""Make docs/findings.md of the rules: `python -m scripts.findings`. A test holds the two together."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from replay.installed_games import add_installed_games
from replay.narrative.findings import TITLES, finding_title
from replay.rules.order import rules_in_order

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "findings.md"
HEAD = """# Findings

Every code that a verdict may name, with what the rule that finds it says. The [evidence pages](evidence.md) say which events
show each one, by section. `rack docs PAY-UNDER` prints one. This document is generated: `.venv/bin/python -m scripts.findings`.
Link to a code as `findings.md#pay-under`.
"""
NO_RULE = "A fault of the log or of an observed round: [log contract](log-contract.md)."


def document() -> str:
    """Return the document: every code with its anchor."""
    add_installed_games()
    return HEAD + "\n" + "".join(_entries())


def _entries() -> Iterator[str]:
    says: dict[str, dict[str, None]] = {code: {} for code in TITLES}
    for rule in rules_in_order():
        said = (inspect.getdoc(rule.evaluate) or "").partition("\n\n")[0].replace("\n", " ")
        for code in rule.codes:
            says.setdefault(code, {})[re.sub(r"[<>\[\]]", "", said)] = None
    for code, sentences in sorted(says.items()):
        yield f'* <a id="{code.lower()}"></a>**{code}**: {finding_title(code)}. {" ".join(sentences) or NO_RULE}\n'


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
