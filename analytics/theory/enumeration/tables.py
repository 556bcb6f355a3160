"""Stored tables of counts, made again by name (`rack theory --compute`)."""

import importlib
from collections.abc import Mapping
from typing import Any

from analytics.theory.catalogue import count_tables


def table_names() -> tuple[str, ...]:
    """Return the names of the stored tables."""
    return tuple(count_tables())


def compute(name: str, rounds: int | None = None) -> Mapping[str, Any]:
    """Make a table again; `rounds` is the number of simulated rounds (default: as in the stored one)."""
    table = count_tables()[name]
    make = getattr(importlib.import_module(table.module), table.function)
    arguments = (*table.arguments, rounds) if rounds and table.simulation else table.arguments
    counted: Mapping[str, Any] = make(*arguments)
    return counted
