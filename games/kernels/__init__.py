"""Compiled kernels: the functions of `games` on single hands, for columns of hands.

Only what-ifs and enumeration import them.

Invariant: a kernel equals the pure function of `games` beside which it stands, hand by hand, and a test proves
it. Cards are the integers of `games.cards.cards`; paytables, limits and house ways are arguments, never globals.
"""
