"""Alarms about open rounds: what stays, what goes, and who has one in hand."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboards.parts import desk, open_round_warnings
from dashboards.parts.open_round_warnings import AlarmBoard
from desk.review.desk import desk_at
from desk.review.incident_desk import IncidentDesk
from tests.dashboards import living
from tests.dashboards.living import Living
from tests.desk.people import PEOPLE


@pytest.fixture
def floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Living:
    desk._read.clear()
    floor = living.make(tmp_path)
    floor.serve(monkeypatch)
    monkeypatch.setattr(open_round_warnings, "LOOK_SECONDS", 3600)
    return floor


@pytest.fixture
def board(floor: Living, monkeypatch: pytest.MonkeyPatch) -> Iterator[AlarmBoard]:
    board = AlarmBoard(floor.log, "USD")
    monkeypatch.setattr(open_round_warnings, "_board", lambda address: board)
    yield board
    board.close()


def test_an_alarm_says_what_to_do_and_stays_marked_if_its_round_closes_uncorrected(floor: Living, board: AlarmBoard) -> None:
    floor.pay_short(50)
    board.look(1_000.0)
    (alarm,) = board.alarms()
    assert (alarm.table, alarm.round_no, alarm.closed, alarm.since_s) == ("fu-01", 50, False, 1_000.0)
    assert alarm.to_do == "Pay $100.00 to the patron at seat 3."
    floor.pay_short(50, closes=True)
    board.look(1_010.0)
    (closed,) = board.alarms()
    assert (closed.closed, closed.since_s, closed.ids) == (True, 1_000.0, alarm.ids)
    board.look(1_000.0 + open_round_warnings.KEPT_S - 1)
    assert board.alarms()
    board.look(1_000.0 + open_round_warnings.KEPT_S)
    assert not board.alarms()


def test_an_alarm_is_gone_when_it_was_corrected_and_only_then(
    floor: Living, board: AlarmBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    floor.pay_short(50)
    board.look(0.0)
    (advice,) = open_round_warnings.advice_in(board._desk.results).values()
    corrected = open_round_warnings.msgspec.structs.replace(advice, warnings=())
    for given, left in (({}, 1), ({advice.stream: corrected}, 0)):  # no advice at all corrects nothing
        monkeypatch.setattr(open_round_warnings, "advice_in", lambda results, given=given: given)
        board.look(1.0)
        assert len(board.alarms()) == left


def test_who_takes_an_alarm_has_it_before_and_after_the_verdict(floor: Living, board: AlarmBoard) -> None:
    """D995: the ids of the findings are those that the verdict has."""
    floor.pay_short(50)
    board.look(0.0)
    ((alarm, taken),) = open_round_warnings.waiting()
    assert not taken
    with desk_at(floor.log, persons=PEOPLE) as at:
        IncidentDesk(at).take_alarm(alarm.table, alarm.round_no, alarm.ids, by="m.ortiz")
    desk._read.clear()
    ((_, taken),) = open_round_warnings.waiting()
    assert taken == "m.ortiz"
    floor.pay_short(50, closes=True)
    board.look(1.0)
    assert open_round_warnings.waiting() == []  # it is in the queue, assigned
    with desk_at(floor.log, read_only=True) as at:
        (found,) = [each for each in at.cases() if each.finding.round_no == 50]
    assert (found.review.state, found.review.assigned_to) == ("assigned", "m.ortiz")
