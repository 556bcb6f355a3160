-- grain: stream, round_no, position
-- renewed by: round; of round_events
-- The cards that came to a position in a round, as recorded (dealt to it, or in the hands set there), each once; only for finding
-- a round by its cards, nothing is judged from them. `position` is `1` to `7` or `dealer`; a card that was not read is left out.
WITH shown AS (
    SELECT
        stream,
        round_no,
        coalesce(payload ->> 'to', payload ->> 'position') AS position,
        unnest(CASE
            WHEN type = 'cards_dealt' THEN (payload -> 'cards')::VARCHAR[]
            ELSE list_concat(
                (payload -> 'high')::VARCHAR[], (payload -> 'medium')::VARCHAR[], (payload -> 'low')::VARCHAR[]
            )
        END) AS card
    FROM round_events
    WHERE type IN ('cards_dealt', 'hand_set', 'hand_reset')
)

SELECT
    stream,
    round_no,
    position,
    list_sort(list(DISTINCT card)) AS cards
FROM shown
WHERE card IS NOT NULL AND (position = 'dealer' OR regexp_full_match(position, '[1-7]'))
GROUP BY stream, round_no, position
