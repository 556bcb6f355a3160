-- grain: incident_id
-- renewed by: incident; of fct_findings
-- One incident: the finding that is its cause, with the severity of its gravest finding and the money of all, apart by direction and
-- never netted (D536). If the cause is counted with another round, the first finding stands for it.
WITH members AS (
    SELECT
        incident_id,
        count(*) AS findings,
        list(finding_id ORDER BY finding_id) AS finding_ids,
        min(severity_rank) AS severity_rank,
        coalesce(sum(overpaid_cents), 0)::BIGINT AS overpaid_cents,
        coalesce(sum(underpaid_cents), 0)::BIGINT AS underpaid_cents
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
    n.overpaid_cents,
    n.underpaid_cents
FROM fct_findings AS f
INNER JOIN members AS n USING (incident_id)
QUALIFY row_number() OVER (
    PARTITION BY f.incident_id
    ORDER BY f.finding_id <> f.incident_id, f.severity_rank, f.stream, f.round_no, f.finding_id
) = 1
