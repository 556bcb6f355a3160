-- grain: stream, game, gaming_month, deck, method, position, cards, pattern, joker
-- renewed by: month; of fct_hands
-- How many hands a position was dealt, by how many cards, by how often their ranks repeat (longest first: '2+2+1+1+1';
-- the joker is no rank), and by whether the joker is among them.
WITH ranked AS (
    SELECT
        stream,
        table_id,
        game,
        gaming_month,
        deck,
        method,
        position,
        cards,
        list_transform(list_filter(cards, lambda card: card <> 'Jk'), lambda card: card[1]) AS ranks
    FROM fct_hands
)

SELECT
    stream,
    table_id,
    game,
    gaming_month,
    deck,
    method,
    position,
    len(cards) AS cards,
    coalesce(array_to_string(list_reverse_sort(map_values(list_histogram(ranks))), '+'), '') AS pattern,
    list_contains(cards, 'Jk') AS joker,
    count(*) AS hands
FROM ranked
GROUP BY ALL
