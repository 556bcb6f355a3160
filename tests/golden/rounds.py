"""Reads golden rounds: cases of a transcript and the results that it must have (`docs/transcript.md`, *Expectations*)."""

import re
from pathlib import Path
from typing import NamedTuple

from replay.run.adjudicate import Conclusion
from replay.transcript.transcript import JudgedRound, judge

GAMES = Path(__file__).resolve().parents[2] / "games"
EDGES = sorted(Path(__file__).with_name("edges").glob("*.rounds"))
"""What the golden rounds of the games leave out: edges of a section, and the words of a finding."""
MONEY = re.compile(r"([+-]?)(\d+)\.(\d\d)")
WORDS_OF = {"expected": "expected", "observed": "observed", "reading": "other_reading"}


class GoldenCase(NamedTuple):
    """One golden case: where it is, its title, its transcript, and what is expected of which of its rounds."""

    path: Path
    line: int
    title: str
    transcript: str
    expectations: list[tuple[int, str]]


def round_files(chapter: str = "*") -> list[Path]:
    """Return the files of golden rounds of a chapter, or of all: `games/<game>/rounds/<chapter>/*.rounds`."""
    return sorted(GAMES.glob(f"*/rounds/{chapter}/*.rounds"), key=lambda path: (path.parent.name, path.name))


def read_cases(path: Path) -> list[GoldenCase]:
    """Return the cases of a file."""
    cases: list[GoldenCase] = []
    rounds = 0
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if line.startswith("=== "):
            cases.append(GoldenCase(path, number, line[4:].strip(), "", []))
            rounds = 0
        elif line.startswith("expect"):
            cases[-1].expectations.append((max(rounds, 1), " ".join(line.split("#")[0].split()[1:])))
        elif cases:
            rounds += line.startswith("round")
            cases[-1] = cases[-1]._replace(transcript=cases[-1].transcript + line + "\n")
    return cases


def run(case: GoldenCase) -> list[str]:
    """Judge a case and return what differs from its expectations (nothing when it holds)."""
    judged = judge(case.transcript, f"{case.path.name}:{case.line}", lambda name: (case.path.parent / name).read_text())
    return [problem for problem in _problems(case, judged) if problem]


def _cents(word: str) -> int | None:
    if word == "unknown":
        return None
    match = MONEY.fullmatch(word)
    assert match, f"not an amount: {word!r}"
    cents = int(match[2]) * 100 + int(match[3])
    return -cents if match[1] == "-" else cents


def _problems(case: GoldenCase, judged: list[JudgedRound]) -> list[str]:
    problems = []
    for number, each in enumerate(judged, 1):
        expected = [text.split() for of, text in case.expectations if of == number]
        problems += [f"round {number}: {problem}" for problem in _round_problems(case, each.conclusion, expected)]
    return problems


def _round_problems(case: GoldenCase, conclusion: Conclusion, expected: list[list[str]]) -> list[str]:
    problems = []
    for kind, *words in expected:
        match kind:
            case "verdict":
                if conclusion.verdict != words[0]:
                    problems.append(f"verdict {conclusion.verdict}, expected {words[0]} {conclusion.undetermined}")
            case "due" | "done":
                seat, wager, amount = int(words[0].removeprefix("seat=")), words[1], _cents(words[2])
                each = next((s for s in conclusion.settlements if (s.seat, s.wager) == (seat, wager)), None)
                actual = None if each is None else each.due_cents if kind == "due" else each.done_cents
                if each is None or actual != amount:
                    problems.append(f"{kind} seat={seat} {wager}: {actual}, expected {amount}")
            case "finding" | "undetermined":
                pass
            case "expected" | "observed" | "reading":
                line, _, words_of_it = " ".join(words).partition(" | ")
                given = [getattr(each, WORDS_OF[kind]) or "none" for each in conclusion.findings if each.line() == line]
                if not any(re.fullmatch(re.escape(words_of_it).replace("…", ".*"), " ".join(text.split())) for text in given):
                    problems.append(f"{kind} of {line}: {given}, expected {words_of_it}")
            case "no_reading":
                problems += [
                    f"{each.line()} names {words[0]}"
                    for each in conclusion.findings
                    if f"{words[0]}: " in (each.other_reading or "")
                ]
            case _:
                raise AssertionError(f"{case.path}:{case.line}: unknown expectation {kind!r}")
    problems += _reason_problems(conclusion, expected)
    if any(kind in ("verdict", "finding") for kind, *_ in expected):
        listed = sorted(_normal(words) for kind, *words in expected if kind == "finding")
        found = sorted(finding.line() for finding in conclusion.findings)
        if listed != found:
            problems.append(f"findings {found}, expected {listed}")
    problems += _section_problems(conclusion, [words for kind, *words in expected if kind == "finding"])
    return problems


def _section_problems(conclusion: Conclusion, expected: list[list[str]]) -> list[str]:
    """Return what differs in the sections that expected findings name with `section=`."""
    problems = []
    for words in expected:
        for section in (word.removeprefix("section=") for word in words if word.startswith("section=")):
            cites = [finding.cite for finding in conclusion.findings if finding.line() == _normal(words)]
            if not any(cite.endswith(f"§ {section}") for cite in cites):
                problems.append(f"{words[0]} cites {cites}, expected § {section}")
    return problems


def _reason_problems(conclusion: Conclusion, expected: list[list[str]]) -> list[str]:
    """Return what differs in the reasons of what cannot be told: all of them in order, wherever UNDETERMINED is expected."""
    reasons = [" ".join(words) for kind, *words in expected if kind == "undetermined"]
    if not reasons and ["verdict", "UNDETERMINED"] not in expected:
        return []
    given = [" ".join(reason.split()) for reason in conclusion.undetermined]
    return [] if reasons == given else [f"undetermined {given}, expected {reasons}"]


def _normal(words: list[str]) -> str:
    code, *rest = words
    seat = [word for word in rest if word.startswith("seat=")]
    wager = [word for word in rest if word.startswith("wager=")]
    money = [word for word in rest if MONEY.fullmatch(word)]
    amounts = [("+" if not word.startswith(("+", "-")) else "") + word for word in money]
    return " ".join([code, *seat, *wager, *amounts])
