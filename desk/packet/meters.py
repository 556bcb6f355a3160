"""The meters of a round: the events of their streams that the round depends on, and their findings. Pure."""

from collections.abc import Mapping, Sequence

from desk.packet.evidence import listed, no_result
from desk.review.stored_events import event_of
from events.log.contract import Record
from events.vocabulary import model
from events.vocabulary.codec import read
from replay.findings import Finding
from replay.fold.round import Round
from replay.run.in_force import current_findings
from replay.run.refold import refold

PREFIX = "meter/"


def meters_of(round_: Round) -> list[str]:
    """Return the streams of the meters that a round's events name."""
    named = {getattr(fact.payload, "meter", None) for fact in round_.facts} - {None}
    return sorted(f"{PREFIX}{name}" for name in named)


def meter_evidence(records: Sequence[Record], table: str, round_no: int) -> list[Record]:
    """Return the evidence in a meter's stream: the round's events, the reading before each, how the meter was set and armed.

    If the stream holds a correction, or these events alone would give other findings, the whole stream is returned.
    """
    chosen: set[int] = set()
    last: dict[str, int] = {}
    for record in records:
        payload = _payload(record)
        if isinstance(payload, model.EventCorrected):
            return list(records)
        if _is_about(payload, table, round_no):
            chosen |= {*last.values(), record.seq}
        kind = payload.TYPE if isinstance(payload, model.MeterSet | model.MysteryArmed) else "reading"
        last[kind] = record.seq
    few = [record for record in records if record.seq in chosen]
    if not few:
        return []
    stream = few[0].stream
    same = meter_findings({stream: few}, table, round_no) == meter_findings({stream: records}, table, round_no)
    return few if same else list(records)


def meter_findings(records: Mapping[str, Sequence[Record]], table: str, round_no: int) -> tuple[Finding, ...]:
    """Return the findings about the round in the meters' streams."""
    found: list[Finding] = []
    for stream in sorted(name for name in records if name.startswith(PREFIX)):
        about = {record.seq for record in records[stream] if _is_about(_payload(record), table, round_no)}
        found += [each for each in _judged(stream, records[stream]) if about & set(each.evidence)]
    return tuple(found)


def _judged(stream: str, records: Sequence[Record]) -> list[Finding]:
    """Return the findings of a meter's events, with corrections applied."""
    refolded = refold(stream, listed(records), None, no_result, tuple, None)
    if refolded.broken is not None:
        raise refolded.broken
    return current_findings((key, data) for kind, key, data in refolded.results if kind == "findings")


def _is_about(payload: model.Event, table: str, round_no: int) -> bool:
    return (getattr(payload, "table", None), getattr(payload, "round_no", None)) == (table, round_no)


def _payload(record: Record) -> model.Event:
    return event_of(record, read).payload
