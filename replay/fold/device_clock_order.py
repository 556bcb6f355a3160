"""A round in the order of its devices' clocks, where that is not the order of the log: a message came late (D132, D403)."""

from __future__ import annotations

from operator import attrgetter

import msgspec

from replay.fold.derived import derived
from replay.fold.round import Round


@derived
def by_the_clocks(round_: Round) -> Round | None:
    """Return the round with its events in the order of the clocks, renumbered in that order; null where it is the log's order."""
    by_log = [fact for fact in round_.facts if fact is not round_.opened]
    times = [fact.at_us for fact in by_log]
    if times == sorted(times):
        return None
    by_clock = sorted(by_log, key=attrgetter("at_us"))
    reordered = Round(round_.stream, round_.round_no, round_.opened, round_.gaming_day, round_.before)
    reordered.closed, reordered.strays = round_.closed, round_.strays
    reordered.record_faults, reordered.refusals = round_.record_faults, round_.refusals
    for fact, seq in zip(by_clock, [fact.seq for fact in by_log], strict=True):
        reordered.add(msgspec.structs.replace(fact, seq=seq))
    reordered.finish_index()
    return reordered
