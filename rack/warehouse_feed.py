"""Feeds the warehouse: adjudications and ledger from the results, the events of each round and the property from the log.

The law of this file: a stream that is broken is taken as far as it stands, and named; the others are taken whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from analytics.warehouse.extending import earlier, extend
from analytics.warehouse.warehouse import PropertyFacts, ReviewedFinding, RoundEvents, TableEvent, build
from events.errors import IntegrityError, UndecodableEvent
from events.log.contract import EventLog, Record, ResultStore
from events.vocabulary.envelope import RawEnvelope
from events.vocabulary.model import DiceReceived, EventCorrected, PropertyConfigured, RulesFiled
from replay.findings import Adjudication, read_result
from replay.review.state import FindingReview, TableReview
from replay.run.replayer import findings, ledger

TABLE_EVENT_TYPES = (DiceReceived.TYPE, EventCorrected.TYPE, RulesFiled.TYPE)

Broken = dict[str, str]
"""Stream → the code and the words of what is broken there; file and table → what was changed in the warehouse."""

_envelope = msgspec.json.Decoder(RawEnvelope)


def build_warehouse(
    path: Path, log: EventLog, results: ResultStore, *, anew: bool = False, broken: Broken | None = None
) -> bool:
    """Bring the warehouse at `path` up to what log and results hold; return whether there was anything to do.

    The events that the file holds already are taken over and only the rest is read, unless `anew`, or where the file is of
    another program or log. Building again without anything new leaves the file as it is. `broken` takes the streams that
    broke off on the way, and what of the file is not as it was built.
    """
    broken = {} if broken is None else broken
    facts, inputs = property_facts(log, broken), inputs_digest(log, results)
    known = None if anew else earlier(path, facts)
    if known is not None:
        broken |= {f"{path} {place}": _altered(path, *place) for place in known.altered}
        if known.inputs == inputs and not known.altered:
            return False
    after = known.read_to if known is not None else {}
    judged = {(number.stream, number.round_no) for number in _numbers(results)}
    outside = [each for each in findings(results) if (each.stream, each.round_no) not in judged]
    events, entries = round_events(log, after, broken), ledger(results)
    more: dict[str, Any] = {
        "stream_findings": outside,
        "table_events": table_events(log, after, broken),
        "reviews": reviews(log, broken),
        "facts": facts,
        "inputs": inputs,
    }
    if known is None:
        build(path, revisions(results), entries, events, **more)
    else:
        extend(path, known, revisions(results), entries, events, **more)
    return True


def _altered(path: Path, table: str, stream: str) -> str:
    of_stream = f" of {stream}" if stream else ""
    return f"{path}: rows of {table}{of_stream} were changed after they were built; they were built anew from log and results"


class _Number(msgspec.Struct):
    """Which round an adjudication is of."""

    stream: str
    round_no: int


def _numbers(results: ResultStore) -> Iterator[_Number]:
    return (read_result("adjudications", key, data, _Number) for key, data in results.results("adjudications"))


def revisions(results: ResultStore) -> Iterator[Adjudication]:
    """Yield every revision of every adjudication."""
    return (read_result("adjudications", key, data, Adjudication) for key, data in results.results("adjudications"))


def inputs_digest(log: EventLog, results: ResultStore) -> str:
    """Return a digest that changes whenever an event was appended, a result was stored, or results were judged again."""
    heads = {stream: [log.head(stream).seq, log.head(stream).hash.hex()] for stream in sorted(log.streams())}
    said = {kind: sum(1 for _ in results.results(kind)) for kind in ("adjudications", "findings", "ledger")}
    chains = {stream: head.hash.hex() for stream, head in results.chain_heads().items()}
    return sha256(msgspec.json.encode([log.log_id, heads, said, chains], order="sorted")).hexdigest()


def _read(
    log: EventLog, stream: str, broken: Broken | None, after: Mapping[str, int] | None = None
) -> Iterator[tuple[RawEnvelope, Record]]:
    """Yield a stream's events past the number given, as far as it stands."""
    seq = (after or {}).get(stream, 0)
    try:
        for record in log.read(stream, seq + 1):
            seq = record.seq
            yield _envelope.decode(record.data), record
    except IntegrityError as error:
        _note(broken, error)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        _note(broken, UndecodableEvent(stream, seq, str(error)))


def _note(broken: Broken | None, error: IntegrityError) -> None:
    if broken is not None:
        broken.setdefault(error.stream, f"{error.code} {error}")


def round_events(
    log: EventLog, after: Mapping[str, int] | None = None, broken: Broken | None = None
) -> Iterator[RoundEvents]:
    """Yield the events of each round of each table past the numbers given; a round with late events comes in several pieces."""
    for stream in log.streams():
        if stream.startswith("table/"):
            for round_no, run in groupby(_read(log, stream, broken, after), key=lambda pair: pair[0].round_no):
                if round_no is not None:
                    yield RoundEvents(stream=stream, round_no=round_no, events=[_row(*pair) for pair in run])


def table_events(
    log: EventLog, after: Mapping[str, int] | None = None, broken: Broken | None = None
) -> Iterator[TableEvent]:
    """Yield the events of each table by which dice are told apart, corrections and submissions, past the numbers given."""
    for stream in log.streams():
        if stream.startswith("table/"):
            for envelope, record in _read(log, stream, broken, after):
                if envelope.type in TABLE_EVENT_TYPES:
                    yield TableEvent(
                        stream=stream, seq=record.seq, type=envelope.type, payload=bytes(envelope.payload).decode()
                    )


def reviews(log: EventLog, broken: Broken | None = None) -> Iterator[ReviewedFinding]:
    """Yield where the review of each finding stands that anybody spoke of."""
    for stream in log.streams():
        if stream.startswith("review/"):
            review = TableReview(stream)
            try:
                for record in log.read(stream):
                    review.take(record)
            except IntegrityError as error:
                _note(broken, error)
            for finding in review.findings.values():
                yield _reviewed(finding)


def _reviewed(finding: FindingReview) -> ReviewedFinding:
    standing = finding.resolution
    settled = [each.at_us for each in finding.history if standing is not None and each.seq == standing.seq]
    return ReviewedFinding(
        finding_id=finding.finding_id,
        state=finding.state,
        assigned_to=finding.assigned_to,
        disposition=standing.disposition if standing else None,
        amount_cents=standing.amount_cents if standing else None,
        first_at_us=finding.history[0].at_us,
        settled_at_us=settled[0] if settled else None,
    )


def property_facts(log: EventLog, broken: Broken | None = None) -> PropertyFacts:
    """Return what the newest `property_configured` says, or the defaults."""
    facts = PropertyFacts(log_id=log.log_id)
    for stream in log.streams():
        if not stream.startswith("property/"):
            continue
        for envelope, _ in _read(log, stream, broken):
            if envelope.type == PropertyConfigured.TYPE:
                said = msgspec.json.decode(envelope.payload)
                facts = PropertyFacts(
                    name=said["name"], time_zone=said["time_zone"], currency=said["currency"], log_id=log.log_id
                )
    return facts


def _row(envelope: RawEnvelope, record: Record) -> dict[str, Any]:
    return {
        "seq": record.seq,
        "event_id": envelope.event_id,
        "type": envelope.type,
        "occurred_at_us": envelope.occurred_at_us,
        "source": envelope.source,
        "payload": bytes(envelope.payload).decode(),
        "hash": record.hash.hex(),
    }
