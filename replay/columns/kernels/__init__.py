"""Compiled kernels that screen rows of the round table; imported by batch replay only. All of it is pure.

The law of this folder: a kernel upholds a round only where event replay upholds it, with the same settlements. Where it finds
anything, or is not sure of anything, it names the check that the round did not pass, and event replay judges the round.

A file for each game has the rules as the kernel takes them (`terms_of`), what every wager is due (`settle`), and what upholds a
round (`check_table`). What games share: `table` and `wagers` (checks and settlement), `seven_cards`, `terms` and
`seven_card_terms` (filed rules as arrays), `shared_rules` (rules of `games`, compiled as they stand), `screening_result`.
"""
