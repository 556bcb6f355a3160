-- grain: stream, game, dealer, shift, gaming_day, hour, seat
-- renewed by: day; of fct_wagers
-- How often a seat was played, and with how many wagers: what mistakes at seats are counted against.
SELECT
    stream,
    table_id,
    game,
    dealer,
    shift,
    gaming_day,
    hour,
    seat,
    count(DISTINCT round_no) AS rounds,
    count(*) AS wagers
FROM fct_wagers
GROUP BY stream, table_id, game, dealer, shift, gaming_day, hour, seat
