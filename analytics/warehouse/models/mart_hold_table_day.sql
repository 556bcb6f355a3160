-- grain: stream, gaming_day
-- renewed by: day; of fct_table_days
-- Drop, win and hold of a table on a gaming day (D27): win = closer + credits + drop - opener - fills; hold % = win /
-- drop. Null wherever a count is missing, or a table that opened twice was not closed as often. Beside it, under their
-- own names, handle, house win and what meters paid of the day's wagers; null where no settled wager is on record.
WITH won AS (
    SELECT
        *,
        CASE
            WHEN openers = closers THEN closer_cents + credits_cents + drop_cents - opener_cents - fills_cents
        END AS win_cents
    FROM fct_table_days
)

SELECT
    stream,
    table_id,
    gaming_day,
    game,
    rounds,
    opener_cents,
    closer_cents,
    fills_cents,
    credits_cents,
    drop_cents,
    win_cents,
    100.0::DOUBLE * win_cents / nullif(drop_cents, 0) AS hold_percent,
    unsettled,
    handle_cents,
    payouts_cents,
    house_win_cents,
    100.0::DOUBLE * house_win_cents / nullif(handle_cents, 0) AS house_win_percent,
    by_slip_cents,
    from_meter_cents,
    repeated_drops,
    repeated_slips
FROM won
