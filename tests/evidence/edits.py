"""Edits of an honest round: every event dropped, repeated and moved, every field changed, every clock set otherwise."""

from collections.abc import Iterator, Sequence

import msgspec

from events.vocabulary import model
from events.vocabulary.model import Event
from tests.evidence.judging import STEP, Report
from tests.evidence.values import Surroundings, changes

CLOCK_US = 3_600_000_000
"""A device's clock is set an hour forward or back."""
WHOLE, ROUND, CLOCK = "(event)", "(round)", "(clock)"
"""What represents the field if an edit is of the event as a whole, of the round it names, or of its device's clock."""


class Edit(msgspec.Struct, frozen=True):
    """One edit of one event of a window: which (by its index), what of it, how, and what is there instead."""

    at: int
    event: str
    field: str
    how: str
    replacement: Report | None = None
    before: int | None = None
    """The index before which the event, or its repetition, remains; None if it stays."""
    repeats: bool = False

    def applied(self, reports: Sequence[Report]) -> list[Report]:
        """Return the window as edited; devices count on as if they had reported it so."""
        made = list(reports)
        if self.before is None:
            made[self.at : self.at + 1] = [] if self.replacement is None else [self.replacement]
        else:
            moved = reports[self.at]
            made.insert(self.before, _placed(moved, reports, self.before, self.repeats))
            if not self.repeats:
                del made[self.at + (self.before <= self.at)]
        return _counted(made, reports)


def _placed(report: Report, reports: Sequence[Report], before: int, repeats: bool) -> Report:
    """Return a report as it is made at another moment: between its new neighbors, by the clocks too."""
    follows = reports[before - 1] if before else None
    precedes = reports[before] if before < len(reports) else None
    seq = follows.seq + STEP // 2 if follows is not None else reports[0].seq - STEP // 2
    at_us = precedes.at_us - 1 if follows is None and precedes is not None else follows.at_us + 1 if follows else report.at_us
    others = [each for each in reports if each.source == report.source and (repeats or each is not report)]
    earliest = max((each.at_us for each in others if each.seq < seq), default=at_us)
    latest = min((each.at_us for each in others if each.seq > seq), default=at_us)
    return msgspec.structs.replace(report, seq=seq, at_us=min(max(at_us, earliest), max(latest, earliest)))


def _counted(made: list[Report], reports: Sequence[Report]) -> list[Report]:
    """Let every device number what it reports now, from the number that it began with."""
    following: dict[str, list[int]] = {}
    for each in reports:
        following.setdefault(each.source, []).append(each.source_seq)
    given: dict[str, int] = {}
    counted = []
    for each in made:
        numbers, used = following[each.source], given.get(each.source, 0)
        number = numbers[used] if used < len(numbers) else numbers[-1] + 1 + used - len(numbers)
        given[each.source] = used + 1
        counted.append(each if each.source_seq == number else msgspec.structs.replace(each, source_seq=number))
    return counted


def shifts(made: Sequence[Report], reports: Sequence[Report]) -> dict[str, int]:
    """Return by how much each device has counted further than it did without the edit."""
    last, was = {each.source: each.source_seq for each in made}, {each.source: each.source_seq for each in reports}
    first = {each.source: each.source_seq for each in reversed(reports)}
    return {source: last.get(source, first[source] - 1) - number for source, number in was.items()}


def edits(reports: Sequence[Report]) -> Iterator[Edit]:
    """Yield every edit of the events of a window."""
    around = _surroundings(reports)
    for at, report in enumerate(reports):
        type_ = report.payload.TYPE
        yield Edit(at, type_, WHOLE, "dropped")
        yield Edit(at, type_, WHOLE, "repeated", before=at + 1, repeats=True)
        yield from _moves(at, reports)
        yield from _clock(at, report)
        if report.round_no is not None:
            for how, number in (("to null", None), ("to the next round", report.round_no + 1)):
                yield Edit(at, type_, ROUND, how, msgspec.structs.replace(report, round_no=number))
        for field in msgspec.structs.fields(type(report.payload)):
            value = getattr(report.payload, field.name)
            for how, other in changes(field.type, value, field.name, around):
                payload = _with(report.payload, field.name, other)
                if payload is not None:
                    yield Edit(at, type_, field.name, how, msgspec.structs.replace(report, payload=payload))


def _with(payload: Event, field: str, value: object) -> Event | None:
    """Return an event with another value; None if no such event can be recorded."""
    try:
        return msgspec.structs.replace(payload, **{field: value})
    except msgspec.ValidationError:
        return None


def _moves(at: int, reports: Sequence[Report]) -> Iterator[Edit]:
    """Yield the moves of an event past the nearest event of every other type (of one deck and of another), both ways."""
    type_, seen = reports[at].payload.TYPE, set[tuple[str, str | None]]()
    for other in range(at - 1, -1, -1):
        jumped = _kind(reports[other])
        if jumped not in seen and jumped[0] != type_:
            seen.add(jumped)
            yield Edit(at, type_, WHOLE, f"earlier than {jumped[0]}", before=other)
    seen = set()
    for other in range(at + 1, len(reports)):
        jumped = _kind(reports[other])
        if jumped not in seen and jumped[0] != type_:
            seen.add(jumped)
            yield Edit(at, type_, WHOLE, f"later than {jumped[0]}", before=other + 1)


def _kind(report: Report) -> tuple[str, str | None]:
    """Return what a move counts as one kind of event: the type, and the deck that it names."""
    return report.payload.TYPE, getattr(report.payload, "deck", None)


def _clock(at: int, report: Report) -> Iterator[Edit]:
    for how, moved in (("an hour ahead", CLOCK_US), ("an hour behind", -CLOCK_US)):
        yield Edit(at, report.payload.TYPE, CLOCK, how, msgspec.structs.replace(report, at_us=report.at_us + moved))


def _surroundings(reports: Sequence[Report]) -> Surroundings:
    tokens: dict[str, set[str]] = {}
    dealt: set[str] = set()
    for report in reports:
        for field in msgspec.structs.fields(type(report.payload)):
            value = getattr(report.payload, field.name)
            if isinstance(value, str):
                tokens.setdefault(field.name, set()).add(value)
        if isinstance(report.payload, model.CardsDealt):
            dealt |= {card for card in report.payload.cards if card is not None}
    return Surroundings({name: frozenset(named) for name, named in tokens.items()}, frozenset(dealt))
