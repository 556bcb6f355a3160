"""The fast part of the table of faults; `make faults` tries each of them often."""

from pathlib import Path

import pytest

from tests.faults import all_faults
from tests.faults.table import Fault, Tally, Unavailable, times_tried
from tests.kafka_broker import bootstrap, cluster

FAST = [fault for fault in all_faults() if fault.quick]
LONG = {
    "no room for what is written",
    "rows altered in the warehouse",
    "receiver of alarms that fails",
    "all of these, on Kafka",
    "all of these keys, on Kafka",
    "an adoption of verdicts killed, Kafka",
    "Kafka checkpointer killed",
    "gateway killed, reading a topic",
    "forgeries among foreign records on Kafka",
    "forged results on Kafka",
    "records as a Kafka broker serves them",
    "a writer killed at a step of its turn, others at work",
    "sender of alarms killed",
    "a request held, repeated with success, then delivered",
    "a page killed in the middle of a draft",
    "SQLite writer stopped, a second one comes",
    "a list of findings taken away unrecorded or in part",
}
"""Rows that take long even if they are tried once, as all of three nodes do, and of which a sister is tried in each run."""


def marks(fault: Fault) -> list[pytest.MarkDecorator]:
    return [pytest.mark.kafka] * fault.kafka + [pytest.mark.nightly] * (fault.area == "cluster" or fault.name in LONG)


def test_long_rows_are_rows() -> None:
    assert {fault.name for fault in FAST} >= LONG


@pytest.mark.parametrize("fault", [pytest.param(each, id=f"{each.area}: {each.name}", marks=marks(each)) for each in FAST])
def test_nothing_is_lost(fault: Fault, tmp_path: Path) -> None:
    if fault.area == "cluster":
        cluster()  # skips if none exists
    elif fault.kafka:
        bootstrap()
    try:
        outcome = fault.run(tmp_path, fault.quick)
    except Unavailable as missing:
        pytest.skip(f"NOT TRIED: {fault.name}: {missing}")
    assert times_tried(outcome) > 0
    assert not isinstance(outcome, Tally) or outcome.sound
