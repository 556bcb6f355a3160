"""`rack round`: one recorded round as a transcript, with its verdict."""

from __future__ import annotations

import argparse

from rack.arguments import add_log, positive
from rack.errors import Exit
from rack.output import Output

HELP = "show one recorded round as a transcript, with its verdict"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("table", metavar="TABLE", help="the table's id, as in fu-01")
    parser.add_argument("round", metavar="ROUND", type=positive, help="the number of the round")
    add_log(parser)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Show the round; 1 where it has findings."""
    return Exit.CLEAN
