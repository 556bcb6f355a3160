"""The count and the program both notice what is lost on a cluster whose logs keep too few copies."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.on_kafka.cluster import lag_behind, replace_disk, trial
from tests.faults.floor import groups
from tests.faults.three_nodes.trial import ROUNDS, Trial
from tests.kafka_broker import cluster

pytestmark = [pytest.mark.kafka, pytest.mark.slow]


def write(tried: Trial, first: int, last: int) -> None:
    with tried.log("intake") as log:
        for group in groups(ROUNDS)[first:last]:
            log.append_groups([group])
    tried.acknowledged = last


def test_one_copy_does_not_survive_its_disk(tmp_path: Path) -> None:
    cluster()  # skips where there is none
    with trial(tmp_path, copies=1, fewest=1) as tried:
        write(tried, 0, 8)
        replace_disk(tried, tried.leader())
        tally = tried.tally()
    assert tally.lost > 0
    assert tally.unnoticed == 0


def test_a_log_that_takes_one_copy_for_enough_loses_what_it_acknowledged(tmp_path: Path) -> None:
    """Two copies, one of which is enough, and a leader may be chosen that missed events."""
    cluster()
    with trial(tmp_path, copies=2, fewest=1) as tried:
        topics = [f"{tried.prefix}.{name}" for name in ("events", "state")]
        tried.nodes.configure(topics, {"unclean.leader.election.enable": "true"})
        write(tried, 0, 6)
        lag_behind(tried, lambda: write(tried, 6, 16))
        tally = tried.tally()
    assert tally.lost > 0
    assert tally.unnoticed == 0
