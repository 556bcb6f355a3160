"""The queue: which incidents, in which order, with similar incidents in one row.

Invariant: severity, then money, then time decide an incident's place; its review (`desk.review.desk`) only decides whether it is
shown. An incident is shown while one of its findings is. Two incidents are similar when their causes have the same fingerprint
(D235).
"""

from datetime import date
from typing import Any

import msgspec
import polars as pl

from analytics.warehouse.warehouse import Warehouse
from replay.narrative.findings import TITLES

FINGERPRINT = "stream, code, gaming_day, dealer, wager, underpaid_cents > 0, overpaid_cents > 0"
"""Similar incidents agree in these: table, code of the cause, gaming day, dealer, wager, and which way the money went."""


class QueueFilters(msgspec.Struct, frozen=True, kw_only=True):
    """The filters of findings: None means all. `gaming_day` is the round's; `only` and `without` name ids.

    `severity` is the incident's, which is that of its gravest finding. Each of `words` must be in a finding's table, round,
    title, code, seat, wager, dealer, or expected and observed values.
    """

    table: str | None = None
    code: str | None = None
    gaming_day: date | None = None
    severity: str | None = None
    dealer: str | None = None
    words: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()

    def parameters(self) -> dict[str, Any]:
        """Return the values as parameters of a statement."""
        only = None if self.only is None else list(self.only)
        return {
            **msgspec.structs.asdict(self),
            "only": only,
            "words": [each.lower() for each in self.words],
            "without": list(self.without),
        }


class QueueChoices(msgspec.Struct, frozen=True, kw_only=True):
    """The values among the findings, sorted, for a page to offer."""

    tables: list[str]
    codes: list[str]
    gaming_days: list[date]
    severities: list[str]
    dealers: list[str]


_TITLE = " ".join("WHEN '{}' THEN '{}'".format(code, title.replace("'", "''")) for code, title in TITLES.items())
_WORDS = f"""
    lower(concat_ws(' ', table_id, 'round ' || round_no, CASE code {_TITLE} END, code, 'seat ' || seat, replace(wager, '_', ' '),
        'dealer ' || dealer, expected, observed))
"""
_WHERE = f"""
    ($table::VARCHAR IS NULL OR table_id = $table)
    AND ($code::VARCHAR IS NULL OR code = $code)
    AND ($gaming_day::DATE IS NULL OR gaming_day = $gaming_day::DATE)
    AND ($dealer::VARCHAR IS NULL OR dealer = $dealer)
    AND ($only::VARCHAR[] IS NULL OR finding_id IN (SELECT unnest($only::VARCHAR[])))
    AND finding_id NOT IN (SELECT unnest($without::VARCHAR[]))
    AND NOT EXISTS (SELECT 1 FROM unnest($words::VARCHAR[]) AS w (word) WHERE NOT contains({_WORDS}, word))
"""
_SHOWN = f"""
    incident_id IN (SELECT incident_id FROM fct_findings WHERE {_WHERE})
    AND ($severity::VARCHAR IS NULL OR severity = $severity)
"""
_ORDER = """
    severity_rank, overpaid_cents + underpaid_cents DESC, opened_at_us NULLS FIRST, stream, round_no, code, seat, incident_id
"""


def incidents_queue(
    db: Warehouse, filters: QueueFilters | None = None, *, together: bool = False, limit: int | None = None, offset: int = 0
) -> pl.DataFrame:
    """Return matching incidents: most severe, most money, oldest first; `together` gives the first of each fingerprint."""
    return _frame(
        db,
        f"""
        SELECT *, count(*) OVER (PARTITION BY {FINGERPRINT}) AS alike
        FROM fct_incidents
        WHERE {_SHOWN}
        QUALIFY NOT $together::BOOLEAN OR row_number() OVER (PARTITION BY {FINGERPRINT} ORDER BY {_ORDER}) = 1
        ORDER BY {_ORDER}
        LIMIT $limit OFFSET $offset
        """,
        {**(filters or QueueFilters()).parameters(), "together": together, "limit": limit, "offset": offset},
    )


