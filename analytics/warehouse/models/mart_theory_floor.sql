-- grain: game, chapter, theory_wager, paytable
-- renewed by: all
-- The whole floor and all its days of `mart_against_theory`: from it is taken how far the seats of a round end together,
-- whatever part of the floor a question is about.
SELECT
    game,
    chapter,
    theory_wager,
    paytable,
    sum(rounds)::BIGINT AS rounds,
    sum(house_win_cents)::BIGINT AS house_win_cents,
    sum(unit_cents)::BIGINT AS unit_cents,
    sum(sum_u2) AS sum_u2,
    sum(sum_round_u2) AS sum_round_u2,
    sum(sum_round_w2) AS sum_round_w2,
    sum(sum_round_wu) AS sum_round_wu
FROM mart_against_theory
WHERE unit_cents > 0
GROUP BY game, chapter, theory_wager, paytable
