"""The amendments of chapters that a fold came past: a late one is for rounds that were judged without it."""

from __future__ import annotations

from events.vocabulary.model import ChapterPublished
from replay.fold.table_state import TableState


class PublishedEditions:
    """The amendments published in a table's stream, since the fold began on a gaming day.

    `reach_behind`: one of them counts on a day on which, or before which, the fold began.
    """

    def __init__(self, begins_on: str) -> None:
        self.texts: list[str] = []
        self.reach_behind = False
        self._begins_on = begins_on

    def take(self, edition: ChapterPublished, state: TableState, is_in_round: bool) -> bool:
        """Take an amendment; return whether rounds of its days were opened already, and without it."""
        self.texts.append(edition.toml)
        day = edition.effective_gaming_day
        self.reach_behind |= day <= self._begins_on
        is_late = day <= state.gaming_day and edition.toml not in state.editions
        return is_late and (is_in_round or state.last_round_no > 0)
