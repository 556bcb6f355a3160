"""One round as its page shows it, and the rounds to choose from."""

from datetime import date
from typing import Any

import msgspec
import polars as pl

from analytics.warehouse.statements import run_statement
from analytics.warehouse.warehouse import Warehouse


class RoundView(msgspec.Struct, frozen=True, kw_only=True):
    """The data of the round page: the round's row of `fct_rounds`, its wagers, findings and recorded events.

    `previous_round_no` and `next_round_no` are the neighbors at the same table, `next_found_round_no` the next one with findings;
    None at the ends.
    """

    round: dict[str, Any]
    settlements: pl.DataFrame
    findings: pl.DataFrame
    events: pl.DataFrame
    previous_round_no: int | None
    next_round_no: int | None
    next_found_round_no: int | None


def has_rounds(db: Warehouse) -> bool:
    """Return whether any round is recorded."""
    return bool(run_statement(db, "SELECT count(*) > 0 AS found FROM fct_rounds")["found"].item())


def rounds_of(db: Warehouse, table: str | None = None, gaming_day: date | None = None) -> pl.DataFrame:
    """Return the rounds (of one table, of one day) to choose from: table, number, times, verdict and findings, in order."""
    return run_statement(
        db,
        """
        SELECT stream, table_id, round_no, gaming_day, opened_at_us, closed_at_us, verdict, findings,
            overpaid_cents, underpaid_cents
        FROM fct_rounds
        WHERE ($table::VARCHAR IS NULL OR table_id = $table) AND ($day::DATE IS NULL OR gaming_day = $day)
        ORDER BY table_id, round_no
        """,
        {"table": table, "day": gaming_day},
    )


def round_view(db: Warehouse, stream: str, round_no: int) -> RoundView | None:
    """Return the data of one round, or None if the warehouse does not have it."""
    key = {"stream": stream, "round_no": round_no}
    rounds = run_statement(db, "SELECT * FROM fct_rounds WHERE stream = $stream AND round_no = $round_no", key)
    if rounds.is_empty():
        return None
    neighbors = run_statement(
        db,
        """
        SELECT
            max(round_no) FILTER (round_no < $round_no) AS previous,
            min(round_no) FILTER (round_no > $round_no) AS next,
            min(round_no) FILTER (round_no > $round_no AND findings > 0) AS next_found
        FROM fct_rounds WHERE stream = $stream
        """,
        key,
    ).row(0)
    of_round = "WHERE stream = $stream AND round_no = $round_no"
    return RoundView(
        round=rounds.row(0, named=True),
        settlements=run_statement(db, f"SELECT * FROM fct_wagers {of_round} ORDER BY seat, settlement_no", key),
        findings=run_statement(
            db,
            """SELECT f.* FROM fct_findings AS f INNER JOIN fct_incidents AS i USING (incident_id)
            WHERE f.stream = $stream AND f.round_no = $round_no
            ORDER BY i.severity_rank, i.overpaid_cents + i.underpaid_cents DESC, i.incident_id, f.finding_id <> i.finding_id,
                f.severity_rank, abs(f.difference_cents) DESC NULLS LAST, f.code, f.seat, f.finding_id""",
            key,
        ),
        events=run_statement(db, f"SELECT * FROM round_events {of_round} ORDER BY seq", key),
        previous_round_no=neighbors[0],
        next_round_no=neighbors[1],
        next_found_round_no=neighbors[2],
    )
