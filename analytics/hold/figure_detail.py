"""The detail of a figure: the wagers of a house win, and the counts of drop, win and hold %."""

from typing import Any, Final

import polars as pl

from analytics.warehouse.selection import EVERYTHING, WHERE, WHERE_PER_BOX, Selection, frame
from analytics.warehouse.warehouse import Warehouse
from replay.narrative.names import plural

MOST: Final = 1000
"""Wagers shown at a time, unless more are asked for."""

_OF_WAGER: Final = """
    ($wager::VARCHAR IS NULL OR wager = $wager OR theory_wager = $wager)
    AND ($paytable::VARCHAR IS NULL OR paytable = $paytable)
    AND ($hour::BIGINT IS NULL OR hour = $hour)
"""
_WAGERS: Final = f"""
    SELECT
        table_id, round_no, gaming_day, shift, hour, dealer, seat, wager, number, bettor, paytable, line, staked_cents,
        due_cents, done_cents, handle_cents, payouts_cents, house_win_cents, from_meter_cents
    FROM fct_wagers
    WHERE {WHERE} AND {_OF_WAGER}
"""
"""Every wager that fits a selection, with the columns of `wagers_behind`."""

_AT_SEAT: Final = "($seat::BIGINT IS NULL OR seat = $seat)"


def wagers_behind(
    db: Warehouse,
    selection: Selection = EVERYTHING,
    *,
    wager: str | None = None,
    paytable: str | None = None,
    hour: int | None = None,
    seat: int | None = None,
    limit: int = MOST,
    offset: int = 0,
) -> pl.DataFrame:
    """Return the wagers of a figure in the order played; `wager` may be one that theory combines.

    Columns: `table_id`, `round_no`, `gaming_day`, `shift`, `hour`, `dealer`, `seat`, `wager`, `number`, `bettor`, `paytable`,
    `line`, `staked_cents`, `due_cents`, `done_cents`, `handle_cents`, `payouts_cents`, `house_win_cents`, `from_meter_cents`.
    Their sums are the figure's (`sums_behind`).
    """
    of = {"wager": wager, "paytable": paytable, "hour": hour}
    ends: dict[str, Any] = dict.fromkeys(("from_day", "from_table", "to_day", "to_table"))
    if seat is None and not (days := _table_days(db, selection, of, limit, offset)).is_empty():
        (from_day, from_table, before), (to_day, to_table, _) = days.row(0), days.row(-1)
        ends = {"from_day": from_day, "from_table": from_table, "to_day": to_day, "to_table": to_table}
        offset -= before
    return frame(
        db,
        f"""
        {_WAGERS} AND {_AT_SEAT}
            AND ($from_day::DATE IS NULL OR gaming_day >= $from_day::DATE)
            AND ($to_day::DATE IS NULL OR gaming_day <= $to_day::DATE)
            AND ($from_day::DATE IS NULL OR gaming_day > $from_day::DATE OR table_id >= $from_table)
            AND ($to_day::DATE IS NULL OR gaming_day < $to_day::DATE OR table_id <= $to_table)
        ORDER BY gaming_day, table_id, round_no, settlement_no
        LIMIT $limit OFFSET $offset
        """,
        selection,
        **of,
        **ends,
        seat=seat,
        limit=limit,
        offset=offset,
    )


def largest_wagers(
    db: Warehouse,
    selection: Selection = EVERYTHING,
    *,
    wager: str | None = None,
    paytable: str | None = None,
    hour: int | None = None,
    limit: int,
) -> pl.DataFrame:
    """Return the wagers with the most effect on a figure, the largest house win or loss first; columns as in `wagers_behind`."""
    return frame(
        db,
        f"""
        {_WAGERS} AND house_win_cents <> 0
        ORDER BY abs(house_win_cents) DESC, gaming_day, table_id, round_no, settlement_no
        LIMIT $limit
        """,
        selection,
        wager=wager,
        paytable=paytable,
        hour=hour,
        limit=limit,
    )


def _table_days(db: Warehouse, selection: Selection, of: dict[str, Any], limit: int, offset: int) -> pl.DataFrame:
    """Return the table days with the wagers of a part of the list, so that only they are read.

    Columns: `gaming_day`, `table_id`, and `before`, the number of wagers before the day's first.
    """
    return frame(
        db,
        f"""
        WITH days AS (
            SELECT gaming_day, table_id, sum(placed)::BIGINT AS placed FROM mart_hold_wager
            WHERE {WHERE} AND {_OF_WAGER}
            GROUP BY gaming_day, table_id
        )

        SELECT gaming_day, table_id, (sum(placed) OVER (ORDER BY gaming_day, table_id) - placed)::BIGINT AS before
        FROM days
        QUALIFY before < $offset + $limit AND before + placed > $offset
        ORDER BY gaming_day, table_id
        """,
        selection,
        **of,
        limit=limit,
        offset=offset,
    )


