"""Checks whether a text can be filed or published: a rules submission, an amendment, or a game's chapter."""

import tomllib
from collections.abc import Sequence
from typing import Any, NamedTuple

from desk.review.persons import ReviewRefused
from replay.narrative.text_table import table
from rulebook.chapters.chapters import chapter, check_chapter
from rulebook.chapters.editions import read_amendment
from rulebook.chapters.money import show_money
from rulebook.chapters.rulebook import parse_submission


class CheckedRules(NamedTuple):
    """The content of an accepted text, as values and as lines."""

    values: dict[str, Any]
    lines: Sequence[str]


def check_rules(text: str, file: str) -> CheckedRules:
    """Return the content of a text. Raises `ReviewRefused` or `RulesRefused`, which name file, key, and what was expected."""
    try:
        keys = set(tomllib.loads(text))
    except (ValueError, RecursionError):
        keys = set()
    if "edition" in keys:
        return _amendment(text, file)
    return _submission(text, file) if {"jurisdiction", "numbers", "game"}.isdisjoint(keys) else _chapter(text, file)


def _amendment(text: str, file: str) -> CheckedRules:
    try:
        read = read_amendment(text, file)
        jurisdiction, _, name = read.key.partition("-")
        made = chapter(jurisdiction, name, day=read.effective, published=(text,))
    except KeyError:
        raise ReviewRefused(f"{file}: there is no chapter {read.key}; expected one that `rack rules list` shows") from None
    except ValueError as error:
        raise ReviewRefused(f"{file}: {error}") from error
    changes = "" if made.edition_digest else "; it changes nothing in the chapter"
    return CheckedRules(
        {"chapter": read.key, "edition": read.edition, "effective_gaming_day": read.effective, "sha256": read.digest},
        [f"{file}: accepted; {read.key}, edition {read.edition}, from {read.effective} on ({read.cite}){changes}"],
    )


def _chapter(text: str, file: str) -> CheckedRules:
    try:
        read = check_chapter(text, file)
    except ValueError as error:
        raise ReviewRefused(str(error)) from error
    wagers = [(each.name, ", ".join(each.paytables) or "–") for each in read.wagers.values()]
    return CheckedRules(
        {"chapter": read.key, "game": read.game, "wagers": list(read.wagers), "findings": list(read.findings)},
        [
            f"{file}: accepted; chapter {read.title} ({read.key}) of the game {read.game}, effective {read.effective}",
            *table(("wager", "paytables"), wagers),
        ],
    )


def _submission(text: str, file: str) -> CheckedRules:
    book = parse_submission(text, file)
    offers: list[dict[str, Any]] = [
        {
            "wager": offer.wager,
            "paytable": offer.paytable.name if offer.paytable else None,
            "min_cents": offer.min_cents,
            "max_cents": offer.max_cents,
        }
        for offer in book.offers.values()
    ]
    values = {
        "name": book.name,
        "chapter": book.chapter.key,
        "game": book.game,
        "effective_gaming_day": book.effective_gaming_day,
        "in_force": book.chapter.in_force,
        "digest": book.digest,
        "offers": offers,
        "house_way": book.house_way.name if book.house_way else None,
        "max_payout_cents": book.max_payout_cents,
    }
    rows = [
        (each["wager"], each["paytable"] or "–", show_money(each["min_cents"]), show_money(each["max_cents"])) for each in offers
    ]
    chapter_ = book.chapter
    accepted = f"{file}: accepted; {book.name}, {chapter_.title} ({chapter_.key}), effective {book.effective_gaming_day}"
    proposed = () if chapter_.in_force else (f"for what-if replays only: {chapter_.key} was never in force",)
    heads = ("wager", "paytable", "minimum", "maximum")
    return CheckedRules(values, [accepted, f"SHA-256 {book.digest}", *proposed, "", *table(heads, rows)])
