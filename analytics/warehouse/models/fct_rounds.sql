-- grain: stream, round_no
-- renewed by: round; of fct_wagers, fct_findings, stg_adjudications
-- One round as it was last judged, with the sums of its wagers and findings. Of a round in which nothing is found and nothing is
-- on record of how its wagers were settled it is not known whether it was dealt without error: it is not `judged` (D860), nor is
-- one of which no wager could be settled. If no settled wager is on record, what is computed from wagers is null, never 0. The dealer is the one at the table at the first card.
-- What people observed is in fct_observed_rounds.
WITH wagers AS (
    SELECT
        stream,
        round_no,
        count(*) AS wagers,
        count(*) FILTER (settled) AS settled,
        count(DISTINCT seat) AS seats,
        sum(unsettled)::BIGINT AS unsettled,
        sum(staked_cents)::BIGINT AS staked_cents,
        sum(handle_cents)::BIGINT AS handle_cents,
        sum(payouts_cents)::BIGINT AS payouts_cents,
        sum(house_win_cents)::BIGINT AS house_win_cents,
        sum(by_slip_cents)::BIGINT AS by_slip_cents,
        sum(from_meter_cents)::BIGINT AS from_meter_cents,
        sum(patron_banked_cents)::BIGINT AS patron_banked_cents
    FROM fct_wagers
    GROUP BY stream, round_no
),

findings AS (
    SELECT
        stream,
        round_no,
        count(*) AS findings,
        sum(overpaid_cents)::BIGINT AS overpaid_cents,
        sum(underpaid_cents)::BIGINT AS underpaid_cents
    FROM fct_findings
    GROUP BY stream, round_no
)

SELECT
    a.stream,
    a.table_id,
    a.round_no,
    a.revision,
    a.game,
    a.chapter,
    a.submission,
    a.rules_digest,
    a.engine,
    a.gaming_day,
    a.shift,
    a.dealer,
    a.hour,
    a.opened_at_us,
    a.closed_at_us,
    a.first_seq,
    a.last_seq,
    'recorded' AS basis,
    a.verdict,
    a.undetermined,
    CASE
        WHEN coalesce(w.staked_cents, 0) = 0 THEN a.verdict <> 'UNDETERMINED'
        ELSE a.verdict = 'VARIANCE' OR w.unsettled < w.wagers
    END AS judged,
    coalesce(w.seats, 0) AS seats,
    coalesce(w.wagers, 0) AS wagers,
    coalesce(w.unsettled, 0) AS unsettled,
    coalesce(w.staked_cents, 0) AS staked_cents,
    CASE WHEN w.settled > 0 THEN coalesce(w.handle_cents, 0) END AS handle_cents,
    CASE WHEN w.settled > 0 THEN coalesce(w.payouts_cents, 0) END AS payouts_cents,
    CASE WHEN w.settled > 0 THEN coalesce(w.house_win_cents, 0) END AS house_win_cents,
    CASE WHEN w.settled > 0 THEN coalesce(w.by_slip_cents, 0) END AS by_slip_cents,
    CASE WHEN w.settled > 0 THEN coalesce(w.from_meter_cents, 0) END AS from_meter_cents,
    coalesce(w.patron_banked_cents, 0) AS patron_banked_cents,
    coalesce(f.findings, 0) AS findings,
    coalesce(f.overpaid_cents, 0) AS overpaid_cents,
    coalesce(f.underpaid_cents, 0) AS underpaid_cents
FROM stg_adjudications AS a
LEFT JOIN wagers AS w USING (stream, round_no)
LEFT JOIN findings AS f USING (stream, round_no)
