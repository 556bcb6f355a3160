-- grain: stream, seq
-- renewed by: filing; of stg_table_events, stg_corrections
-- One rules submission as it is filed for a table after correction, whole: `digest` is the SHA-256 of `toml`, by which the rounds
-- that were judged by it name it (`rules_digest`). In force is the last one filed whose effective gaming day has come.
WITH filed AS (
    SELECT e.stream, e.seq, e.payload::JSON AS payload
    FROM stg_table_events AS e
    ANTI JOIN stg_corrections AS c ON e.stream = c.stream AND e.seq = c.seq
    WHERE e.type = 'rules_filed'
    UNION ALL
    SELECT stream, seq, payload FROM stg_corrections WHERE type = 'rules_filed'
)

SELECT
    stream,
    split_part(stream, '/', 2) AS table_id,
    seq,
    payload ->> '$.submission' AS submission,
    (payload ->> '$.effective_gaming_day')::DATE AS effective_gaming_day,
    payload ->> '$.sha256' AS digest,
    payload ->> '$.toml' AS toml
FROM filed
