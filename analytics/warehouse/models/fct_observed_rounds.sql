-- grain: stream, round_no
-- renewed by: observation
-- One round that a person entered, as it was last judged: who saw it and how, and as what it counts (`basis`). No figure of the
-- table counts it; what is recorded is in fct_rounds.
SELECT
    stream,
    split_part(stream, '/', 2) AS table_id,
    round_no,
    basis,
    observation,
    observer,
    seen,
    camera,
    dealer,
    gaming_day::DATE AS gaming_day,
    entered_at_us,
    same_stream,
    same_round_no,
    withdrawn,
    verdict,
    known,
    codes,
    underpaid_cents,
    overpaid_cents,
    confirmed_by
FROM raw_observed_rounds
