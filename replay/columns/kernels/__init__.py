"""Compiled kernels that settle rows of the round table; imported by what-ifs only. All of it is pure.

Invariant: a kernel says what every wager of a row is due exactly as event replay does (`games.<game>.settle`), or
that its columns do not hold that; event replay settles such a round.

A file for each game has the rules as the kernel takes them (`terms_of`) and what every wager is due (`settle_row`). What games
share: `wagers` and `seven_cards` (settlement), `terms` and `seven_card_terms` (filed rules as arrays), `shared_rules` (rules of
`games`, compiled as they stand), `settled_rows` (what comes out).
"""
