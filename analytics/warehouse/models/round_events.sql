-- grain: stream, seq
-- renewed by: appending
-- The events of each round as recorded, with the chain's hash; only for looking at, nothing is computed from them.
SELECT DISTINCT ON (stream, seq)
    stream,
    round_no,
    seq,
    event_id,
    type,
    occurred_at_us,
    source,
    payload,
    hash
FROM raw_round_events
ORDER BY stream, seq
