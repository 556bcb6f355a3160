"""Corrections: what counts in the place of an event that a later one supersedes. Nothing that is stored is changed by it.

A correction names an earlier event of its own stream by number and by id, so that a slip of the pen (or a hand that knows
only half) supersedes nothing. One that does not fit is refused: it changes nothing, and is found (LOG-CORRECTION, D140).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from events.vocabulary import model
from events.vocabulary.codec import canonical, decode_payload
from events.vocabulary.model import Event
from events.vocabulary.upcast import upcast

Instead = tuple[int | None, Event] | None
"""Round and payload that count instead of a corrected event's; null for an event that never was."""

Known = dict[int, Instead]
"""Corrections by the number they supersede."""


class Correction(msgspec.Struct, frozen=True):
    """A correction as it stands in its stream: its number, number and id of what it supersedes, and what counts instead."""

    seq: int
    superseded: int
    event_id: str
    instead: Instead

    def objection(self, ids: Mapping[int, str]) -> str:
        """Return why it does not count, given the ids of earlier events by their numbers; empty where it does.

        >>> Correction(7, 5, "ab", None).objection({5: "cd"})
        'the correction at event 7 names event 5 by an id that is not its own'
        """
        if self.superseded >= self.seq:
            return f"the correction at event {self.seq} names event {self.superseded}, which does not stand before it"
        if ids.get(self.superseded) != self.event_id:
            return f"the correction at event {self.seq} names event {self.superseded} by an id that is not its own"
        return ""


def correction(seq: int, event: model.EventCorrected) -> Correction:
    """Return what an event corrects, with what counts instead in its current version."""
    replacement, instead = event.replacement, None
    if replacement is not None:
        payload = decode_payload(replacement.type, replacement.version, canonical(replacement.payload))
        instead = replacement.round_no, upcast(payload)
    return Correction(seq, event.supersedes_seq, event.supersedes_event_id, instead)


def correction_of(seq: int, payload: Mapping[str, Any]) -> Correction:
    """Return what an event corrects whose payload was read as plain values. Raises `msgspec.ValidationError`."""
    return correction(seq, msgspec.convert(payload, model.EventCorrected, strict=True))


def effective(corrections: Iterable[Correction]) -> Known:
    """Return what counts, from corrections of which none is refused: of each event the last word.

    A correction that was itself superseded does not count.
    """
    return {superseded: each.instead for superseded, each in _last_words(corrections).items()}


def counting(corrections: Iterable[Correction], ids: Mapping[int, str]) -> dict[int, Correction]:
    """Return the corrections that count, by the number of the event that each is the last word on.

    `ids` are the ids of the stream's events by their numbers: a correction that fits none of them is refused.
    """
    return _last_words(each for each in corrections if not each.objection(ids))


def _last_words(corrections: Iterable[Correction]) -> dict[int, Correction]:
    known: dict[int, Correction] = {}
    for each in sorted(corrections, key=lambda each: each.seq, reverse=True):
        if each.seq not in known:
            known.setdefault(each.superseded, each)
    return known
