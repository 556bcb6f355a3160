-- grain: stream, game, gaming_month, deck, method, position, cards
-- renewed by: deck; of fct_hands
-- How many cards a position was dealt again that it had in the round before of the same deck: what a poor shuffle leaves together.
-- Only positions that were dealt as many cards in both rounds.
WITH next_to AS (
    SELECT
        stream,
        table_id,
        game,
        gaming_month,
        deck,
        method,
        position,
        cards,
        lag(cards) OVER (PARTITION BY stream, deck, position ORDER BY round_no) AS before
    FROM fct_hands
    WHERE deck <> ''
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
    count(*) AS pairs,
    sum(len(list_intersect(cards, before)))::BIGINT AS repeated
FROM next_to
WHERE len(before) = len(cards)
GROUP BY ALL
