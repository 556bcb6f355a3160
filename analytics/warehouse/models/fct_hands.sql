-- grain: stream, round_no, position
-- renewed by: round; of stg_chances
-- The cards that a position was dealt in a round, all of them read, in the order dealt. `deck` is the one that the round
-- was opened with, `method` the last shuffle of that deck before the round's first card, in the round or before it ('' if
-- none is recorded). Burned cards and side cards are positions too.
WITH dealt AS (
    SELECT
        stream,
        round_no,
        game,
        gaming_day,
        gaming_month,
        payload ->> '$.to' AS position,
        min(seq) AS first_seq,
        flatten(list(from_json(payload -> '$.cards', '["VARCHAR"]') ORDER BY seq)) AS cards
    FROM stg_chances
    WHERE type = 'cards_dealt'
    GROUP BY stream, round_no, game, gaming_day, gaming_month, position
),

opened AS (
    SELECT stream, round_no, arg_min(payload ->> '$.deck', seq) AS deck
    FROM stg_chances
    WHERE type = 'round_opened'
    GROUP BY stream, round_no
),

hands AS (
    SELECT
        d.* EXCLUDE (first_seq),
        coalesce(o.deck, '') AS deck,
        min(d.first_seq) OVER (PARTITION BY d.stream, d.round_no) AS first_seq
    FROM dealt AS d
    LEFT JOIN opened AS o USING (stream, round_no)
),

shuffles AS (SELECT stream, seq, deck, method FROM stg_standing WHERE type = 'cards_shuffled')

SELECT
    h.stream,
    split_part(h.stream, '/', 2) AS table_id,
    h.round_no,
    h.position,
    h.game,
    h.gaming_day,
    h.gaming_month,
    coalesce(s.method, '') AS method,
    h.deck,
    h.cards
FROM hands AS h
ASOF LEFT JOIN shuffles AS s ON h.stream = s.stream AND h.deck = s.deck AND h.first_seq > s.seq
WHERE NOT list_contains(list_transform(h.cards, lambda card: card IS NULL), true)
