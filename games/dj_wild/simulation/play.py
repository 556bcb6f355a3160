"""The correct script of a DJ Wild Stud round (§§ 687a.5, 687a.7 to 687a.11), from its plan."""

from typing import Any, ClassVar

from events.vocabulary import model
from events.vocabulary.model import Aspect, Event
from floor.round.play import DECK_CARDS, Play
from floor.table.facts import card_dealt, collected, exposed, same, stack_dealt, wager_placed, wager_returned, wager_taken
from floor.table.script import ScriptStep
from games.dj_wild.settle import settle
from games.dj_wild.simulation.plan import BASE, DjWildPlan
from games.dj_wild.simulation.table import DjWildTable
from rulebook.settlement.wagers import Due

STANDING = ("progressive", "trips")
"""What is settled although exposed cards void the hands (§ 687a.13(d))."""


class DjWildPlay(Play):
    """Writes the script of one round."""

    observed: ClassVar[list[Aspect]] = [
        *("equipment", "shuffle", "wagering", "deal", "stub", "settlement", "progressive", "envy", "collection")
    ]
    at_even_money = ("ante", "raise")
    withdrawn = ("trips", 1000)
    plan: DjWildPlan
    table: DjWildTable

    # The deal

    def deal(self) -> None:
        """Deal five cards to each hand, and place a side card next to it if asked for."""
        plan = self.plan
        hands = {position: list(plan.hands[position]) for position in plan.order}
        if plan.misdealt is not None:
            whose, error = plan.misdealt
            hands[whose] = [*hands[whose], plan.stub.pop()] if error > 0 else hands[whose][:-1]
        deals: list[Event] = [card_dealt(to, card) for to in plan.order for card in hands[to]]
        if self.table.spec.deal_method == "automated_shoe":
            deals = self.stacks(hands)
        if plan.void_after:
            deals = deals[: plan.void_after]
        elif plan.wants_side and not plan.side_forgotten:
            deals.append(stack_dealt("side", [plan.side]))
        self.add_deals(deals)

    @property
    def left(self) -> int:
        """How many cards were neither dealt nor set aside."""
        deals = self.script.of(model.CardsDealt)
        out = sum(len(step.payload.cards) for step in deals) + len(self.plan.face_up)
        return DECK_CARDS - out + self.plan.short_stub

    def after_deal(self) -> None:
        """Put the stub into the rack, in some rounds after counting it."""
        self.shuffle_other_deck()
        stub = self.left
        if self.plan.counts:
            self.script.add(same(model.StubCounted, count=stub, exposed=0))
        self.collect("stub", stub)
        if self.plan.face_up:
            self.collect("aside", len(self.plan.face_up))

    # The decisions

    def play_hands(self) -> None:
        """All look, then decide in turn; the dealer collects forfeited wagers and turns the cards over (§ 687a.11(a)-(d))."""
        plan, add = self.plan, self.script.add
        playing = [seat for seat in plan.playing if seat not in plan.abandoned]
        plan.random.shuffle(looking := list(playing))
        for seat in looking:
            add(same(model.HandExamined, seat=seat))
        for seat in playing:
            box = plan.boxes[seat]
            add(same(model.DecisionMade, seat=seat, decision=box.decision))
            if plan.raises(seat):
                add(wager_placed(seat, box.bettor, "raise", 2 * box.stakes["ante"]))
        for seat in [each for each in playing if not plan.raises(each)]:
            box = plan.boxes[seat]
            for wager in ("ante", "blind", "bad_beat"):
                if wager in box.stakes:
                    add(wager_taken(seat, box.bettor, wager, box.stakes[wager]))
            if not self.stays(seat):
                self.collect(seat, self.cards(seat))
        add(same(model.HandRevealed, position="dealer"))

    def stays(self, seat: int) -> bool:
        """Whether a folded hand's cards stay: until its Trips, and a Progressive, is settled (§ 687a.11(c))."""
        return any(wager in self.plan.boxes[seat].stakes for wager in STANDING)

    def cards(self, seat: int) -> int:
        """Return how many cards a hand has."""
        whose, error = self.plan.misdealt or (None, 0)
        return len(self.plan.hands[seat]) + (error if whose == seat else 0)

    # The settlement

    def due(self, decided: bool = True) -> list[Due]:
        """Return the dues for the hands on the table, by the meter's reading at each turn."""
        raises = self.script.of(model.WagerPlaced, wager="raise")
        return settle(self.book, self.plan.layout(decided, {step.payload.seat: step.payload.amount_cents for step in raises}))

    def settle(self) -> None:
        """Settle the boxes in turn, then the Envy Bonuses."""
        plan = self.plan
        self.dues = self.due()
        for seat in plan.settling:
            out = seat in plan.abandoned or not plan.plays(seat)
            if out or plan.raises(seat) or self.stays(seat):
                self.settle_box(seat, shown=not out)
        self.finish()

    def finish(self) -> None:
        """Pay the Envy Bonuses, and bring the documents."""
        for due in self.dues:
            if due.wager == "progressive_envy" and due.net_cents:
                self.pay_envy(due)
        self.script.steps += self.documents

    def settle_box(self, seat: int, shown: bool) -> None:
        """Reveal, settle, collect."""
        plan = self.plan
        if shown:
            self.script.add(same(model.HandRevealed, position=seat))
        self.by_slip = False
        mine = [due for due in self.dues if due.seat == seat and due.wager != "progressive_envy"]
        for due in sorted(mine, key=lambda due: BASE.index(due.wager) if due.wager in BASE else len(BASE)):
            if (due.wager, due.seat) not in self.script.settled:
                self.settle_wager(due)
        if not plan.plays(seat):
            return
        if self.by_slip and plan.documents_last:
            self.documents.append(ScriptStep(collected(plan.deck.id, seat, len(plan.hands[seat]))))
        else:
            self.collect(seat, self.cards(seat))

    def collect_rest(self) -> None:
        """The dealer's cards and the side card: all that is left."""
        collected = sum(step.payload.count for step in self.script.of(model.CardsCollected))
        self.collect("all", DECK_CARDS + self.plan.short_stub - collected)

    # The void

    def find_ground(self) -> None:
        """Count the stub if it tells, or see a card that no one should."""
        plan = self.plan
        if (plan.counts or plan.void == "stub_count") and not plan.void_after:
            self.script.add(same(model.StubCounted, count=self.left, exposed=0))
        if plan.void == "exposed_dealer" and plan.turn % 2:
            self.script.add(same(model.HandRevealed, position="dealer"))
        elif plan.void in ("exposed_card", "exposed_dealer"):
            whose: Any = "dealer" if plan.void == "exposed_dealer" else plan.random.choice(plan.playing)
            card = plan.random.choice(plan.hands[whose])
            self.script.add(exposed(whose, plan.random.choice(("dealer", "dealer", "device")), card))

    def give_back(self) -> None:
        """Return the wagers; if cards were exposed, settle Trips and Progressive anyway."""
        plan = self.plan
        if plan.void in ("exposed_card", "exposed_dealer"):
            self.dues = [due for due in self.due(decided=False) if due.wager in (*STANDING, "progressive_envy")]
        for seat in plan.settling:
            standing = [due for due in self.dues if due.seat == seat and due.wager != "progressive_envy"]
            for wager, stake in plan.boxes[seat].stakes.items():
                if wager not in {due.wager for due in standing}:
                    self.script.add(wager_returned(seat, plan.boxes[seat].bettor, wager, stake, "void"))
            for due in standing:
                self.settle_wager(due)
        self.finish()
