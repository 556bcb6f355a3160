"""The correct script of a pai gow round (58 Pa. Code §§ 688a.5, 688a.7 to 688a.11), from its plan.

Unchanged, it is Face Up Pai Gow Poker.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

from events.vocabulary import model
from events.vocabulary.model import Aspect
from floor.round.pai_gow_plan import PaiGowPlan
from floor.round.play import ENVY, Play
from floor.table.facts import card_dealt, collected, exposed, hand_reset, hand_set, same, wager_taken
from floor.table.script import ScriptStep
from rulebook.settlement.bonus import is_qualifying
from rulebook.settlement.pai_gow import Position
from rulebook.settlement.wagers import PUSHES, Due, Outcome

CARDS = 7
STUB = 4
DICE_COLOURS = (None, ["red", "blue", "white"])
RESULTS = {Outcome.WIN: "win", Outcome.LOSE: "lose", Outcome.FOUL: "lose", **dict.fromkeys(PUSHES, "tie")}


class PaiGowPlay(Play):
    """Writes the script of one round."""

    observed: ClassVar[list[Aspect]] = [
        *("equipment", "shuffle", "wagering", "start", "deal", "stub", "setting", "settlement", "progressive", "envy"),
        "collection",
    ]
    cut_depths = (10, 27)
    plan: PaiGowPlan

    def face_up(self, position: Position) -> bool:
        """Return whether the cards of a position are dealt face up."""
        return position == "dealer" and self.book.chapter.dealer_face_up

    def cut_offers(self) -> Iterator[tuple[int, bool]]:
        """Offer the cut around the table; the first player to arrive takes the first."""
        table, random = self.table, self.plan.random
        if table.just_opened and table.first_seat in table.seats:
            yield table.first_seat, True
        else:
            yield from ((seat, random.random() < 0.7) for seat in self.offer_order())

    def offer_order(self) -> list[int]:
        """Return the seats in the order of the cut's offer."""
        return sorted(self.table.seats, reverse=True)

    def find_start(self) -> None:
        """Draw a number or roll the dice, and announce where the deal starts."""
        plan, add = self.plan, self.script.add
        if self.book.starting == "number":
            add(same(model.NumberDrawn, number=plan.count))
        else:
            if plan.no_roll is not None:
                lost = plan.random.randrange(3) if plan.no_roll == "fell_out" else 3
                self.roll([None if i == lost else plan.random.randrange(1, 7) for i in range(3)], plan.no_roll)
            self.roll(list(plan.dice), "flat")
            for total in plan.announced:
                add(same(model.TotalAnnounced, total=total))
        add(same(model.StartAnnounced, position=plan.start))

    def roll(self, dice: list[Any], lie: Any) -> None:
        """Shake the dice and read them."""
        self.shake()
        colours: Any = DICE_COLOURS[self.plan.round_no % 2] if lie == "flat" else None
        self.script.add(model.DiceRolled(dice=dice, colours=colours, lie=lie))

    def shake(self) -> None:
        """The dealer shakes."""
        times = self.plan.random.randrange(3, 6)
        self.script.add(same(model.ShakerShaken, times=times, duration_ms=None, covered=True))

    def qualifies(self, seat: int, wager: str) -> bool:
        """Return whether a box has a wager that qualifies for an Envy Bonus."""
        stakes = self.plan.boxes[seat].stakes
        return wager in stakes and is_qualifying(self.book, wager, stakes[wager])

    def mark_qualifying(self) -> None:
        """A lammer goes to every qualifying wager."""
        for seat in sorted(self.plan.boxes):
            for wager in ("fortune_bonus", "progressive"):
                if self.qualifies(seat, wager):
                    self.script.add(same(model.LammerPlaced, seat=seat, wager=wager))

    def deal(self) -> None:
        """Deal seven cards to everybody: stacks from the automated shoe, else one card at a time."""
        plan, order = self.plan, self.plan.order
        if self.table.spec.deal_method == "automated_shoe":
            deals = self.stacks(self.hands_dealt())
        else:
            deals = [card_dealt(to, plan.hands[to][turn], self.face_up(to)) for turn in range(CARDS) for to in order]
            if plan.misdealt is not None:
                more, fewer = plan.misdealt
                at = next(i for i in range(42, 49) if order[i % 7] == fewer)
                deals[at] = card_dealt(more, plan.hands[fewer][6])  # empty seats, face down
        self.add_deals(deals[: plan.void_after] if plan.void is not None else deals)

    def hands_dealt(self) -> dict[Position, list[int]]:
        """Return the hands in the order dealt, with any misplaced card."""
        hands = {position: list(self.plan.hands[position]) for position in self.plan.order}
        if self.plan.misdealt is not None:
            more, fewer = self.plan.misdealt
            hands[more].append(hands[fewer].pop())
        return hands

    def after_deal(self) -> None:
        """The shaker is covered, the stub counted, the hands of empty seats go into the rack."""
        plan = self.plan
        self.cover_shaker()
        self.shuffle_other_deck()
        self.count_stub(STUB - len(plan.face_up) + plan.short_stub)
        if plan.face_up:
            self.collect("aside", len(plan.face_up))
        more, fewer = plan.misdealt or (0, 0)
        for seat in plan.empty:
            self.collect(seat, CARDS + (seat == more) - (seat == fewer))

    def cover_shaker(self) -> None:
        """The dealer covers the shaker and shakes it once."""
        if self.book.starting == "shaker":
            self.script.add(same(model.ShakerCovered, placed_right_of_dealer=True))
            self.script.add(same(model.ShakerShaken, times=1, duration_ms=None, covered=True))

    def count_stub(self, count: int) -> None:
        """Count the stub and put it into the rack."""
        self.script.add(same(model.StubCounted, count=count, exposed=0))
        self.collect("stub", count)

    # The setting

    def play_hands(self) -> None:
        """The dealer's hands are set first, then the players look at theirs (§ 688a.11(a), (b)).

        If the dealer's cards are dealt face down, the players set first, then the dealer's cards are turned over and set (§§
        645c.1(d), 659a.11(a)-(c)).
        """
        add, seats, dealer_first = self.script.add, self.in_turn(), self.book.chapter.dealer_face_up
        if dealer_first:
            self.set_dealer()
        for seat in seats:
            add(same(model.HandExamined, seat=seat))
            if dealer_first and seat in self.plan.surrendered:
                self.surrender(seat)
            else:
                self.set_box(seat)
        if not dealer_first:
            add(same(model.HandRevealed, position="dealer"))
            self.set_dealer()
            for seat in seats:
                if seat in self.plan.surrendered:
                    self.surrender(seat)

    def set_dealer(self) -> None:
        """Set the dealer's hands, finally by the house way."""
        plan, add = self.plan, self.script.add
        add(hand_set("dealer", plan.dealer_first or plan.dealer_way, "dealer"))
        if plan.dealer_first is not None:
            by = plan.random.choice(("dealer", "floorperson"))
            add(hand_reset("dealer", plan.dealer_way, by, "house_way"))

    def set_box(self, seat: int) -> None:
        """A player sets."""
        self.script.add(hand_set(seat, self.plan.boxes[seat].way, "player"))

    def in_turn(self) -> list[int]:
        """Return the boxes in the order of setting: as players please."""
        boxes, out = self.plan.boxes, self.plan.abandoned | self.plan.voided
        playing = [seat for seat, box in boxes.items() if "base" in box.stakes and seat not in out]
        self.plan.random.shuffle(playing)
        order: list[int] = []
        for seat in playing:
            if seat not in order:
                mine = [box_seat for box_seat in playing if boxes[box_seat].bettor == boxes[seat].bettor]
                # Two boxes of one patron: the larger wager first, equal ones counterclockwise (§ 688a.7(f)).
                order += sorted(mine, key=lambda box_seat: (-boxes[box_seat].stakes["base"], -box_seat))
        return order

    def surrender(self, seat: int) -> None:
        """A player surrenders; the cards go into the rack if no one can envy them."""
        box = self.plan.boxes[seat]
        self.script.add(same(model.Surrendered, seat=seat))
        self.script.add(wager_taken(seat, box.bettor, "base", box.stakes["base"], "surrendered"))
        if not self.any_qualifying():
            self.collect(seat, CARDS, CARDS)

    def any_qualifying(self) -> bool:
        """Return whether any wager qualifies for an Envy Bonus."""
        return any(self.qualifies(seat, wager) for seat in self.plan.boxes for wager in ("fortune_bonus", "progressive"))

    # The settlement

    def settle(self) -> None:
        """Settle the boxes from the dealer's right on, then the Envy Bonuses."""
        self.dues = self.due()
        envies = [due for due in self.dues if due.wager in ENVY]
        holders = {due.for_position for due in envies}
        for seat in sorted(self.plan.boxes, reverse=True):
            mine = [due for due in self.dues if due.seat == seat and due.wager not in (*ENVY, *self.settled_early)]
            self.settle_box(seat, mine, seat in holders)
        for due in envies:
            self.pay_envy(due)
        self.script.steps += self.documents

    def settle_box(self, seat: int, dues: list[Due], holder: bool) -> None:
        """Reveal, announce, settle, collect."""
        plan, add = self.plan, self.script.add
        collected_already = seat in plan.surrendered and not self.any_qualifying()
        if seat not in plan.voided | plan.abandoned and not collected_already:
            add(same(model.HandRevealed, position=seat))
        self.by_slip = False
        for due in dues:
            if due.wager == "base" and seat in plan.surrendered:
                continue
            if due.wager == "base" and due.outcome in RESULTS:
                add(same(model.ResultAnnounced, seat=seat, wager="base", result=RESULTS[due.outcome]))
            self.settle_wager(due)
        self.pay_beside(seat)
        if holder:
            add(same(model.EnvyAcknowledged, seat=seat))
        if collected_already:
            return
        counted = CARDS if seat in plan.surrendered else None
        if (self.by_slip and plan.documents_last) or (holder and counted is not None):
            self.documents.append(ScriptStep(collected(plan.deck.id, seat, CARDS, counted)))
        elif holder:
            self.left_on_table[seat] = CARDS  # until all Envy Bonuses are paid (§ 688a.11(h)(2)(iii))
        else:
            self.collect(seat, CARDS, counted)

    def see_win(self, due: Due) -> None:
        """Somebody sees the light (§ 688a.11(h)(3))."""
        self.script.add(same(model.LightSeen, seat=due.seat))

    def validate_win(self, due: Due) -> None:
        """Someone other than the dealer validates the win; a large one, the shift manager."""
        role = "shift_manager" if due.winnings_cents > 500_000 else "floorperson"
        self.script.add(same(model.PayoutValidated, seat=due.seat, wager="progressive", by=self.table.floor, role=role))

    def collect_rest(self) -> None:
        """Collect the dealer's cards, and those kept for an Envy Bonus."""
        self.collect("all" if self.left_on_table else "dealer", CARDS + sum(self.left_on_table.values()))

    def find_ground(self) -> None:
        """Count a wrong stub, or see a card that no one should."""
        plan = self.plan
        match plan.void:
            case "wrong_count" | "stub_count":
                self.script.add(same(model.StubCounted, count=STUB + plan.short_stub, exposed=0))
            case "exposed_stack":
                self.script.add(exposed("stack", "dealer", None))
            case "exposed_dealer":
                by = plan.random.choice(("dealer", "device"))
                self.script.add(exposed("dealer", by, plan.hands["dealer"][0]))
