-- grain: stream, round_no, settlement_no
-- renewed by: round; of stg_settlements, stg_adjudications
-- One wager (or Envy Bonus) with its money as the house sees it (D27). A wager that is not settled has neither handle,
-- nor payouts, nor house win: it is counted in `unsettled` and kept out. So is one with which the record shows nothing
-- done (D691). What a meter pays is `from_meter_cents`, and no part of payouts and house win; all else that is paid is, by
-- slip too (D690). If a patron holds the bank (California)
-- the house has no interest in the wager: it is in `patron_banked_cents` and in none of the house's figures.
-- `theory_wager` and `unit_cents` are what `rack theory` reckons by: wagers that are settled together are one, and its
-- unit is the wager that one starts with. A setting by which it was settled otherwise than theory counts stands in brackets.
WITH judged AS (
    SELECT *, game IN (SELECT game FROM raw_patron_banked) AS patron_banked FROM stg_adjudications
)

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
    s.done_cents IS NOT NULL AND s.moved AS settled,
    (NOT settled)::INTEGER AS unsettled,
    a.patron_banked,
    CASE WHEN settled AND NOT a.patron_banked THEN s.staked_cents END AS handle_cents,
    CASE WHEN settled AND NOT a.patron_banked THEN s.staked_cents + s.done_cents - s.from_meter_cents END AS payouts_cents,
    CASE WHEN settled AND NOT a.patron_banked THEN s.from_meter_cents - s.done_cents END AS house_win_cents,
    CASE WHEN settled AND NOT a.patron_banked THEN s.by_slip_cents END AS by_slip_cents,
    CASE WHEN settled AND NOT a.patron_banked THEN s.from_meter_cents END AS from_meter_cents,
    CASE WHEN settled AND a.patron_banked THEN s.staked_cents END AS patron_banked_cents,
    coalesce(c.theory_wager, s.wager) || coalesce(' (' || r.reading || ')', '') AS theory_wager,
    CASE
        WHEN s.wager IN (SELECT wager FROM raw_combined_wagers WHERE NOT has_unit) THEN 0
        ELSE s.staked_cents
    END AS unit_cents,
    s.cite
FROM stg_settlements AS s
INNER JOIN judged AS a USING (stream, round_no)
LEFT JOIN raw_combined_wagers AS c ON a.game = c.game AND s.wager = c.wager
LEFT JOIN fct_readings AS r ON a.rules_digest = r.digest AND s.wager = r.wager