def findings_listed(db: Warehouse, filters: QueueFilters | None = None) -> pl.DataFrame:
    """Return all findings of `incidents_queue`, incident by incident in its order, the cause first."""
    return _frame(
        db,
        f"""
        WITH listed AS (
            SELECT incident_id, row_number() OVER (ORDER BY {_ORDER}) AS place FROM fct_incidents WHERE {_SHOWN}
        )
        SELECT f.* FROM fct_findings AS f INNER JOIN listed AS l USING (incident_id)
        ORDER BY l.place, f.finding_id <> f.incident_id, f.severity_rank, f.seat, f.code, f.finding_id
        """,
        (filters or QueueFilters()).parameters(),
    )


def incident(db: Warehouse, finding_id: str) -> pl.DataFrame:
    """Return the findings of a finding's incident, the cause first; empty if there is no such finding."""
    return _frame(
        db,
        """
        SELECT * FROM fct_findings
        WHERE incident_id = (SELECT incident_id FROM fct_findings WHERE finding_id = $id)
        ORDER BY finding_id <> incident_id, severity_rank, abs(difference_cents) DESC NULLS LAST, seat, code, finding_id
        """,
        {"id": finding_id},
    )


def alike(db: Warehouse, finding_id: str) -> list[str]:
    """Return the causes of other incidents with the fingerprint of a finding's incident, in queue order."""
    rows = _frame(
        db,
        f"""
        WITH own AS (
            SELECT * FROM fct_incidents WHERE list_contains(finding_ids, $id)
        )
        SELECT finding_id FROM fct_incidents
        WHERE incident_id NOT IN (SELECT incident_id FROM own)
            AND row({FINGERPRINT}) IN (SELECT row({FINGERPRINT}) FROM own)
        ORDER BY {_ORDER}
        """,
        {"id": finding_id},
    )
    return rows["finding_id"].to_list()


def queue_totals(db: Warehouse, filters: QueueFilters | None = None) -> pl.DataFrame:
    """Return totals over matching incidents: number, by severity, money over and under, fingerprints, and findings."""
    return _frame(
        db,
        f"""
        SELECT
            count(*) AS incidents,
            coalesce(sum(findings), 0)::BIGINT AS findings,
            count(*) FILTER (severity = 'high') AS high_incidents,
            count(*) FILTER (severity = 'medium') AS medium_incidents,
            count(*) FILTER (severity = 'low') AS low_incidents,
            count(DISTINCT (stream, round_no)) AS rounds,
            count(DISTINCT row({FINGERPRINT})) AS fingerprints,
            coalesce(sum(overpaid_cents), 0)::BIGINT AS overpaid_cents,
            coalesce(sum(underpaid_cents), 0)::BIGINT AS underpaid_cents
        FROM fct_incidents
        WHERE {_SHOWN}
        """,
        (filters or QueueFilters()).parameters(),
    )


def queue_choices(db: Warehouse) -> QueueChoices:
    """Return the tables, codes, gaming days, severities and dealers of findings."""
    rows = _frame(db, "SELECT DISTINCT table_id, code, gaming_day, severity, severity_rank, dealer FROM fct_findings")
    return QueueChoices(
        tables=sorted(set(rows["table_id"])),
        codes=sorted(set(rows["code"])),
        gaming_days=sorted({day for day in rows["gaming_day"] if day is not None}, reverse=True),
        severities=rows.unique("severity").sort("severity_rank")["severity"].to_list(),
        dealers=sorted({dealer for dealer in rows["dealer"] if dealer}),
    )


def _frame(db: Warehouse, statement: str, parameters: dict[str, Any] | None = None) -> pl.DataFrame:
    frame: pl.DataFrame = db.sql(statement, params=parameters or {}).pl()
    return frame
