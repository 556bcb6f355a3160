"""Stored counts, never payouts: a JSON file for each table, and its reader. `rack theory --compute NAME` makes one again."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent
Counts = Mapping[str, Any]
"""A table of counts: `what` it counts, the `method`, the `total`, and `rows`; the `command` that makes it again."""


@cache
def counts(name: str) -> Counts:
    """Return a stored table of counts by name.

    >>> counts("seven_cards")["total"]
    154143080
    """
    table: Counts = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return table


def write(name: str, table: Counts, folder: Path | None = None) -> Path:
    """Write a table of counts next to this file or into another folder, each row on a line, so that changes are readable."""
    head = {"command": f"rack theory --compute {name}"}
    head |= {key: value for key, value in table.items() if key not in ("command", "rows")}
    lines = [f'"{key}": {json.dumps(value, ensure_ascii=False)},' for key, value in head.items()]
    rows = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in table["rows"])
    path = (folder or FOLDER) / f"{name}.json"
    path.write_text("{\n" + "\n".join(lines) + f'\n"rows": [\n{rows}\n]\n' + "}\n", encoding="utf-8")
    return path
