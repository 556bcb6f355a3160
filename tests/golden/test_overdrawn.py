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


def test_another_seat_is_still_judged() -> None:
    """§ 688a.7(c): of seat 3 nothing is known; seat 5 was paid 20.00 of 25.00."""
    conclusion = judged(
        """
rules  pa-688a
withdraw seat=3 base 5.00
wager  seat=5 base 25.00
deal   dealer=Kh Qd Js 9c 8d 4h 3s seat3=Ts 9d 7h 6s 4d 3c 2c seat5=As Ah 7c 7d 5s 4c 2h
set    dealer high=Kh Js 8d 4h 3s low=Qd 9c
set    seat=3 high=Ts 7h 4d 3c 2c low=9d 6s
set    seat=5 high=As Ah 5s 4c 2h low=7c 7d
take   seat=3 base 5.00
pay    seat=5 base 20.00
close
""",
        Path("by hand"),
    ).conclusion
    money = [(each.code, each.seat, each.difference_cents) for each in conclusion.findings if each.difference_cents]
    assert money == [("PAY-UNDER", 5, -500)]
    due = {(each.seat, each.wager): (each.staked_cents, each.due_cents) for each in conclusion.settlements}
    assert due == {(3, "base"): (0, None), (5, "base"): (2500, 2500)}


def test_a_side_follows_no_ante_that_is_unknown() -> None:
    """§ 686a.7(g): under is as much as the ante; the judge once asked for an under of less than nothing, and broke off."""
    conclusion = judged(
        """
rules  pa-686a
withdraw seat=3 ante 4.00
deal   seat3=2c
wager  seat=3 under 6.00
deal   seat3=6d 7h
pay    seat=3 ante 6.00
pay    seat=3 under 6.00
close
""",
        Path("by hand"),
    ).conclusion
    assert conclusion.findings == ()
    assert conclusion.verdict == "UNDETERMINED"
