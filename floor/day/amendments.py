"""Amendments of chapters that the simulated property publishes: which ones it can play, and the office's event."""

from collections.abc import Sequence
from typing import Any

from events.vocabulary.model import ChapterPublished, fact
from floor.table.casino import WITHOUT_LIMITS
from floor.table.table import Table
from rulebook.chapters.chapter_files import amendment_texts
from rulebook.chapters.chapters import Chapter, chapter
from rulebook.chapters.editions import Amendment, read_amendment, why_not_next

OFFICE_SOURCE = "filing-m-ortiz"
SECOND = "s-lee"
"""Who publishes amendments at the simulated property, and who signs."""
KNOWN = "paytables without a meter, amounts, and the end of a wager that is filed"
"""The parts of a chapter that can change at the simulated property; equipment and meters stay as in the first edition."""


def published(amendment: Amendment) -> ChapterPublished:
    """Return the event by which two people of the office publish an amendment."""
    return fact(
        ChapterPublished,
        by=OFFICE_SOURCE.removeprefix("filing-"),
        chapter=amendment.key,
        edition=amendment.edition,
        effective_gaming_day=amendment.effective,
        sha256=amendment.digest,
        signed_by=SECOND,
        toml=amendment.text,
    )


def check_amendments(amendments: Sequence[Amendment], tables: Sequence[Table], days: Sequence[str]) -> None:
    """Raise `ValueError` if amendments cannot be played on these gaming days, or one comes before the one that it follows."""
    before: list[Amendment] = []
    for each in amendments:
        what = f"edition {each.edition} of {each.key}"
        at = [table for table in tables if table.book.chapter.key == each.key]
        if not at:
            keys = ", ".join(sorted({table.book.chapter.key for table in tables}))
            raise ValueError(f"{what}: no table of this chapter is simulated; expected one of {keys}")
        if each.effective not in days[1:]:
            raise ValueError(
                f"{what} counts from {each.effective}; expected a gaming day from {days[1]} to {days[-1]}, after the first"
            )
        jurisdiction, _, name = each.key.partition("-")
        known = [*map(read_amendment, amendment_texts(jurisdiction, name)), *before]
        fault = why_not_next(each, [other for other in known if other.key == each.key])
        if fault is not None:
            raise ValueError(fault)
        before.append(each)
        texts = tuple(other.text for other in before)
        old = chapter(jurisdiction, name, day=each.effective, published=texts[:-1])
        new = chapter(jurisdiction, name, day=each.effective, published=texts)
        changed = {name for name, value in _played(old).items() if value != _played(new)[name]}
        if changed:
            raise ValueError(f"{what} changes {', '.join(sorted(changed))}; simulated dealers know {KNOWN}; leave it out")
        for table in at:
            table.book_on(days.index(each.effective), texts)


def _played(text: Chapter) -> dict[str, Any]:
    """Return the parts of a chapter that the floor plays by without checking the rules of the day."""
    own = {name: getattr(text, name) for name in text.__struct_fields__ if name not in _BY_RULES}
    numbers = {name: value for name, value in text.numbers.items() if not name.endswith("_cents")}
    meters = {key: value for key, value in text.paytables.items() if key[0] in WITHOUT_LIMITS}
    always = [name for name, wager in text.wagers.items() if wager.always or wager.of]
    return {**own, **numbers, "paytables of a meter": meters, "wagers that are part of the game": always}


_BY_RULES = (
    "wagers", "paytables", "numbers", "number_cites", "edition", "edition_digest", "citations", "has_answers", "title",
)  # fmt: skip
