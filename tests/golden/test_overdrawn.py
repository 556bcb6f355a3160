"""What was withdrawn without having been placed, by the record: what was at stake is unknown, and accuses no one (D1433)."""

import re
from pathlib import Path

import pytest

from replay.transcript.transcript import JudgedRound, judge
from tests.golden.rounds import GoldenCase, read_cases, round_files

CASES = [
    case
    for path in round_files()
    for case in read_cases(path)
    if "gegr" not in path.parent.name  # a player-dealer's money covers one wager after another: the rest follows from the first
    and (1, "verdict UPHELD") in case.expectations
    and case.transcript.count("\nclose") == 1
    and "\nround" not in case.transcript
]


def overdrawn(case: GoldenCase) -> list[tuple[int, str, str]]:
    """Each wager of the case that one line places, with the transcript in which it is withdrawn and not placed."""
    found, lines = [], case.transcript.splitlines()
    for place, line in enumerate(lines):
        if placed := re.match(r"wager +seat=(\d) ([a-z]\w*) +\d+\.\d\d(.*)", line):
            seat, wager, others = placed[1], placed[2], placed[3].split("#")[0].strip()
            of_it = re.compile(rf"(wager|withdraw|return|refuse) +seat={seat} ([^#]* )?{wager} ")
            if wager == "raise" or "number=" in line or sum(of_it.match(each) is not None for each in lines) > 1:
                continue
            rest = [f"wager seat={seat} {others}"] if re.match(r"[a-z]\w* +\d", others) else []
            changed = [*lines[:place], f"withdraw seat={seat} {wager} 1.00", *rest, *lines[place + 1 :]]
            found.append((int(seat), wager, "\n".join(changed) + "\n"))
    return found


def judged(text: str, path: Path) -> JudgedRound:
    return judge(text, path.name, lambda name: (path.parent / name).read_text())[-1]


@pytest.mark.parametrize("part", range(4))
def test_what_is_withdrawn_and_was_not_placed_accuses_no_one(part: int) -> None:
    tried = 0
    for case in CASES[part::8]:
        for seat, wager, text in overdrawn(case):
            conclusion = judged(text, case.path).conclusion
            accused = [each.line() for each in conclusion.findings if each.seat in (None, seat)]
            assert accused == [], (case.path.name, case.line, wager)
            assert conclusion.verdict in ("UNDETERMINED", "VOID"), (case.path.name, case.line, wager)
            tried += 1
    assert tried > 50
