"""The table of faults (build/reliability.md) and its summary (docs/reliability.md), as Markdown."""

from collections import Counter, defaultdict
from collections.abc import Sequence

MARK = "<!-- the table below is written by `make faults` -->\n"
HEAD = ["", "Fault", "How it is brought about", "Tried", "What holds", "Lost"]
SUMMARY = ["Area", "Faults", "Tried", "Lost"]

Cells = list[str]
"""A row: area, fault, how it is brought about, times tried, what holds, what was lost."""


def markdown(rows: Sequence[Cells], head: Cells = HEAD) -> str:
    """Return a table as Markdown."""
    return "".join(
        "| " + " | ".join(cell.replace("|", "/").replace("\n", " ") for cell in line) + " |\n"
        for line in [head, ["---"] * len(head), *rows]
    )


def summary(rows: Sequence[Cells]) -> str:
    """Return a row for each area: how many faults, how often tried, and what was lost.

    >>> print(summary([["disk", "full", "", "1,300", "", "nothing"], ["disk", "slow", "", "-", "", "nothing"]]).splitlines()[2])
    | disk | 2 | 1,300 | nothing |
    """
    areas: dict[str, list[Cells]] = defaultdict(list)
    for row in rows:
        areas[row[0]].append(row)
    return markdown(
        [
            [
                area,
                str(len(members)),
                f"{sum(int(row[3].replace(',', '')) for row in members if row[3] != '-'):,}",
                "; ".join(Counter(row[5] for row in members)),
            ]
            for area, members in areas.items()
        ],
        SUMMARY,
    )
