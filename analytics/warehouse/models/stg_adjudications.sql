-- grain: stream, round_no
-- renewed by: verdict
-- The newest revision of each round's adjudication. Of two with the same revision, the one given last.
SELECT
    stream,
    split_part(stream, '/', 2) AS table_id,
    round_no,
    revision,
    engine,
    rules_digest,
    submission,
    game,
    chapter,
    gaming_day::DATE AS gaming_day,
    shift,
    dealer,
    hour,
    opened_at_us,
    closed_at_us,
    first_seq,
    last_seq,
    verdict,
    undetermined,
    withdrawn
FROM raw_adjudications
SEMI JOIN raw_newest USING (load_no)
