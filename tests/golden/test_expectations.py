"""That a golden round fails if another reason comes out for what cannot be told than the one it expects."""

from pathlib import Path

import pytest

from tests.golden.rounds import read_cases, run

ROUND = """rules  pa-688a house_way=stones ace_high_bonus=1
wager  seat=3 base 25.00 ace_high_bonus 5.00
deal   dealer=Ah Kd Jc 9h 8c 4d ??  seat3=7s 7d As Jh 8d 6c 2h
set    seat=3 high=As Jh 8d 6c 2h low=7s 7d
"""
CASE = f"=== an unread card may make the dealer's ace high\n{ROUND}"
BASE = "expect undetermined seat 3 base: what is due cannot be told (the dealer's cards were not all read)\n"
BONUS = "expect undetermined seat 3 ace_high_bonus: what is due cannot be told (the dealer's cards were not all read)\n"
OTHER = "expect undetermined seat 3 base: what is due cannot be told (how seat 3 set the hands is not on record)\n"
VERDICT = "expect verdict UNDETERMINED\n"
UNKNOWN = "expect due seat=3 base unknown\n"


def problems(folder: Path, text: str) -> list[str]:
    path = folder / "case.rounds"
    path.write_text(text)
    (case,) = read_cases(path)
    return run(case)


@pytest.mark.slow
@pytest.mark.parametrize(
    "expected",
    [VERDICT + BASE + BONUS, BASE + BONUS, UNKNOWN, VERDICT + BASE.replace("what is", "what  is") + BONUS],
    ids=["verdict and reasons", "reasons alone", "neither", "other spaces"],
)
def test_the_reasons_as_they_are_hold(tmp_path: Path, expected: str) -> None:
    assert problems(tmp_path, CASE + expected) == []


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    "expected",
    [VERDICT, VERDICT + BASE, BASE, VERDICT + OTHER + BONUS, VERDICT + BASE + BONUS + OTHER, VERDICT + BONUS + BASE],
    ids=["none", "one missing", "one missing, no verdict", "another", "one too many", "another order"],
)
def test_a_reason_that_is_wrong_or_missing_fails(tmp_path: Path, expected: str) -> None:
    (problem,) = problems(tmp_path, CASE + expected)
    assert problem.startswith("round 1: undetermined [")


@pytest.mark.slow
def test_reasons_are_of_their_round(tmp_path: Path) -> None:
    rules, _, rest = ROUND.partition("\n")
    told = rest.replace("8c 4d ??", "8h 4d 3c")
    text = f"=== two rounds\n{rules}\nround 1\n{told}{UNKNOWN.replace('unknown', '0.00')}round 2\n{rest}{VERDICT}{BASE}{BONUS}"
    assert problems(tmp_path, text) == []
    moved = text.replace(BASE + BONUS, "").replace("round 2\n", f"{BASE}{BONUS}round 2\n")
    assert len(problems(tmp_path, moved)) == 2
