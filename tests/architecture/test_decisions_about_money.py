"""Every decision says whether it changes money, and if so which setting files it, which finding names it, or why neither."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from rulebook.chapters.chapters import chapter, known_chapters

ROOT = Path(__file__).resolve().parents[2]
ABOUT_ROUNDS = ("shared", "688a", "annex", "645c", "659a", "686a", "687a", "gegr-002138", "evidence")
"""Subjects whose decisions can change what is due; the others are about the record, figures and pages."""
CLOSED = ("none", "record", "text", "named")
DECISIONS: Mapping[str, Mapping[str, str]] = {
    number: fields
    for number, fields in tomllib.loads((ROOT / "rulebook/decisions.toml").read_text(encoding="utf-8")).items()
    if number != "subjects"
}
SETTINGS = {name: rule for key in known_chapters() for name, rule in chapter(*key.split("-", 1)).settings.items()}
SOURCES = "\n".join(
    path.read_text(encoding="utf-8") for room in ("games", "replay", "rulebook") for path in sorted((ROOT / room).rglob("*.py"))
)


def test_a_decision_says_whether_it_changes_money() -> None:
    """And no decision about anything else does: see the head of `decisions.toml` for the words."""
    for number, fields in DECISIONS.items():
        assert ("money" in fields) == (fields["subject"] in ABOUT_ROUNDS), f"{number}: see the file's head on `money`"
        kind, _, setting = fields.get("money", "none").partition(" ")
        if kind == "setting":
            assert setting in SETTINGS, f"{number}: no chapter has the setting {setting}"
        elif kind not in CLOSED:
            assert len(fields["money"]) > len("reason"), f"{number}: say why there is no setting"


def test_a_decision_that_findings_name_is_named_in_one() -> None:
    named = {number for number, fields in DECISIONS.items() if fields.get("money") == "named"}
    assert {number for number in named if not re.search(rf'decision="{number}"|"{number}: ', SOURCES)} == set()


def test_a_setting_that_chooses_a_reading_is_that_of_its_decision() -> None:
    cited = {rule.decision for rule in SETTINGS.values() if rule.readings}
    assert {number for number in cited if not DECISIONS[number]["money"].startswith("setting ")} == set()
