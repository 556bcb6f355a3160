-- grain: finding_id
-- The findings of the newest revisions, without those withdrawn. One that several rounds state is counted once.
-- A finding of no round (a gap in the log) has no adjudication.
SELECT
    f.finding_id,
    f.code,
    f.stream,
    coalesce(f.round_no, a.round_no) AS round_no,
    f.seat,
    f.wager,
    f.expected,
    f.observed,
    f.difference_cents,
    f.evidence,
    f.cite,
    f.other_reading,
    f.severity,
    f.assumed,
    f.rules_digest
FROM raw_findings AS f
LEFT JOIN stg_adjudications AS a USING (load_no)
WHERE (f.load_no IS NULL OR a.load_no IS NOT NULL)
    AND NOT coalesce(list_contains(a.withdrawn, f.finding_id), false)
QUALIFY row_number() OVER (PARTITION BY f.finding_id ORDER BY a.round_no NULLS LAST, f.finding_no) = 1
