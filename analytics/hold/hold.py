"""The questions of the pages and of `rack hold`: plain functions from an open warehouse to a frame.

Invariant: a figure keeps its name from the model to the page. *Drop*, *win* and *hold %* are counted per table and gaming day,
without a further breakdown; *handle*, *payouts* and *house win %* come from single wagers; payouts of meters are shown separately
and are part of neither; overpayments and underpayments are never netted (D27). If a count is missing, the answer is None.
"""

from calendar import monthrange
from datetime import date
from typing import Any, Final, Literal, get_args

import msgspec
import polars as pl

from analytics.warehouse.loading import PropertyFacts
from analytics.warehouse.selection import COLUMNS, EVERYTHING, WHERE, WHERE_PER_BOX, Selection
from analytics.warehouse.statements import run_statement
from analytics.warehouse.warehouse import Warehouse

Dimension = Literal["game", "table", "wager", "paytable", "dealer", "shift", "hour", "gaming_day"]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)


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


def _frame(db: Warehouse, statement: str, parameters: dict[str, Any] | None = None) -> pl.DataFrame:
    return run_statement(db, statement, parameters or {})


def generation(db: Warehouse) -> WarehouseGeneration:
    """Return the present build."""
    (row,) = db.sql("SELECT * EXCLUDE (models_digest) FROM generation").to_dicts()
    return msgspec.convert(row, WarehouseGeneration)


def property_facts(db: Warehouse) -> PropertyFacts:
    """Return the property's name, time zone and currency."""
    return msgspec.convert(_frame(db, "SELECT name, time_zone, currency, log_id FROM property").row(0, named=True), PropertyFacts)


def shifts(db: Warehouse) -> list[str]:
    """Return the shifts in which rounds were dealt, by name."""
    rows = db.sql("SELECT DISTINCT shift FROM fct_rounds WHERE shift IS NOT NULL ORDER BY shift").fetchall()
    return [str(shift) for (shift,) in rows]


