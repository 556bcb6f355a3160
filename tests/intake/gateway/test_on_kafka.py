"""The gateway on a log on Kafka: the same answers, and a gateway that was taken over from does not take the log back."""

from collections.abc import Callable
from pathlib import Path

import pytest

from events.kafka.log import KafkaLog
from events.log.contract import EventLog
from intake.lines import line_of
from tests.contract.drafts import TABLE, Drafts
from tests.intake.gateway.conftest import PROPERTY, serving
from tests.kafka_broker import new_address

pytestmark = pytest.mark.kafka


def opening(address: str, state: Path) -> Callable[[], EventLog]:
    return lambda: KafkaLog(address, create=True, property_id=PROPERTY, partitions=1, state_dir=state)


def test_lines_are_stored_once_and_answered(tmp_path: Path) -> None:
    address, drafts = new_address(), Drafts()
    day, wager = line_of(TABLE, drafts.day()), line_of(TABLE, drafts.wager())
    with serving(opening(address, tmp_path)) as served:
        assert [each["seq"] for each in served.hand_in(day, wager).lines] == [1, 2]
        again = served.hand_in(day, b"garbage", wager)
        assert [each["status"] for each in again.lines] == ["duplicate", "quarantined", "duplicate"]
    with serving(opening(address, tmp_path)) as served:
        assert [each["status"] for each in served.hand_in(day, wager).lines] == ["duplicate"] * 2
        assert served.hand_in(line_of(TABLE, drafts.wager())).lines[0]["seq"] == 3


def test_a_gateway_that_was_taken_over_from_does_not_take_the_log_back(tmp_path: Path) -> None:
    address, drafts = new_address(), Drafts()
    with serving(opening(address, tmp_path / "one")) as first:
        assert first.hand_in(line_of(TABLE, drafts.day())).status == 200
        with serving(opening(address, tmp_path / "two")) as second:
            assert second.hand_in(line_of(TABLE, drafts.wager())).lines[0]["seq"] == 2
            late = line_of(TABLE, drafts.wager())
            assert first.hand_in(late).status == 503
            assert first.ask("GET", "/readyz").status == 503
            assert second.hand_in(late).lines[0]["seq"] == 3
            assert first.hand_in(late).status == 503
            assert second.ask("GET", "/readyz").status == 200
