-- grain: stream, game, dealer, shift, gaming_day, hour, seat
-- renewed by: day; of fct_rounds, fct_wagers
-- How often a seat was played in rounds that were judged, and with how many wagers: what mistakes at seats are counted against.
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
SEMI JOIN (SELECT stream, round_no FROM fct_rounds WHERE judged) USING (stream, round_no)
GROUP BY stream, table_id, game, dealer, shift, gaming_day, hour, seat
