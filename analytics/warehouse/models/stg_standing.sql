-- grain: stream, seq
-- renewed by: event; of stg_table_events
-- The events of `stg_table_events` as they stand after correction, with what later rounds are grouped by: shuffles, dice sets
-- received, devices that failed and came back, games that the table was opened for. One corrected to nothing is left out.
WITH standing AS (
    SELECT
        e.stream,
        e.seq,
        e.type,
        CASE WHEN c.seq IS NULL THEN e.payload::JSON ELSE c.payload END AS payload
    FROM stg_table_events AS e
    LEFT JOIN stg_corrections AS c ON e.stream = c.stream AND e.seq = c.seq
    WHERE
        e.type IN ('cards_shuffled', 'dice_received', 'device_failed', 'device_restored', 'table_opened')
        AND (c.seq IS NULL OR c.type = e.type)
)

SELECT
    stream,
    seq,
    type,
    payload ->> '$.deck' AS deck,
    payload ->> '$.method' AS method,
    payload ->> '$.dice_set' AS dice_set,
    payload ->> '$.device' AS device,
    payload ->> '$.game' AS game
FROM standing
