-- grain: stream, game, gaming_month, dice_set, die, face
-- renewed by: month; of fct_rolls
-- How often each die showed each face. A die is told by its color; dice of one color are 'any', all three together.
SELECT
    stream,
    table_id,
    game,
    gaming_month,
    dice_set,
    CASE WHEN colours IS NULL THEN 'any' ELSE colours[place] END AS die,
    dice[place] AS face,
    count(*) AS rolls
FROM fct_rolls, (VALUES (1), (2), (3)) AS places (place)
GROUP BY ALL
