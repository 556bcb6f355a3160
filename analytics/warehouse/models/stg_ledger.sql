-- grain: stream, seq
-- Amounts of the table's accounting, each event once. What a correction took back altogether (`withdrawn`, of nothing) is none.
SELECT DISTINCT ON (stream, seq)
    stream,
    split_part(stream, '/', 2) AS table_id,
    seq,
    gaming_day::DATE AS gaming_day,
    kind,
    amount_cents,
    reference
FROM raw_ledger
WHERE NOT (amount_cents = 0 AND reference = 'withdrawn')
ORDER BY stream, seq
