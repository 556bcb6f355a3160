"""The ruling on a round, or on one of its seats: its incidents, the calculations, the actions due and taken. Pure.

Pages, commands, packets and letters all use it, so that each says the same of the same incident.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import msgspec

from replay.findings import Finding
from replay.incidents import Incident
from replay.narrative.incidents import incident_sentence
from replay.narrative.names import position_name, wager_name
from replay.narrative.reckoning import actions, reckoning, settled_wager
from replay.narrative.reviews import Disposed, disposal, leaves_owed, needs_second_signature


class Ruling(msgspec.Struct, frozen=True):
    """Sentences, gravest incident first.

    The incidents that concern the seat, the calculation of each of their wagers, the actions due and taken, and the round's other
    incidents. `settled`: all of its money was disposed of and signed.
    """

    incidents: list[str]
    reckonings: list[str]
    to_do: list[str]
    done: list[str]
    elsewhere: list[str]
    settled: bool


class Work(msgspec.Struct, frozen=True):
    """The actions still due on an incident, and those taken, in sentences."""

    to_do: list[str]
    done: list[str]


NOTHING_DONE: Final[Mapping[str, Disposed]] = MappingProxyType({})
"""No finding was disposed of."""


def work_on(incident: Incident, disposed: Mapping[str, Disposed], currency: str, *, names: bool = True) -> Work:
    """Return the work on an incident. `disposed` maps finding ids to dispositions; `names`: with the signers.

    Money owed to a patron stays due until it was paid or held, or found not to be owed, whatever else was decided.
    """
    made = [disposed[finding.id] for finding in incident.findings if finding.id in disposed]
    left = tuple(
        finding
        for finding in incident.findings
        if finding.id not in disposed or leaves_owed(finding.difference_cents, disposed[finding.id])
    )
    to_do = actions(Incident(findings=left), currency) if left else []
    return Work(to_do=to_do, done=[sentence] if (sentence := disposal(made, currency, names=names)) else [])


def ruling(
    incidents: Iterable[Incident],
    settlements: Sequence[Any],
    chapter_key: str,
    seat: int | None,
    currency: str,
    disposed: Mapping[str, Disposed],
    *,
    names: bool = True,
) -> Ruling:
    """Return the ruling on a seat of a round (None: on all), as `settled_wager` reads settlements.

    `disposed` maps finding ids to dispositions; `names`: actions are named with their signers.
    """
    every = sorted(incidents, key=lambda each: each.gravity)
    here = [(whole, part) for whole in every if (part := _at(whole, seat)) is not None]
    reckonings: dict[str, None] = {}
    for _, part in here:
        for found in part.findings:
            settled = settled_wager(settlements, found.seat, found.wager, found.difference_cents)
            if settled is not None and (sentence := reckoning(settled, chapter_key, currency)):
                reckonings[f"{_place(found.seat, settled.wager)}: {sentence}"] = None
    works = [work_on(part, disposed, currency, names=names) for _, part in here]
    money = [found for _, part in here for found in part.findings if found.difference_cents]
    return Ruling(
        incidents=[incident_sentence(whole, currency) for whole, _ in here],
        reckonings=list(reckonings),
        to_do=[sentence for work in works for sentence in work.to_do],
        done=[sentence for work in works for sentence in work.done],
        elsewhere=[incident_sentence(whole, currency) for whole in every if _at(whole, seat) is None],
        settled=bool(money) and all(_settles(found, disposed.get(found.id)) for found in money),
    )


def _settles(found: Finding, made: Disposed | None) -> bool:
    return made is not None and not needs_second_signature(made) and not leaves_owed(found.difference_cents, made)


def _at(incident: Incident, seat: int | None) -> Incident | None:
    """Return the part of an incident about a seat or no seat; None if none exists. For all seats, the whole."""
    if seat is None:
        return incident
    findings = tuple(found for found in incident.findings if found.seat in (None, seat))
    return Incident(findings=findings) if findings else None


def _place(seat: int | None, wager: str) -> str:
    return wager_name(wager) if seat is None else f"{position_name(seat)} · {wager_name(wager)}"
