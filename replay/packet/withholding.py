"""What a packet leaves out of what is about patrons at other seats: their events, their findings, their settlements. Pure.

Invariant: whatever names another seat, or a patron who does not sit at the seat, is left out; in doubt too. An event that stays
is the whole event, with its place in the log; of one that is left out only hashes remain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from events.log.contract import Record
from events.vocabulary.codec import read
from replay.findings import Adjudication, Finding

PLACES = ("seat", "position", "to", "whose", "of", "scope", "for_position")
"""Fields that name a seat, or another place at the table."""
PATRONS = ("patron", "bettor")
"""Fields that hold a patron's token."""


def without_others(records: Sequence[Record], seat: int) -> list[Record]:
    """Return the records that are about a seat or about nobody, and the corrections of these alone."""
    payloads = {record.seq: msgspec.to_builtins(read(record.data).payload) for record in records}
    own = {
        payload[name]
        for payload in payloads.values()
        if payload.get("seat") == seat
        for name in PATRONS
        if payload.get(name)
    }
    stay = {seq for seq, payload in payloads.items() if _stays(payload, seat, own)}
    return [
        record
        for record in records
        if record.seq in stay and payloads[record.seq].get("supersedes_seq", record.seq) in stay
    ]


def verdict_of_seat(verdict: Adjudication, seat: int) -> Adjudication:
    """Return a verdict with the settlements and the findings of a seat alone, and the findings about no seat."""
    settlements = tuple(each for each in verdict.settlements if each.seat == seat)
    return msgspec.structs.replace(verdict, settlements=settlements, findings=of_seat(verdict.findings, seat))


def of_seat(findings: Iterable[Finding], seat: int) -> tuple[Finding, ...]:
    """Return the findings about a seat, or about no seat."""
    return tuple(finding for finding in findings if finding.seat in (None, seat))


def _stays(value: object, seat: int, own: set[str]) -> bool:
    """Whether nothing in a payload, or within it (what a correction puts in its place), is about others."""
    if isinstance(value, list):
        return all(_stays(each, seat, own) for each in value)
    if not isinstance(value, dict):
        return True
    places = [value.get(name) for name in PLACES]
    if any((isinstance(place, int) and place != seat) or str(place).startswith("pile") for place in places):
        return False
    if any(value.get(name) and value[name] not in own for name in PATRONS):
        return False
    return all(_stays(each, seat, own) for each in value.values())
