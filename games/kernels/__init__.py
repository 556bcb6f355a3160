"""Compiled kernels: what `games` says of single hands, for columns of them. Imported by batch replay and enumeration only.

The law of this folder: a kernel equals the pure function of `games` that it stands beside, hand by hand, and a test proves it.
Cards are the integers of `games.cards.cards`; paytables, limits and house ways are arguments, never globals.
"""
