"""The fast part of the table of faults; `make faults` tries each of them often."""

from pathlib import Path

import pytest

from tests.faults import all_faults
from tests.faults.table import Fault, Tally, Unavailable, times_tried
from tests.kafka_broker import bootstrap, cluster

FAST = [fault for fault in all_faults() if fault.quick]


def marks(fault: Fault) -> list[pytest.MarkDecorator]:
    return [pytest.mark.kafka] * fault.kafka + [pytest.mark.slow] * (fault.area == "cluster")


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
