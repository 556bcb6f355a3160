"""`rack fairness`: fairness of dice, shufflers and decks, with the minimum detectable bias."""

import argparse

from rack.arguments import add, check_options
from rack.errors import Exit, UsageError
from rack.output import Output
from rack.warehouse_queries import add_question, answered, breakdown, selection, show, warehouse_at

HELP = "Test dice, shufflers and decks for fairness, with the minimum detectable bias"

QUESTIONS = {
    "tests": "every device against chance, corrected for the number of tests; smallest p-value first",
    "counts": "observed and expected counts of a family of tests (--family)",
}
TAKES = {"tests": (), "counts": ("family",)}
"""Question → its options, next to those that both take."""
HIDDEN = {"statistic", "freedom", "q", "alarm", "verdict", "most_off"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_question(parser, QUESTIONS, "tests")
    add(parser, "--family NAME", "counts: die (default), total, number, start, card, joker or hand.")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Answer; 1 if there is an alarm."""
    from analytics.fairness import fairness
    from analytics.warehouse.warehouse import reading

    check_options(arguments, "fairness", arguments.question, TAKES)
    by, family = breakdown(arguments, fairness.BY_FAIRNESS, "table"), arguments.family or "die"
    of = selection(arguments, per_box=True)
    if family not in fairness.COUNTED:
        raise UsageError(f"--family {family}: expected one of {', '.join(fairness.COUNTED)}")
    with reading(warehouse_at(arguments)) as db:
        counts = arguments.question == "counts"
        with answered(arguments, output):
            frame = fairness.fairness_counts(db, family, by, of) if counts else fairness.fairness(db, by, of)
    columns = [
        column
        for column in frame.columns
        if column not in HIDDEN and (frame.is_empty() or frame[column].null_count() < frame.height)
    ]
    show(output, frame, columns, everything=arguments.all)
    alarmed = "alarm" in frame.columns and bool(frame["alarm"].any())
    return Exit.FINDINGS if alarmed else Exit.CLEAN
