"""Which golden rounds show what an entry of `games/<game>/coverage` calls modelled, and that a changed fact undoes it.

`shown_by.toml` lists them: for each paragraph, for each code or wager that its entry names, golden rounds by file and title.
`python -m tests.golden.shown` fills in what is missing, by the section that a finding cites, and drops what no entry names.
"""

import json
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from replay.fold.table_fold import TableFold
from replay.rules.rule import SEVERITY
from replay.run.adjudicate import Conclusion, adjudicate
from replay.transcript.transcript import Script, fold_script, parse
from tests.evidence.edits import edits
from tests.evidence.judging import STEP, Report, folded
from tests.golden.rounds import GoldenCase, read_cases, round_files

HERE = Path(__file__).parent
FILE = HERE / "shown_by.toml"
ROOT = HERE.parents[1]
COVERAGE = sorted((ROOT / "games").glob("*/coverage/*.toml"), key=lambda path: path.name)
MOST_EDITS = 400
"""This many edits of a round are tried until one undoes what it shows."""

Shown = dict[str, dict[str, list[str]]]
"""Paragraph → code or wager → golden rounds, as `file: title`."""


def entries() -> list[dict[str, Any]]:
    """Return the entries that are called modelled, but for those that refer to another chapter's."""
    rows = [row for path in COVERAGE for row in tomllib.loads(path.read_text(encoding="utf-8"))["section"]]
    return [row for row in rows if row["status"] == "modelled" and "same_as" not in row]


def listed() -> Shown:
    """Return the list."""
    return tomllib.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}


def label(case: GoldenCase) -> str:
    """Return what names a golden round within its chapter."""
    return f"{case.path.stem}: {case.title}"


@cache
def cases_of(document: str) -> Mapping[str, GoldenCase]:
    """Return the golden rounds of a chapter by their names."""
    return {label(case): case for path in round_files(document) for case in read_cases(path)}


def scripts_of(case: GoldenCase) -> list[Script]:
    """Return the rounds of a case."""
    return parse(case.transcript, case.path.name, lambda name: (case.path.parent / name).read_text())


@cache
def conclusions(document: str, name: str) -> tuple[Conclusion, ...]:
    """Return the verdicts of a golden round."""
    folds: dict[str, TableFold] = {}
    made = []
    for script in scripts_of(cases_of(document)[name]):
        fold = folds.setdefault(script.table, TableFold(f"table/{script.table}"))
        made.append(adjudicate(fold_script(fold, script), script.book))
    return tuple(made)


def shows(document: str, name: str, what: str) -> bool:
    """Whether a golden round has a finding of a code, or settles a wager of that name."""
    for conclusion in conclusions(document, name):
        if what in SEVERITY:
            if any(found.code == what for found in conclusion.findings):
                return True
        elif any(each.wager == what and each.due_cents is not None for each in conclusion.settlements):
            return True
    return False


def is_undone(document: str, name: str, what: str) -> bool:
    """Whether changing one fact of a golden round changes what it shows: its finding goes, or its wager ends otherwise."""
    if not shows(document, name, what):
        return False
    case = cases_of(document)[name]
    before = [_state(each, what) for each in conclusions(document, name)]
    return any(
        len(changed) == len(before) and [_state(each, what) for each in changed] != before
        for changed in _edited(scripts_of(case), _evidence(document, name, what))
    )


def _state(conclusion: Conclusion, what: str) -> object:
    if what in SEVERITY:
        return sorted(found.line() for found in conclusion.findings if found.code == what)
    return [(each.seat, each.due_cents, each.line) for each in conclusion.settlements if each.wager == what]


def _evidence(document: str, name: str, what: str) -> frozenset[int]:
    found = [each for conclusion in conclusions(document, name) for each in conclusion.findings if each.code == what]
    return frozenset(seq for each in found for seq in each.evidence)


def _edited(scripts: Sequence[Script], evidence: frozenset[int]) -> Iterator[list[Conclusion]]:
    """Yield the verdicts after one edit each, of the events that prove a finding first."""
    reports: list[Report] = []
    for script in scripts:
        inside = False
        for each in script.events:
            inside = inside or each.payload.TYPE == "round_opened"
            reports.append(
                Report(
                    seq=(len(reports) + 1) * STEP,
                    payload=each.payload,
                    round_no=script.round_no if inside else None,
                    source="transcript",
                    source_seq=len(reports) + 1,
                    at_us=each.at_us,
                    day=script.gaming_day,
                )
            )
    books = {script.round_no: script.book for script in scripts}
    every = sorted(edits(reports), key=lambda edit: (edit.at + 1 not in evidence, edit.field.startswith("(")))
    for edit in every[:MOST_EDITS]:
        rounds = folded(TableFold(f"table/{scripts[0].table}"), edit.applied(reports))
        yield [adjudicate(each, books.get(number, scripts[0].book)) for number, each in sorted(rounds.items())]


def cites(document: str, name: str, what: str, section: str) -> bool:
    """Whether a golden round's finding of a code cites a paragraph, or its title names it."""
    paragraph = section.split(".", 1)[1]
    if name.partition(": ")[2].startswith((section, f"GEGR-002138 {paragraph}")):
        return True
    found = (each for conclusion in conclusions(document, name) for each in conclusion.findings if each.code == what)
    return any(f"§ {section}" in each.cite or f", {paragraph}" in each.cite for each in found)


def fill(shown: Shown) -> Shown:
    """Return the list with a round for everything that an entry names, and nothing that none names."""
    made: Shown = {}
    for entry in entries():
        section, document = entry["section"], entry["section"].split(".")[0]
        kept = shown.get(section, {})
        made[section] = {what: kept.get(what) or _round_for(document, section, what) for what in sorted(entry["by"])}
    return made


def _round_for(document: str, section: str, what: str) -> list[str]:
    """Return a round that shows it: one that cites the paragraph, or else the first of the chapter."""
    candidates = [name for name in cases_of(document) if shows(document, name, what)]
    candidates.sort(key=lambda name: not cites(document, name, what, section))
    return next(([name] for name in candidates[:8] if is_undone(document, name, what)), [])


def write(shown: Shown) -> None:
    """Write the list."""
    lines = ["# Which golden rounds show what an entry of games/<game>/coverage calls modelled: see shown.py.", ""]
    for section, rounds in shown.items():
        lines.append(f"[{json.dumps(section)}]")
        lines += [f"{json.dumps(what)} = {json.dumps(names, ensure_ascii=False)}" for what, names in rounds.items()]
        lines.append("")
    FILE.write_text("\n".join(lines), encoding="utf-8")


def main() -> int:
    """Fill in what is missing; name what no golden round shows."""
    shown = fill(listed())
    write(shown)
    lacking = [f"{section}: {what}" for section, rounds in shown.items() for what, names in rounds.items() if not names]
    sys.stdout.write("".join(f"no golden round shows {each}\n" for each in lacking))
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
