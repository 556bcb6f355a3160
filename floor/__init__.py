"""A simulator of a gaming floor: whole days of tables, with labeled planted faults and labeled legitimate irregularities.

It imports `games` and `events`, never `replay`: a fault changes what people do, not what is due.
"""
