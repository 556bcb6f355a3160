"""Events of tables, as corrected, and the slips of payouts not paid from the table inventory."""

import polars as pl

from analytics.reports.sources import Sources

_STANDING = """
    WITH said AS (
        SELECT stream, round_no, seq, type, payload, occurred_at_us FROM round_events
        UNION
        SELECT stream, NULL AS round_no, seq, type, payload, NULL AS occurred_at_us FROM stg_table_events AS t
        ANTI JOIN round_events AS r USING (stream, seq)
    ),

    standing AS (
        SELECT
            s.stream,
            s.round_no,
            s.seq,
            s.occurred_at_us,
            CASE WHEN c.seq IS NULL THEN s.type ELSE c.type END AS type,
            CASE WHEN c.seq IS NULL THEN s.payload::JSON ELSE c.payload END AS payload
        FROM said AS s
        LEFT JOIN stg_corrections AS c ON s.stream = c.stream AND s.seq = c.seq
    )
"""
"""The events of tables with what counts in the place of those that were corrected; one taken back has no type."""


def slips(sources: Sources) -> pl.DataFrame:
    """Return the documented payouts of the period, a row for each slip, in order.

    Columns: `stream`, `table_id`, `gaming_day`, `round_no`, `seat`, `wager`, `slip`, `slip_cents`, `validated_by` (each as
    `person (role)`; None if no one validated).
    """
    return sources.rows(
        f"""
        {_STANDING},

        validated AS (
            SELECT
                stream,
                round_no,
                (payload ->> '$.seat')::BIGINT AS seat,
                payload ->> '$.wager' AS wager,
                string_agg((payload ->> '$.by') || ' (' || (payload ->> '$.role') || ')', ', ' ORDER BY seq) AS validated_by
            FROM standing
            WHERE type = 'payout_validated'
            GROUP BY ALL
        ),

        documented AS (
            SELECT
                stream,
                round_no,
                seq,
                (payload ->> '$.seat')::BIGINT AS seat,
                payload ->> '$.wager' AS wager,
                payload ->> '$.document' AS slip,
                (payload ->> '$.amount_cents')::BIGINT AS slip_cents
            FROM standing
            WHERE type = 'payout_documented'
        )

        SELECT
            d.stream, split_part(d.stream, '/', 2) AS table_id, r.gaming_day, d.round_no, d.seat, d.wager, d.slip, d.slip_cents,
            v.validated_by
        FROM documented AS d
        INNER JOIN fct_rounds AS r USING (stream, round_no)
        LEFT JOIN validated AS v USING (stream, round_no, seat, wager)
        WHERE r.gaming_day BETWEEN $first AND $last
        ORDER BY d.stream, d.round_no, d.seq
        """
    )


def accepted_wagers(sources: Sources) -> pl.DataFrame:
    """Return the wagers accepted by the progressive system in the period: `meter`, `accepted_cents`."""
    return sources.rows(
        f"""
        {_STANDING}

        SELECT s.payload ->> '$.meter' AS meter, sum((s.payload ->> '$.amount_cents')::BIGINT)::BIGINT AS accepted_cents
        FROM standing AS s
        INNER JOIN fct_rounds AS r USING (stream, round_no)
        WHERE s.type = 'progressive_accepted' AND r.gaming_day BETWEEN $first AND $last
        GROUP BY meter
        ORDER BY meter
        """
    )


def corrected_buyers(sources: Sources) -> dict[tuple[str, int], str]:
    """Return the patron's token of each event that a correction made a buy-in, by stream and event number."""
    rows = sources.rows(
        "SELECT stream, seq, payload ->> '$.patron' AS patron FROM stg_corrections WHERE type = 'buy_in' ORDER BY stream, seq"
    )
    return {(stream, seq): patron for stream, seq, patron in rows.iter_rows()}


def cash_wagers(sources: Sources) -> pl.DataFrame:
    """Return the wagers placed in cash in the period: `gaming_day`, `patron`, `table_id`, `amount_cents`, `kind`."""
    return sources.rows(
        f"""
        {_STANDING}

        SELECT
            r.gaming_day,
            s.payload ->> '$.bettor' AS patron,
            r.table_id,
            (s.payload ->> '$.amount_cents')::BIGINT AS amount_cents,
            'wager' AS kind
        FROM standing AS s
        INNER JOIN fct_rounds AS r USING (stream, round_no)
        WHERE s.type = 'wager_placed' AND s.payload ->> '$.form' = 'cash' AND r.gaming_day BETWEEN $first AND $last
        ORDER BY s.stream, s.seq
        """
    )


def device_events(sources: Sources) -> pl.DataFrame:
    """Return all device failures, covers and restorations of all days, in order: `stream`, `seq`, `type`, `device`, `fault`."""
    return sources.rows(
        f"""
        {_STANDING}

        SELECT stream, seq, type, payload ->> '$.device' AS device, payload ->> '$.fault' AS fault
        FROM standing
        WHERE type IN ('device_failed', 'device_covered', 'device_restored')
        ORDER BY stream, seq
        """
    )
