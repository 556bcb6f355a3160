"""The correct script of an Over/Under round (§§ 686a.5 to 686a.7, 686a.9), from its plan."""

from collections.abc import Iterator
from typing import ClassVar

from events.vocabulary import model
from events.vocabulary.model import Aspect, Event
from floor.round.play import Play
from floor.table.facts import card_dealt, same, wager_placed, wager_taken
from floor.table.script import Script
from games.over_under.simulation.plan import SIDES, OverUnderPlan
from games.over_under.simulation.table import BATCH, SELF_SHUFFLING, CoverPlace, ShoeTable
from rulebook.cards.cards import TEXT
from rulebook.settlement.wagers import Due, Outcome

QUARTER = 78
"""A quarter of a batch."""


class OverUnderPlay(Play):
    """Writes the script of one round."""

    observed: ClassVar[list[Aspect]] = ["equipment", "shuffle", "wagering", "deal", "settlement", "collection"]
    at_even_money = ("ante", *SIDES, "bonus")
    withdrawn = ("ante", 500)
    cut_depths = (10, 150)
    plan: OverUnderPlan
    table: ShoeTable

    def __init__(self, plan: OverUnderPlan) -> None:
        super().__init__(plan)
        self.until_cover = plan.until_cover
        self.cover_at: CoverPlace | None = None
        self.cards_left_shoe = 0
        self.to_hands = 0
        """How many cards went to the hands."""
        self.let_in_again = self.new_dealer_burnt = False

    def write(self) -> Script:
        """Return the whole script, and leave the shoe in its state after the round."""
        super().write()
        plan, shoe = self.plan, self.table.shoe
        if plan.begins:
            shoe.out.clear()
        shoe.cards, shoe.until_cover = plan.stub, None
        if self.until_cover is not None and self.cover_at is None:
            shoe.until_cover = self.until_cover - self.cards_left_shoe
        self.table.cover_at = self.cover_at
        return self.script

    # The shoe, .5, .7(c), .9(b)

    def shuffle_and_cut(self) -> None:
        """Begin a shoe, if one is due: shuffle, cut, place the cover card."""
        plan, table, add, deck = self.plan, self.table, self.script.add, self.plan.deck
        if not plan.begins:
            return
        if not table.endless:
            self.let_in_again = bool({box.bettor for box in plan.boxes.values()} & table.barred)
            table.barred = set()
            if deck.dirty and table.by_hand:
                add(model.CardsShuffled(deck=deck.id, method="manual", count=None), "dealer")
            elif deck.dirty:
                add(table.shuffled(deck))
            if table.spec.shuffler not in SELF_SHUFFLING or table.by_hand:
                self.cut()
            add(self.cover_card(plan.cover_from_bottom))
        table.begins = deck.dirty = False

    def cover_card(self, from_bottom: int) -> Event:
        """Return the place of the cover card, at least a quarter of the way from the bottom (§ 686a.5(d))."""
        if self.plan.round_no % 2 or self.plan.ends_after is not None:
            return same(model.CoverCardPlaced, counted_from="bottom", depth=from_bottom)
        return same(model.CoverCardPlaced, counted_from="top", depth=len(BATCH) - from_bottom)

    def offer_order(self) -> list[int]:
        """Return the seats in the order of the cut's offer (§ 686a.5(c), (g))."""
        table = self.table
        first: CoverPlace | None = table.first_seat if table.just_opened or table.was_idle else table.cover_at
        return sorted(table.seats, key=lambda seat: (seat != first, -seat))

    def cut_offers(self) -> Iterator[tuple[int, bool]]:
        """Offer the cut around the table until someone accepts it."""
        yield from ((seat, number >= self.plan.refusals) for number, seat in enumerate(self.offer_order()))

    def draw(self, to: CoverPlace) -> None:
        """Draw a card; a card that is found face up before it is put aside, and so is the cover card (§ 686a.7(d), .9(a))."""
        plan = self.plan
        self.leave_shoe(to)
        if to == "start":
            return
        if self.to_hands == plan.ends_after:
            self.shuffle_rack()
        if plan.face_up is not None and self.to_hands == plan.face_up_before:
            self.script.add(same(model.CardFoundFaceUp, card=TEXT[plan.face_up]))
            self.leave_shoe(to)
        self.to_hands += 1

    def leave_shoe(self, to: CoverPlace) -> None:
        """Count a card that leaves the shoe; if the cover card lies before it, that comes first."""
        if self.cards_left_shoe == self.until_cover and self.cover_at is None:
            self.cover_at = to if self.cards_left_shoe else "start"
            self.script.add(same(model.CoverCardReached, at=self.cover_at))
        self.cards_left_shoe += 1

    def shuffle_rack(self) -> None:
        """Too few cards are in the shoe: the cards of the rack are shuffled and cut, the first one is burnt (§ 686a.9(b))."""
        plan, add = self.plan, self.script.add
        add(model.CardsShuffled(deck=plan.deck.id, method="manual", count=None), "dealer")
        self.table.cover_at = None
        self.cut()
        depth = plan.random.randrange(QUARTER, 150)
        add(self.cover_card(depth))
        add(same(model.CardBurned, card=None, reason="reshuffle"))
        in_rack = len(BATCH) - self.to_hands
        self.cards_left_shoe, self.until_cover = 2, in_rack - depth
        self.table.shoe.out.clear()

    # The round

    def close_betting(self) -> None:
        """No one closes it; the first card of a shoe, or of a new dealer, is burnt."""
        if self.plan.burns:
            self.draw("start")
            self.new_dealer_burnt = not self.plan.begins
            reason = "new_shoe" if self.plan.begins else "new_dealer"
            self.script.add(same(model.CardBurned, card=None, reason=reason))

    def deal(self) -> None:
        """A card to each."""
        self.dues = self.plan.dues()
        for seat, hand in self.plan.hands.items():
            self.deal_card(seat, hand[0])

    def deal_card(self, seat: int, card: int) -> None:
        """Deal a card."""
        self.draw(seat)
        self.script.add(card_dealt(seat, card, True))

    def play_hands(self) -> None:
        """Everybody decides, and every hand is finished at once or when all have decided, as filed."""
        plan, by_hand = self.plan, self.book.settings["decisions"] == "hand_by_hand"
        for seat in plan.hands:
            self.decide(seat)
            if by_hand and seat != plan.missed:
                self.finish(seat)
        for seat in [] if by_hand else [each for each in plan.hands if each != plan.missed]:
            self.finish(seat)
        if plan.missed is not None:
            self.pass_over(plan.missed)

    def decide(self, seat: int) -> None:
        """The player says over or under and places the wager, or surrenders the ante (§ 686a.7(f), (g))."""
        plan, add, box = self.plan, self.script.add, self.plan.boxes[seat]
        if box.decision == "surrender":
            add(same(model.Surrendered, seat=seat))
            add(wager_taken(seat, box.bettor, "ante", box.stakes["ante"], "surrendered"))
        elif box.decision is not None:
            if plan.random.random() < 0.8:
                add(same(model.DecisionMade, seat=seat, decision=box.decision))
            for side, stake in plan.stakes(seat).items():
                if side in SIDES:
                    add(wager_placed(seat, box.bettor, side, stake))

    def finish(self, seat: int) -> None:
        """Two more cards, and the hand is settled and its cards are put in the rack (§ 686a.7(h), (i))."""
        for card in self.plan.hands[seat][1:]:
            self.deal_card(seat, card)
        self.settle_hand(seat, len(self.plan.hands[seat]))

    def pass_over(self, seat: int) -> None:
        """A hand that was passed over gets its cards after all others, or is called dead (§ 686a.9(c))."""
        self.script.add(same(model.HandElected, seat=seat, election=self.plan.election))
        if self.plan.election == "play":
            self.finish(seat)
        else:
            self.settle_hand(seat, 1)

    def settle_hand(self, seat: int, cards: int) -> None:
        """Settle a hand, and put its cards into the rack."""
        for due in self.dues:
            if due.seat == seat and due.outcome is not Outcome.SURRENDERED:
                self.settle_wager(due)
        self.collect(seat, cards)

    def due(self) -> list[Due]:
        """Return all dues."""
        return self.plan.dues()

    def settle(self) -> None:
        """All hands are settled when they are finished; while one batch is dealt the machine shuffles the other."""
        table, other = self.table, self.table.other
        if other is None or not other.dirty or table.by_hand or self.plan.begins:
            return
        if self.plan.random.random() < 0.5:
            self.script.add(table.shuffled(other))
            other.dirty = False
            self.other_deck_shuffled = True
