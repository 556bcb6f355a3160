"""Reads golden rounds: cases of a transcript and the results that it must have (`docs/transcript.md`, *Expectations*)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from replay.transcript import Judged, judge

MONEY = re.compile(r"([+-]?)(\d+)\.(\d\d)")


class Case(NamedTuple):
    """One golden round: where it stands, its title, its transcript and what is expected."""

    path: Path
    line: int
    title: str
    transcript: str
    expectations: list[str]


def read_cases(path: Path) -> list[Case]:
    """Return the cases of a file."""
    cases: list[Case] = []
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if line.startswith("=== "):
            cases.append(Case(path, number, line[4:].strip(), "", []))
        elif line.startswith("expect"):
            cases[-1].expectations.append(" ".join(line.split("#")[0].split()[1:]))
        elif cases:
            cases[-1] = cases[-1]._replace(transcript=cases[-1].transcript + line + "\n")
    return cases


def run(case: Case) -> list[str]:
    """Judge a case and return what differs from its expectations (nothing when it holds)."""
    judged = judge(case.transcript, f"{case.path.name}:{case.line}")
    return [problem for problem in _problems(case, judged) if problem]


def _cents(word: str) -> int | None:
    if word == "unknown":
        return None
    match = MONEY.fullmatch(word)
    assert match, f"not an amount: {word!r}"
    cents = int(match[2]) * 100 + int(match[3])
    return -cents if match[1] == "-" else cents


def _problems(case: Case, judged: list[Judged]) -> list[str]:
    last = judged[-1].conclusion
    found = sorted(finding.line() for each in judged for finding in each.conclusion.findings)
    problems = []
    listed = []
    checks_findings = False
    for expectation in case.expectations:
        kind, *words = expectation.split()
        if kind == "verdict":
            checks_findings = True
            if last.verdict != words[0]:
                problems.append(f"verdict {last.verdict}, expected {words[0]} {last.undetermined}")
        elif kind == "finding":
            checks_findings = True
            listed.append(_normal(words))
        elif kind in ("due", "done"):
            seat, wager, amount = int(words[0].removeprefix("seat=")), words[1], _cents(words[2])
            each = next((s for s in last.settlements if (s.seat, s.wager) == (seat, wager)), None)
            if each is None:
                problems.append(f"no settlement of seat {seat} {wager}")
            else:
                actual = each.due_cents if kind == "due" else each.done_cents
                if actual != amount:
                    problems.append(f"{kind} seat={seat} {wager}: {actual}, expected {amount}")
        else:
            raise AssertionError(f"{case.path}:{case.line}: unknown expectation {expectation!r}")
    if checks_findings and sorted(listed) != found:
        problems.append(f"findings {found}, expected {sorted(listed)}")
    return problems


def _normal(words: list[str]) -> str:
    code, *rest = words
    seat = [word for word in rest if word.startswith("seat=")]
    wager = [word for word in rest if word.startswith("wager=")]
    money = [word for word in rest if MONEY.fullmatch(word)]
    amounts = [("+" if not word.startswith(("+", "-")) else "") + word for word in money]
    return " ".join([code, *seat, *wager, *amounts])
