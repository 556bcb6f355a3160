-- grain: stream, observation
-- renewed by: observation
-- What one observation shows: rounds wrong of those with a known outcome, with the exact 95 % interval of the rate (null for what
-- is no sample: for cause and disputes are listed, never in a rate), the money, and how far two observers agree. `observation` is
-- empty for rounds that were entered outside any.
SELECT
    stream,
    split_part(stream, '/', 2) AS table_id,
    observation,
    basis,
    dealer,
    planned,
    closed,
    entered,
    known,
    wrong,
    unread,
    low,
    high,
    difference_cents,
    patron_short_cents,
    house_short_cents,
    confirmed,
    cards,
    cards_alike,
    amounts,
    amounts_alike,
    says
FROM raw_observations
