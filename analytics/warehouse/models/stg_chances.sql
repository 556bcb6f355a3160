-- grain: stream, seq
-- renewed by: round; of round_events, stg_adjudications
-- The events of rounds in which chance spoke, as they stand after correction: dice, numbers, starts and cards dealt, and
-- the opening, which names the deck. One corrected to nothing is left out.
SELECT
    e.stream,
    e.round_no,
    e.seq,
    CASE WHEN c.seq IS NULL THEN e.type ELSE c.type END AS type,
    CASE WHEN c.seq IS NULL THEN e.payload ELSE c.payload::VARCHAR END AS payload,
    a.game,
    a.gaming_day,
    date_trunc('month', a.gaming_day)::DATE AS gaming_month
FROM round_events AS e
INNER JOIN stg_adjudications AS a USING (stream, round_no)
LEFT JOIN stg_corrections AS c ON e.stream = c.stream AND e.seq = c.seq
WHERE
    e.type IN ('dice_rolled', 'number_drawn', 'start_announced', 'cards_dealt', 'round_opened')
    AND (c.seq IS NULL OR c.type = e.type)
