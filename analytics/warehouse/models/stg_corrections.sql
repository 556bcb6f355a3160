-- grain: stream, seq
-- renewed by: event; of stg_table_events, round_events
-- What counts in the place of an event, by the newest correction that fits it: one whose number and id name an earlier event of its
-- stream (D140). `seq` is the event that is corrected; `type` and `payload` are null if nothing counts in its place. An event that
-- the file does not have is taken as it is named.
WITH said AS (
    SELECT
        stream,
        seq AS correction,
        (payload ->> '$.supersedes_seq')::BIGINT AS seq,
        payload ->> '$.supersedes_event_id' AS event_id,
        payload ->> '$.replacement.type' AS type,
        payload -> '$.replacement.payload' AS payload
    FROM stg_table_events
    WHERE type = 'event_corrected'
),

known AS (
    SELECT stream, seq, event_id FROM round_events
    UNION
    SELECT stream, seq, event_id FROM stg_table_events
)

SELECT DISTINCT ON (s.stream, s.seq)
    s.stream,
    s.seq,
    s.type,
    s.payload
FROM said AS s
LEFT JOIN known AS k ON s.stream = k.stream AND s.seq = k.seq
WHERE s.seq < s.correction AND (k.event_id IS NULL OR k.event_id = s.event_id)
ORDER BY s.stream, s.seq, s.correction DESC
