"""Dealing errors: rates and their changes, patterns, and the queue of findings."""
