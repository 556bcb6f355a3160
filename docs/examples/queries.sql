-- A dozen questions to the warehouse of docs/analyst-guide.md: duckdb -readonly warehouse.duckdb < queries.sql

-- Hold by table and month.
SELECT
    table_id,
    date_trunc('month', gaming_day) AS month,
    sum(drop_cents) / 100 AS drop,
    sum(win_cents) / 100 AS win,
    100.0 * sum(win_cents) / sum(drop_cents) AS hold_percent
FROM mart_hold_table_day
WHERE win_cents IS NOT NULL
GROUP BY ALL
ORDER BY month, table_id;

-- Table days with a count still missing.
SELECT table_id, gaming_day, opener_cents IS NULL AS no_opener, closer_cents IS NULL AS no_closer, drop_cents IS NULL AS no_drop
FROM mart_hold_table_day
WHERE win_cents IS NULL
ORDER BY gaming_day, table_id;

-- House win % by wager and paytable.
SELECT
    game, wager, paytable,
    sum(handle_cents) / 100 AS handle,
    100.0 * sum(house_win_cents) / nullif(sum(handle_cents), 0) AS house_win_percent
FROM mart_hold_wager
GROUP BY ALL
ORDER BY handle DESC;

-- Average wager by hour.
SELECT hour, sum(handle_cents) / nullif(sum(house_wagers), 0) / 100 AS average_wager
FROM mart_hold_wager
WHERE wager IN ('base', 'ante')
GROUP BY hour
ORDER BY hour;

-- Rounds per hour by dealer, with at least ten minutes of play.
SELECT dealer, sum(rounds) AS rounds, sum(rounds) * 3.6e9 / sum(play_us) AS rounds_per_hour
FROM mart_pace
GROUP BY dealer
HAVING sum(play_us) >= 10 * 60e6
ORDER BY rounds_per_hour;

-- The largest mispayments.
SELECT table_id, round_no, seat, wager, code, difference_cents / 100 AS difference, expected, observed
FROM fct_findings
WHERE difference_cents <> 0
ORDER BY abs(difference_cents) DESC
LIMIT 20;

-- Rounds with a mispayment per thousand, by game.
SELECT
    game,
    count(*) FILTER (judged) AS rounds,
    count(*) FILTER (overpaid_cents + underpaid_cents > 0) AS wrong,
    1000.0 * wrong / rounds AS per_1000
FROM fct_rounds
GROUP BY game
ORDER BY per_1000 DESC;

-- The sections that are broken most often.
SELECT cite, code, count(*) AS findings, count(DISTINCT dealer) AS dealers
FROM fct_findings
GROUP BY ALL
ORDER BY findings DESC;

-- Findings that no one has worked on, oldest first.
SELECT f.table_id, f.round_no, f.code, f.severity, make_timestamp(f.closed_at_us) AS round_closed_utc
FROM fct_findings AS f
LEFT JOIN stg_reviews AS r USING (finding_id)
WHERE r.finding_id IS NULL
ORDER BY f.closed_at_us;

-- How often each die showed each face, by set of dice.
PIVOT (SELECT dice_set, die, face, rolls FROM mart_faces) ON face USING sum(rolls) GROUP BY dice_set, die;

-- Cards and settlements by seat and round.
SELECT h.position, h.cards, w.wager, w.staked_cents / 100 AS staked, w.line, w.done_cents / 100 AS net
FROM fct_hands AS h
INNER JOIN fct_wagers AS w ON h.stream = w.stream AND h.round_no = w.round_no AND h.position = w.seat::VARCHAR
ORDER BY h.stream, h.round_no, h.position;

-- UNDETERMINED rounds, with the reason.
SELECT table_id, round_no, unnest(undetermined) AS why
FROM fct_rounds
WHERE verdict = 'UNDETERMINED'
ORDER BY table_id, round_no;
