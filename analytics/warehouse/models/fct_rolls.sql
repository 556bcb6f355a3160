-- grain: stream, seq
-- renewed by: day; of stg_chances
-- One roll of three dice that lay flat and was read whole. `dice_set` is the set last received at the table before it.
-- `lag_product` is (2 × total - 21) × the same of the roll before with the same set on that gaming day, null for the
-- first.
WITH sets AS (
    SELECT stream, seq, dice_set FROM stg_standing WHERE type = 'dice_received'
),

rolls AS (
    SELECT
        c.stream,
        c.round_no,
        c.seq,
        c.game,
        c.gaming_day,
        c.gaming_month,
        coalesce(s.dice_set, '') AS dice_set,
        from_json(c.payload -> '$.dice', '["INTEGER"]') AS dice,
        CASE WHEN json_type(c.payload -> '$.colours') = 'ARRAY' THEN from_json(c.payload -> '$.colours', '["VARCHAR"]') END
            AS colours
    FROM stg_chances AS c
    ASOF LEFT JOIN sets AS s ON c.stream = s.stream AND c.seq > s.seq
    WHERE c.type = 'dice_rolled' AND c.payload ->> '$.lie' = 'flat'
),

read_whole AS (
    SELECT *, dice[1] + dice[2] + dice[3] AS total
    FROM rolls
    WHERE dice[1] IS NOT NULL AND dice[2] IS NOT NULL AND dice[3] IS NOT NULL
)

SELECT
    stream,
    split_part(stream, '/', 2) AS table_id,
    round_no,
    seq,
    game,
    gaming_day,
    gaming_month,
    dice_set,
    dice,
    colours,
    total,
    (2 * total - 21) * lag(2 * total - 21) OVER (PARTITION BY stream, gaming_day, dice_set ORDER BY seq) AS lag_product
FROM read_whole
