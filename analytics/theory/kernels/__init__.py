"""Compiled kernels: functions of `games` on single hands, for columns of hands. Only enumeration imports them.

Invariant: a kernel equals the pure function of `games` that it repeats, hand by hand, and a test proves it. Nothing that judges
imports a kernel. Cards are the integers of `rulebook.cards.cards`; paytables and limits are arguments, never globals.
"""
