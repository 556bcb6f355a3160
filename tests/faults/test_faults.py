"""The fast part of the table of faults; `make faults` tries each of them often."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import all_faults
from tests.faults.table import Fault, Unavailable
from tests.kafka_broker import bootstrap

FAST = [fault for fault in all_faults() if fault.quick]


@pytest.mark.parametrize(
    "fault",
    [pytest.param(each, id=f"{each.area}: {each.name}", marks=[pytest.mark.kafka] * each.kafka) for each in FAST],
)
def test_nothing_is_lost(fault: Fault, tmp_path: Path) -> None:
    if fault.kafka:
        bootstrap()  # skips where there is none
    try:
        assert fault.run(tmp_path, fault.quick) > 0
    except Unavailable as missing:
        pytest.skip(f"NOT TRIED: {fault.name}: {missing}")
