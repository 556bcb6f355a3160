"""A search in words for remembered rounds and for people's texts, as values and as text."""

from collections.abc import Sequence
from datetime import UTC, date, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from analytics.search import search_words
from analytics.search.search_words import RoundSearch
from analytics.search.sentence import significant
from analytics.warehouse import floor_data
from analytics.warehouse.warehouse import Warehouse
from desk.review import full_text
from desk.review.desk import Desk
from desk.review.full_text import FoundText
from replay.narrative.names import minute_words, moment
from replay.narrative.text_table import table


class SearchResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a search: rounds, and texts with every word; `outcome` is a sentence about the rounds."""

    search: RoundSearch
    written: Sequence[FoundText]
    understood: Sequence[str]
    outcome: str
    currency: str
    zone: tzinfo

    def values(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        said = self.search.said
        return {
            "understood": self.understood,
            "notes": said.notes,
            "unread": said.unread,
            "outcome": self.outcome,
            "remembered": msgspec.to_builtins(self.search.remembered),
            "rounds": msgspec.to_builtins(self.search.rounds),
            "texts": [
                {key: value for key, value in msgspec.to_builtins(each).items() if key != "words"} for each in self.written
            ],
        }

    def lines(self, most: int) -> list[str]:
        """Return the result as text, with at most `most` rounds."""
        said = self.search.said
        lines = [f"Searched for: {'; '.join(self.understood)}."] if self.understood else []
        lines += [f"{note[:1].upper()}{note[1:]}." for note in said.notes]
        if said.unread and not self.written:
            lines.append(f"Ignored: {', '.join(said.unread)}.")
        if not said.is_empty:
            lines += ["", self.outcome, *self._rounds(most)]
        if self.written:
            rows = [(each.kind, _place(each), each.says) for each in self.written]
            heading = "Findings, notes, disputes and cases with every word:"
            lines += ["", heading, *table(("what", "where", "says"), rows)]
        elif said.is_empty:
            lines.append("No word says which round it was, and no text on record has these words.")
        return lines

    def _rounds(self, most: int) -> list[str]:
        rows = []
        for each in search_words.shown(self.search.rounds, most):
            began = moment(each.opened_at_us, self.zone)
            agrees = search_words.agreement(each, self.search.remembered, self.currency)
            words = ", ".join(f"{'✓' if is_so else '✗'} {what}" for is_so, what in agrees)
            rows.append((search_words.heading(each), minute_words(began), each.verdict, words))
        return table(("round", "began", "verdict", "agrees"), rows) if rows else []


def search_everything(db: Warehouse, desk: Desk, text: str) -> SearchResult:
    """Search a warehouse and its log. Raises the errors of both."""
    facts = floor_data.property_facts(db)
    try:
        zone: tzinfo = ZoneInfo(facts.time_zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        zone = UTC
    written = full_text.search(full_text.texts(desk, facts.currency), significant(text))
    found = search_words.search(db, text, date.fromisoformat(desk.today()))
    played = search_words.played_between(db, found.remembered)
    says = search_words.outcome(found.rounds, found.remembered, played, zone, found.said.unread)
    return SearchResult(
        search=found,
        written=written,
        understood=search_words.understood(found.remembered, facts.currency),
        outcome="" if found.said.is_empty else says,
        currency=facts.currency,
        zone=zone,
    )


def _place(each: FoundText) -> str:
    return each.id if each.kind == "case" else f"{each.place} ({each.id[:8] if each.kind == 'finding' else each.id})"
