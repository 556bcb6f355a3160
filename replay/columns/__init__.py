"""Rounds as rows of the round table, and what is computed over whole columns of them."""
