"""Make docs/decisions.md of rulebook/decisions.toml: `python scripts/decisions.py`. A test holds the two together."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "rulebook" / "decisions.toml"
DOCUMENT = ROOT / "docs" / "decisions.md"
HEAD = """# Decisions

Where a regulation or the design leaves room, this is what Discard Rack does. A number is permanent: it is never reused and
never changes its meaning. A decision that changes money is a named setting of the rules submission, or gives the reason why it is
not. One that names neither changes no amount that is due, says what the record proves (which nobody can file), or follows a text
that pays the same in any reading. A section without a chapter, such as .11(d), is one of 58 Pa. Code Chapter 688a. The Rules page
and `rulebook/decisions.toml` add the reasons.

This document is generated. To add a decision, append a table to `rulebook/decisions.toml` (its first lines describe the
fields) under the next free number, and run `.venv/bin/python scripts/decisions.py`. Link to a decision as `decisions.md#d13`.
"""


def document(source: str) -> str:
    """Return the document: the decisions by subject, in each in the order of their numbers, each with its anchor."""
    filed = tomllib.loads(source)
    subjects: Mapping[str, str] = filed.pop("subjects")
    parts = [HEAD]
    for key, title in subjects.items():
        numbers = sorted(
            (number for number in filed if filed[number]["subject"] == key), key=lambda number: int(number[1:])
        )
        parts += [f"\n## {title}\n\n", *(_entry(number, filed[number]) for number in numbers)]
    return "".join(parts)


def _entry(number: str, decision: Mapping[str, str]) -> str:
    return (
        f'* <a id="{number.lower()}"></a>**{number}** ({_linked(decision["where"])}). '
        f"{_sentence(_linked(decision['reading']))}{_money(decision.get('money', ''))}\n"
    )


UNSAID = ("", "none", "record", "text")
"""What is said of a decision's money once, at the head of the document."""


def _money(money: str) -> str:
    if money in UNSAID:
        return ""
    kind, _, setting = money.partition(" ")
    if kind == "setting":
        return f" *Setting:* `{setting}`."
    if money == "named":
        return " *No setting:* findings name the other reading with its money."
    return f" *No setting:* {_sentence(_linked(money))}"


def _sentence(words: str) -> str:
    return words if words.endswith((".", "!", "?")) else f"{words}."


def _linked(words: str) -> str:
    return re.sub(r"\bD([1-9][0-9]{0,3})\b", r"[D\1](#d\1)", words)


if __name__ == "__main__":
    DOCUMENT.write_text(document(SOURCE.read_text(encoding="utf-8")), encoding="utf-8")
