"""A round of Fortune Asia Poker: the dealer cuts, a preshuffled deck too (58 Pa. Code §§ 659a.5, 659a.7 to 659a.11)."""

from __future__ import annotations

from events.vocabulary.model import Event
from floor.round.pai_gow_play import PaiGowPlay
from floor.round.play import Play


class FortuneAsiaPlay(PaiGowPlay):
    """Writes the script of one round."""

    cut_depths = (10, 44)

    def shuffle_and_cut(self) -> None:
        """Shuffle the deck where it was dealt, and cut; cut one that came preshuffled."""
        deck, uncut = self.plan.deck, self.table.uncut
        as_received = deck.id in uncut and not deck.dirty
        super().shuffle_and_cut()
        if as_received:
            self.cut()
        uncut.discard(deck.id)

    def cut(self) -> None:
        """The dealer cuts."""
        Play.cut(self)

    def a_cut(self) -> list[Event]:
        """Return a cut as it should be made after a shuffle by hand."""
        return Play.a_cut(self)