def sums_behind(
    db: Warehouse,
    selection: Selection = EVERYTHING,
    *,
    wager: str | None = None,
    paytable: str | None = None,
    hour: int | None = None,
    seat: int | None = None,
) -> pl.DataFrame:
    """Return one row: the number of wagers of a figure (`wagers`, `unsettled`), and their sums; None if none is settled."""
    source, count, at_seat = ("mart_hold_wager", "sum(placed)", "true") if seat is None else ("fct_wagers", "count(*)", _AT_SEAT)
    return frame(
        db,
        f"""
        SELECT
            coalesce({count}, 0)::BIGINT AS wagers,
            coalesce(sum(unsettled), 0)::BIGINT AS unsettled,
            sum(handle_cents)::BIGINT AS handle_cents,
            sum(payouts_cents)::BIGINT AS payouts_cents,
            sum(house_win_cents)::BIGINT AS house_win_cents,
            sum(from_meter_cents)::BIGINT AS from_meter_cents
        FROM {source}
        WHERE {WHERE} AND {_OF_WAGER} AND {at_seat}
        """,
        selection,
        wager=wager,
        paytable=paytable,
        hour=hour,
        seat=seat,
    )


def counts_behind(db: Warehouse, selection: Selection = EVERYTHING) -> pl.DataFrame:
    """Return every amount counted per box or moved to or from a table, in order: the parts of drop, win and hold %.

    Columns: `table_id`, `gaming_day`, `seq` (the event in the table's stream), `kind`, `amount_cents`, `reference`, and
    `repeats`: the day's first event with the same kind, reference and amount, of which this may be a duplicate (None: none).
    """
    return frame(
        db,
        f"""
        SELECT
            l.table_id, l.gaming_day, l.seq, l.kind, l.amount_cents, l.reference,
            CASE WHEN l.reference <> '' AND l.kind NOT IN ('opener', 'closer', 'buy_in') THEN
                nullif(min(l.seq) OVER (PARTITION BY l.stream, l.gaming_day, l.kind, l.reference, l.amount_cents), l.seq)
            END AS repeats
        FROM stg_ledger AS l
        INNER JOIN (SELECT stream, gaming_day FROM fct_table_days WHERE {WHERE_PER_BOX}) AS d USING (stream, gaming_day)
        ORDER BY l.gaming_day, l.table_id, l.seq
        """,
        selection,
    )


def not_judged(db: Warehouse, part: Selection) -> str:
    """Describe the past rounds without a verdict; empty if every round has one.

    Such a round was never closed on record. A round after which its table has no round and no count is still in play. Its gaming
    day and game are those of the last round or count before it.
    """
    found = frame(
        db,
        f"""
        WITH places AS (
            SELECT stream, first_seq AS seq, gaming_day, game FROM fct_rounds
            UNION ALL
            SELECT l.stream, l.seq, l.gaming_day, d.game
            FROM stg_ledger AS l INNER JOIN fct_table_days AS d USING (stream, gaming_day)
            WHERE l.kind <> 'drop'
        ),

        opened AS (
            SELECT stream, round_no, min(seq) AS seq FROM round_events WHERE type = 'round_opened' GROUP BY stream, round_no
        ),

        passed AS (
            SELECT o.*, split_part(stream, '/', 2) AS table_id, p.gaming_day, p.game
            FROM opened AS o
            ANTI JOIN fct_rounds USING (stream, round_no)
            ASOF INNER JOIN places AS p ON o.stream = p.stream AND o.seq >= p.seq
            SEMI JOIN places AS later ON o.stream = later.stream AND later.seq > o.seq
        )

        SELECT table_id, round_no FROM passed WHERE {WHERE_PER_BOX} ORDER BY table_id, round_no
        """,
        part,
    )
    if found.is_empty():
        return ""
    names = [f"{table_id} round {number}" for table_id, number in found.iter_rows()]
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return (
        f"{plural(len(names), 'round was', 'rounds were')} never closed on record and not judged "
        f"({', '.join(names[:3])}{more}): in no figure of rounds and wagers, and what was taken and paid there shows as a "
        "difference of the tray"
    )
