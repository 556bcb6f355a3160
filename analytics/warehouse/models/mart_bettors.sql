-- grain: stream, game, shift, gaming_day, dealer, bettor
-- renewed by: day; of fct_wagers
-- How many wagers a dealer settled for a patron's token: what repeated mistakes are counted against. Sorted by
-- them, so that what is added up lies together.
SELECT
    stream,
    table_id,
    game,
    shift,
    gaming_day,
    dealer,
    bettor,
    count(*) FILTER (settled) AS wagers
FROM fct_wagers
WHERE bettor <> ''
GROUP BY stream, table_id, game, shift, gaming_day, dealer, bettor
ORDER BY dealer, bettor, stream, gaming_day, shift, game
