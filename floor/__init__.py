"""A simulator of a gaming floor: whole days of tables, with planted, labeled faults and labeled legitimate irregularities.

It imports `games` and `events`, never `replay`: a fault is planted by changing what was done, not what is due.
"""
