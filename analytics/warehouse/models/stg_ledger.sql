-- grain: stream, seq
-- renewed by: entry
-- Amounts of the table's accounting, each event once. What a correction took back altogether (`withdrawn`, of nothing) is none.
SELECT
    stream,
    split_part(stream, '/', 2) AS table_id,
    seq,
    gaming_day::DATE AS gaming_day,
    kind,
    amount_cents,
    reference
FROM (
    SELECT * FROM raw_ledger
    QUALIFY row_number() OVER (PARTITION BY stream, seq ORDER BY load_no DESC) = 1
)
WHERE NOT (amount_cents = 0 AND reference = 'withdrawn')
