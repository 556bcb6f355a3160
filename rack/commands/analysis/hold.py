"""`rack hold`: drop, win and hold, actual vs. theoretical win, and game pace."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from msgspec.structs import replace

from analytics.questions import questions
from rack.arguments import add, add_log, check_options, positive, within
from rack.errors import Exit, UsageError
from rack.output import Output
from rack.settings import log_address
from rack.warehouse_queries import add_question, answer, answered, selection, show, warehouse_at

if TYPE_CHECKING:
    from analytics.warehouse.warehouse import Warehouse

HELP = "Report drop, win and hold, actual vs. theoretical win, and game pace"

QUESTIONS = questions("hold")
TAKES = {name: question.options for name, question in QUESTIONS.items()}
"""Question → its options."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_question(parser, {name: each.title for name, each in QUESTIONS.items()}, "periods")
    add(parser, "--period NAME", "gaming_day, month, year or all (default: month).")
    add(parser, "--wager NAME", "funnel, chart, behind: only this wager.")
    add(parser, "--paytable NAME", "behind: only this paytable.")
    add(parser, "--hour N", "behind: only rounds opened in this hour, 0 to 23.", type=within(0, 23))
    add(parser, "--seat N", "behind: only this seat.", type=positive)
    add(parser, "--open", "investigate: open an investigation in the log for each ended period.")
    add(parser, "--by-person PERSON", "investigate --open: who opens the investigations, such as m.ortiz.")
    add_log(parser)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Answer; 1 if there is an alarm, or a period that needs an investigation."""
    from analytics.warehouse.warehouse import reading

    check_options(arguments, "hold", arguments.question, TAKES)
    if not arguments.open and (arguments.by_person or arguments.log):
        raise UsageError("--by-person and --log need `rack hold investigate --open`")
    question = QUESTIONS[arguments.question]
    with reading(warehouse_at(arguments)) as db:
        if question.name == "investigate":
            return _investigate(db, arguments, output)
        if question.name == "to-date" and arguments.first is not None:
            raise UsageError("to-date starts with the month and the year; leave out --from, and name the day with --to")
        with answered(arguments, output):
            frame = answer(question, db, arguments, period=_period(arguments))
        show(output, frame, question.columns(frame), everything=arguments.all)
        _note(db, arguments, output)
    alarmed = "alarm" in frame.columns and bool(frame["alarm"].any())
    return Exit.FINDINGS if alarmed else Exit.CLEAN


def _note(db: Warehouse, given: argparse.Namespace, output: Output) -> None:
    """Print limits of the record that a reader of the answer must know."""
    from analytics.record_notes import record_notes

    part = replace(selection(given), dealer=None, shift=None)
    for line in record_notes(db, QUESTIONS[given.question], part):
        output.note(line)


def _period(given: argparse.Namespace, *without: str) -> str:
    from analytics.hold.periods import PERIODS

    period: str = given.period or "month"
    if period not in (allowed := [each for each in PERIODS if each not in without]):
        raise UsageError(f"--period {period}: expected one of {', '.join(allowed)}")
    return period


def _investigate(db: Warehouse, given: argparse.Namespace, output: Output) -> Exit:
    """Show the periods that need an investigation; with `--open`, record those that have ended."""
    import polars as pl

    from analytics.hold.investigations import open_investigations
    from rack.opening import desk

    question, period = QUESTIONS["investigate"], _period(given, "all")
    with answered(given, output):
        frame = answer(question, db, given, period=period)
    asked = frame.filter(pl.col("triggers").list.len() > 0)
    show(output, frame if given.all else asked, question.columns(frame), everything=given.all)
    _note(db, given, output)
    if given.open:
        if given.by not in (None, "table"):
            raise UsageError("an investigation is about one table; leave out --by")
        if not given.by_person:
            raise UsageError("--open needs --by-person: who opens the investigations, such as m.ortiz")
        with desk(log_address(given.log)) as open_desk:
            for line in open_investigations(open_desk, asked.filter(pl.col("ended")), period, given.by_person):
                output.note(line)
    return Exit.CLEAN if asked.is_empty() else Exit.FINDINGS
