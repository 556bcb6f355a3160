"""Dealing errors: rates, patterns, the queue of findings, and the search for a disputed round."""
