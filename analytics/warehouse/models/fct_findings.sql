-- grain: finding_id
-- renewed by: finding; of stg_findings
-- One finding that stands, with its round and the money apart by direction: `underpaid_cents` is what the patron is
-- short, `overpaid_cents` what the patron has too much. They are never netted. `bettor` is whose wager it was, null where
-- several had the same wager at the seat. `shown_at_us` is when the first event happened that shows it, null where that is
-- no event of a round.
WITH bettors AS (
    SELECT stream, round_no, seat, wager, min(bettor) AS bettor
    FROM stg_settlements
    SEMI JOIN stg_findings USING (stream, round_no)
    GROUP BY stream, round_no, seat, wager
    HAVING count(DISTINCT bettor) = 1
),

shown AS (
    SELECT f.finding_id, min(e.occurred_at_us) AS shown_at_us
    FROM (SELECT finding_id, stream, unnest(evidence) AS seq FROM stg_findings) AS f
    INNER JOIN round_events AS e USING (stream, seq)
    GROUP BY f.finding_id
)

SELECT
    f.finding_id,
    f.code,
    f.severity,
    CASE f.severity WHEN 'high' THEN 1 WHEN 'medium' THEN 2 ELSE 3 END AS severity_rank,
    f.stream,
    split_part(f.stream, '/', 2) AS table_id,
    f.round_no,
    a.game,
    a.gaming_day,
    a.shift,
    a.dealer,
    a.hour,
    a.opened_at_us,
    a.closed_at_us,
    s.shown_at_us,
    a.verdict,
    f.seat,
    f.wager,
    b.bettor,
    f.expected,
    f.observed,
    f.difference_cents,
    greatest(f.difference_cents, 0) AS overpaid_cents,
    greatest(-f.difference_cents, 0) AS underpaid_cents,
    f.evidence,
    f.cite,
    f.other_reading,
    f.assumed,
    f.rules_digest,
    f.incident_id
FROM stg_findings AS f
LEFT JOIN shown AS s USING (finding_id)
LEFT JOIN bettors AS b USING (stream, round_no, seat, wager)
LEFT JOIN stg_adjudications AS a USING (stream, round_no)
