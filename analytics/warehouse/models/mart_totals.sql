-- grain: stream, game, gaming_month, dice_set, total
-- renewed by: month; of fct_rolls
-- How often each total of three dice was rolled, and what it takes to see whether rolls follow from the ones before.
SELECT
    stream,
    table_id,
    game,
    gaming_month,
    dice_set,
    total,
    count(*) AS rolls,
    count(lag_product) AS pairs,
    coalesce(sum(lag_product), 0)::BIGINT AS lag_products
FROM fct_rolls
GROUP BY ALL
