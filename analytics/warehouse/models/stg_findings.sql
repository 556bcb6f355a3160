-- grain: finding_id
-- renewed by: finding; of stg_stated
-- The findings of the newest revisions, without those withdrawn. One that several rounds state is counted once.
-- A finding of no round (a gap in the log) has no adjudication.
SELECT
    finding_id,
    code,
    found_in AS stream,
    coalesce(round_no, nullif(stated_in, 0)) AS round_no,
    seat,
    wager,
    expected,
    observed,
    difference_cents,
    evidence,
    cite,
    other_reading,
    severity,
    assumed,
    rules_digest,
    incident_id
FROM stg_stated
WHERE NOT withdrawn
QUALIFY row_number() OVER (PARTITION BY finding_id ORDER BY nullif(stated_in, 0) NULLS LAST, stream, finding_no) = 1
