"""`rack dealer-errors`: error rates, patterns, time to detection, false alarms."""

import argparse

from analytics.questions import questions
from rack.arguments import add, check_options, positive
from rack.errors import Exit
from rack.output import Output
from rack.warehouse_queries import add_question, answer, answered, show, warehouse_at

HELP = "Report dealer errors: rates with intervals, patterns, time to detection, false alarms"

QUESTIONS = questions("errors")
TAKES = {name: question.options for name, question in QUESTIONS.items()}
"""Question → its options."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_question(parser, {name: each.title for name, each in QUESTIONS.items()}, "rates")
    add(parser, "--procedure", "rates: count all findings, not only mispayments.")
    add(parser, "--code CODE", "behind: only this code.")
    add(parser, "--seat N", "behind: only this seat.", type=positive)
    add(parser, "--patron TOKEN", "behind: only this patron token.")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Answer; 1 if a value or a pattern is an outlier."""
    from analytics.warehouse.warehouse import reading

    check_options(arguments, "dealer-errors", arguments.question, TAKES)
    question = QUESTIONS[arguments.question]
    with reading(warehouse_at(arguments)) as db, answered(arguments, output):
        frame = answer(question, db, arguments, money_only=not arguments.procedure)
    show(output, frame, question.columns(frame), everything=arguments.all)
    stands_out = "look" in frame.columns and bool(frame["look"].any())
    return Exit.FINDINGS if stands_out else Exit.CLEAN
