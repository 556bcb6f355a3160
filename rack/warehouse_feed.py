"""Feeds the warehouse: adjudications and ledger from the results, the events of each round and the property from the log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from analytics.warehouse import PropertyFacts, ReviewedFinding, RoundEvents, TableEvent, build
from events.envelope import RawEnvelope
from events.log import EventLog, Record, ResultStore
from events.model import DiceReceived, EventCorrected, PropertyConfigured
from replay.findings import Adjudication, Finding
from replay.replayer import adjudications, findings, ledger
from replay.review_state import FindingReview, fold

TELLING = (DiceReceived.TYPE, EventCorrected.TYPE)

_envelope = msgspec.json.Decoder(RawEnvelope)


def build_warehouse(path: Path, log: EventLog, results: ResultStore) -> None:
    """Build the warehouse at `path` from everything that log and results hold."""
    judged = adjudications(results)
    build(
        path,
        judged,
        ledger(results),
        round_events(log),
        stream_findings=outside_rounds(findings(results), judged),
        table_events=table_events(log),
        reviews=reviews(log),
        facts=property_facts(log),
    )


def outside_rounds(found: Iterable[Finding], judged: Iterable[Adjudication]) -> list[Finding]:
    """Return the findings that stand in no adjudication: those of a meter's stream, or of the log itself."""
    rounds = {(each.stream, each.round_no) for each in judged}
    return [finding for finding in found if (finding.stream, finding.round_no) not in rounds]


def round_events(log: EventLog) -> Iterator[RoundEvents]:
    """Yield the events of each round of each table; a round with late events comes in several pieces."""
    for stream in log.streams():
        if stream.startswith("table/"):
            envelopes = ((_envelope.decode(record.data), record) for record in log.read(stream))
            for round_no, run in groupby(envelopes, key=lambda pair: pair[0].round_no):
                if round_no is not None:
                    yield RoundEvents(stream=stream, round_no=round_no, events=[_row(*pair) for pair in run])


def table_events(log: EventLog) -> Iterator[TableEvent]:
    """Yield the events of each table by which the warehouse tells dice apart, and the corrections."""
    for stream in log.streams():
        if stream.startswith("table/"):
            for record in log.read(stream):
                envelope = _envelope.decode(record.data)
                if envelope.type in TELLING:
                    yield TableEvent(
                        stream=stream, seq=record.seq, type=envelope.type, payload=bytes(envelope.payload).decode()
                    )


def reviews(log: EventLog) -> Iterator[ReviewedFinding]:
    """Yield where the review of each finding stands that anybody spoke of."""
    for stream in log.streams():
        if stream.startswith("review/"):
            for finding in fold(stream, log.read(stream)).findings.values():
                yield _reviewed(finding)


def _reviewed(finding: FindingReview) -> ReviewedFinding:
    standing = finding.resolution
    settled = [each.at_us for each in finding.history if standing is not None and each.seq == standing.seq]
    return ReviewedFinding(
        finding_id=finding.finding_id, state=finding.state, assigned_to=finding.assigned_to,
        disposition=standing.disposition if standing else None, amount_cents=standing.amount_cents if standing else None,
        first_at_us=finding.history[0].at_us, settled_at_us=settled[0] if settled else None,
    )  # fmt: skip


def property_facts(log: EventLog) -> PropertyFacts:
    """Return what the newest `property_configured` says, or the defaults."""
    facts = PropertyFacts()
    for stream in log.streams():
        if not stream.startswith("property/"):
            continue
        for record in log.read(stream):
            envelope = _envelope.decode(record.data)
            if envelope.type == PropertyConfigured.TYPE:
                said = msgspec.json.decode(envelope.payload)
                facts = PropertyFacts(name=said["name"], time_zone=said["time_zone"], currency=said["currency"])
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
