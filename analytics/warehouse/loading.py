"""Adjudications, the ledger and the rounds' events as columns: polars frames for the warehouse.

Invariant: nothing is judged and nothing is dropped here. Every revision is loaded; the models choose.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from typing import Any, NamedTuple, TypeVar

import msgspec
import polars as pl

from replay.findings import Adjudication, Finding, LedgerEntry
from replay.incidents import incidents_in

T = TypeVar("T")
Schema = dict[str, Any]

CHUNK = 1_000
"""Adjudications held as Python objects at a time."""


class TableRows(NamedTuple):
    """Rows for one of `TABLES`."""

    table: str
    rows: pl.DataFrame


class RoundEvents(msgspec.Struct, frozen=True, kw_only=True):
    """One round's events in order, with the columns of `round_events`: `payload` is JSON text, `hash` hex of the chain."""

    stream: str
    round_no: int
    events: Sequence[dict[str, Any]]


class TableEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One event of a table between rounds that the rounds' figures depend on: `payload` is JSON text.

    Required are `cards_shuffled`, `dice_received` (which names the dice set), `device_failed` and `device_restored`, also within
    rounds, `table_opened`, `event_corrected`, `rules_filed` and `chapter_published`; others are harmless.
    """

    stream: str
    seq: int
    type: str
    payload: str
    event_id: str | None = None


class ReviewTimes(msgspec.Struct, frozen=True, kw_only=True):
    """The times of a finding's first entry and of its disposition in force (None: none), in UTC microseconds."""

    finding_id: str
    state: str
    assigned_to: str | None
    disposition: str | None
    amount_cents: int | None
    first_at_us: int
    settled_at_us: int | None


class StreamMark(msgspec.Struct, frozen=True, kw_only=True):
    """How far a stream was read.

    The last event and chain hash, the place and hash (hex) of the last result, and the place up to which results were read again
    in turn.
    """

    events: int = 0
    head: str = ""
    results: int = 0
    results_head: str = ""
    again: int = 0


class News(msgspec.Struct, kw_only=True):
    """The news of one step.

    Frames for the raw tables, and how far each stream is then read. For the streams in `begun_again`, every earlier result is
    removed; for those in `findings_outside`, the findings outside rounds are replaced; events in the ranges of `again` (stream,
    first and last number) are repeated.
    """

    rows: list[TableRows]
    marks: dict[str, StreamMark] = {}
    begun_again: frozenset[str] = frozenset()
    findings_outside: frozenset[str] = frozenset()
    again: tuple[tuple[str, int, int], ...] = ()


class PropertyFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The log's identity, and the pages' facts from `property_configured`: name, IANA time zone, ISO 4217 currency."""

    name: str = ""
    time_zone: str = "UTC"
    currency: str = "USD"
    log_id: str = ""


ADJUDICATIONS: Schema = {
    "load_no": pl.Int64,
    "stream": pl.String,
    "round_no": pl.Int64,
    "revision": pl.Int64,
    "engine": pl.String,
    "rules_digest": pl.String,
    "submission": pl.String,
    "game": pl.String,
    "chapter": pl.String,
    "gaming_day": pl.String,
    "shift": pl.String,
    "dealer": pl.String,
    "hour": pl.Int64,
    "opened_at_us": pl.Int64,
    "closed_at_us": pl.Int64,
    "first_seq": pl.Int64,
    "last_seq": pl.Int64,
    "verdict": pl.String,
    "undetermined": pl.List(pl.String),
    "withdrawn": pl.List(pl.String),
}
SETTLEMENTS: Schema = {
    "load_no": pl.Int64,
    "settlement_no": pl.Int64,
    "seat": pl.Int64,
    "wager": pl.String,
    "number": pl.Int64,
    "bettor": pl.String,
    "paytable": pl.String,
    "staked_cents": pl.Int64,
    "due_cents": pl.Int64,
    "done_cents": pl.Int64,
    "by_slip_cents": pl.Int64,
    "from_meter_cents": pl.Int64,
    "moved": pl.Boolean,
    "line": pl.String,
    "cite": pl.String,
}
FINDINGS: Schema = {
    "load_no": pl.Int64,
    "finding_no": pl.Int64,
    "finding_id": pl.String,
    "code": pl.String,
    "stream": pl.String,
    "round_no": pl.Int64,
    "seat": pl.Int64,
    "wager": pl.String,
    "expected": pl.String,
    "observed": pl.String,
    "difference_cents": pl.Int64,
    "evidence": pl.List(pl.Int64),
    "cite": pl.String,
    "other_reading": pl.String,
    "severity": pl.String,
    "assumed": pl.Boolean,
    "rules_digest": pl.String,
    "incident_id": pl.String,
}
LEDGER: Schema = {
    "load_no": pl.Int64,
    "stream": pl.String,
    "seq": pl.Int64,
    "gaming_day": pl.String,
    "kind": pl.String,
    "amount_cents": pl.Int64,
    "reference": pl.String,
}
ROUND_EVENTS: Schema = {
    "stream": pl.String,
    "round_no": pl.Int64,
    "seq": pl.Int64,
    "event_id": pl.String,
    "type": pl.String,
    "occurred_at_us": pl.Int64,
    "source": pl.String,
    "payload": pl.String,
    "hash": pl.String,
}
TABLE_EVENTS: Schema = {"stream": pl.String, "seq": pl.Int64, "type": pl.String, "payload": pl.String, "event_id": pl.String}
REVIEWS: Schema = {
    "finding_id": pl.String,
    "state": pl.String,
    "assigned_to": pl.String,
    "disposition": pl.String,
    "amount_cents": pl.Int64,
    "first_at_us": pl.Int64,
    "settled_at_us": pl.Int64,
}
OBSERVED_ROUNDS: Schema = {
    "stream": pl.String,
    "round_no": pl.Int64,
    "basis": pl.String,
    "observation": pl.String,
    "observer": pl.String,
    "seen": pl.String,
    "camera": pl.String,
    "dealer": pl.String,
    "gaming_day": pl.String,
    "entered_at_us": pl.Int64,
    "same_stream": pl.String,
    "same_round_no": pl.Int64,
    "withdrawn": pl.Boolean,
    "verdict": pl.String,
    "known": pl.Boolean,
    "codes": pl.List(pl.String),
    "underpaid_cents": pl.Int64,
    "overpaid_cents": pl.Int64,
    "confirmed_by": pl.List(pl.String),
}
OBSERVATIONS: Schema = {
    "stream": pl.String,
    "observation": pl.String,
    "basis": pl.String,
    "dealer": pl.String,
    "planned": pl.Int64,
    "closed": pl.Boolean,
    "entered": pl.Int64,
    "known": pl.Int64,
    "wrong": pl.Int64,
    "unread": pl.Int64,
    "low": pl.Float64,
    "high": pl.Float64,
    "difference_cents": pl.Int64,
    "patron_short_cents": pl.Int64,
    "house_short_cents": pl.Int64,
    "confirmed": pl.Int64,
    "cards": pl.Int64,
    "cards_alike": pl.Int64,
    "amounts": pl.Int64,
    "amounts_alike": pl.Int64,
    "says": pl.String,
}
TABLES: dict[str, Schema] = {
    "raw_adjudications": ADJUDICATIONS,
    "raw_settlements": SETTLEMENTS,
    "raw_findings": FINDINGS,
    "raw_ledger": LEDGER,
    "raw_round_events": ROUND_EVENTS,
    "raw_table_events": TABLE_EVENTS,
    "raw_reviews": REVIEWS,
    "raw_observed_rounds": OBSERVED_ROUNDS,
    "raw_observations": OBSERVATIONS,
}
"""The tables as loaded, and their columns in order."""


def batches(
    adjudications: Iterable[Adjudication],
    ledger: Iterable[LedgerEntry],
    rounds_events: Iterable[RoundEvents],
    stream_findings: Iterable[Finding],
    table_events: Iterable[TableEvent] = (),
    time_zone: str = "UTC",
    reviews: Iterable[ReviewTimes] = (),
) -> Iterator[TableRows]:
    """Yield everything as frames, a bounded number of rounds at a time. A round's hour is local time."""
    numbers = count()
    for some in chunks(adjudications):
        yield from adjudication_frames(some, numbers, time_zone)
    yield _batch("raw_findings", list(_finding_rows(None, stream_findings)))
    for entries in chunks(ledger):
        yield ledger_frame(entries, numbers)
    for rounds in chunks(rounds_events):
        yield _batch("raw_round_events", [row for round_ in rounds for row in _event_rows(round_)])
    for events in chunks(table_events):
        yield table_event_frame(events)
    for some_reviews in chunks(reviews):
        yield review_frame(some_reviews)


def adjudication_frames(adjudications: Iterable[Adjudication], numbers: Iterator[int], time_zone: str) -> Iterator[TableRows]:
    """Yield adjudications with their settlements and findings; `numbers` distinguishes each load."""
    numbered = [(next(numbers), each) for each in adjudications]
    yield with_hour(_batch("raw_adjudications", [_adjudication_row(number, a) for number, a in numbered]), time_zone)
    yield _batch("raw_settlements", [row for number, a in numbered for row in _settlement_rows(number, a)])
    yield _batch("raw_findings", [row for number, a in numbered for row in _finding_rows(number, a.findings)])


