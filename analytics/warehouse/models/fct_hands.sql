-- grain: stream, round_no, position
-- renewed by: round; of stg_chances
-- The cards that a position was dealt in a round, all of them read, in the order dealt. `method` is the last shuffle
-- of the round ('' without one), `deck` the deck it was of. Burned cards and side cards are positions too.
WITH dealt AS (
    SELECT
        stream,
        round_no,
        game,
        gaming_day,
        gaming_month,
        payload ->> '$.to' AS position,
        flatten(list(from_json(payload -> '$.cards', '["VARCHAR"]') ORDER BY seq)) AS cards
    FROM stg_chances
    WHERE type = 'cards_dealt'
    GROUP BY ALL
),

shuffles AS (
    SELECT
        stream,
        round_no,
        arg_max(payload ->> '$.method', seq) AS method,
        arg_max(payload ->> '$.deck', seq) AS deck
    FROM stg_chances
    WHERE type = 'cards_shuffled'
    GROUP BY stream, round_no
)

SELECT
    d.stream,
    split_part(d.stream, '/', 2) AS table_id,
    d.round_no,
    d.position,
    d.game,
    d.gaming_day,
    d.gaming_month,
    coalesce(s.method, '') AS method,
    coalesce(s.deck, '') AS deck,
    d.cards
FROM dealt AS d
LEFT JOIN shuffles AS s USING (stream, round_no)
WHERE NOT list_contains(list_transform(d.cards, lambda card: card IS NULL), true)
