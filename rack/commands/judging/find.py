"""`rack find`: find a round from a sentence, and people's texts with these words."""

import argparse

from rack.arguments import add, add_log
from rack.errors import Exit, UsageError
from rack.output import Output
from rack.settings import log_address
from rack.warehouse_queries import add_warehouse, warehouse_at
from trial.property_folder import demo_log

HELP = "Find a round as somebody remembers it, and findings, notes, disputes and cases by their words"

EPILOG = """\
rack find seat 3 at FU-01 last night around nine, ace high bonus of $10, had ace queen
rack find shuffler jams
rack find FU-01-C3

What was understood is printed first: table, gaming day, time, seat, wager, amount, cards. "Last night" and a weekday name the
gaming day that began then. If no round fits, those that nearly do are listed."""

SHOWN = 12
"""Rounds that are printed at most, as on the page."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, EPILOG
    add(parser, "words WORDS", "The memory of a round, or words that a person wrote.", nargs="+")
    add_warehouse(parser)
    add_log(parser)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Find; 1 if no round or text matches."""
    from analytics.search.search_everything import search_everything
    from analytics.warehouse import floor_data
    from analytics.warehouse.warehouse import reading
    from desk.review.desk import desk_at
    from rack.opening import options_of

    warehouse = warehouse_at(arguments)
    address = (demo_log(warehouse.parent) if arguments.log is None else None) or log_address(arguments.log)
    with reading(warehouse) as db, desk_at(address, read_only=True, check_heads=False, **options_of(address)) as desk:
        if desk.log.log_id != floor_data.property_facts(db).log_id:
            raise UsageError(f"{warehouse} was built from another log than {address}; name its log with --log")
        found = search_everything(db, desk, " ".join(arguments.words))
    output.value(found.values())
    output.text(*found.lines(SHOWN))
    return Exit.CLEAN if found.written or found.search.rounds.fits else Exit.FINDINGS
