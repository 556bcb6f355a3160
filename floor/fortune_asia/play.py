"""A round of Fortune Asia Poker, written down as it should go (58 Pa. Code §§ 659a.5, 659a.7 to 659a.11), from its plan."""

from __future__ import annotations

from typing import Any

from events import model
from events.model import Event
from floor.face_up_pai_gow.play import Play
from floor.table.facts import same


class AsiaPlay(Play):
    """Writes the script of one round: the dealer cuts, the players set first."""

    table: Any

    def _shuffle_and_cut(self) -> None:
        deck, uncut = self.plan.deck, self.table.uncut
        as_received = deck.id in uncut and not deck.dirty
        super()._shuffle_and_cut()
        if as_received:
            self._cut()
        uncut.discard(deck.id)

    def _cut(self) -> None:
        random = self.plan.random
        depth, counted_from = random.randrange(10, 44), random.choice(("top", "bottom"))
        self.script.add(same(model.CardsCut, by="dealer", depth=depth, counted_from=counted_from))

    def a_cut(self) -> list[Event]:
        """Return a cut as it should be made after a shuffle by hand."""
        return [model.CardsCut(by="dealer", depth=20, counted_from="top")]
