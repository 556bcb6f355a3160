"""Tables and amounts as lines of plain text, in columns."""

from collections.abc import Iterable, Sequence


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a table: numbers to the right, everything else to the left.

    >>> for line in table(["code", "found"], [["PAY-OVER", 12], ["DEAL-START", 3]]): print(line)
    code        found
    PAY-OVER       12
    DEAL-START      3
    """
    body = [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows]
    return _lines([list(header), *body])


def money(cents: int) -> str:
    """Return cents as dollars, with the sign of what differs.

    >>> money(-10000), money(2550), money(0)
    ('-100.00', '+25.50', '0.00')
    """
    sign = "-" if cents < 0 else "+" if cents else ""
    return f"{sign}{abs(cents) // 100:,}.{abs(cents) % 100:02d}"


def _lines(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    numeric = [all(_is_number(row[column]) for row in rows[1:]) and len(rows) > 1 for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width) for cell, width, right in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in rows
    ]


def _is_number(text: str) -> bool:
    return text.replace(",", "").replace(".", "").lstrip("+-").isdigit() or text in {"", "–"}
