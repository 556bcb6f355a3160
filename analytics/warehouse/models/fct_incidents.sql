-- grain: incident_id
-- renewed by: incident; of fct_findings
-- One incident: the finding that is its cause, with the severity of its gravest finding and the money of all, summed by seat before
-- it is taken apart by direction. Where the cause is counted with another round, the first finding stands for it.
WITH seats AS (
    SELECT incident_id, seat, sum(difference_cents) AS cents
    FROM fct_findings
    GROUP BY incident_id, seat
),

money AS (
    SELECT
        incident_id,
        coalesce(sum(greatest(cents, 0)), 0)::BIGINT AS overpaid_cents,
        coalesce(sum(greatest(-cents, 0)), 0)::BIGINT AS underpaid_cents
    FROM seats
    GROUP BY incident_id
),

members AS (
    SELECT
        incident_id,
        count(*) AS findings,
        list(finding_id ORDER BY finding_id) AS finding_ids,
        min(severity_rank) AS severity_rank
    FROM fct_findings
    GROUP BY incident_id
)

SELECT
    f.incident_id,
    f.finding_id,
    f.code,
    ['high', 'medium', 'low'][n.severity_rank] AS severity,
    n.severity_rank,
    f.stream,
    f.table_id,
    f.round_no,
    f.game,
    f.gaming_day,
    f.shift,
    f.dealer,
    f.hour,
    f.opened_at_us,
    f.seat,
    f.wager,
    n.findings,
    n.finding_ids,
    m.overpaid_cents,
    m.underpaid_cents
FROM fct_findings AS f
INNER JOIN members AS n USING (incident_id)
INNER JOIN money AS m USING (incident_id)
QUALIFY row_number() OVER (
    PARTITION BY f.incident_id
    ORDER BY f.finding_id <> f.incident_id, f.severity_rank, f.stream, f.round_no, f.finding_id
) = 1
