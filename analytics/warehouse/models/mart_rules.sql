-- grain: stream, rules_digest
-- renewed by: stream; of fct_rounds
-- By which rules submissions the rounds of a table were judged, and from which gaming day to which.
SELECT
    stream,
    rules_digest,
    count(*) AS rounds,
    min(gaming_day) AS first_day,
    max(gaming_day) AS last_day
FROM fct_rounds
GROUP BY stream, rules_digest
