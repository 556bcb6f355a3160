"""A log in a file of its own, a second between any two appends, and the results next to it."""

from tests.replay.conftest import log, results

__all__ = ["log", "results"]
