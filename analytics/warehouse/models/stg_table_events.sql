-- grain: stream, seq
-- renewed by: appending
-- Events between rounds by which later rounds are grouped: shuffles, dice sets that came and went, corrections, rules
-- submissions, amendments of chapters, devices that failed and came back, openings of the table. Of these, what happened within a round is here, too.
SELECT DISTINCT ON (stream, seq)
    stream,
    seq,
    type,
    payload,
    event_id
FROM raw_table_events
ORDER BY stream, seq
