-- grain: stream, seq
-- renewed by: filing; of stg_table_events
-- One rules submission as it was filed for a table, whole: `digest` is the SHA-256 of `toml`, by which the rounds that were
-- judged by it name it (`rules_digest`). In force is the last one filed whose effective gaming day has come.
SELECT
    stream,
    split_part(stream, '/', 2) AS table_id,
    seq,
    payload ->> '$.submission' AS submission,
    (payload ->> '$.effective_gaming_day')::DATE AS effective_gaming_day,
    payload ->> '$.sha256' AS digest,
    payload ->> '$.toml' AS toml
FROM stg_table_events
WHERE type = 'rules_filed'
