-- grain: stream, game, gaming_month, method, position, card
-- How often each card went to each position, by how the cards were shuffled.
SELECT
    stream,
    table_id,
    game,
    gaming_month,
    method,
    position,
    card,
    count(*) AS times
FROM (SELECT * EXCLUDE (cards), unnest(cards) AS card FROM fct_hands)
GROUP BY ALL
