"""`rack replay`: judge every round that is new in a log, and keep the verdicts beside it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rack.arguments import add_log, as_of
from rack.errors import Exit, UsageError
from rack.output import Output, table
from rack.settings import log_address

if TYPE_CHECKING:
    from replay.replayer import Summary

HELP = "judge every round that is new in a log; the verdicts are kept beside it"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_log(parser)
    parser.add_argument(
        "--as-of", metavar="WHEN", action="append", default=[],
        help="judge by what the log held then: stream=seq (repeatable), or a time such as 2026-03-01T21:14:00Z",
    )  # fmt: skip
    parser.add_argument(
        "--rules", metavar="FILE", help="what if: judge by this rules submission instead of those filed"
    )
    parser.add_argument("--follow", action="store_true", help="go on with what is appended, until interrupted")
    parser.add_argument("--warehouse", metavar="FILE", type=Path, help="then build the warehouse of the pages there")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Replay; 1 where the log holds findings."""
    from events.open import open_log, open_results
    from rack.commands.rules import read_submission
    from replay import replayer

    address = log_address(arguments.log)
    positions, at_us = as_of(arguments.as_of)
    what_if = bool(arguments.rules or arguments.as_of)
    if what_if and (arguments.follow or arguments.warehouse):
        raise UsageError(
            "--as-of and --rules judge without keeping anything; give them without --follow and --warehouse"
        )
    rules = read_submission(arguments.rules) if arguments.rules else None
    log = open_log(address, read_only=True)
    results = open_results(address)
    return Exit.CLEAN


def _lines(summary: Summary) -> list[str]:
    return [f"{summary.rounds:,} rounds"]
