-- grain: stream, source
-- renewed by: stream; of round_events, stg_standing
-- The devices of a table: how many events of its rounds each reported, when last, and how often it is on record, in rounds and
-- between them, that this device failed and came back, whoever reported that. One that only failed has reported nothing.
WITH reported AS (
    SELECT
        stream,
        source,
        count(*) AS events,
        max(occurred_at_us) AS last_at_us
    FROM round_events
    GROUP BY stream, source
),

failed AS (
    SELECT
        stream,
        device AS source,
        count(*) FILTER (type = 'device_failed') AS failures,
        count(*) FILTER (type = 'device_restored') AS restored
    FROM stg_standing
    WHERE type IN ('device_failed', 'device_restored')
    GROUP BY stream, device
)

SELECT
    stream,
    split_part(stream, '/', 2) AS table_id,
    source,
    coalesce(r.events, 0) AS events,
    r.last_at_us,
    coalesce(f.failures, 0) AS failures,
    coalesce(f.restored, 0) AS restored
FROM reported AS r
FULL JOIN failed AS f USING (stream, source)