def outside_frame(findings: Iterable[Finding]) -> TableRows:
    """Return the findings of one stream outside rounds, in the order found."""
    return _batch("raw_findings", list(_finding_rows(None, findings)))


def ledger_frame(entries: Iterable[LedgerEntry], numbers: Iterator[int]) -> TableRows:
    """Return entries of the ledger; of two for one event, the one with the higher number counts."""
    return _batch("raw_ledger", [(next(numbers), *msgspec.structs.astuple(entry)) for entry in entries])


def event_frame(rows: list[tuple[Any, ...]]) -> TableRows:
    """Return events of rounds, each a row of `ROUND_EVENTS`."""
    return _batch("raw_round_events", rows)


def table_event_frame(events: Iterable[TableEvent]) -> TableRows:
    """Return events between rounds."""
    return _batch("raw_table_events", [msgspec.structs.astuple(event) for event in events])


def review_frame(reviews: Iterable[ReviewTimes]) -> TableRows:
    """Return the states of reviews."""
    return _batch("raw_reviews", [msgspec.structs.astuple(review) for review in reviews])


def observed_frames(rounds: Sequence[dict[str, Any]], observations: Sequence[dict[str, Any]]) -> list[TableRows]:
    """Return the observations of a table."""
    return [
        TableRows("raw_observed_rounds", pl.DataFrame(rounds, schema=OBSERVED_ROUNDS)),
        TableRows("raw_observations", pl.DataFrame(observations, schema=OBSERVATIONS)),
    ]


def with_hour(batch: TableRows, time_zone: str) -> TableRows:
    """Return adjudications with the hour in which each round opened, 0 to 23, in the property's time zone."""
    opened = pl.from_epoch(pl.col("opened_at_us"), time_unit="us").dt.replace_time_zone("UTC")
    hour = opened.dt.convert_time_zone(time_zone).dt.hour().cast(pl.Int64)
    return TableRows(batch.table, batch.rows.with_columns(hour.alias("hour")))


def chunks(items: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    """Yield items this many at a time."""
    iterator = iter(items)
    while some := list(islice(iterator, size)):
        yield some


def _batch(table: str, rows: list[tuple[Any, ...]]) -> TableRows:
    return TableRows(table, pl.DataFrame(rows, schema=TABLES[table], orient="row"))


def _adjudication_row(load_no: int, a: Adjudication) -> tuple[Any, ...]:
    return (
        load_no,
        a.stream,
        a.round_no,
        a.revision,
        a.engine,
        a.rules_digest,
        a.submission,
        a.game,
        f"{a.chapter}#{a.edition}" if a.edition_digest else a.chapter,
        a.gaming_day,
        a.shift,
        a.dealer,
        None,
        a.opened_at_us,
        a.closed_at_us,
        a.first_seq,
        a.last_seq,
        a.verdict,
        list(a.undetermined),
        list(a.withdrawn),
    )


def _settlement_rows(load_no: int, a: Adjudication) -> Iterator[tuple[Any, ...]]:
    for settlement_no, s in enumerate(a.settlements, start=1):
        yield (
            load_no,
            settlement_no,
            s.seat,
            s.wager,
            s.number,
            s.bettor,
            s.paytable,
            s.staked_cents,
            s.due_cents,
            s.done_cents,
            s.by_slip_cents,
            s.meter_cents,
            s.moved,
            s.line,
            s.cite,
        )


def _finding_rows(load_no: int | None, findings: Iterable[Finding]) -> Iterator[tuple[Any, ...]]:
    findings = list(findings)
    incident_of = {member.id: incident.id for incident in incidents_in(findings) for member in incident.findings}
    for finding_no, f in enumerate(findings, start=1):
        yield (
            load_no,
            finding_no,
            f.id,
            f.code,
            f.stream,
            f.round_no,
            f.seat,
            f.wager,
            f.expected,
            f.observed,
            f.difference_cents,
            list(f.evidence),
            f.cite,
            f.other_reading,
            f.severity,
            f.assumed,
            f.rules_digest,
            incident_of[f.id],
        )


def _event_rows(round_: RoundEvents) -> Iterator[tuple[Any, ...]]:
    for event in round_.events:
        yield (
            round_.stream,
            round_.round_no,
            event["seq"],
            event["event_id"],
            event["type"],
            event["occurred_at_us"],
            event["source"],
            event["payload"],
            event["hash"],
        )
