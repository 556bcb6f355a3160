"""The tables of counts that are stored, by name, and how each is made again (`rack theory --compute`).

Modules are imported when a table is made: some compile.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

TABLES: Final[Mapping[str, tuple[str, str, Sequence[Any]]]] = {
    "seven_cards": ("seven_cards", "compute", ()),
    "ace_high": ("ace_high", "compute", ()),
    "tiger_9": ("tiger_9", "compute", ()),
    "dice": ("dice", "compute", ()),
    "over_under": ("over_under", "compute", ()),
    "dj_wild": ("dj_wild", "compute", ()),
    "dj_wild_progressive": ("dj_wild", "compute_progressive", ()),
    "base_two_hands": ("pai_gow", "compute", ("second",)),
    "base_two_hands_wheel_lowest": ("pai_gow", "compute", ("lowest",)),
    "base_three_hands": ("pai_gow", "compute", (None,)),
}
"""Module of this folder, function and arguments, by the name of the table."""
SIMULATED: Final = frozenset(name for name, (module, _, _) in TABLES.items() if module == "pai_gow")


def compute(name: str, rounds: int | None = None) -> Mapping[str, Any]:
    """Make a table again; `rounds` is how many a simulation plays, where not as many as the stored one."""
    module, function, arguments = TABLES[name]
    make = getattr(importlib.import_module(f"analytics.theory.enumeration.{module}"), function)
    table: Mapping[str, Any] = make(*arguments, rounds) if rounds and name in SIMULATED else make(*arguments)
    return table
