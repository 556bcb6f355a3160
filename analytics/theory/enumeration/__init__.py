"""Complete enumerations (and, if none is possible, simulations) of all possible deals or rolls.

Invariant: it counts the results of the functions of `games` on hands, without any paytable. `analytics.theory.theory` applies the
paytables to the counts, which are stored in `analytics/theory/returns`; `rack theory --compute` makes them again.
"""
