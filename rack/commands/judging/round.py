"""`rack round`: one recorded round as a transcript, with its verdict."""

import argparse
from contextlib import closing

from rack.arguments import add, add_log, add_round
from rack.errors import Exit
from rack.output import Output
from rack.settings import log_address

HELP = "Print one recorded round as a transcript, with its verdict"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_round(parser)
    add_log(parser)
    add(parser, "--rules FILE", "What-if: judge by this rules submission instead of the filed one.", type=str)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Show the round; 1 if it has findings."""
    from desk.recorded_round import recorded_round
    from desk.review.state import review_of
    from rack.commands.judging.rules import read_submission
    from rack.opening import log_at
    from replay.transcript.verdict_text import verdict_lines

    with closing(log_at(log_address(arguments.log), read_only=True, check_heads=False)) as log:
        rules = read_submission(arguments.rules) if arguments.rules else None
        recorded = recorded_round(log, arguments.table, arguments.round, rules)
        disposed = review_of(log, arguments.table).disposed
    judged = recorded.adjudication
    for broken in recorded.broken:
        output.problem(f"later in this stream: {broken}")
    if output.as_json:
        output.value(recorded.values(disposed))
    lines = verdict_lines(judged, judged.chapter, currency=recorded.currency, disposed=disposed)
    output.text(recorded.transcript().rstrip("\n"), "", *lines)
    return Exit.FINDINGS if judged.findings else Exit.CLEAN
