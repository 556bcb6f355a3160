"""A round table of many small groups, so that each of several workers has some of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from events.log.contract import EventLog
from replay.columns import round_table
from replay.columns.round_table import RoundTable, build
from replay.columns.row_groups import groups_of


def in_small_groups(log: EventLog, folder: Path) -> RoundTable:
    """Derive the table of a log, eight rounds a group."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(round_table, "GROUP", 8)
        build(log, folder)
    table = RoundTable(folder)
    assert sum(1 for _ in groups_of(table.paths())) > 15
    return table
