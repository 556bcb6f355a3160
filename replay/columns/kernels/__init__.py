"""Compiled kernels that screen rows of the round table; imported by batch replay only.

The law of this folder: a kernel upholds a round only where the single path upholds it, with the same settlements. Where it
finds anything, or is not sure of anything, it names the check that the round did not pass, and the single path judges.
"""
