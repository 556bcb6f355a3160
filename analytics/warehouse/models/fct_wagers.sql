-- grain: stream, round_no, settlement_no
-- One wager (or Envy Bonus) with its money as the house sees it (D27). A wager that is not settled has neither handle,
-- nor payouts, nor house win: it is counted in `unsettled` and kept out. A payout by slip comes from the meter and not
-- from the table: it is `jackpots_by_slip_cents`, apart from the house win. Where a patron holds the bank (California)
-- the house has no interest in the wager: it is in `patron_banked_cents` and in none of the house's figures.
-- `theory_wager` and `unit_cents` are what `rack theory` reckons by: wagers that are settled together are one, and its
-- unit is the wager that one starts with. A setting by which it was settled otherwise than theory counts stands in brackets.
SELECT
    s.stream,
    a.table_id,
    s.round_no,
    s.settlement_no,
    a.game,
    a.chapter,
    a.gaming_day,
    a.shift,
    a.dealer,
    a.hour,
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
    a.game = 'player_dealer' AS patron_banked,
    CASE WHEN s.done_cents IS NOT NULL AND a.game <> 'player_dealer' THEN s.staked_cents END AS handle_cents,
    CASE WHEN a.game <> 'player_dealer' THEN s.staked_cents + s.done_cents - s.by_slip_cents END AS payouts_cents,
    CASE WHEN a.game <> 'player_dealer' THEN -(s.done_cents - s.by_slip_cents) END AS house_win_cents,
    CASE WHEN s.done_cents IS NOT NULL THEN s.by_slip_cents END AS jackpots_by_slip_cents,
    CASE WHEN s.done_cents IS NOT NULL AND a.game = 'player_dealer' THEN s.staked_cents END AS patron_banked_cents,
    CASE
        WHEN a.game = 'dj_wild' AND s.wager IN ('ante', 'blind', 'raise') THEN 'ante_blind_raise'
        WHEN a.game = 'over_under' AND s.wager IN ('ante', 'over', 'under') THEN 'base'
        ELSE s.wager
    END || coalesce(' (' || r.reading || ')', '') AS theory_wager,
    CASE WHEN s.wager IN ('blind', 'raise', 'over', 'under') THEN 0 ELSE s.staked_cents END AS unit_cents,
    s.cite
FROM stg_settlements AS s
INNER JOIN stg_adjudications AS a USING (stream, round_no)
LEFT JOIN fct_readings AS r ON a.rules_digest = r.digest AND s.wager = r.wager
