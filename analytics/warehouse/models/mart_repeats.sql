-- grain: stream, game, gaming_month, deck, method, position, cards
-- renewed by: deck; of fct_hands
-- How many cards a position was dealt again that it had in the round before of the same deck: what a poor shuffle leaves together.
-- Only positions that were dealt as many cards in both rounds.
WITH rounds AS (
    SELECT stream, deck, round_no, lag(round_no) OVER (PARTITION BY stream, deck ORDER BY round_no) AS round_before
    FROM (SELECT DISTINCT stream, deck, round_no FROM fct_hands WHERE deck <> '')
),

next_to AS (
    SELECT
        h.stream,
        h.table_id,
        h.game,
        h.gaming_month,
        h.deck,
        h.method,
        h.position,
        h.cards,
        b.cards AS before
    FROM fct_hands AS h
    INNER JOIN rounds AS r USING (stream, deck, round_no)
    INNER JOIN fct_hands AS b ON h.stream = b.stream AND r.round_before = b.round_no AND h.position = b.position
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
