"""`rack rules`: what can be filed, and whether a rules submission is accepted."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from rack.errors import Exit, UsageError
from rack.output import Output, table

if TYPE_CHECKING:
    from intake.filings import Submission
    from rulebook.chapters.rulebook import Rulebook

HELP = "List the paytables that can be filed, or check a rules submission"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "what",
        choices=("list", "check"),
        help="list: every wager and paytable of every chapter, with its section; check: validate a rules submission.",
    )
    parser.add_argument("file", metavar="FILE", nargs="?", help="The rules submission to check (TOML).")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """List or check; 2 where a submission is refused."""
    if (arguments.what == "check") != (arguments.file is not None):
        raise UsageError("expected `rack rules list` or `rack rules check FILE`")
    if arguments.what == "list":
        _list(output)
    else:
        _check(arguments.file, output)
    return Exit.CLEAN


def _list(output: Output) -> None:
    from rulebook.chapters.rulebook import known_rules

    known = known_rules()
    output.value([msgspec.structs.asdict(each) for each in known])
    rows = [
        (each.chapter, each.wager or f"house way {each.house_way}", each.paytable or "–", each.cite) for each in known
    ]
    output.text(*table(("chapter", "wager", "paytable", "cite"), rows))


def read_filed_rules(text: str) -> Submission:
    """Return what a filed submission says of itself, for intake. Raises `EventError` naming the key, and what was expected."""
    from events.errors import EventError
    from intake.filings import Submission
    from rulebook.chapters.rulebook import RulesRefused, parse_submission

    try:
        book = parse_submission(text, source="rules_filed")
    except RulesRefused as error:
        raise EventError(str(error)) from error
    return Submission(book.game, book.effective_gaming_day)


def read_submission(file: str) -> Rulebook:
    """Read a rules submission. Raises `UsageError` where there is no such text, `RulesRefused` where it is refused."""
    from rulebook.chapters.rulebook import parse_submission
    from rulebook.chapters.submission import MAX_TEXT

    try:
        with Path(file).open(encoding="utf-8") as content:
            text = content.read(MAX_TEXT + 1)  # one that is longer is refused by that
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: expected a rules submission in UTF-8: {error}") from error
    except FileNotFoundError:
        raise UsageError(f"{file}: no such file; expected a rules submission (TOML)") from None
    return parse_submission(text, file)


def _check(file: str, output: Output) -> None:
    book = read_submission(file)
    output.value(_as_json(book))
    offers = [
        (offer.wager, offer.paytable.name if offer.paytable else "–", *_limits(offer.min_cents, offer.max_cents))
        for offer in book.offers.values()
    ]
    output.text(
        f"{file}: accepted; {book.name}, {book.chapter.title} ({book.chapter.key}), effective {book.effective_gaming_day}",
        f"SHA-256 {book.digest}",
        *(() if book.chapter.in_force else (f"for what-if replays only: {book.chapter.key} was never in force",)),
        "",
        *table(("wager", "paytable", "minimum", "maximum"), offers),
    )


def _limits(*cents: int) -> list[str]:
    from rulebook.chapters.money import show_money

    return [show_money(amount) for amount in cents]


def _as_json(book: Rulebook) -> dict[str, Any]:
    return {
        "name": book.name,
        "chapter": book.chapter.key,
        "game": book.game,
        "effective_gaming_day": book.effective_gaming_day,
        "in_force": book.chapter.in_force,
        "digest": book.digest,
        "offers": [
            {
                "wager": offer.wager,
                "paytable": offer.paytable.name if offer.paytable else None,
                "min_cents": offer.min_cents,
                "max_cents": offer.max_cents,
            }
            for offer in book.offers.values()
        ],
        "house_way": book.house_way.name if book.house_way else None,
        "max_payout_cents": book.max_payout_cents,
    }
