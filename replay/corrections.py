"""Corrections: what counts in the place of an event that a later one supersedes. Nothing that is stored is changed by it."""

from __future__ import annotations

from collections.abc import Iterable

from events import model
from events.codec import canonical, decode_payload
from events.model import Event
from events.upcast import upcast

Instead = tuple[int | None, Event] | None
"""Round and payload that count instead of a corrected event's; null for an event that never was."""

Known = dict[int, Instead]
"""Corrections by the number they supersede."""


def instead_of(correction: model.EventCorrected) -> Instead:
    """Return what a correction puts in the place of the event it supersedes, in its current version."""
    replacement = correction.replacement
    if replacement is None:
        return None
    payload = decode_payload(replacement.type, replacement.version, canonical(replacement.payload))
    return replacement.round_no, upcast(payload)


def effective(corrections: Iterable[tuple[int, int, Instead]]) -> Known:
    """Return what counts, from corrections `(seq, superseded seq, instead)` in order: of each event the last word.

    A correction that was itself superseded does not count.
    """
    known: Known = {}
    for seq, superseded, instead in sorted(corrections, key=lambda each: each[0], reverse=True):
        if seq not in known:
            known.setdefault(superseded, instead)
    return known
