-- grain: stream, game, gaming_month, method, position, cards, card
-- renewed by: month; of fct_hands
-- How often each card went to each position, by how the cards were shuffled and how many the position was dealt. Sorted, so
-- that what is added up lies together.
SELECT
    stream,
    table_id,
    game,
    gaming_month,
    method,
    position,
    cards,
    card,
    count(*) AS times
FROM (SELECT * EXCLUDE (cards), len(cards) AS cards, unnest(cards) AS card FROM fct_hands)
GROUP BY ALL
ORDER BY ALL
