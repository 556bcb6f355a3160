-- grain: finding_id
-- renewed by: finding; of stg_once_stated
-- Findings that an earlier revision made and the newest does not, and for which it makes no other of the same code, seat and
-- wager: a correction of the record took them back.
SELECT DISTINCT ON (s.finding_id)
    s.finding_id,
    s.code,
    s.found_in AS stream,
    s.round_no,
    s.seat,
    s.wager
FROM stg_once_stated AS s
ANTI JOIN stg_findings AS same ON s.finding_id = same.finding_id
ANTI JOIN stg_findings AS other
    ON
        s.found_in = other.stream
        AND s.round_no = other.round_no
        AND s.code = other.code
        AND coalesce(s.seat, 0) = coalesce(other.seat, 0)
        AND coalesce(s.wager, '') = coalesce(other.wager, '')
ORDER BY s.finding_id
