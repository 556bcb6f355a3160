-- grain: stream, stated_in, finding_id
-- renewed by: adding
-- What any revision of a verdict ever stated, by the round that said so (`stated_in`): by it is known what a later one took back.
SELECT DISTINCT ON (a.stream, a.round_no, f.finding_id)
    a.stream,
    a.round_no AS stated_in,
    f.finding_id,
    f.code,
    f.stream AS found_in,
    coalesce(f.round_no, a.round_no) AS round_no,
    f.seat,
    f.wager
FROM raw_findings AS f
INNER JOIN raw_adjudications AS a USING (load_no)
ORDER BY a.stream, a.round_no, f.finding_id
