-- grain: stream, game, wager, paytable, dealer, shift, gaming_day
-- Handle, payouts and house win of settled wagers (D27): house win % = house win / handle. Jackpots by slip stand apart,
-- unsettled wagers are only counted. Drop is counted per box and does not appear here: it is never split by wager or dealer.
SELECT
    stream,
    table_id,
    game,
    wager,
    paytable,
    dealer,
    shift,
    gaming_day,
    count(*) FILTER (settled) AS wagers,
    sum(unsettled)::BIGINT AS unsettled,
    coalesce(sum(handle_cents), 0)::BIGINT AS handle_cents,
    coalesce(sum(payouts_cents), 0)::BIGINT AS payouts_cents,
    coalesce(sum(house_win_cents), 0)::BIGINT AS house_win_cents,
    100.0::DOUBLE * sum(house_win_cents) / nullif(sum(handle_cents), 0) AS house_win_percent,
    coalesce(sum(jackpots_by_slip_cents), 0)::BIGINT AS jackpots_by_slip_cents
FROM fct_wagers
GROUP BY stream, table_id, game, wager, paytable, dealer, shift, gaming_day
