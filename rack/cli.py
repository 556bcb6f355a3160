"""The command `rack`."""

from __future__ import annotations


def main() -> int:
    """Run the command line; return its exit code."""
    return 2
