"""Vigorish: it is part of a patron's net on a base wager (58 Pa. Code § 645c.1(a), (h), D13).

If a chapter forbids it altogether (§ 688a.12(a)), taking it is a separate finding (`rules/money.py`).
"""

from collections.abc import Mapping, Sequence

from events.vocabulary import model
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.fold.wager_keys import Key, key_of
from rulebook.chapters.money import show_money
from rulebook.chapters.rulebook import Rulebook
from rulebook.settlement.wagers import Due

NOTHING: Mapping[Key, Sequence[RecordedEvent]] = {}


def vigorish_taken(round_: Round, book: Rulebook) -> Mapping[Key, Sequence[RecordedEvent]]:
    """Return the vigorish taken, by base wager."""
    facts = round_.of(model.VigorishTaken)
    if not facts:
        return NOTHING
    found: dict[Key, list[RecordedEvent]] = {}
    for fact in facts:
        found.setdefault(key_of(fact.payload.seat, book.chapter.base, None, fact.payload.bettor), []).append(fact)
    return found


def is_known_to(book: Rulebook) -> bool:
    """Return whether the chapter has a vigorish, so that one finding covers the wager and its vigorish."""
    return "vigorish_bp" in book.chapter.numbers


def in_cents(facts: Sequence[RecordedEvent]) -> int:
    """Return how much vigorish was taken by these facts."""
    return sum(int(fact.payload.amount_cents) for fact in facts)


def is_of_vigorish(due: Due | None, taken: Sequence[RecordedEvent], difference_cents: int) -> bool:
    """Return whether a difference is only vigorish, and the wager itself was settled right."""
    return (due.vigorish_cents if due is not None else 0) - in_cents(taken) == difference_cents


def vigorish_section(book: Rulebook) -> str:
    """Return the section of a wrong vigorish: that none is collected, or the assumed rate (D13)."""
    return "645c.1(a)" if book.settings["commission_free"] else book.chapter.number_cites["vigorish_bp"]


def vigorish_expected(due: Due | None) -> str:
    """Say what vigorish was owed."""
    owed = due.vigorish_cents if due is not None else 0
    return f"{show_money(owed)} vigorish" if owed else "no vigorish"
