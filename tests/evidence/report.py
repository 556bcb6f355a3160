"""What a survey says: every row's ending, what fails it, and the page."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from tests.evidence.allowances import Allowance, Allowances, Row
from tests.evidence.outcomes import Ending
from tests.evidence.survey import TRIED, Tally

Status = str


class Line(msgspec.Struct, frozen=True):
    """A row with what its edits came to: how many of each ending, the codes, and the entry that explains those without effect."""

    row: Row
    counts: Counter[Ending]
    codes: tuple[str, ...]
    entry: Allowance | None
    status: Status
    example: str


class Report(msgspec.Struct, frozen=True):
    """All lines, and in words: what is wrong, and which entries of the lists have had their day."""

    lines: tuple[Line, ...]
    problems: tuple[str, ...]
    stale: tuple[str, ...]
    open: tuple[Line, ...]


def report(tally: Tally, allowances: Allowances, *, is_full: bool) -> Report:
    """Hold the rows of a tally against the lists.

    A full run also finds entries that match nothing, and rows that only golden rounds have and none of them notices.
    """
    lines = [_line(row, tally, allowances, is_full) for row in sorted(tally.counts)]
    problems = [f"false alarm: {each.game}, {each.name}: {each.found}" for each in tally.alarms]
    problems += [_problem(line) for line in lines if line.status in ("unexplained", "money", "crash")]
    still_open = tuple(line for line in lines if line.status == "open")
    return Report(tuple(lines), tuple(problems), tuple(_stale(lines, allowances, is_full)), still_open)


def _line(row: Row, tally: Tally, allowances: Allowances, is_full: bool) -> Line:
    cells = tally.counts[row]
    counts: Counter[Ending] = Counter()
    codes: set[str] = set()
    for (ending, found), count in cells.items():
        counts[ending] += count
        codes |= set(found) if ending is not Ending.CRASH else set()
    status, entry = _status(row, counts, tally, allowances, is_full)
    worst = {"crash": Ending.CRASH, "money": Ending.MONEY}.get(status, Ending.NOTHING)
    crash = "; ".join(text for (ending, found) in cells if ending is Ending.CRASH for text in found)
    return Line(
        row, counts, tuple(sorted(codes)), entry, status, tally.examples.get((row, worst), "") + (f" {crash}" if crash else "")
    )


def _status(
    row: Row, counts: Counter[Ending], tally: Tally, allowances: Allowances, is_full: bool
) -> tuple[Status, Allowance | None]:
    if counts[Ending.CRASH]:
        return "crash", None
    if counts[Ending.MONEY]:
        entry = allowances.entry_for(row, money=True)
        return ("open", entry) if entry is not None else ("money", None)
    if not counts[Ending.NOTHING]:
        return "noticed", None
    if not row.whole and (counts[Ending.NOTICED] or counts[Ending.DOUBT]):
        return "partial record", None
    if not row.whole and (not is_full or msgspec.structs.replace(row, whole=True) in tally.counts):
        return "partial record", None
    entry = allowances.entry_for(row)
    return (entry.kind, entry) if entry is not None else ("unexplained", None)


def _problem(line: Line) -> str:
    row = line.row
    what = {
        "unexplained": "changes nothing, and no entry says why it may",
        "money": "moves a due or a done, and the round stays upheld",
        "crash": "cannot be judged",
    }[line.status]
    kind = "a whole record" if row.whole else "a golden round"
    return f"{row.game}: {row.event} {row.field} {row.how}: {what} ({kind}: {line.example})"


def _stale(lines: list[Line], allowances: Allowances, is_full: bool) -> Iterator[str]:
    used = {line.entry for line in lines if line.entry is not None}
    met = Counter(allowances.entry_for(line.row) for line in lines)
    enough = 1 if is_full else TRIED
    for entry in allowances.entries:
        if entry in used:
            continue
        if entry.kind == "open" and met[entry] >= enough:
            yield f"no longer open: {entry.label()}; every edit of it is noticed now: delete the entry"
        elif is_full:
            yield f"matches nothing: {entry.label()}; delete the entry"


def as_json(result: Report) -> dict[str, Any]:
    """Return the report as JSON values."""
    return {
        "lines": [
            {
                **msgspec.structs.asdict(line.row),
                "counts": {ending.value: count for ending, count in line.counts.items()},
                "codes": line.codes,
                "status": line.status,
                "why": line.entry.text if line.entry is not None else "",
                "example": line.example,
            }
            for line in result.lines
        ],
        "problems": result.problems,
        "stale": result.stale,
        "open": len(result.open),
    }
