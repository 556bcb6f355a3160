"""A table that deals six decks from a shoe, between its rounds: batches, the shoe's cards, barred patrons.

Cards are tracked: a shoe holds the rest of 312, and no card comes from it more often than it is in it.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal

from events.vocabulary import model
from floor.table.script import Script
from floor.table.streams import HOUR_US
from floor.table.table import DeckAtTable, Table
from rulebook.cards.cards import CODE

COPIES = 6
BATCH = tuple(card for card in range(52) for _ in range(COPIES))
SELF_SHUFFLING = ("continuous", "automated_counting")
"""Devices that reshuffle by themselves: § 686a.5(b)-(g) do not apply (§ 686a.5(h))."""

CoverPlace = int | Literal["start"]


@dataclass(slots=True)
class Shoe:
    """The cards in the shoe, the next one last; how many are before the cover card (None: none); the cards recorded as out."""

    cards: list[int] = field(default_factory=list)
    until_cover: int | None = None
    out: Counter[int] = field(default_factory=Counter)


class ShoeTable(Table):
    """A table with a shoe. `begins`: the next round begins a shoe, after a shuffle if one is due."""

    def __init__(self, *what: Any) -> None:
        super().__init__(*what)
        self.shoe = Shoe()
        self.begins = True
        self.new_dealer = False
        self.last_dealer = ""
        self.dealt_ever = False
        self.cover_at: CoverPlace | None = None
        """Where the cover card came in the last round."""
        self.barred: set[str] = set()
        self.dealt: set[str] = set()
        """The batches that were dealt since their last shuffle."""
        self.unknown: set[str] = set()
        """The batches of which a shuffle may be among the messages that were lost."""
        self.lost_before = False
        """Whether messages of the last round were lost."""

    @property
    def deck_limit_us(self) -> int:
        """How long a batch may stay in play (§ 686a.3(c))."""
        return 24 * HOUR_US

    @property
    def endless(self) -> bool:
        """Whether the cards go back into a continuous shuffler."""
        return self.spec.shuffler == "continuous"

    @property
    def must_burn(self) -> bool:
        """Whether the next round's first card goes to the discard rack (§ 686a.7(c))."""
        return (self.begins and not self.endless) or (self.new_dealer and self.dealt_ever)

    @property
    def other(self) -> DeckAtTable | None:
        """The batch that is not in the shoe, if there are two."""
        return next((deck for deck in self.decks if deck is not self.deck), None)

    def _receive(self, color: str, preshuffled: bool, jokers: int | None = None) -> tuple[str, int]:
        batch = self.serial("batch")
        self.report(model.DeckReceived(deck=batch, back_colour=color, jokers=0, preshuffled=preshuffled))
        return batch, 0

    def shuffled(self, deck: DeckAtTable) -> model.CardsShuffled:
        """The event of a machine's shuffle."""
        count = len(BATCH) if self.spec.shuffler == "automated_counting" else None
        method: Any = "continuous" if self.endless else "automated"
        return model.CardsShuffled(deck=deck.id, method=method, count=count)

    def shuffle(self, deck: DeckAtTable) -> None:
        """Let the machine shuffle a batch between rounds."""
        super().shuffle(deck)
        self._was_shuffled(deck.id)

    def _was_shuffled(self, deck: str) -> None:
        self.dealt.discard(deck)
        self.unknown.discard(deck)
        if deck == self.deck.id:
            self.shoe.out.clear()

    @property
    def known(self) -> bool:
        """Whether the record shows which cards left the shoe."""
        return self.deck.id not in self.unknown

    def _put_in_play(self, deck: str, preshuffled: bool = False, at: int | None = None) -> None:
        """Put a batch into play; if it replaces the present one, the next shoe begins with it."""
        super()._put_in_play(deck, preshuffled, at)
        if at == self.turn % len(self.decks):
            self.begins = True

    def _look_over(self, deck: str, jokers: int, preshuffled: bool, without: Collection[str]) -> None:
        """Inspect a new batch and spread it; a preshuffled one is not washed (§ 686a.4(b), (e))."""
        if not preshuffled:
            self._inspect(deck, jokers, without)
        self._spread(deck, self._witness(), {*without, "wash"} if preshuffled else without)

    def open_day(self, day: int, keep_dice: bool = False) -> None:
        """Open the table on a gaming day, with new batches."""
        self.begins, self.cover_at = True, None
        self.barred = set()
        super().open_day(day, keep_dice)

    def end_shoe(self, same: bool = False) -> None:
        """End the shoe, perhaps by a floorperson (§ 686a.5(f)); with two batches, the other is next."""
        if self.begins:
            return
        self.deck.dirty, self.begins = True, True
        if not same:
            self.turn += 1

    def resume_shoe(self) -> None:
        """Continue a shoe that was at its end."""
        if len(self.decks) == 2:
            self.turn -= 1
        self.begins = self.deck.dirty = False

    def rotate(self) -> None:
        """Change dealer and shift if their time has come."""
        super().rotate()
        self.new_dealer = self.new_dealer or self.dealer != self.last_dealer
        self.last_dealer = self.dealer

    def _spread_again(self, without: Collection[str]) -> None:
        """Spread and wash the cards, unless a device reshuffles by itself (§ 686a.5(g), (h)).

        With two batches these go into the shuffler then, and the other ones come into play.
        """
        if self.spec.shuffler in SELF_SHUFFLING:
            return
        used = (self.begins and self.other) or self.deck
        self._spread_used(used, without)
        used.dirty = True
        self.end_shoe()

    def come_and_go(self) -> None:
        """Have patrons leave, arrive and buy more chips; if all are barred, a floorperson has the cards reshuffled."""
        super().come_and_go()
        if all(patron.token in self.barred for patron in self.seats.values()):
            self.end_shoe()

    def bar_newcomer(self) -> bool:
        """Have a patron arrive in the middle of a shoe, barred from wagering before a reshuffle; return whether one did."""
        seated = set(self.seats)
        self._arrive()
        new = sorted(set(self.seats) - seated)
        if not new:
            return False
        token = self.seats[new[0]].token
        self.barred.add(token)
        self.report(model.PatronBarred(patron=token, reason="no mid-shoe entry"))
        return True

    def book_round(self, script: Script) -> None:
        """Add a round's changes to the table inventory, and record the cards that it dealt by the record."""
        super().book_round(script)
        for step in script.steps:
            match step.payload:
                case model.CardsShuffled(deck=deck):
                    self._was_shuffled(deck)
                    if deck == self.deck.id:
                        self.barred = set()
                case model.CardsDealt(cards=cards):
                    self.dealt.add(self.deck.id)
                    self.shoe.out.update(CODE[card] for card in cards if card is not None)
        if self.lost or self.lost_before:  # what made the round after it ready may be lost too
            self.unknown = {deck.id for deck in self.decks}
        self.lost_before = self.lost

    def end_round(self, deck: DeckAtTable) -> None:
        """End the round: if the cover card came, the shoe is at its end (§ 686a.7(d))."""
        self.round_no += 1
        self.rounds_today += 1
        self.just_opened = self.was_idle = self.new_dealer = False
        self.dealt_ever = True
        if self.cover_at is not None:
            self.end_shoe()


def shuffled_batch(random: Random) -> list[int]:
    """Return six decks in random order."""
    cards = list(BATCH)
    random.shuffle(cards)
    return cards
