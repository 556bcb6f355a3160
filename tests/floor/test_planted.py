"""When a planted fault is due: not in a round that follows on lost messages, if it happens before the round."""

from random import Random
from types import SimpleNamespace
from typing import cast

from events.vocabulary import model
from floor.day.schedule import Schedule
from floor.faults.anomaly import HERE, Anomaly
from floor.faults.conditions import own_meter_running
from floor.table.script import Script
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


def test_no_reading_is_wrong_before_the_meter_was_read_again_after_lost_messages() -> None:
    """D402: among what was lost the meter may have reported more, so that the next reading can be held against nothing."""
    table = SimpleNamespace(meter_read=True, lost=False, meter=SimpleNamespace(running=True))
    table.book = SimpleNamespace(linked_meter=False)
    accepted = model.ProgressiveAccepted(amount_cents=500, meter="m-1", meter_seq=1, reading_centicents=10, seat=1)
    other = model.LightSeen(seat=1)

    def possible(*steps: tuple[object, int]) -> bool:
        script = [SimpleNamespace(payload=payload, counter_jump=jump) for payload, jump in steps]
        Table.note_loss(cast("Table", table), cast("Script", script))
        return own_meter_running(table)

    assert possible((accepted, 0))
    assert not possible((accepted, 2)), "the next reading follows on what was lost"
    assert not possible((other, 0)), "not read since"
    assert possible((accepted, 0), (other, 0))
