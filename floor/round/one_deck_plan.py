"""What plans have in common in games that are dealt from one deck of 53 cards: who bets, hands made to order, dealing again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from random import Random
from typing import Generic, Protocol, Self, TypeVar

from floor.table.people import Patron
from floor.table.table import Table
from games.pai_gow import Position


class Bet(Protocol):
    """A betting position as a game plans it."""

    bettor: str


B = TypeVar("B", bound=Bet)


class OneDeckPlan(ABC, Generic[B]):
    """The boxes and the cards of a round. A game says how a patron bets, how a hand is made, and how all of it is dealt."""

    table: Table
    random: Random
    boxes: dict[int, B]

    @abstractmethod
    def wager(self, patron: Patron) -> B:
        """Return what a patron bets this time."""

    @abstractmethod
    def bet_alike(self, box: B, first: B) -> None:
        """Let the second box of a patron have the optional wagers of the first."""

    @abstractmethod
    def hand_for(self, target: str, taken: set[int]) -> list[int] | None:
        """Return a hand made to order of the cards that are left, or null where there is none."""

    @abstractmethod
    def deal(self, targets: dict[Position, str]) -> bool:
        """Deal one deck at random, positions with a target getting a hand made to order; say whether all could be."""

    def clear(self) -> None:
        """Take back what happened to be irregular by itself, for a planter that needs the round plain: here nothing is."""

    def single_boxes(self) -> list[int]:
        """The boxes of seated patrons who have one seat only, in random order."""
        patrons = [patron.token for patron in self.table.seats.values()]
        seats = [seat for seat, box in self.boxes.items() if patrons.count(box.bettor) == 1]
        self.random.shuffle(seats)
        return seats

    def deal_until(self, fits: Callable[[Self], bool], targets: dict[Position, str] | None = None) -> bool:
        """Deal again until the round is as wanted, plain otherwise; say whether it came to that."""
        for _ in range(300):
            self.clear()
            if fits(self):
                return True
            if not self.deal(targets or {}):
                return False
        return False

    def _bets(self) -> None:
        """Let the seated patrons bet; now and then one sits a round out, and somebody always plays."""
        first: dict[str, B] = {}
        for seat, patron in sorted(self.table.seats.items()):
            if self.random.random() < 0.05 and len(self.table.seats) > 1:
                continue
            box = self.wager(patron)
            if patron.token in first:
                self.bet_alike(box, first[patron.token])
            first[patron.token] = box
            self.boxes[seat] = box
        if not self.boxes:
            seat, patron = next(iter(self.table.seats.items()))
            self.boxes[seat] = self.wager(patron)

    def _hands(
        self, targets: dict[Position, str], positions: Sequence[Position], cards: int
    ) -> tuple[dict[Position, list[int]], list[int]] | None:
        """Return so many cards for each position, those with a target made to order, and the rest; null where one cannot be."""
        taken: set[int] = set()
        hands: dict[Position, list[int]] = {}
        for position, target in targets.items():
            hand = self.hand_for(target, taken)
            if hand is None:
                return None
            hands[position] = hand
            taken |= set(hand)
        rest = [card for card in range(53) if card not in taken]
        self.random.shuffle(rest)
        for position in positions:
            if position not in hands:
                hands[position], rest = rest[:cards], rest[cards:]
        return hands, rest
