-- grain: stream, seq
-- renewed by: event; of stg_table_events, round_events
-- What counts in the place of an event, by the newest correction that fits it: one whose number and id name an earlier event of its
-- stream (D140), and that was not itself corrected. `seq` is the event that is corrected; `type` and `payload` are null if nothing
-- counts in its place. An event that the file does not have is taken as it is named. Of corrections of corrections four are followed.
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
),

fitting AS (
    SELECT s.*
    FROM said AS s
    LEFT JOIN known AS k ON s.stream = k.stream AND s.seq = k.seq
    WHERE s.seq < s.correction AND (k.event_id IS NULL OR k.event_id = s.event_id)
),

fourth AS (SELECT * FROM fitting AS f WHERE NOT EXISTS (FROM fitting AS t WHERE t.stream = f.stream AND t.seq = f.correction)),

third AS (SELECT * FROM fitting AS f WHERE NOT EXISTS (FROM fourth AS t WHERE t.stream = f.stream AND t.seq = f.correction)),

second AS (SELECT * FROM fitting AS f WHERE NOT EXISTS (FROM third AS t WHERE t.stream = f.stream AND t.seq = f.correction))

SELECT DISTINCT ON (f.stream, f.seq)
    f.stream,
    f.seq,
    f.type,
    f.payload
FROM fitting AS f
WHERE NOT EXISTS (FROM second AS t WHERE t.stream = f.stream AND t.seq = f.correction)
ORDER BY f.stream, f.seq, f.correction DESC
