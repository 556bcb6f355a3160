-- grain: stream, seq
-- Events between rounds that later ones are told apart by: dice sets that came and went, corrections, rules submissions.
SELECT DISTINCT ON (stream, seq)
    stream,
    seq,
    type,
    payload
FROM raw_table_events
ORDER BY stream, seq
