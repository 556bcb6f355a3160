"""Complete enumerations (and, if none is possible, simulations) of all possible deals or rolls.

Invariant: it counts what the functions of `games` make of hands, and knows no paytable. `analytics.theory.theory`
applies the paytables to the counts, which are stored in `analytics/theory/returns`; `rack theory --compute` makes them again.
"""
