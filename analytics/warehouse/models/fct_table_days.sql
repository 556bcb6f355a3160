-- grain: stream, gaming_day
-- renewed by: day; of stg_ledger, fct_rounds
-- One table on one gaming day: what was counted per box and inventory (never split further), beside the rounds of the
-- day. An opener, closer or drop that was not counted is null, never 0, and so is what is computed from wagers on a day without a
-- settled wager on record; no fill or credit is 0, for none was made. `game` is the one that was dealt, `several_games` if more
-- than one was, for a box is not split; without a round the one that the table was opened for. The last round is the one closed last.
WITH entries AS (
    SELECT *, row_number() OVER (PARTITION BY stream, gaming_day, kind, reference, amount_cents) > 1 AND reference <> '' AS repeated
    FROM stg_ledger
),

counted AS (
    SELECT
        stream,
        gaming_day,
        count(*) FILTER (kind = 'opener') AS openers,
        count(*) FILTER (kind = 'closer') AS closers,
        count(*) FILTER (kind = 'drop') AS drops,
        sum(amount_cents) FILTER (kind = 'opener')::BIGINT AS opener_cents,
        sum(amount_cents) FILTER (kind = 'closer')::BIGINT AS closer_cents,
        sum(amount_cents) FILTER (kind = 'drop')::BIGINT AS drop_cents,
        sum(amount_cents) FILTER (kind = 'fill')::BIGINT AS fills_cents,
        sum(amount_cents) FILTER (kind = 'credit')::BIGINT AS credits_cents,
        sum(amount_cents) FILTER (kind = 'buy_in')::BIGINT AS buy_ins_cents,
        sum(amount_cents) FILTER (kind = 'marker')::BIGINT AS markers_cents,
        count(*) FILTER (repeated AND kind = 'drop') AS repeated_drops,
        count(*) FILTER (repeated AND kind IN ('fill', 'credit', 'marker')) AS repeated_slips,
        coalesce(max(seq) FILTER (kind <> 'drop'), max(seq)) AS last_seq
    FROM entries
    GROUP BY stream, gaming_day
),

opened AS (
    SELECT c.stream, c.gaming_day, o.game
    FROM counted AS c
    ASOF INNER JOIN (SELECT stream, seq, game FROM stg_standing WHERE type = 'table_opened') AS o
        ON c.stream = o.stream AND c.last_seq >= o.seq
),

played AS (
    SELECT
        stream,
        gaming_day,
        CASE WHEN count(DISTINCT game) > 1 THEN 'several_games' ELSE any_value(game) END AS game,
        count(*) AS rounds,
        min(opened_at_us) AS first_opened_at_us,
        max(closed_at_us) AS last_closed_at_us,
        arg_max(round_no, closed_at_us) AS last_round_no,
        arg_max(game, closed_at_us) AS last_game,
        arg_max(dealer, closed_at_us) AS last_dealer,
        count(*) FILTER (verdict = 'UPHELD') AS upheld,
        count(*) FILTER (verdict = 'VARIANCE') AS variances,
        count(*) FILTER (verdict = 'VOID') AS voids,
        count(*) FILTER (verdict = 'UNDETERMINED') AS undetermined,
        sum(findings)::BIGINT AS findings,
        sum(overpaid_cents)::BIGINT AS overpaid_cents,
        sum(underpaid_cents)::BIGINT AS underpaid_cents,
        sum(unsettled)::BIGINT AS unsettled,
        sum(handle_cents)::BIGINT AS handle_cents,
        sum(payouts_cents)::BIGINT AS payouts_cents,
        sum(house_win_cents)::BIGINT AS house_win_cents,
        sum(by_slip_cents)::BIGINT AS by_slip_cents,
        sum(from_meter_cents)::BIGINT AS from_meter_cents
    FROM fct_rounds
    GROUP BY stream, gaming_day
),

seen AS (
    SELECT p.stream, p.gaming_day, max(e.occurred_at_us) AS last_event_at_us
    FROM played AS p
    INNER JOIN round_events AS e ON p.stream = e.stream AND p.last_round_no = e.round_no
    GROUP BY p.stream, p.gaming_day
)

SELECT
    stream,
    split_part(stream, '/', 2) AS table_id,
    gaming_day,
    coalesce(p.game, o.game) AS game,
    coalesce(p.rounds, 0) AS rounds,
    p.first_opened_at_us,
    p.last_closed_at_us,
    s.last_event_at_us,
    p.last_round_no,
    p.last_game,
    p.last_dealer,
    coalesce(p.upheld, 0) AS upheld,
    coalesce(p.variances, 0) AS variances,
    coalesce(p.voids, 0) AS voids,
    coalesce(p.undetermined, 0) AS undetermined,
    coalesce(p.findings, 0) AS findings,
    coalesce(p.overpaid_cents, 0) AS overpaid_cents,
    coalesce(p.underpaid_cents, 0) AS underpaid_cents,
    coalesce(p.unsettled, 0) AS unsettled,
    p.handle_cents,
    p.payouts_cents,
    p.house_win_cents,
    p.by_slip_cents,
    p.from_meter_cents,
    coalesce(c.openers, 0) AS openers,
    coalesce(c.closers, 0) AS closers,
    coalesce(c.drops, 0) AS drops,
    c.opener_cents,
    c.closer_cents,
    coalesce(c.fills_cents, 0) AS fills_cents,
    coalesce(c.credits_cents, 0) AS credits_cents,
    c.drop_cents,
    coalesce(c.buy_ins_cents, 0) AS buy_ins_cents,
    coalesce(c.markers_cents, 0) AS markers_cents,
    coalesce(c.repeated_drops, 0) AS repeated_drops,
    coalesce(c.repeated_slips, 0) AS repeated_slips
FROM counted AS c
FULL JOIN played AS p USING (stream, gaming_day)
LEFT JOIN seen AS s USING (stream, gaming_day)
LEFT JOIN opened AS o USING (stream, gaming_day)
