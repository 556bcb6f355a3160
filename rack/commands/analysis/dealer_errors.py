"""`rack dealer-errors`: error rates, patterns, time to detection, false alarms."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rack.arguments import check_options, positive
from rack.asking import FLOOR_OPTIONS, add_question, answered, breakdown, compared, selection, show, warehouse_at
from rack.errors import Exit
from rack.output import Output

if TYPE_CHECKING:
    import polars as pl

    from analytics.warehouse.warehouse import Warehouse

HELP = "Report dealer errors: rates with intervals, patterns, time to detection, false alarms"

QUESTIONS = {
    "rates": "errors per 1,000 rounds and wagers, by dealer, table, game, code, shift, hour or seat (--procedure: all findings)",
    "change": "rounds with a mispayment per 1,000, compared with the period before (--from, --to; default: the newest day)",
    "patterns": "repeated errors by dealer, patron token and direction: where to look, not an accusation",
    "rules": "the rules of play broken most often",
    "detection": "time to detection, by code, dealer, …",
    "alarms": "how many findings of each code reviewers and corrections confirmed",
    "behind": "the findings of a figure (--code, --seat, --patron)",
}

TAKES = {
    "rates": (*FLOOR_OPTIONS, "by", "procedure"),
    "change": (*FLOOR_OPTIONS, "by"),
    "patterns": FLOOR_OPTIONS,
    "rules": FLOOR_OPTIONS,
    "detection": (*FLOOR_OPTIONS, "by"),
    "alarms": (),
    "behind": (*FLOOR_OPTIONS, "code", "seat", "patron"),
}
"""Question → its options."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_question(parser, QUESTIONS, "rates")
    parser.add_argument("--procedure", action="store_true", help="rates: count all findings, not only mispayments.")
    parser.add_argument("--code", metavar="CODE", help="behind: only this code.")
    parser.add_argument("--seat", metavar="N", type=positive, help="behind: only this seat.")
    parser.add_argument("--patron", metavar="TOKEN", help="behind: only this patron token.")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Answer; 1 if a value or a pattern stands out."""
    from analytics.warehouse.warehouse import reading

    check_options(arguments, "dealer-errors", arguments.question, TAKES)
    with reading(warehouse_at(arguments)) as db, answered(arguments, output):
        frame, columns = _ANSWERS[arguments.question](db, arguments)
    show(output, frame, columns, everything=arguments.all)
    stands_out = "look" in frame.columns and bool(frame["look"].any())
    return Exit.FINDINGS if stands_out else Exit.CLEAN


Answer = tuple["pl.DataFrame", "list[str] | None"]


def _rates(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.errors import mistakes

    by = breakdown(given, mistakes.BY_MISTAKES, "dealer")
    frame = mistakes.error_rates(db, by, selection(given), money_only=not given.procedure)
    hidden = {"per_1000_wagers_low", "per_1000_wagers_high", "p"}
    return frame, [column for column in frame.columns if column not in hidden]


def _change(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.errors import rate_changes

    by = breakdown(given, rate_changes.BY_CHANGE, "dealer")
    return rate_changes.error_rate_changes(db, by, compared(db, given, selection(given))), None


def _patterns(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.errors import patterns

    return patterns.repeat_patterns(db, selection(given)), [
        "kind",
        "times",
        "of",
        "expected",
        "amount_cents",
        "p_adjusted",
        "sentence",
    ]


def _rules(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.errors import mistakes

    return mistakes.error_prone_rules(db, selection(given)), None


def _detection(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.errors import mistakes

    by = breakdown(given, mistakes.BY_MISTAKES, "code")
    return mistakes.time_to_detection(db, by, selection(given)), None


def _alarms(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.errors import mistakes

    return mistakes.false_alarms(db), None


def _detail(db: Warehouse, given: argparse.Namespace) -> Answer:
    from analytics.errors import mistakes

    frame = mistakes.findings_behind(db, selection(given), code=given.code, seat=given.seat, bettor=given.patron)
    hidden = {"finding_id", "bettor", "severity", "hour"}
    return frame, [column for column in frame.columns if column not in hidden]


_ANSWERS = {
    "rates": _rates,
    "change": _change,
    "patterns": _patterns,
    "rules": _rules,
    "detection": _detection,
    "alarms": _alarms,
    "behind": _detail,
}
