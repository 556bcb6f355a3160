"""Every other reading by which money differs is named by a finding of `tests/golden/edges/readings.rounds`."""

import re
import tomllib
from pathlib import Path

from replay.settlement.other_readings import other_readings
from rulebook.chapters.chapters import known_chapters
from rulebook.chapters.rulebook import parse_submission
from rulebook.chapters.submission import submission_from_words
from tests.golden.rounds import EDGES, read_cases

ROOT = Path(__file__).resolve().parents[3]
(READINGS,) = (path for path in EDGES if path.stem == "readings")
NAMED = {
    match[1]
    for case in read_cases(READINGS)
    for _, text in case.expectations
    if (match := re.search(r"^reading .*\| …(D\d+): …$", text))
}
"""The decisions of which a finding says what is due by the other reading."""


def test_every_reading_of_every_chapter_is_here() -> None:
    """A setting or a game's record that gains a reading needs a round that names it."""
    for key in known_chapters():
        book = parse_submission(submission_from_words([key]))
        assert {reading.decision for reading in other_readings(book)} <= NAMED, key


def test_a_reading_that_is_named_has_a_round_that_leaves_it_out() -> None:
    left_out = {
        text.split()[1] for case in read_cases(READINGS) for _, text in case.expectations if text.startswith("no_reading ")
    }
    assert left_out == NAMED


WITHOUT_A_ROUND = {
    "D13": "a chapter that is not held is no reading of one that is",
    "D191": "the setting of D573",
    "D553": "whether such a wager may lie there, not what it is due",
    "D662": "what other amounts a text that is not held has is not known",
}
"""Decisions that change money, with a setting or named, and no amount by the other reading."""


def test_every_decision_that_changes_money_is_here() -> None:
    fields = tomllib.loads((ROOT / "rulebook/decisions.toml").read_text(encoding="utf-8"))
    changing = {
        number
        for number, each in fields.items()
        if number != "subjects" and (each.get("money", "") == "named" or each.get("money", "").startswith("setting "))
    }
    assert changing == NAMED | WITHOUT_A_ROUND.keys()
