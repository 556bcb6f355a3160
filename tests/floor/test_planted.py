"""When a planted fault is due: not in a round that follows on lost messages, if it happens before the round."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import cast

from floor.day.schedule import Schedule
from floor.faults.anomaly import HERE, Anomaly
from floor.table.table import Table


def test_nothing_is_done_before_a_round_that_follows_on_lost_messages() -> None:
    """A replay does not miss there what made the round ready: whatever was planted so would not be found."""
    opening = Anomaly("OPEN-IDLE", lambda play: HERE, before=lambda table, turn: None)
    dealing = Anomaly("DEAL-NOBETS", lambda play: HERE)
    schedule = Schedule([(opening, 1)], 400, Random(1), 10)
    after_loss, otherwise = (SimpleNamespace(lost=lost) for lost in (True, False))
    assert schedule.due(400, cast("Table", after_loss)) is None
    assert schedule.due(400, cast("Table", otherwise)) is opening
    assert Schedule([(dealing, 1)], 400, Random(1), 10).due(400, cast("Table", after_loss)) is dealing
