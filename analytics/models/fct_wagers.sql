-- grain: stream, round_no, settlement_no
-- One wager (or Envy Bonus) with its money as the house sees it (D27). A wager that is not settled has neither handle,
-- nor payouts, nor house win: it is counted in `unsettled` and kept out. A payout by slip comes from the meter and not
-- from the table: it is `jackpots_by_slip_cents`, apart from the house win.
SELECT
    s.stream,
    a.table_id,
    s.round_no,
    s.settlement_no,
    a.game,
    a.gaming_day,
    a.shift,
    a.dealer,
    s.seat,
    s.wager,
    s.number,
    s.bettor,
    s.paytable,
    s.line,
    s.staked_cents,
    s.due_cents,
    s.done_cents,
    s.done_cents - s.due_cents AS difference_cents,
    s.done_cents IS NOT NULL AS settled,
    (s.done_cents IS NULL)::INTEGER AS unsettled,
    (s.due_cents IS NULL)::INTEGER AS undetermined,
    CASE WHEN s.done_cents IS NOT NULL THEN s.staked_cents END AS handle_cents,
    s.staked_cents + s.done_cents - s.by_slip_cents AS payouts_cents,
    -(s.done_cents - s.by_slip_cents) AS house_win_cents,
    CASE WHEN s.done_cents IS NOT NULL THEN s.by_slip_cents END AS jackpots_by_slip_cents,
    s.cite
FROM stg_settlements AS s
INNER JOIN stg_adjudications AS a USING (stream, round_no)
