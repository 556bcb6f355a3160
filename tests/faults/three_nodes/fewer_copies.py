"""Logs that keep too few copies lose what they acknowledged, and both the count and the program notice it.

These are the broken builds of two rows "cluster". `make faults` tries each of them once after its row, and the row fails if
nothing is lost or nothing is named: its check could not fail then. They kill nodes of a real cluster, wait long for it on a
busy machine, and so are no part of the test run.
"""

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from events.errors import LogUnavailable
from tests.faults.floor import groups
from tests.faults.on_kafka.cluster import lag_behind, replace_disk, trial
from tests.faults.table import Tally, demand
from tests.faults.three_nodes.trial import ROUNDS, TRIAL_TIMEOUT_S, Trial


def one_copy(folder: Path) -> Tally:
    """One copy does not survive its disk."""
    with trial(folder, copies=1, fewest=1) as tried:
        _write(tried, 0, 8)
        replace_disk(tried, tried.leader())
        return tried.tally()


def one_copy_is_enough(folder: Path) -> Tally:
    """Two copies, one of which is enough, and a leader may be chosen that missed events."""
    with trial(folder, copies=2, fewest=1) as tried:
        topics = [f"{tried.prefix}.{name}" for name in ("events", "state")]
        tried.nodes.configure(topics, {"unclean.leader.election.enable": "true"})
        _write(tried, 0, 6)
        lag_behind(tried, lambda: _write(tried, 6, 16))
        return tried.tally()


LOSING: Mapping[str, Callable[[Path], Tally]] = {
    "a node that missed events comes back when the leader is gone": one_copy_is_enough,
    "leader killed, and its disk lost": one_copy,
}
"""Row "cluster" → a log that does not survive it."""


def check_that_it_loses(name: str, folder: Path) -> None:
    """Raise `Lost` unless the log of fewer copies loses events by this fault and names it; other faults have no such log."""
    if name in LOSING:
        tally = LOSING[name](folder)
        demand(tally.lost > 0, f"a log of fewer copies lost nothing: {tally}")
        demand(tally.unnoticed == 0, f"what a log of fewer copies lost was not named: {tally}")


def _write(tried: Trial, first: int, last: int) -> None:
    """Hand in some groups, and wait for the right to write: the node that gives it may just have been killed."""
    deadline = time.monotonic() + TRIAL_TIMEOUT_S
    while True:
        try:
            with tried.log("intake") as log:
                for group in groups(ROUNDS)[first:last]:
                    log.append_groups([group])
        except LogUnavailable as error:
            demand(time.monotonic() < deadline, f"the groups could not be written: {error}")
        else:
            break
    tried.acknowledged = last
