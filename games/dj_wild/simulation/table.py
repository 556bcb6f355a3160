"""A table of DJ Wild Stud between its rounds: it remembers which stubs and decks were counted."""

from typing import Any

from events.vocabulary import model
from floor.table.cutting_table import CuttingTable
from floor.table.script import Script
from floor.table.table import DeckAtTable

COUNTED_AT_LEAST = 5
"""The stub is counted once in this many rounds (§ 687a.8(e))."""


class DjWildTable(CuttingTable):
    """A table that remembers since when its stub was not counted."""

    def __init__(self, *what: Any) -> None:
        super().__init__(*what)
        self.uncounted = 0
        """Rounds in a row of which the record shows that the stub was not counted."""
        self.counted: set[str] = set()
        """The decks that the shuffler counted since they were dealt."""

    @property
    def counts_by_machine(self) -> bool:
        """Whether the shuffler counts the deck, so that the stub need not be."""
        return self.spec.shuffler == "automated_counting"

    def shuffled(self, deck: DeckAtTable) -> model.CardsShuffled:
        """The event of a machine's shuffle, remembered if it counts."""
        event = super().shuffled(deck)
        if event.count is not None:
            self.counted.add(deck.id)
        return event

    def open_day(self, day: int, keep_dice: bool = False) -> None:
        """Open the table; the rounds without a count begin afresh."""
        self.uncounted = 0
        super().open_day(day, keep_dice)

    def book_round(self, script: Script) -> None:
        """Add a round's changes, and whether its stub was counted, or its count may have been lost."""
        super().book_round(script)
        deck = script.of(model.RoundOpened)[0].payload.deck
        if script.of(model.StubCounted) or self.lost or deck in self.counted:
            self.uncounted = 0
            self.counted.discard(deck)
        elif script.of(model.CardsDealt) and not script.of(model.RoundVoided):
            self.uncounted += 1


def counting(table: Any) -> bool:
    """Return whether the stub is due in the next round at the latest."""
    return bool(table.uncounted >= COUNTED_AT_LEAST - 1)
