"""Corrections that do not fit. When the right one comes, they are dropped (D851)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from events.vocabulary.correction_events import refused_correction
from replay.fold.corrections import Correction
from replay.fold.record_faults import RecordFault
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round


class RefusedCorrections:
    """The corrections of a stream that do not fit, each with the fault that it is."""

    def __init__(self) -> None:
        self._faults: list[tuple[Correction, RecordFault]] = []

    def add(self, made: Correction, fault: RecordFault) -> None:
        """Add one that does not fit."""
        self._faults.append((made, fault))

    def settle(self, made: Correction, rounds: Sequence[Round], pending: list[RecordFault]) -> tuple[list[Round], bool]:
        """Drop the refused corrections that a correction in force puts right: their faults, in rounds and among those that wait
        for a round, and the notices of their refusal.

        Return the rounds that change, and whether one was found in no round at hand.
        """
        changed: list[Round] = []
        is_missing = False
        for refused, fault in [each for each in self._faults if made.settles(each[0])]:
            self._faults.remove((refused, fault))
            having = [round_ for round_ in rounds if fault in round_.record_faults]
            for round_ in having:
                round_.record_faults.remove(fault)
                round_.forget()
            if fault in pending:
                pending.remove(fault)
            elif not having:
                is_missing = True
            changed += having
        for round_ in rounds:
            left = without_notices(made, round_.refusals)
            if len(left) < len(round_.refusals):
                round_.refusals = left
                round_.forget()
                changed.append(round_)
        return changed, is_missing


def without_notices(made: Correction, refusals: Iterable[RecordedEvent]) -> list[RecordedEvent]:
    """Return the notices of refused lines without those of corrections of the same event."""
    reason = refused_correction(made.superseded)
    return [fact for fact in refusals if not fact.payload.reason.startswith(reason)]
