"""Leaves out of a packet what concerns patrons at other seats: their events, findings, settlements. Pure.

Invariant: whatever names another seat, or a patron who does not sit at this seat, is left out, also in doubt. An included event
is whole, with its place in the log; of one left out, only hashes remain.
"""

import json
import re
from collections.abc import Collection, Iterable, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Final

import msgspec

from events.log.contract import Record
from events.vocabulary import model
from events.vocabulary.codec import read
from replay.findings import Adjudication, Finding

WORD: Final = re.compile(r"[a-z0-9-]{3,32}", re.IGNORECASE)
"""A word of a text that may be a patron's token."""
PLACES = ("seat", "position", "to", "whose", "of", "scope", "for_position")
"""Fields that name a seat, or another place at the table."""
PATRONS = ("patron", "bettor", "inspected_by")
"""Fields that hold a patron's token."""


FEW_DIGITS: Final = 5
"""An id of at most this many different hex digits was not drawn at random: one in 10^12 would be."""
NEAR: Final = 2**48
"""Ids closer together than this were counted, or made of a time and a counter."""
SAME_END: Final = 16
"""Hex digits at the end that ids of one machine and hour have in common if they are made of these (UUID version 1)."""
COUNTED: Final = (
    "the ids of events that were left out can be counted ({how}): whoever guesses such an event can tell from the packet "
    "whether the guess is right, so hand it only to somebody who may see the other patrons' wagers; devices should draw ids at "
    "random (docs/integrating-a-device.md)"
)


OTHERS_LEFT_OUT: Final = "what cannot be shown about other seats is left out"
_OF_SEAT: Final = re.compile(r"seat (\d+)\b")
"""The beginning of a doubt about one seat."""


class NotWithheld(LookupError):
    """Other patrons cannot be left out without leaving out what was done about the seat."""


def without_others(records: Sequence[Record], seat: int, table: Iterable[Record]) -> list[Record]:
    """Return the records about a seat or about no one, and the corrections of these alone.

    Without the correction of an event the packet would show what no longer counts: if its reason names another patron known to
    the `table` records, no packet is made that leaves others out. Raises `NotWithheld`.
    """
    payloads = {record.seq: msgspec.to_builtins(read(record.data).payload) for record in records}
    own = {payload[name] for payload in payloads.values() if payload.get("seat") == seat for name in PATRONS if payload.get(name)}
    stay = {seq for seq, payload in payloads.items() if _stays(payload, seat, own)}
    left = [record for record in records if record.seq in stay and payloads[record.seq].get("supersedes_seq", record.seq) in stay]
    others = _patrons_elsewhere(table, seat)
    for record in left:
        _must_not_name(record, "the record", others)
    return left


def caution(records: Sequence[Record], left: Collection[int]) -> str:
    """Return a warning about a packet with only the events `left` (numbers) of a stream's records; empty if none is needed.

    The packet has the hash of an event left out, which can confirm a guess. A randomly drawn event id makes guessing hopeless; a
    counter, a digest of countable values, or a text with few digits makes it easy.
    """
    events = [read(record.data) for record in records]
    if all(event.seq in left for event in events):
        return ""
    for event in events:
        if event.seq in left:
            continue
        known = [event.stream, event.source, event.source_seq, event.type]
        if event.source.startswith("transcript-"):
            return COUNTED.format(how=f"event {event.seq} is from a transcript, whose ids are a digest of its text")
        if event.event_id == sha256(b"rack/profile/v1\0" + json.dumps(known).encode()).hexdigest()[:32]:
            return COUNTED.format(how=f"the id of event {event.seq} is a digest of its number at its device")
    if pair := _alike([event.event_id for event in events]):
        return COUNTED.format(how=f"{pair[0]} and {pair[1]} have much in common")
    return ""


