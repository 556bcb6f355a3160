"""The order of a round's events: that of each device's own numbers first, then that of the log; and that of the clocks (D850).

The theory of this file: an event with a number (`source_seq`) that its device had skipped belongs between two others of its
device. Its place in the log no longer counts; its clock decides its place among the events of other devices there. Everything
else stays in the order of the log. Rules compare `seq`, so a round in another order is numbered in that order, and remembers the
numbers of the log (`Round.numbers`).
"""

from collections.abc import Iterable, Sequence

import msgspec

from replay.fold.derived import derived
from replay.fold.recorded_event import RecordedEvent, in_own_order, is_after, place_of_late
from replay.fold.round import Round


def as_played(round_: Round) -> Round:
    """Return the round with late events in their place; the round itself if there are none."""
    facts = [fact for fact in round_.facts if fact is not round_.opened]
    if not any(fact.is_late for fact in facts) or round_.numbers:
        return round_
    return _renumbered(round_, in_order_of_play(facts))


def in_order_of_play(facts: Iterable[RecordedEvent]) -> list[RecordedEvent]:
    """Return facts in the order of the log, with late events in their place."""
    placed: list[RecordedEvent] = []
    for fact in facts:
        at = len(placed)
        if fact.is_late:
            at = _by_own_clock(placed, fact, place_of_late(placed, fact))
        placed.insert(at, fact)
    return placed


@derived
def as_arrived(round_: Round) -> Round | None:
    """Return the round with late events as near to their arrival as their devices' numbers allow; None if they are there already.

    A finding only in the order of play depends on one late clock.
    """
    if not round_.numbers:
        return None
    by_log = sorted((fact for fact in round_.facts if fact is not round_.opened), key=lambda fact: _number(round_, fact))
    return _unless_same(_renumbered(round_, in_own_order(by_log)), round_)


@derived
def by_the_clocks(round_: Round) -> Round | None:
    """Return the round in the order of the clocks, as far as each device's numbers allow; None if nothing changes (D403)."""
    facts = [fact for fact in round_.facts if fact is not round_.opened]
    times = [fact.at_us for fact in facts]
    if times == sorted(times):
        return None
    placed: list[RecordedEvent] = []
    for fact in facts:
        placed.insert(_by_clock(placed, fact, len(placed)), fact)
    return _unless_same(_renumbered(round_, placed), round_)


def with_late(round_: Round, late: RecordedEvent) -> Round:
    """Return the round with a change of the table that came after it where its clock puts it: in the round, or before (D1251)."""
    if late.at_us < round_.opened.at_us:
        other = round_.reading({})
        other.before = round_.before.at_opening()
        other.before.apply(msgspec.structs.replace(late, seq=round_.opened.seq - 1))
        return other
    facts = [fact for fact in round_.facts if fact is not round_.opened and fact.seq != late.seq]
    at = next((place for place, fact in enumerate(facts) if fact.at_us > late.at_us), len(facts))
    return _renumbered(round_, [*facts[:at], late, *facts[at:]])


def _number(round_: Round, fact: RecordedEvent) -> int:
    return round_.number(fact.seq)


def _by_own_clock(placed: Sequence[RecordedEvent], late: RecordedEvent, end: int) -> int:
    """Return the place, before another and after its own device's earlier events, that the fewest clocks contradict."""
    at, fewest, contradicted = end, 0, 0
    for place in range(end - 1, -1, -1):
        if is_after(late, placed[place]):
            break
        contradicted += (placed[place].at_us < late.at_us) - (placed[place].at_us > late.at_us)
        if contradicted < fewest:
            at, fewest = place, contradicted
    return at


def _by_clock(placed: Sequence[RecordedEvent], fact: RecordedEvent, at: int) -> int:
    """Return the place of an event at or before another: before all of a later time, and after its own device's earlier ones."""
    while at and placed[at - 1].at_us > fact.at_us and not is_after(fact, placed[at - 1]):
        at -= 1
    return at


def _unless_same(other: Round, round_: Round) -> Round | None:
    same = [_number(other, fact) for fact in other.facts] == [_number(round_, fact) for fact in round_.facts]
    return None if same else other


def _renumbered(round_: Round, placed: Sequence[RecordedEvent]) -> Round:
    """Return the round with its facts in this order and numbered in it; `numbers` says under which number each is in the log."""
    reordered, facts = round_.made_of(()), [round_.opened]
    numbers: dict[int, int] = {}
    for fact, seq in zip(placed, sorted(fact.seq for fact in placed), strict=True):
        numbers[seq] = _number(round_, fact)
        facts.append(fact if fact.seq == seq else msgspec.structs.replace(fact, seq=seq))
        if fact is round_.closed:
            reordered.closed = facts[-1]
    reordered.numbers = {seq: number for seq, number in numbers.items() if seq != number}
    return reordered.made_of(facts)
