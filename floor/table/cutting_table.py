"""A table whose preshuffled decks wait for their cut (§ 659a.5(b)(2))."""

from __future__ import annotations

from typing import Any

from floor.table.table import DeckAtTable, Table


class CuttingTable(Table):
    """A table that knows which of its decks came preshuffled and were not cut yet."""

    def __init__(self, *what: Any) -> None:
        super().__init__(*what)
        self.uncut: set[str] = set()

    def _put_in_play(self, deck: str, preshuffled: bool = False, at: int | None = None) -> None:
        super()._put_in_play(deck, preshuffled, at)
        if preshuffled:
            self.uncut.add(deck)

    def shuffle(self, deck: DeckAtTable) -> None:
        """Let the machine shuffle a deck between rounds: it needs no cut then."""
        super().shuffle(deck)
        self.uncut.discard(deck.id)