def _alike(ids: Sequence[str]) -> tuple[str, str] | None:
    """Return two ids if the first reveals the second, one id twice if it has few digits, and None if the ids look random."""
    for each in ids:
        if len(set(each)) <= FEW_DIGITS:
            return each, each
    forward, backward = sorted(ids), sorted(each[::-1] for each in ids)
    for one, other in pairwise(forward):
        if int(other, 16) - int(one, 16) < NEAR and one != other:
            return one, other
    for one, other in pairwise(backward):
        if one[:SAME_END] == other[:SAME_END] and one != other:
            return one[::-1], other[::-1]
    return None


def about_findings(records: Iterable[Record], findings: Collection[str]) -> list[Record]:
    """Return a review's records about findings, by the findings' ids."""
    return [record for record in records if getattr(read(record.data).payload, "finding_id", None) in findings]


def decided_about(records: Iterable[Record], seat: int, findings: Collection[str], table: Iterable[Record]) -> list[Record]:
    """Return a review's decisions about a seat: the dispositions of its `findings` (by id), and its disputes (D711).

    A packet without a disposition would say that money is still due. So if the text of one names another patron known to the
    `table` records, no packet is made that leaves others out. Raises `NotWithheld`.
    """
    others = _patrons_elsewhere(table, seat)
    disputes: set[str] = set()
    stay = []
    for record in records:
        payload = read(record.data).payload
        match payload:
            case model.FindingResolved() | model.FindingReopened():
                if payload.finding_id not in findings:
                    continue
            case model.DisputeOpened():
                if payload.seat != seat:
                    continue
                disputes.add(payload.dispute)
            case model.DisputeClosed() | model.DisputeClosed2():
                if payload.dispute not in disputes:
                    continue
            case model.RoundAttached():
                if _names(payload, others):
                    continue
            case _:
                continue
        _must_not_name(record, "the review", others)
        stay.append(record)
    return stay


def _must_not_name(record: Record, of: str, others: Collection[str]) -> None:
    payload = read(record.data).payload
    if named := set(others) & {word.lower() for word in WORD.findall(_written(payload))}:
        raise NotWithheld(
            f"event {record.seq} of {of} names another patron ({', '.join(sorted(named))}), and without it the packet "
            "would not say what was done about this seat: make the packet with the other patrons in it"
        )


def _names(payload: model.RoundAttached, others: Collection[str]) -> bool:
    return bool(set(others) & {word.lower() for word in WORD.findall(f"{payload.name} {payload.note}")})


def _written(payload: model.Event) -> str:
    return f"{getattr(payload, 'reason', '')} {getattr(payload, 'override', None) or ''}"


def _patrons_elsewhere(records: Iterable[Record], seat: int) -> set[str]:
    """Return the tokens of patrons whom records name at other seats."""
    here: set[str] = set()
    every: set[str] = set()
    for record in records:
        payload = read(record.data).payload
        tokens = {token for name in PATRONS if (token := getattr(payload, name, None))}
        every |= tokens
        here |= tokens if getattr(payload, "seat", None) == seat else set()
    return every - here - {"dealer"}


def verdict_of_seat(verdict: Adjudication, seat: int) -> Adjudication:
    """Return a verdict with the settlements, the findings and the doubts of a seat alone, and those about no seat."""
    settlements = tuple(each for each in verdict.settlements if each.seat == seat)
    doubts = tuple(each for each in verdict.undetermined if (found := _OF_SEAT.match(each)) is None or int(found[1]) == seat)
    if len(doubts) < len(verdict.undetermined):
        doubts += (OTHERS_LEFT_OUT,)
    return msgspec.structs.replace(
        verdict, settlements=settlements, findings=of_seat(verdict.findings, seat), undetermined=doubts
    )


def of_seat(findings: Iterable[Finding], seat: int) -> tuple[Finding, ...]:
    """Return the findings about a seat, or about no seat."""
    return tuple(finding for finding in findings if finding.seat in (None, seat))


def _stays(value: object, seat: int, own: set[str]) -> bool:
    """Whether a payload, and a correction's replacement in it, names no other patron or seat."""
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
