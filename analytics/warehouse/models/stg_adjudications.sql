-- grain: stream, round_no
-- The newest revision of each round's adjudication. Of two with the same revision, the one given last.
SELECT
    load_no,
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
QUALIFY row_number() OVER (PARTITION BY stream, round_no ORDER BY revision DESC, load_no DESC) = 1