def gaming_days(db: Warehouse) -> list[date]:
    """Return the gaming days with rounds or counts, newest first."""
    statement = "SELECT DISTINCT gaming_day FROM fct_table_days ORDER BY gaming_day DESC"
    return _frame(db, statement)["gaming_day"].to_list()


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
    return _frame(
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


def hold_by_table_day(db: Warehouse) -> pl.DataFrame:
    """Return drop, win and hold % with their parts, a row for each table and gaming day, newest day first."""
    return _frame(db, "SELECT * FROM mart_hold_table_day ORDER BY gaming_day DESC, table_id")


def hold_totals(db: Warehouse, selection: Selection = EVERYTHING) -> pl.DataFrame:
    """Return one row of totals for a part of the floor, in whole boxes (D27).

    It has drop, win and hold % of the fully counted table days, and the figures of the wagers.

    `table_days_counted` of `table_days` have every count; only these are in drop, win and hold %. `table_days_with_wagers` have
    settled wagers on record; the wagers' figures are of these days, and None without any. `repeated_drops` and `repeated_slips`
    are possible duplicates.
    """
    return _frame(
        db,
        f"""
        SELECT
            count(*) AS table_days,
            count(win_cents) AS table_days_counted,
            sum(drop_cents) FILTER (win_cents IS NOT NULL)::BIGINT AS drop_cents,
            sum(win_cents)::BIGINT AS win_cents,
            100.0::DOUBLE * sum(win_cents) / nullif(sum(drop_cents) FILTER (win_cents IS NOT NULL), 0) AS hold_percent,
            coalesce(sum(rounds), 0)::BIGINT AS rounds,
            coalesce(sum(unsettled), 0)::BIGINT AS unsettled,
            count(handle_cents) AS table_days_with_wagers,
            sum(handle_cents)::BIGINT AS handle_cents,
            sum(payouts_cents)::BIGINT AS payouts_cents,
            sum(house_win_cents)::BIGINT AS house_win_cents,
            100.0::DOUBLE * sum(house_win_cents) / nullif(sum(handle_cents), 0) AS house_win_percent,
            sum(from_meter_cents)::BIGINT AS from_meter_cents,
            coalesce(sum(repeated_drops), 0)::BIGINT AS repeated_drops,
            coalesce(sum(repeated_slips), 0)::BIGINT AS repeated_slips
        FROM mart_hold_table_day
        WHERE {WHERE_PER_BOX}
        """,
        selection.parameters(),
    )


def hold_by(db: Warehouse, dimension: Dimension, selection: Selection = EVERYTHING) -> pl.DataFrame:
    """Return handle, payouts, house win, house win % and meters' payouts of settled wagers, a row for each value.

    Theoretical win is in `analytics.hold.against_theory`.

    Raises `ValueError` for a dimension that wagers do not have.
    """
    if dimension not in DIMENSIONS:
        raise ValueError(f"cannot group wagers by {dimension!r}; expected one of {', '.join(DIMENSIONS)}")
    columns = ", ".join(COLUMNS[dimension])  # names from the table above, never from data
    return _frame(
        db,
        f"""
        SELECT
            {columns},
            sum(wagers)::BIGINT AS wagers,
            sum(unsettled)::BIGINT AS unsettled,
            sum(handle_cents)::BIGINT AS handle_cents,
            sum(payouts_cents)::BIGINT AS payouts_cents,
            sum(house_win_cents)::BIGINT AS house_win_cents,
            100.0::DOUBLE * sum(house_win_cents) / nullif(sum(handle_cents), 0) AS house_win_percent,
            sum(from_meter_cents)::BIGINT AS from_meter_cents
        FROM mart_hold_wager
        WHERE {WHERE}
        GROUP BY {columns}
        ORDER BY {columns}
        """,
        selection.parameters(),
    )


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """The games, tables, dealers and months (first days, newest first) with rounds or counts, for a page to offer."""

    games: list[str]
    tables: list[str]
    dealers: list[str]
    months: list[date]


def choices(db: Warehouse) -> Choices:
    """Return the choices that narrow a question."""
    days = "fct_table_days"
    values = {
        name: _frame(db, f"SELECT DISTINCT {value} AS value FROM {of}")["value"].to_list()
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
    return _frame(db, "SELECT DISTINCT table_id FROM fct_table_days ORDER BY table_id")["table_id"].to_list()


def has_rounds(db: Warehouse) -> bool:
    """Return whether any round is recorded."""
    return bool(_frame(db, "SELECT count(*) > 0 AS found FROM fct_rounds")["found"].item())


def rounds_of(db: Warehouse, table: str | None = None, gaming_day: date | None = None) -> pl.DataFrame:
    """Return the rounds (of one table, of one day) to choose from: table, number, times, verdict and findings, in order."""
    return _frame(
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
    rounds = _frame(db, "SELECT * FROM fct_rounds WHERE stream = $stream AND round_no = $round_no", key)
    if rounds.is_empty():
        return None
    neighbors = _frame(
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
        settlements=_frame(db, f"SELECT * FROM fct_wagers {of_round} ORDER BY seat, settlement_no", key),
        findings=_frame(
            db,
            """SELECT f.* FROM fct_findings AS f INNER JOIN fct_incidents AS i USING (incident_id)
            WHERE f.stream = $stream AND f.round_no = $round_no
            ORDER BY i.severity_rank, i.overpaid_cents + i.underpaid_cents DESC, i.incident_id, f.finding_id <> i.finding_id,
                f.severity_rank, abs(f.difference_cents) DESC NULLS LAST, f.code, f.seat, f.finding_id""",
            key,
        ),
        events=_frame(db, f"SELECT * FROM round_events {of_round} ORDER BY seq", key),
        previous_round_no=neighbors[0],
        next_round_no=neighbors[1],
        next_found_round_no=neighbors[2],
    )
