-- grain: stream, game, chapter, theory_wager, paytable, dealer, shift, gaming_day, hour
-- renewed by: day; of fct_wagers
-- What the comparison with theory needs, as sums over rounds and over single wagers, so that it never looks at wagers
-- again: u is a wager's unit, U what all seats had as units in one round, W what the house won of them in that round.
-- Voided wagers and those against a patron's bank are left out. Wagers on the same number of the dice are one cluster,
-- others on another. What was paid without a stake (an Envy Bonus) has rows of its own, in which u is 0.
WITH rounds AS (
    SELECT
        stream,
        table_id,
        game,
        chapter,
        theory_wager,
        max(paytable) AS paytable,
        dealer,
        shift,
        gaming_day,
        hour,
        round_no,
        count(*) FILTER (unit_cents > 0) AS bets,
        sum(handle_cents)::BIGINT AS handle_cents,
        sum(unit_cents)::DOUBLE AS unit,
        sum(power(unit_cents::DOUBLE, 2)) AS unit_2,
        sum(power(unit_cents::DOUBLE, 3)) AS unit_3,
        max(unit_cents) AS largest,
        sum(house_win_cents)::DOUBLE AS win
    FROM fct_wagers
    WHERE settled AND NOT patron_banked AND line <> 'void'
    GROUP BY stream, table_id, game, chapter, theory_wager, dealer, shift, gaming_day, hour, round_no, number
)

SELECT
    stream,
    table_id,
    game,
    chapter,
    theory_wager,
    paytable,
    dealer,
    shift,
    gaming_day,
    hour,
    count(*) FILTER (unit > 0) AS rounds,
    sum(bets)::BIGINT AS bets,
    sum(handle_cents)::BIGINT AS handle_cents,
    sum(win)::BIGINT AS house_win_cents,
    sum(unit)::BIGINT AS unit_cents,
    sum(unit_2) AS sum_u2,
    sum(unit_3) AS sum_u3,
    max(largest)::BIGINT AS max_u,
    sum(unit * unit) AS sum_round_u2,
    sum(unit * unit * unit) AS sum_round_u3,
    sum(win * win) AS sum_round_w2,
    sum(win * unit) AS sum_round_wu,
    max(unit)::BIGINT AS max_round_u
FROM rounds
GROUP BY stream, table_id, game, chapter, theory_wager, paytable, dealer, shift, gaming_day, hour
HAVING sum(unit) > 0 OR sum(win) <> 0
