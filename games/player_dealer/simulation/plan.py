"""The plan of a round with a player-dealer.

A patron is the player-dealer, with a wager that covers what the others win and lose; patrons who stand behind a seat may bet on
its hand.
"""

from random import Random
from typing import Any, ClassVar, Final

from floor.round.pai_gow_plan import PaiGowPlan, hand_of
from floor.round.plan import BoxPlan, Way
from floor.table.people import Habit
from games.player_dealer.settle import SEATS, action_seat, first_seat, from_action, settle
from games.player_dealer.simulation.table import PlayerDealerTable
from rulebook.layout import Bank, BettingBox, FurtherWager, Hand, TableLayout
from rulebook.settlement.pai_gow import Position, compare
from rulebook.settlement.wagers import Due, Outcome

SEATS_ALL: Final = tuple(range(1, SEATS + 1))
AMPLE_CENTS: Final = 100_000_000
"""More than all wagers of a round can win."""


class PlayerDealerPlan(PaiGowPlan):
    """The plan of a round."""

    table: PlayerDealerTable
    habits: ClassVar[dict[str, Habit]] = {"ace_high_bonus": "dealers", "fortune_bonus": "own"}
    positions = SEATS_ALL

    def __init__(self, table: Any, random: Random) -> None:
        self.bank = 0
        """The player-dealer's seat."""
        self.bank_cents = 0
        self.offers: list[tuple[int, bool]] = []
        """To whom the position was offered before the round, and who accepted."""
        self.offered_early = random.random() < 0.5
        self.first = self.button = 0
        self.pile = random.randrange(1, SEATS + 1)
        self.not_set = False
        """No one sets: the player-dealer's Ace High Pai Gow pushes everything on the hands."""
        self.any_order = False
        """The wagers are settled in another order than clockwise from the action: right if they are covered."""
        super().__init__(table, random)
        self._cover()

    def bet_all(self) -> None:
        """Choose a player-dealer, and place the others' bets."""
        self._position()
        self._players()

    def offered_to(self) -> list[int]:
        """Return the seats that are offered the position, clockwise from its last holder."""
        last = self.table.held.seat
        others = [seat for seat in self.table.seats if seat != last]
        return sorted(others, key=lambda seat: from_action(seat, last))

    def _position(self) -> None:
        """Leave the position with its holder, or offer it on: always after two rounds, or if the holder left."""
        table, random = self.table, self.random
        if table.holder_stays and table.held.rounds < 2 and random.random() < 0.97:
            self.bank, self.offers = table.held.seat, []
            return
        self.offers = []
        for seat in self.offered_to():
            self.offers.append((seat, random.random() < 0.5))
            if self.offers[-1][1]:
                self.bank = seat
                return
        if table.holder_stays:
            self.bank = table.held.seat
        else:
            self.bank = seat
            self.offers[-1] = seat, True

    def give(self, seat: int, offers: list[tuple[int, bool]]) -> None:
        """Give another seat the position of this round, after these offers."""
        self.bank, self.offers = seat, offers
        self.boxes = {}
        self._players()
        self.start_at(self.count)
        self.deal({})
        self.clear()

    def _players(self) -> None:
        random, seats = self.random, self.table.seats
        for seat, patron in self.bettors():
            if seat != self.bank and random.random() >= 0.05:
                self.boxes[seat] = self.wager(patron)
        if not self.boxes:
            seat = next(seat for seat in seats if seat != self.bank)
            self.boxes[seat] = self.wager(seats[seat])
        if "backline" in self.book.offers:
            for box in self.boxes.values():
                if random.random() < 0.15:
                    box.behind.append((self.table.people.token(), self.behind_cents()))

    def behind_cents(self) -> int:
        """Return the amount bet behind a seat."""
        return self.book.offers["backline"].min_cents * self.random.choice((5, 10, 25))

    def _cover(self) -> None:
        """Place the player-dealer's wager: mostly several times the others', sometimes less."""
        random = self.random
        if self.table.house_way:
            self.bank_cents = AMPLE_CENTS
            return
        others = sum(box.stakes["base"] + sum(cents for _, cents in box.behind) for box in self.boxes.values())
        if random.random() < 0.12:
            self.bank_cents = max(500, others * random.randrange(20, 95) // 100 // 100 * 100)
        else:
            self.bank_cents = others * random.choice((2, 3, 5)) + 50_000

    def clear(self) -> None:
        """Have everything covered, and every hand set, not foul."""
        super().clear()
        self.not_set = False
        self.bank_cents = AMPLE_CENTS

    def _surrenders(self) -> None:
        """No one surrenders to a patron."""

    @property
    def empty(self) -> list[int]:
        """The seats without any wager, but for the player-dealer's."""
        return [seat for seat in SEATS_ALL if seat not in self.boxes and seat != self.bank]

    @property
    def dealer(self) -> Position:
        """The position against which the others play."""
        return self.bank

    def start_at(self, count: int) -> None:
        """Start the deal at the counted position, counting from the player-dealer."""
        self.first = first_seat(count, self.bank)
        self.start, self.button = self.first, action_seat(count, self.bank)

    @property
    def order(self) -> tuple[Position, ...]:
        """The seats in the order dealt."""
        return tuple(sorted(SEATS_ALL, key=lambda seat: from_action(seat, self.first)))

    def deal(self, targets: dict[Position, str]) -> bool:
        """Deal one deck at random; "dealer" as a target is the player-dealer."""
        return super().deal({self.bank if at == "dealer" else at: target for at, target in targets.items()})

    def set_hands(self) -> None:
        """Set every hand; the player-dealer, too, may set freely (D22)."""
        self.hands["dealer"] = self.hands[self.bank]
        super().set_hands()
        if not self.table.house_way and self.random.random() < 0.3:
            self.dealer_way = self.random.choice(self.legal_ways(self.hands["dealer"]))
        self.not_set = self.dealer_pushes and self.random.random() < 0.5

    def compare(self, way: Way) -> Outcome:
        """Return the outcome of a base wager if the hands are set like this."""
        if self.dealer_pushes:
            return Outcome.ACE_HIGH_PUSH
        if self.is_foul(way):
            return Outcome.FOUL
        return compare(way[0], way[1], self.dealer_way[0], self.dealer_way[1], self.book.chapter.wheel)

    def _box(self, seat: int, box: BoxPlan) -> BettingBox:
        return BettingBox(
            seat=seat,
            bettor=box.bettor,
            hand=self._hand(seat, box.way),
            stakes=box.stakes,
            further=tuple([FurtherWager("backline", bettor, None, cents) for bettor, cents in box.behind]),
        )

    def layout(self) -> TableLayout:
        """Return the planned layout of the table."""
        boxes = [self._box(seat, box) for seat, box in self.boxes.items()]
        dealer = self._hand(self.bank, self.dealer_way)
        return TableLayout(boxes=boxes, dealer=dealer, bank=Bank(self.bank, self.bank_cents, self.button))

    def dues(self) -> list[Due]:
        """Return all dues with the hands as set, in the order of settlement."""
        return settle(self.book, self.layout())

    def _hand(self, seat: int, way: Way) -> Hand:
        cards = self.hands[seat]
        return Hand(tuple(cards), None, None) if self.not_set else hand_of(cards, way)
