"""Adjudications, the ledger and the rounds' events as columns: every revision as it is, for the models to choose."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count, islice
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
import polars as pl

from replay.findings import Adjudication, Finding, LedgerEntry
from replay.incidents import incidents_in

T = TypeVar("T")

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


_TYPES: Final[dict[str, Any]] = {
    "BIGINT": pl.Int64,
    "BIGINT[]": pl.List(pl.Int64),
    "BOOLEAN": pl.Boolean,
    "DATE": pl.Date,
    "DOUBLE": pl.Float64,
    "VARCHAR": pl.String,
    "VARCHAR[]": pl.List(pl.String),
}


def schema_of(columns: str) -> dict[str, Any]:
    """Return columns, written as in SQL, with their types in polars.

    >>> schema_of("table_id VARCHAR, rounds BIGINT")
    {'table_id': String, 'rounds': Int64}
    """
    return {name: _TYPES[kind] for name, kind in (column.split() for column in columns.split(","))}


TABLES: Final = {
    "raw_adjudications": (
        "load_no BIGINT, stream VARCHAR, round_no BIGINT, revision BIGINT, engine VARCHAR, rules_digest VARCHAR, "
        "submission VARCHAR, game VARCHAR, chapter VARCHAR, gaming_day VARCHAR, shift VARCHAR, dealer VARCHAR, hour BIGINT, "
        "opened_at_us BIGINT, closed_at_us BIGINT, first_seq BIGINT, last_seq BIGINT, verdict VARCHAR, undetermined VARCHAR[], "
        "withdrawn VARCHAR[]"
    ),
    "raw_settlements": (
        "load_no BIGINT, settlement_no BIGINT, seat BIGINT, wager VARCHAR, number BIGINT, bettor VARCHAR, paytable VARCHAR, "
        "staked_cents BIGINT, due_cents BIGINT, done_cents BIGINT, by_slip_cents BIGINT, from_meter_cents BIGINT, "
        "moved BOOLEAN, line VARCHAR, cite VARCHAR"
    ),
    "raw_findings": (
        "load_no BIGINT, finding_no BIGINT, finding_id VARCHAR, code VARCHAR, stream VARCHAR, round_no BIGINT, seat BIGINT, "
        "wager VARCHAR, expected VARCHAR, observed VARCHAR, difference_cents BIGINT, evidence BIGINT[], cite VARCHAR, "
        "other_reading VARCHAR, severity VARCHAR, assumed BOOLEAN, rules_digest VARCHAR, incident_id VARCHAR"
    ),
    "raw_ledger": (
        "load_no BIGINT, stream VARCHAR, seq BIGINT, gaming_day VARCHAR, kind VARCHAR, amount_cents BIGINT, reference VARCHAR"
    ),
    "raw_round_events": (
        "stream VARCHAR, round_no BIGINT, seq BIGINT, event_id VARCHAR, type VARCHAR, occurred_at_us BIGINT, source VARCHAR, "
        "payload VARCHAR, hash VARCHAR"
    ),
    "raw_table_events": "stream VARCHAR, seq BIGINT, type VARCHAR, payload VARCHAR, event_id VARCHAR",
    "raw_reviews": (
        "finding_id VARCHAR, state VARCHAR, assigned_to VARCHAR, disposition VARCHAR, amount_cents BIGINT, first_at_us BIGINT, "
        "settled_at_us BIGINT"
    ),
    "raw_observed_rounds": (
        "stream VARCHAR, round_no BIGINT, basis VARCHAR, observation VARCHAR, observer VARCHAR, seen VARCHAR, camera VARCHAR, "
        "dealer VARCHAR, gaming_day VARCHAR, entered_at_us BIGINT, same_stream VARCHAR, same_round_no BIGINT, "
        "withdrawn BOOLEAN, verdict VARCHAR, known BOOLEAN, codes VARCHAR[], underpaid_cents BIGINT, overpaid_cents BIGINT, "
        "confirmed_by VARCHAR[]"
    ),
    "raw_observations": (
        "stream VARCHAR, observation VARCHAR, basis VARCHAR, dealer VARCHAR, planned BIGINT, closed BOOLEAN, entered BIGINT, "
        "known BIGINT, wrong BIGINT, unread BIGINT, low DOUBLE, high DOUBLE, difference_cents BIGINT, "
        "patron_short_cents BIGINT, house_short_cents BIGINT, confirmed BIGINT, cards BIGINT, cards_alike BIGINT, "
        "amounts BIGINT, amounts_alike BIGINT, says VARCHAR"
    ),
}
"""The tables as loaded, with their columns in order."""
_SCHEMAS: Final = {table: schema_of(columns) for table, columns in TABLES.items()}
ROUND_EVENTS: Final = tuple(_SCHEMAS["raw_round_events"])


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
        TableRows("raw_observed_rounds", pl.DataFrame(rounds, schema=_SCHEMAS["raw_observed_rounds"])),
        TableRows("raw_observations", pl.DataFrame(observations, schema=_SCHEMAS["raw_observations"])),
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
    return TableRows(table, pl.DataFrame(rows, schema=_SCHEMAS[table], orient="row"))


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


_SETTLED: Final = attrgetter(
    *("meter_cents" if name == "from_meter_cents" else name for name in list(_SCHEMAS["raw_settlements"])[2:])
)


def _settlement_rows(load_no: int, a: Adjudication) -> Iterator[tuple[Any, ...]]:
    for settlement_no, s in enumerate(a.settlements, start=1):
        yield (load_no, settlement_no, *_SETTLED(s))


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
        yield (round_.stream, round_.round_no, *(event[name] for name in ROUND_EVENTS[2:]))
