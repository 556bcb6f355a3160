"""What stands behind a figure: the wagers that make a house win, and the counts that make a drop, a win and a hold %."""

from __future__ import annotations

from typing import Final

import polars as pl

from analytics.selection import EVERYTHING, WHERE, WHERE_PER_BOX, Selection, frame
from analytics.warehouse import Warehouse

MOST: Final = 1000
"""Wagers shown at a time, unless more are asked for."""

_OF_WAGER: Final = """
    ($wager::VARCHAR IS NULL OR wager = $wager OR theory_wager = $wager)
    AND ($paytable::VARCHAR IS NULL OR paytable = $paytable)
    AND ($hour::BIGINT IS NULL OR hour = $hour)
    AND ($seat::BIGINT IS NULL OR seat = $seat)
"""


def wagers_behind(
    db: Warehouse, selection: Selection = EVERYTHING, *, wager: str | None = None, paytable: str | None = None,
    hour: int | None = None, seat: int | None = None, limit: int = MOST, offset: int = 0,
) -> pl.DataFrame:  # fmt: skip
    """Return the wagers that make a figure, in the order played; `wager` may be one that theory takes together.

    Columns: `table_id`, `round_no`, `gaming_day`, `shift`, `hour`, `dealer`, `seat`, `wager`, `number`, `bettor`,
    `paytable`, `line`, `staked_cents`, `due_cents`, `done_cents`, `handle_cents`, `payouts_cents`, `house_win_cents`,
    `jackpots_by_slip_cents`. Their sums are the figure's (`sums_behind`).
    """
    return frame(
        db,
        f"""
        SELECT
            table_id, round_no, gaming_day, shift, hour, dealer, seat, wager, number, bettor, paytable, line, staked_cents,
            due_cents, done_cents, handle_cents, payouts_cents, house_win_cents, jackpots_by_slip_cents
        FROM fct_wagers
        WHERE {WHERE} AND {_OF_WAGER}
        ORDER BY gaming_day, table_id, round_no, settlement_no
        LIMIT $limit OFFSET $offset
        """,
        selection, wager=wager, paytable=paytable, hour=hour, seat=seat, limit=limit, offset=offset,
    )  # fmt: skip


def sums_behind(
    db: Warehouse, selection: Selection = EVERYTHING, *, wager: str | None = None, paytable: str | None = None,
    hour: int | None = None, seat: int | None = None,
) -> pl.DataFrame:  # fmt: skip
    """Return one row: how many wagers stand behind a figure (`wagers`, `unsettled`), and what they come to."""
    return frame(
        db,
        f"""
        SELECT
            count(*) AS wagers,
            coalesce(sum(unsettled), 0)::BIGINT AS unsettled,
            coalesce(sum(handle_cents), 0)::BIGINT AS handle_cents,
            coalesce(sum(payouts_cents), 0)::BIGINT AS payouts_cents,
            coalesce(sum(house_win_cents), 0)::BIGINT AS house_win_cents,
            coalesce(sum(jackpots_by_slip_cents), 0)::BIGINT AS jackpots_by_slip_cents
        FROM fct_wagers
        WHERE {WHERE} AND {_OF_WAGER}
        """,
        selection, wager=wager, paytable=paytable, hour=hour, seat=seat,
    )  # fmt: skip


def counts_behind(db: Warehouse, selection: Selection = EVERYTHING) -> pl.DataFrame:
    """Return every amount that was counted per box or moved to or from a table, in order: what drop, win and hold % are
    made of.

    Columns: `table_id`, `gaming_day`, `seq` (the event in the table's stream), `kind`, `amount_cents`, `reference`.
    """
    return frame(
        db,
        f"""
        SELECT l.table_id, l.gaming_day, l.seq, l.kind, l.amount_cents, l.reference
        FROM stg_ledger AS l
        INNER JOIN (SELECT stream, gaming_day FROM fct_table_days WHERE {WHERE_PER_BOX}) AS d USING (stream, gaming_day)
        ORDER BY l.gaming_day, l.table_id, l.seq
        """,
        selection,
    )
