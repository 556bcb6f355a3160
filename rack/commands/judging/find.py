"""`rack find`: the round that somebody remembers, said in a sentence; and what people wrote with these words."""

from __future__ import annotations

import argparse
from datetime import UTC, date
from typing import TYPE_CHECKING, Any

from rack.arguments import add, add_log
from rack.asking import add_warehouse, warehouse_at
from rack.errors import Exit, UsageError
from rack.output import Output, table
from rack.settings import demo_log, log_address

if TYPE_CHECKING:
    from analytics.errors.search_words import Search
    from desk.review.full_text import FoundText

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
    add(parser, "words WORDS", "What is remembered, or words that somebody wrote.", nargs="+")
    add_warehouse(parser)
    add_log(parser)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Find; 1 if neither a round fits nor anybody wrote these words."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    from analytics.errors import search_words
    from analytics.errors.sentence import significant
    from analytics.hold import hold
    from analytics.warehouse.warehouse import reading
    from desk.review import full_text
    from desk.review.desk import desk_at
    from rack.opening import options_of

    text = " ".join(arguments.words)
    warehouse = warehouse_at(arguments)
    address = (demo_log(warehouse.parent) if arguments.log is None else None) or log_address(arguments.log)
    with reading(warehouse) as db:
        facts = hold.property_facts(db)
        try:
            zone: Any = ZoneInfo(facts.time_zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            zone = UTC
        with desk_at(address, read_only=True, check_heads=False, **options_of(address)) as desk:
            if desk.log.log_id != facts.log_id:
                raise UsageError(f"{warehouse} was built from another log than {address}; name its log with --log")
            written = full_text.search(full_text.texts(desk, facts.currency), significant(text))
            today = date.fromisoformat(desk.today())
        found = search_words.search(db, text, today)
        played = search_words.played_between(db, found.remembered)
    says = (
        ""
        if found.said.is_empty
        else search_words.outcome(found.rounds, found.remembered, played, zone, found.said.unread)
    )
    understood = search_words.understood(found.remembered, facts.currency)
    output.value(_value(found, understood, says, written))
    if understood:
        output.text(f"Searched for: {'; '.join(understood)}.")
    output.text(*(f"{note[:1].upper()}{note[1:]}." for note in found.said.notes))
    if found.said.unread and not written:
        output.text(f"Ignored: {', '.join(found.said.unread)}.")
    if not found.said.is_empty:
        output.text("", says, *_rounds(found, facts.currency, zone))
    if written:
        output.text("", "Findings, notes, disputes and cases with every word:")
        output.text(*table(("what", "where", "says"), [(each.kind, _where(each), each.says) for each in written]))
    elif found.said.is_empty:
        output.text("No word of it says which round it was, and nobody wrote these words.")
    return Exit.CLEAN if written or found.rounds.fits else Exit.FINDINGS


def _rounds(found: Search, currency: str, zone: Any) -> list[str]:
    from analytics.errors import search_words
    from replay.narrative.names import moment, told_apart

    began = [moment(each.opened_at_us, zone) for each in search_words.shown(found.rounds, SHOWN)]
    rows = [
        (
            search_words.heading(each),
            f"{at:%H:%M}{told_apart(at)}",
            each.verdict,
            ", ".join(
                f"{'✓' if agrees else '✗'} {words}"
                for agrees, words in search_words.agreement(each, found.remembered, currency)
            ),
        )
        for each, at in zip(search_words.shown(found.rounds, SHOWN), began, strict=True)
    ]
    return table(("round", "began", "verdict", "agrees"), rows) if rows else []


def _where(each: FoundText) -> str:
    return each.id if each.kind == "case" else f"{each.place} ({each.id[:8] if each.kind == 'finding' else each.id})"


def _value(found: Search, understood: list[str], says: str, written: list[FoundText]) -> dict[str, Any]:
    from msgspec import to_builtins

    texts = [{key: value for key, value in to_builtins(each).items() if key != "words"} for each in written]
    answer = {"understood": understood, "notes": found.said.notes, "unread": found.said.unread, "outcome": says}
    return answer | {"remembered": to_builtins(found.remembered), "rounds": to_builtins(found.rounds), "texts": texts}
