"""Corrections: the valid content of an event that a later event supersedes. Stored events never change.

A correction names an earlier event of its own stream by number and by id, so that a slip of the pen supersedes nothing. A
correction that does not fit is refused: it changes nothing and is found (LOG-CORRECTION, D140) until the right one comes (D851).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from events.vocabulary import model
from events.vocabulary.codec import as_json, decode_payload
from events.vocabulary.correction_events import counting_corrections, objection, refused_correction
from events.vocabulary.model import Event
from events.vocabulary.upcast import upcast
from replay.fold.record_faults import RecordFault
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round

Substitute = tuple[int | None, Event] | None
"""Round number and payload that count in the place of a corrected event's; None if the event is taken back."""

Replacements = dict[int, Substitute]
"""The corrections in force: number of the event that is corrected → what counts in its place."""


class Correction(msgspec.Struct, frozen=True):
    """A correction in its stream: its number, the number and id of the superseded event, and the replacement.

    `round_no` is the round named by the correction itself or by its replacement.
    """

    seq: int
    superseded: int
    event_id: str
    replacement: Substitute
    round_no: int | None = None

    def settles(self, refused: "Correction") -> bool:
        """Say whether this valid correction replaces a refused one (D851): it corrects the event that the refused one named by
        number or by id, or makes the same correction to another event.

        >>> Correction(9, 5, "ab", None).settles(Correction(7, 4, "ab", None))
        True
        """
        says_the_same = self.replacement is not None and self.replacement == refused.replacement
        is_of_event = self.superseded == refused.superseded or self.event_id == refused.event_id
        return refused.seq < self.seq and (is_of_event or says_the_same)

    def objection(self, ids: Mapping[int, str]) -> str:
        """Return why the correction does not count, given the ids of earlier events by their numbers; empty if it does."""
        return objection(self.seq, self.superseded, self.event_id, ids)


def correction(seq: int, event: model.EventCorrected, round_no: int | None = None) -> Correction:
    """Return the correction that event `seq`, of this round, states, with the replacement in its current version."""
    stated, replacement = event.replacement, None
    if stated is not None:
        payload = decode_payload(stated.type, stated.version, as_json(stated.payload))
        replacement = stated.round_no, upcast(payload)
    if round_no is None and replacement is not None:
        round_no = replacement[0]
    return Correction(seq, event.supersedes_seq, event.supersedes_event_id, replacement, round_no)


def correction_of(seq: int, payload: Mapping[str, Any]) -> Correction:
    """Return the correction that a payload of plain values states. Raises `msgspec.ValidationError`."""
    return correction(seq, msgspec.convert(payload, model.EventCorrected, strict=True))


def effective(corrections: Iterable[Correction]) -> Replacements:
    """Return the corrections in force, of corrections without objection: of those of one event, the last.

    A correction that was itself superseded does not count.

    >>> effective([Correction(5, 3, "ab", None), Correction(9, 5, "cd", None)])
    {5: None}
    """
    return {superseded: made.replacement for superseded, made in _latest(corrections).items()}


def counting(corrections: Iterable[Correction], ids: Mapping[int, str]) -> dict[int, Correction]:
    """Return the corrections in force, by the number of the event that each supersedes.

    `ids` are the ids of the stream's events by their numbers: a correction that fits none of them is refused.
    """
    return _latest(made for made in corrections if not made.objection(ids))


def _latest(corrections: Iterable[Correction]) -> dict[int, Correction]:
    by_seq = {made.seq: made for made in corrections}
    last = counting_corrections({seq: made.superseded for seq, made in by_seq.items()})
    return {superseded: by_seq[seq] for superseded, seq in last.items()}


class RefusedCorrections:
    """The corrections of a stream that do not fit, each with its fault."""

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
    """Drop the notices of refused corrections of the same event."""
    reason = refused_correction(made.superseded)
    return [fact for fact in refusals if not fact.payload.reason.startswith(reason)]
