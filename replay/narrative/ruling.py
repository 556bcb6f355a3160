"""The ruling on a round, or on one seat of it: its incidents, the money worked out, and what is to be done. Pure.

Pages, commands and packets all take it from here, so that each says the same of the same incident.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from replay.incidents import Incident
from replay.narrative.incidents import incident_sentence
from replay.narrative.names import position_name, wager_name
from replay.narrative.reckoning import actions, reckoning, settled_wager


class Ruling(msgspec.Struct, frozen=True):
    """Sentences, the gravest incident first: the incidents that concern the seat, the reckoning of each wager of theirs, what is
    to be done, and the round's incidents that do not concern the seat.
    """

    incidents: list[str]
    reckonings: list[str]
    to_do: list[str]
    elsewhere: list[str]


def ruling(
    incidents: Iterable[Incident], settlements: Sequence[Any], chapter_key: str, seat: int | None, currency: str
) -> Ruling:
    """Return the ruling on a seat of a round (null: on all), as `settled_wager` reads settlements."""
    every = sorted(incidents, key=lambda each: each.gravity)
    here = [(whole, part) for whole in every if (part := _at(whole, seat)) is not None]
    reckonings: dict[str, None] = {}
    for _, part in here:
        for found in part.findings:
            settled = settled_wager(settlements, found.seat, found.wager, found.difference_cents)
            if settled is not None and (sentence := reckoning(settled, chapter_key, currency)):
                reckonings[f"{_place(found.seat, settled.wager)}: {sentence}"] = None
    return Ruling(
        incidents=[incident_sentence(whole, currency) for whole, _ in here],
        reckonings=list(reckonings),
        to_do=[sentence for _, part in here for sentence in actions(part, currency)],
        elsewhere=[incident_sentence(whole, currency) for whole in every if _at(whole, seat) is None],
    )


def _at(incident: Incident, seat: int | None) -> Incident | None:
    """What of an incident is about a seat or about no seat; null where nothing is. Of all seats, the whole."""
    if seat is None:
        return incident
    findings = tuple(found for found in incident.findings if found.seat in (None, seat))
    return Incident(findings=findings) if findings else None


def _place(seat: int | None, wager: str) -> str:
    return wager_name(wager) if seat is None else f"{position_name(seat)} · {wager_name(wager)}"
