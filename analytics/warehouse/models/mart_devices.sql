-- grain: stream, source
-- renewed by: stream; of round_events
-- What each device reported of a table's rounds: how much, when last, and how often it failed and came back.
SELECT
    stream,
    split_part(stream, '/', 2) AS table_id,
    source,
    count(*) AS events,
    max(occurred_at_us) AS last_at_us,
    count(*) FILTER (type = 'device_failed') AS failures,
    count(*) FILTER (type = 'device_restored') AS restored
FROM round_events
GROUP BY stream, source
