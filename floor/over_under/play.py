"""A round of Over/Under, written down as it should go (§§ 686a.5 to 686a.7, 686a.9), from its plan.

The settlement is what `games` says is due for the hands as they lie on the table. The planters change the rest of the script.
"""

from __future__ import annotations

from typing import Any, ClassVar

from events import model
from events.model import Aspect, Event
from floor.over_under.plan import BoxPlan, Plan
from floor.over_under.table import SELF_SHUFFLING, Place
from floor.table.facts import dealt, paid, returned, same, taken
from floor.table.script import Script
from games.cards import TEXT
from games.wagers import Due, Outcome

OBSERVED: list[Aspect] = ["equipment", "shuffle", "wagering", "deal", "settlement", "collection"]
QUARTER = 78
"""A quarter of a batch."""


class Play:
    """Writes the script of one round."""

    chips: ClassVar = "inventory"
    """Whose chips the winnings are."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.table, self.book = plan, plan.table, plan.book
        self.script = Script()
        self.dues: list[Due] = []
        self.until_cover = plan.until_cover
        self.cover_at: Place | None = None
        self.cards_left_shoe = 0
        self.let_in_again = False
        self.new_dealer_burnt = False
        self.other_shuffled = False

    def write(self) -> Script:
        """Return the whole script."""
        plan, table, add = self.plan, self.table, self.script.add
        self.dues = plan.dues()
        add(model.RoundOpened(deck=plan.deck.id, observed=OBSERVED))
        if plan.begins:
            self._begin_shoe()
        self._wagers()
        if plan.burns:
            self._burn()
        self._first_cards()
        by_hand = self.book.settings["decisions"] == "hand_by_hand"
        for seat in plan.hands:
            self._decide(seat)
            if by_hand and seat != plan.missed:
                self._finish(seat)
        for seat in [] if by_hand else [each for each in plan.hands if each != plan.missed]:
            self._finish(seat)
        if plan.missed is not None:
            self._passed_over(plan.missed)
        self._shuffle_other()
        add(same(model.RoundClosed, by=table.dealer))
        self._leave_shoe()
        return self.script

    # ---------------------------------------------------------------------------------------- the shoe, .5, .7(c), .9(b)

    def _begin_shoe(self) -> None:
        plan, table, add = self.plan, self.table, self.script.add
        deck = plan.deck
        if not table.endless:
            betting = {box.bettor for box in plan.boxes.values()}
            self.let_in_again = bool(betting & table.barred)
            table.barred = set()
            if deck.dirty and table.by_hand:
                add(model.CardsShuffled(deck=deck.id, method="manual", count=None), "dealer")
            elif deck.dirty:
                add(table.shuffled(deck))
            if table.spec.shuffler not in SELF_SHUFFLING or table.by_hand:
                self._cut()
            add(self.cover_card())
        table.begins = deck.dirty = False

    def cover_card(self, from_bottom: int | None = None) -> Event:
        """Return where the cover card is put, at least a quarter of the way from the bottom (§ 686a.5(d))."""
        from_bottom = from_bottom or self.plan.cover_from_bottom
        if self.plan.round_no % 2 or self.plan.ends_after is not None:
            return same(model.CoverCardPlaced, counted_from="bottom", depth=from_bottom)
        return same(model.CoverCardPlaced, counted_from="top", depth=312 - from_bottom)

    def offer_order(self) -> list[int]:
        """Return the seats in the order in which the cut is offered to them (§ 686a.5(c))."""
        table = self.table
        order = sorted(table.seats, reverse=True)
        first: Place | None = table.first_seat if table.just_opened else table.cover_at
        if isinstance(first, int) and first in order:
            order.remove(first)
            order.insert(0, first)
        return order

    def _cut(self) -> None:
        plan, add, random = self.plan, self.script.add, self.plan.random
        cutter: Any = "dealer"
        for number, seat in enumerate(self.offer_order()):
            accepted = number >= plan.refusals
            add(same(model.CutOffered, seat=seat, accepted=accepted))
            if accepted:
                cutter = seat
                break
        add(model.CardsCut(by=cutter, depth=random.randrange(10, 150), counted_from=random.choice(("top", "bottom"))))

    def _burn(self) -> None:
        self._draw("start")
        reason: Any = "new_shoe" if self.plan.begins else "new_dealer"
        self.new_dealer_burnt = not self.plan.begins
        self.script.add(same(model.CardBurned, card=None, reason=reason))

    def _draw(self, to: Place) -> None:
        """Draw a card; a card that is found face up before it is put aside, and so is the cover card (§ 686a.7(d), .9(a))."""
        plan, add = self.plan, self.script.add
        self._leaves_shoe(to)
        if to == "start":
            return
        if self._place == plan.ends_after:
            self._shuffle_rack()
        if plan.face_up is not None and self._place == plan.face_up_before:
            card: Any = TEXT[plan.face_up]
            add(model.CardFoundFaceUp(card=card))
            self._leaves_shoe(to)
        self._place += 1

    def _leaves_shoe(self, to: Place) -> None:
        """Count a card that leaves the shoe; where the cover card lies before it, that comes first."""
        if self.cards_left_shoe == self.until_cover and self.cover_at is None:
            self.cover_at = to if self.cards_left_shoe else "start"
            self.script.add(same(model.CoverCardReached, at=self.cover_at))
        self.cards_left_shoe += 1

    _place = 0
    """How many cards went to the hands."""

    def _shuffle_rack(self) -> None:
        """Too few cards are in the shoe: the cards of the rack are shuffled and cut, the first one is burnt (§ 686a.9(b))."""
        plan, add = self.plan, self.script.add
        add(model.CardsShuffled(deck=plan.deck.id, method="manual", count=None), "dealer")
        self.table.cover_at = None
        self._cut()
        depth = plan.random.randrange(QUARTER, 150)
        add(self.cover_card(depth))
        add(same(model.CardBurned, card=None, reason="reshuffle"))
        in_rack = 312 - self._place
        self.cards_left_shoe, self.until_cover = 2, in_rack - depth
        self.table.shoe.out.clear()

    def _shuffle_other(self) -> None:
        """While one batch is dealt the machine shuffles the other (§ 686a.3(b)(3))."""
        table, other = self.table, self.table.other
        if other is None or not other.dirty or table.by_hand or self.plan.begins:
            return
        if self.plan.random.random() < 0.5:
            self.script.add(table.shuffled(other))
            other.dirty = False
            self.other_shuffled = True

    def _leave_shoe(self) -> None:
        """Leave the shoe as it is after the round."""
        plan, table, shoe = self.plan, self.table, self.table.shoe
        if plan.begins:
            shoe.out.clear()
        shoe.cards = plan.left
        shoe.until_cover = None
        if self.until_cover is not None and self.cover_at is None:
            shoe.until_cover = self.until_cover - self.cards_left_shoe
        table.cover_at = self.cover_at

    # ------------------------------------------------------------------------------------------------------- the wagers

    def _wagers(self) -> None:
        plan, add, random = self.plan, self.script.add, self.plan.random
        seats = list(plan.boxes)
        random.shuffle(seats)
        for seat in seats:
            box = plan.boxes[seat]
            for wager, stake in box.stakes.items():
                add(self.placed(seat, box, wager, stake))
            if "ante" in box.stakes and random.random() < 0.01:
                add(self.placed(seat, box, "ante", 500))
                add(model.WagerRemoved(seat=seat, bettor=box.bettor, wager="ante", number=None, amount_cents=500))

    def placed(self, seat: int, box: BoxPlan, wager: Any, amount: int) -> model.WagerPlaced:
        """A wager that is placed."""
        return model.WagerPlaced(
            seat=seat, bettor=box.bettor, wager=wager, number=None, amount_cents=amount, form="chips"
        )  # fmt: skip

    # --------------------------------------------------------------------------------------------------------- the deal

    def _deal(self, seat: int, card: int) -> None:
        self._draw(seat)
        self.script.add(dealt(seat, card, True))

    def _first_cards(self) -> None:
        for seat, hand in self.plan.hands.items():
            self._deal(seat, hand[0])

    def _decide(self, seat: int) -> None:
        """The player says over or under and places the wager, or surrenders the ante (§ 686a.7(f), (g))."""
        plan, add = self.plan, self.script.add
        box = plan.boxes[seat]
        if box.decision == "surrender":
            add(same(model.Surrendered, seat=seat))
            add(taken(seat, box.bettor, "ante", box.stakes["ante"], "surrendered"))
        elif box.decision is not None:
            if plan.random.random() < 0.8:
                add(same(model.DecisionMade, seat=seat, decision=box.decision))
            for side, stake in box.all_stakes().items():
                if side in ("over", "under"):
                    add(self.placed(seat, box, side, stake))

    def _finish(self, seat: int) -> None:
        """Two more cards, and the hand is settled and its cards are put in the rack (§ 686a.7(h), (i))."""
        for card in self.plan.hands[seat][1:]:
            self._deal(seat, card)
        self._settle(seat)
        self._collect(seat, len(self.plan.hands[seat]))

    def _passed_over(self, seat: int) -> None:
        """A hand that was passed over gets its cards after all others, or is called dead (§ 686a.9(c))."""
        plan, add = self.plan, self.script.add
        add(same(model.HandElected, seat=seat, election=plan.election))
        if plan.election == "play":
            self._finish(seat)
        else:
            self._settle(seat)
            self._collect(seat, 1)

    def _collect(self, seat: int, count: int) -> None:
        self.script.add(model.CardsCollected(deck=self.plan.deck.id, of=seat, count=count, counted=None))

    # -------------------------------------------------------------------------------------------------- the settlement

    def _settle(self, seat: int) -> None:
        for due in self.dues:
            if due.seat == seat and due.outcome is not Outcome.SURRENDERED:
                self._settle_wager(due)

    def _settle_wager(self, due: Due) -> None:
        add, wager = self.script.add, due.wager
        match due.outcome:
            case Outcome.WIN:
                add(paid(due, due.returned_cents, due.winnings_cents))
            case Outcome.TIE:
                add(returned(due.seat, due.bettor, wager, due.staked_cents, "push"))
            case Outcome.VOID:
                add(returned(due.seat, due.bettor, wager, due.staked_cents, "void"))
            case Outcome.LOSE:
                add(taken(due.seat, due.bettor, wager, due.staked_cents, "lost"))
            case _:
                raise AssertionError(f"{self.table.id} round {self.plan.round_no}: {due} cannot be settled")
