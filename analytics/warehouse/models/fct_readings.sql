-- grain: digest, wager
-- renewed by: all
-- The wagers that a rules submission has settled by another reading than `rack theory` counts, with the setting that files it:
-- they are compared with no theory (D421).
SELECT
    f.digest,
    o.wager,
    string_agg(DISTINCT o.setting || ' = ' || o.value, ', ') AS reading
FROM fct_filings AS f
INNER JOIN raw_other_readings AS o
    ON regexp_matches(f.toml, '(?m)^[^#\n]*\b' || o.setting || '["'']?\s*=\s*["'']+' || o.value)
GROUP BY f.digest, o.wager
