-- grain: stream, seq
-- Amounts of the table's accounting, each event once.
SELECT DISTINCT ON (stream, seq)
    stream,
    split_part(stream, '/', 2) AS table_id,
    seq,
    gaming_day::DATE AS gaming_day,
    kind,
    amount_cents,
    reference
FROM raw_ledger
ORDER BY stream, seq
