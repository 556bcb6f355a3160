"""A round told in the order of its devices' clocks, where that is not the order of the log: a message came late (D132, D403)."""

from __future__ import annotations

from operator import attrgetter

import msgspec

from replay.fold.round import Round


def by_the_clocks(round_: Round) -> Round | None:
    """Return the round as the clocks order its events, with the log's numbers in that order; null where both are the same."""
    after = [fact for fact in round_.facts if fact is not round_.opened]
    ordered = sorted(after, key=attrgetter("at_us"))
    if ordered == after:
        return None
    told = Round(round_.stream, round_.round_no, round_.opened, round_.gaming_day, round_.before)
    told.closed, told.strays, told.record_faults, told.refusals = (
        round_.closed,
        round_.strays,
        round_.record_faults,
        round_.refusals,
    )
    for fact, seq in zip(ordered, [fact.seq for fact in after], strict=True):
        told.add(msgspec.structs.replace(fact, seq=seq))
    told.drop_repeated_deals()
    return told
