"""What is said a second time changes no verdict: the rounds worked out by hand, with one of their words repeated."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from replay.transcript import judge
from tests.golden.rounds import Case, read_cases

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
WORDS = (
    "abandon", "acknowledge", "activate", "announce", "announce_dice", "elect", "examine", "exposed", "lammer", "light", "lock",
    "no_more_bets", "offer_cut", "reveal", "surrender", "total", "touched", "validate",
)  # fmt: skip
"""Statements of something that is so once and for all. What moves money, chips or cards happens twice where it is said twice."""
ENOUGH = 40
"""Rounds tried of each word."""


@cache
def upheld() -> list[Case]:
    """The cases in which everything was done rightly."""
    return [
        case
        for path in sorted(GOLDEN.glob("*/*.rounds"))
        for case in read_cases(path)
        if case.expectations and all(text == "verdict UPHELD" or not text.startswith(("verdict", "finding", "undetermined"))
                                     for _, text in case.expectations)
    ]  # fmt: skip


def verdicts(case: Case, lines: list[str]) -> list[tuple[str, list[str]]]:
    judged = judge("\n".join(lines), case.path.name, lambda name: (case.path.parent / name).read_text())
    return [(each.conclusion.verdict, [finding.line() for finding in each.conclusion.findings]) for each in judged]


@pytest.mark.parametrize("word", WORDS)
def test_a_word_said_again_changes_nothing(word: str) -> None:
    tried = 0
    for case in upheld():
        lines = case.transcript.split("\n")
        said = next((at for at, line in enumerate(lines) if line.split()[:1] == [word]), None)
        if said is None or tried == ENOUGH:
            continue
        end = next((at for at in range(said + 1, len(lines)) if lines[at].startswith(("close", "round"))), said + 1)
        before = verdicts(case, lines)
        for at in {said + 1, end}:
            again = [*lines[:at], lines[said], *lines[at:]]
            assert verdicts(case, again) == before, f"{case.path.name}:{case.line} {case.title}: {lines[said]}"
        tried += 1
    assert tried
