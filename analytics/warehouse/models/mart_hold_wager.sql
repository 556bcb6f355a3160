-- grain: stream, game, chapter, wager, paytable, dealer, shift, gaming_day, hour
-- renewed by: day; of fct_wagers
-- Handle, payouts and house win of settled wagers (D27): house win % = house win / handle. What meters paid is in none
-- of them, unsettled wagers are only counted: where none is settled, they are null. Drop is counted per box and does not appear here: it is never split by wager or
-- dealer. Wagers against a patron's bank are counted in `wagers` and `patron_banked_cents`, and in none of the house's
-- figures.
SELECT
    stream,
    table_id,
    game,
    chapter,
    wager,
    any_value(theory_wager) AS theory_wager,
    paytable,
    dealer,
    shift,
    gaming_day,
    hour,
    count(*) AS placed,
    count(*) FILTER (settled) AS wagers,
    count(*) FILTER (settled AND NOT patron_banked AND staked_cents > 0) AS house_wagers,
    sum(unsettled)::BIGINT AS unsettled,
    CASE WHEN wagers > 0 THEN coalesce(sum(handle_cents), 0)::BIGINT END AS handle_cents,
    CASE WHEN wagers > 0 THEN coalesce(sum(payouts_cents), 0)::BIGINT END AS payouts_cents,
    CASE WHEN wagers > 0 THEN coalesce(sum(house_win_cents), 0)::BIGINT END AS house_win_cents,
    CASE WHEN wagers > 0 THEN coalesce(sum(by_slip_cents), 0)::BIGINT END AS by_slip_cents,
    CASE WHEN wagers > 0 THEN coalesce(sum(from_meter_cents), 0)::BIGINT END AS from_meter_cents,
    CASE WHEN wagers > 0 THEN coalesce(sum(patron_banked_cents), 0)::BIGINT END AS patron_banked_cents
FROM fct_wagers
GROUP BY stream, table_id, game, chapter, wager, paytable, dealer, shift, gaming_day, hour
