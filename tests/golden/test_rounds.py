"""The golden rounds: worked out by hand from the text of the regulation, and played by the program."""

from __future__ import annotations

import pytest

from tests.golden.rounds import GoldenCase, read_cases, round_files, run

CASES = [case for path in round_files() for case in read_cases(path)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.path.stem}:{case.line}")
def test_golden_round(case: GoldenCase) -> None:
    assert case.expectations, f"{case.path}:{case.line}: nothing expected"
    assert run(case) == [], f"{case.path.name}:{case.line} {case.title}"


@pytest.mark.parametrize(
    ("chapter", "enough"),
    [("688a", 150), ("659a", 600), ("686a", 300), ("687a", 480), ("688a-proposed", 150), ("gegr-002138", 320)],
)
def test_there_are_enough_rounds(chapter: str, enough: int) -> None:
    assert sum(1 for case in CASES if case.path.parent.name == chapter) >= enough
