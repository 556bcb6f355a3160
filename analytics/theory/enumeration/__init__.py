"""Complete enumerations (and, where none is possible, simulations) of what can be dealt or rolled.

The law of this folder: it counts what the functions of `games` say of hands, and knows no paytable. `analytics.theory.theory` applies
the paytables to the counts, which lie in `analytics/theory/returns`; `rack theory --compute` makes these again.
"""
