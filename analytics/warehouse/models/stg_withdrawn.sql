-- grain: finding_id
-- Findings that an earlier revision made and the newest does not, and for which it makes no other of the same code, seat and
-- wager: a correction of the record took them back.
WITH stated AS (
    SELECT f.finding_id, f.code, f.stream, coalesce(f.round_no, a.round_no) AS round_no, f.seat, f.wager
    FROM raw_findings AS f
    INNER JOIN raw_adjudications AS a USING (load_no)
)

SELECT DISTINCT ON (s.finding_id)
    s.finding_id,
    s.code,
    s.stream,
    s.round_no,
    s.seat,
    s.wager
FROM stated AS s
ANTI JOIN stg_findings AS same ON s.finding_id = same.finding_id
ANTI JOIN stg_findings AS other
    ON
        s.stream = other.stream
        AND s.round_no = other.round_no
        AND s.code = other.code
        AND coalesce(s.seat, 0) = coalesce(other.seat, 0)
        AND coalesce(s.wager, '') = coalesce(other.wager, '')
ORDER BY s.finding_id
