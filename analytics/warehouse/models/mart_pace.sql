-- grain: stream, game, dealer, shift, gaming_day, hour
-- renewed by: day; of fct_rounds, fct_wagers
-- How fast was dealt, and to how many. `play_us` runs from a round's opening to the opening of the table's next one on
-- that gaming day; a pause of more than ten minutes is no play, and the last round of a day counts as long as it took
-- itself. `decisions` are boxes with a settled wager.
WITH boxes AS (
    SELECT stream, round_no, count(DISTINCT (seat, bettor)) AS decisions
    FROM fct_wagers
    WHERE settled AND staked_cents > 0
    GROUP BY stream, round_no
),

timed AS (
    SELECT
        r.*,
        coalesce(b.decisions, 0) AS decisions,
        lead(r.opened_at_us) OVER (PARTITION BY r.stream, r.gaming_day ORDER BY r.round_no) - r.opened_at_us AS to_next_us
    FROM fct_rounds AS r
    LEFT JOIN boxes AS b USING (stream, round_no)
)

SELECT
    stream,
    table_id,
    game,
    dealer,
    shift,
    gaming_day,
    hour,
    count(*) AS rounds,
    sum(wagers)::BIGINT AS wagers,
    count(*) FILTER (judged) AS judged_rounds,
    coalesce(sum(wagers) FILTER (judged), 0)::BIGINT AS judged_wagers,
    sum(decisions)::BIGINT AS decisions,
    sum(seats)::BIGINT AS seats,
    sum(CASE WHEN to_next_us BETWEEN 0 AND 600000000 THEN to_next_us ELSE greatest(closed_at_us - opened_at_us, 0) END)::BIGINT
        AS play_us,
    sum(closed_at_us - opened_at_us)::BIGINT AS round_us,
    count(*) FILTER (to_next_us > 600000000) AS pauses,
    count(*) FILTER (verdict = 'VARIANCE') AS variances,
    count(*) FILTER (verdict = 'VOID') AS voids,
    count(*) FILTER (verdict = 'UNDETERMINED') AS undetermined
FROM timed
GROUP BY stream, table_id, game, dealer, shift, gaming_day, hour
