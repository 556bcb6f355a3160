-- grain: stream, game, gaming_month, kind, value
-- renewed by: month; of stg_chances
-- How often each number was drawn ('number'), and each position was called out to be dealt to first
-- ('start').
SELECT
    stream,
    split_part(stream, '/', 2) AS table_id,
    game,
    gaming_month,
    CASE type WHEN 'number_drawn' THEN 'number' ELSE 'start' END AS kind,
    CASE type WHEN 'number_drawn' THEN payload ->> '$.number' ELSE payload ->> '$.position' END AS value,
    count(*) AS rounds
FROM stg_chances
WHERE type IN ('number_drawn', 'start_announced')
GROUP BY ALL
