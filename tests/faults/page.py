"""The table of faults on its page (docs/reliability.md): as Markdown, and read back so that a part can be written anew."""

from __future__ import annotations

from collections.abc import Sequence

MARK = "<!-- the table below is written by `make faults` -->\n"
LAST_AREA = "everything"
HEAD = ["", "Fault", "How it is brought about", "Tried", "What holds", "Lost"]

Cells = list[str]
"""A row: area, fault, how it is brought about, times tried, what holds, what was lost."""


def markdown(rows: Sequence[Cells]) -> str:
    """Return the table as Markdown."""
    return "".join(
        "| " + " | ".join(cell.replace("|", "/").replace("\n", " ") for cell in line) + " |\n"
        for line in [HEAD, ["---"] * len(HEAD), *rows]
    )


def cells_of(page: str) -> list[Cells]:
    """Return the rows of the table on a page, as they stand there."""
    lines = page[page.index(MARK) + len(MARK) :].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("| ")]
    return [row for row in rows[2:] if len(row) == len(HEAD)]


def insert_rows(rows: Sequence[Cells], tried: Sequence[Cells]) -> list[Cells]:
    """Return rows with those that were tried now in the places of the same area and name; new ones end their area.

    A new area comes at the end, but before `LAST_AREA`.

    >>> insert_rows([["a", "x", "1"], ["b", "y", "1"]], [["a", "x", "2"], ["a", "z", "2"]])
    [['a', 'x', '2'], ['a', 'z', '2'], ['b', 'y', '1']]
    """
    kept = [list(row) for row in rows]
    for row in tried:
        names = [each[:2] for each in kept]
        areas = [each[0] for each in kept]
        if row[:2] in names:
            kept[names.index(row[:2])] = list(row)
        elif row[0] in areas:
            kept.insert(len(areas) - areas[::-1].index(row[0]), list(row))
        else:
            kept.insert(areas.index(LAST_AREA) if LAST_AREA in areas else len(areas), list(row))
    return kept
