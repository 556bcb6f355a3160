"""Every decision says whether it changes money, and if so which setting files it, which finding names it, or why neither."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

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
    path.read_text(encoding="utf-8")
    for room in ("games", "replay", "rulebook")
    for path in sorted((ROOT / room).rglob("*.py"))
)


@pytest.mark.parametrize("number", DECISIONS)
def test_a_decision_says_whether_it_changes_money(number: str) -> None:
    """And no decision about anything else does: see the head of `decisions.toml` for the words."""
    fields = DECISIONS[number]
    assert ("money" in fields) == (fields["subject"] in ABOUT_ROUNDS), f"{number}: add `money`, as the file's head says"
    kind, _, setting = fields.get("money", "none").partition(" ")
    if kind == "setting":
        assert setting in SETTINGS, f"{number}: no chapter has the setting {setting}"
    elif kind not in CLOSED:
        assert len(fields["money"]) > len("reason"), f"{number}: say why there is no setting"


@pytest.mark.parametrize("number", [number for number, fields in DECISIONS.items() if fields.get("money") == "named"])
def test_a_decision_that_findings_name_is_named_in_one(number: str) -> None:
    assert re.search(rf'decision="{number}"|"{number}: ', SOURCES), f"{number}: no finding names its other reading"


@pytest.mark.parametrize(("name", "rule"), SETTINGS.items(), ids=list(SETTINGS))
def test_a_setting_that_chooses_a_reading_is_that_of_its_decision(name: str, rule: object) -> None:
    cited = {each.decision for each in (SETTINGS[name],) if each.readings}
    assert all(DECISIONS[number]["money"].startswith("setting ") for number in cited), f"{name}: {cited}"
