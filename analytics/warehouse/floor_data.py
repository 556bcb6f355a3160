"""The property, its tables and days, the choices that narrow a question, and the overview of the floor."""

from calendar import monthrange
from datetime import date
from typing import Final

import msgspec
import polars as pl

from analytics.warehouse.loading import PropertyFacts
from analytics.warehouse.statements import run_statement
from analytics.warehouse.warehouse import Warehouse


class WarehouseGeneration(msgspec.Struct, frozen=True, kw_only=True):
    """The present build of the warehouse: its number, its time, and the amount of its data."""

    generation: int
    built_at_us: int
    engines: str | None
    rounds: int
    wagers: int
    findings: int
    ledger_entries: int
    events: int


def generation(db: Warehouse) -> WarehouseGeneration:
    """Return the present build."""
    (row,) = db.sql("SELECT * EXCLUDE (models_digest) FROM generation").to_dicts()
    return msgspec.convert(row, WarehouseGeneration)


def property_facts(db: Warehouse) -> PropertyFacts:
    """Return the property's name, time zone and currency."""
    return msgspec.convert(
        run_statement(db, "SELECT name, time_zone, currency, log_id FROM property").row(0, named=True), PropertyFacts
    )


def shifts(db: Warehouse) -> list[str]:
    """Return the shifts in which rounds were dealt, by name."""
    rows = db.sql("SELECT DISTINCT shift FROM fct_rounds WHERE shift IS NOT NULL ORDER BY shift").fetchall()
    return [str(shift) for (shift,) in rows]


def gaming_days(db: Warehouse) -> list[date]:
    """Return the gaming days with rounds or counts, newest first."""
    statement = "SELECT DISTINCT gaming_day FROM fct_table_days ORDER BY gaming_day DESC"
    return run_statement(db, statement)["gaming_day"].to_list()


_ROUNDS_OF_TABLES: Final = """
        rounds AS (
            SELECT
                stream,
                arg_max(last_round_no, last_closed_at_us) AS last_round_no,
                arg_max(last_dealer, last_closed_at_us) AS last_dealer,
                coalesce(arg_max(last_game, last_closed_at_us), arg_max(game, gaming_day)) AS game,
                max(last_closed_at_us) AS last_closed_at_us,
                arg_max(coalesce(last_event_at_us, last_closed_at_us), last_closed_at_us) AS last_event_at_us,
                sum(upheld)::BIGINT AS upheld,
                sum(variances)::BIGINT AS variances,
                sum(voids)::BIGINT AS voids,
                sum(undetermined)::BIGINT AS undetermined
            FROM days
            GROUP BY stream
        )"""
"""The rounds of each table on the days chosen: verdicts, and its last round."""


_INCIDENTS_OF_TABLES: Final = """
        incidents AS (
            SELECT
                stream,
                count(*) AS incidents,
                sum(overpaid_cents)::BIGINT AS overpaid_cents,
                sum(underpaid_cents)::BIGINT AS underpaid_cents,
                count(*) FILTER (severity = 'high') AS high_incidents,
                count(*) FILTER (severity = 'medium') AS medium_incidents,
                count(*) FILTER (severity = 'low') AS low_incidents
            FROM fct_incidents
            WHERE $gaming_day::DATE IS NULL OR gaming_day = $gaming_day::DATE
            GROUP BY stream
        )"""
"""The incidents of each table of the gaming day, or of all."""


def floor_overview(db: Warehouse, gaming_day: date | None = None) -> pl.DataFrame:
    """Return a row for each table: game, rounds, pace, incidents, money over and under, last event; for one day or all.

    `pace_rounds_per_hour` counts from a day's first round opened to its last closed, None for a single round. Incidents without a
    round have no day: they count only for all days. A table with only counts on record has no rounds.
    """
    return run_statement(
        db,
        f"""
        WITH days AS (
            SELECT * FROM fct_table_days
            WHERE $gaming_day::DATE IS NULL OR gaming_day = $gaming_day::DATE
        ),

        {_ROUNDS_OF_TABLES},

        {_INCIDENTS_OF_TABLES}

        SELECT
            d.stream,
            d.table_id,
            r.game,
            count(*) AS gaming_days,
            sum(d.rounds)::BIGINT AS rounds,
            CASE WHEN sum(d.rounds) > 1 THEN
                sum(d.rounds) * 3.6e9 / nullif(sum(d.last_closed_at_us - d.first_opened_at_us), 0)
            END AS pace_rounds_per_hour,
            coalesce(any_value(f.incidents), 0) AS incidents,
            coalesce(any_value(f.high_incidents), 0) AS high_incidents,
            coalesce(any_value(f.medium_incidents), 0) AS medium_incidents,
            coalesce(any_value(f.low_incidents), 0) AS low_incidents,
            any_value(r.upheld) AS upheld,
            any_value(r.variances) AS variances,
            any_value(r.voids) AS voids,
            any_value(r.undetermined) AS undetermined,
            coalesce(any_value(f.overpaid_cents), 0) AS overpaid_cents,
            coalesce(any_value(f.underpaid_cents), 0) AS underpaid_cents,
            any_value(r.last_dealer) AS last_dealer,
            any_value(r.last_round_no) AS last_round_no,
            greatest(any_value(r.last_closed_at_us), any_value(r.last_event_at_us)) AS last_event_at_us
        FROM days AS d
        INNER JOIN rounds AS r USING (stream)
        LEFT JOIN incidents AS f USING (stream)
        GROUP BY d.stream, d.table_id, r.game
        ORDER BY d.table_id
        """,
        {"gaming_day": gaming_day},
    )


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """The games, tables, dealers and months (first days, newest first) with rounds or counts, for a page to offer."""

    games: list[str]
    tables: list[str]
    dealers: list[str]
    months: list[date]


SEVERAL_GAMES: Final = "several_games"
"""The game of a table day on which more than one was dealt (D1441); no round and no wager is of it."""


def choices(db: Warehouse) -> Choices:
    """Return the choices that narrow a question."""
    days = "fct_table_days"
    values = {
        name: run_statement(db, f"SELECT DISTINCT {value} AS value FROM {of}")["value"].to_list()
        for name, (value, of) in {
            "games": ("game", f"(SELECT game FROM mart_pace UNION SELECT game FROM {days} WHERE game IS NOT NULL)"),
            "tables": ("table_id", days),
            "dealers": ("dealer", "mart_pace"),
            "months": ("date_trunc('month', gaming_day)::DATE", days),
        }.items()
    }
    return Choices(
        games=sorted(values["games"]),
        tables=sorted(values["tables"]),
        dealers=sorted(dealer for dealer in values["dealers"] if dealer),
        months=sorted(values["months"], reverse=True),
    )


def month_of(month: str) -> tuple[date, date]:
    """Return the first and last day of a month.

    >>> [str(day) for day in month_of("2026-02")]
    ['2026-02-01', '2026-02-28']
    """
    first = date.fromisoformat(f"{month}-01")
    return first, first.replace(day=monthrange(first.year, first.month)[1])


def tables(db: Warehouse) -> list[str]:
    """Return the ids of the tables with rounds or counts, sorted."""
    return run_statement(db, "SELECT DISTINCT table_id FROM fct_table_days ORDER BY table_id")["table_id"].to_list()
