-- grain: stream, stated_in, finding_no, finding_id
-- renewed by: verdict
-- What the newest revisions state, withdrawn and repeated findings too: `stated_in` is the round that says so, 0 for a
-- finding that no round states (a gap in the log).
SELECT
    coalesce(a.stream, f.stream) AS stream,
    coalesce(a.round_no, 0) AS stated_in,
    f.finding_no,
    f.finding_id,
    f.code,
    f.stream AS found_in,
    f.round_no,
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
    f.rules_digest,
    f.incident_id,
    coalesce(list_contains(a.withdrawn, f.finding_id), false) AS withdrawn
FROM raw_findings AS f
LEFT JOIN raw_newest AS a USING (load_no)
WHERE f.load_no IS NULL OR a.load_no IS NOT NULL
