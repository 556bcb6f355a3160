"""A round of play, written down as it should go (58 Pa. Code §§ 688a.5, 688a.7 to 688a.11), from its plan.

The settlement is what `games` says is due for the hands as they lie on the table. What the plan says went another way
(a wrong start, a void) is played on as people do; the planters change the rest of the script.
"""

from __future__ import annotations

from typing import Any, ClassVar

from events import model
from events.model import Aspect, Event, fact
from floor.face_up_pai_gow.facts import hand_set, parts
from floor.face_up_pai_gow.plan import BoxPlan, Plan, hand_of
from floor.round.machines import accept_progressive, shuffle_other_deck, win_from_meter
from floor.round.slips import document
from floor.table.facts import dealt, paid, placed, returned, same, source_of, taken, texts
from floor.table.script import Script, Step
from games.bonus import is_qualifying
from games.cards import TEXT
from games.catalogue import GAMES
from games.layout import Box, Layout, Meter, Placed
from games.pai_gow import Position
from games.wagers import PUSHES, Due, Outcome

OBSERVED: list[Aspect] = [
    "equipment", "shuffle", "wagering", "start", "deal", "stub", "setting", "settlement", "progressive", "envy",
    "collection",
]  # fmt: skip
DICE_COLOURS = (None, ["red", "blue", "white"])
RESULTS = {
    Outcome.WIN: "win", Outcome.LOSE: "lose", Outcome.FOUL: "lose", **dict.fromkeys(PUSHES, "tie"),
}  # fmt: skip
ENVY = {"fortune_envy": "fortune_bonus", "progressive_envy": "progressive"}


class Play:
    """Writes the script of one round."""

    observed: ClassVar[list[Aspect]] = OBSERVED
    settled_early: ClassVar[tuple[str, ...]] = ()
    """The wagers that are settled before the cards are dealt, and stand where the round is void later."""
    chips: ClassVar = "inventory"
    """Spot the winnings of a base wager come from."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.table, self.book = plan, plan.table, plan.book
        self.script = Script()
        self.dues: list[Due] = []
        self.left_on_table: dict[int, int] = {}
        self.documents: list[Step] = []
        self.table.wrong_stub = bool(plan.short_stub)
        self.by_slip = False
        self.other_deck_shuffled = False

    def face_up(self, position: Position) -> bool:
        """Say whether the cards of a position are dealt face up."""
        return position == "dealer" and self.book.chapter.dealer_face_up

    def setting_begins(self) -> Step:
        """Return the first step after the deal in which somebody looks at cards or sets them."""
        looks = (model.HandSet, model.HandExamined, model.HandRevealed)
        return next(step for step in self.script.steps if type(step.payload) in looks)

    def write(self) -> Script:
        """Return the whole script."""
        plan = self.plan
        add = self.script.add
        add(model.RoundOpened(deck=plan.deck.id, observed=self.observed))
        self._shuffle_and_cut()
        self._wagers()
        self._close_betting()
        self._find_start()
        self._deal()
        if plan.void is not None:
            self._void()
            return self.script
        self._after_deal()
        self._set_hands()
        self._settle()
        self._collect_rest()
        add(same(model.RoundClosed, by=self.table.dealer))
        return self.script

    # ---------------------------------------------------------------------------------------------- shuffle, cut, start

    def _shuffle_and_cut(self) -> None:
        table, deck, add = self.table, self.plan.deck, self.script.add
        if not deck.dirty:
            return
        if table.spec.shuffler != "none" and not table.shuffler_out:
            add(table.shuffled(deck))
            return
        add(model.CardsShuffled(deck=deck.id, method="manual", count=None), "dealer")
        self._cut()

    def _cut(self) -> None:
        table, add, random = self.table, self.script.add, self.plan.random
        if table.just_opened and table.first_seat in table.seats:
            cutter: Position = table.first_seat
            add(same(model.CutOffered, seat=cutter, accepted=True))
        else:
            cutter = "dealer"
            for seat in sorted(table.seats, reverse=True):
                accepted = random.random() < 0.7
                add(same(model.CutOffered, seat=seat, accepted=accepted))
                if accepted:
                    cutter = seat
                    break
        depth = random.randrange(10, 27)
        add(same(model.CardsCut, by=cutter, depth=depth, counted_from=random.choice(("top", "bottom"))))

    def a_cut(self) -> list[Event]:
        """Return a cut as it should be made after a shuffle by hand."""
        seat: Any = max(self.table.seats)
        return [model.CutOffered(seat=seat, accepted=True), model.CardsCut(by=seat, depth=20, counted_from="top")]

    def _find_start(self) -> None:
        plan, add = self.plan, self.script.add
        if self.book.starting == "number":
            add(same(model.NumberDrawn, number=plan.count))
        else:
            random = plan.random
            if plan.no_roll is not None:
                lost = random.randrange(3) if plan.no_roll == "fell_out" else 3
                dice = [None if i == lost else random.randrange(1, 7) for i in range(3)]
                self._roll(dice, plan.no_roll)
            self._roll(list(plan.dice), "flat")
            for total in plan.announced:
                add(same(model.TotalAnnounced, total=total))
        add(same(model.StartAnnounced, position=plan.start))

    def _roll(self, dice: list[Any], lie: Any) -> None:
        """Shake the dice and read them."""
        self._shake()
        colours: Any = DICE_COLOURS[self.plan.round_no % 2] if lie == "flat" else None
        self.script.add(model.DiceRolled(dice=dice, colours=colours, lie=lie))

    def _shake(self) -> None:
        times = self.plan.random.randrange(3, 6)
        self.script.add(same(model.ShakerShaken, times=times, duration_ms=None, covered=True))

    # ------------------------------------------------------------------------------------------------------- the wagers

    def _wagers(self) -> None:
        plan, add, random = self.plan, self.script.add, self.plan.random
        seats = list(plan.boxes)
        random.shuffle(seats)
        for seat in seats:
            box = plan.boxes[seat]
            for wager, stake in box.stakes.items():
                amount = stake - box.late.get(wager, 0)
                if wager == "progressive":
                    self._progressive(seat, box, amount)
                    continue
                if wager == "base" and amount >= 10_000 and random.random() < 0.04:
                    add(placed(seat, box.bettor, wager, amount // 2))
                    amount -= amount // 2
                add(placed(seat, box.bettor, wager, amount))
            if random.random() < 0.01:
                add(placed(seat, box.bettor, "base", 1000))
                add(
                    fact(
                        model.WagerRemoved, seat=seat, bettor=box.bettor, wager="base", number=None, amount_cents=1000
                    )
                )  # fmt: skip

    def _progressive(self, seat: int, box: BoxPlan, amount: int) -> None:
        accept_progressive(self, seat, box.bettor, amount)

    def _close_betting(self) -> None:
        plan, add = self.plan, self.script.add
        add(same(model.NoMoreBets, announced_by="dealer"))
        accepted = 0
        for seat, box in sorted(plan.boxes.items()):
            for wager in ("fortune_bonus", "progressive"):
                if wager in box.stakes and is_qualifying(self.book, wager, box.stakes[wager]):
                    add(same(model.LammerPlaced, seat=seat, wager=wager))
            accepted += "progressive" in box.stakes
        add(same(model.ProgressiveLocked, accepted=accepted, collected=accepted))

    # --------------------------------------------------------------------------------------------------------- the deal

    def _deal(self) -> None:
        plan, steps = self.plan, self.script.steps
        order = plan.order
        deals: list[Event]
        if self.table.spec.deal_method == "automated_shoe":
            hands = {position: list(plan.hands[position]) for position in order}
            if plan.misdealt is not None:
                more, fewer = plan.misdealt
                hands[more].append(hands[fewer].pop())
            deals = [
                model.CardsDealt(to=position, cards=texts(hands[position]), face_up=self.face_up(position))
                for position in order
            ]
        else:
            deals = [
                dealt(position, plan.hands[position][turn], self.face_up(position))
                for turn in range(7)
                for position in order
            ]
            if plan.misdealt is not None:
                more, fewer = plan.misdealt
                at = next(i for i in range(42, 49) if order[i % 7] == fewer)
                deals[at] = dealt(more, plan.hands[fewer][6])  # empty seats, face down
        if plan.void is not None:
            deals = deals[: plan.void_after]
        steps += [Step(event) for event in deals]
        if plan.face_up:
            at = len(steps) - len(deals) + plan.random.randrange(1, len(deals))
            steps[at:at] = [Step(same(model.CardFoundFaceUp, card=TEXT[card])) for card in plan.face_up]

    def _after_deal(self) -> None:
        plan, add, deck = self.plan, self.script.add, self.plan.deck
        if self.book.starting == "shaker":
            add(same(model.ShakerCovered, placed_right_of_dealer=True))
            add(same(model.ShakerShaken, times=1, duration_ms=None, covered=True))
        shuffle_other_deck(self)
        stub = 4 - len(plan.face_up) + plan.short_stub
        add(same(model.StubCounted, count=stub, exposed=0))
        add(model.CardsCollected(deck=deck.id, of="stub", count=stub, counted=None))
        if plan.face_up:
            add(model.CardsCollected(deck=deck.id, of="aside", count=len(plan.face_up), counted=None))
        for seat in plan.empty:
            count = 7
            if plan.misdealt is not None and seat in plan.misdealt:
                count = 8 if seat == plan.misdealt[0] else 6
            add(model.CardsCollected(deck=deck.id, of=seat, count=count, counted=None))

    # ------------------------------------------------------------------------------------------------------ the setting

    def _set_hands(self) -> None:
        """The dealer's hands are set first, then the players look at theirs (§ 688a.11(a), (b)).

        Where the dealer's cards are dealt face down the players set first, and then the dealer's are turned over
        and set (§§ 645c.1(d), 659a.11(a)-(c)).
        """
        add, seats, dealer_first = self.script.add, self._in_turn(), self.book.chapter.dealer_face_up
        if dealer_first:
            self._set_dealer()
        for seat in seats:
            add(same(model.HandExamined, seat=seat))
            if dealer_first and seat in self.plan.surrendered:
                self._surrender(seat)
            else:
                self._set_box(seat)
        if not dealer_first:
            add(same(model.HandRevealed, position="dealer"))
            self._set_dealer()
            for seat in seats:
                if seat in self.plan.surrendered:
                    self._surrender(seat)

    def _set_dealer(self) -> None:
        plan, add = self.plan, self.script.add
        if plan.dealer_first is None:
            add(hand_set("dealer", plan.dealer_way, "dealer"))
            return
        add(hand_set("dealer", plan.dealer_first, "dealer"))
        by: Any = plan.random.choice(("dealer", "floorperson"))
        add(model.HandReset(position="dealer", by=by, reason="house_way", **parts(plan.dealer_way)))

    def _set_box(self, seat: int) -> None:
        self.script.add(hand_set(seat, self.plan.boxes[seat].way, "player"))

    def _in_turn(self) -> list[int]:
        """The boxes in which hands are set, in the order in which they are: as players please."""
        plan = self.plan
        playing = [s for s, box in plan.boxes.items() if "base" in box.stakes]
        playing = [s for s in playing if s not in plan.abandoned and s not in plan.voided]
        plan.random.shuffle(playing)
        found: list[int] = []
        for seat in playing:
            if seat in found:
                continue
            bettor = plan.boxes[seat].bettor
            mine = [s for s in playing if plan.boxes[s].bettor == bettor]
            # Two boxes of one patron: the larger wager first, equal ones counterclockwise (§ 688a.7(f)).
            found += sorted(mine, key=lambda s: (-plan.boxes[s].stakes["base"], -s))
        return found

    def _surrender(self, seat: int) -> None:
        box, add = self.plan.boxes[seat], self.script.add
        add(same(model.Surrendered, seat=seat))
        add(taken(seat, box.bettor, "base", box.stakes["base"], "surrendered"))
        if not self._any_qualifying():
            add(model.CardsCollected(deck=self.plan.deck.id, of=seat, count=7, counted=7))

    def _any_qualifying(self) -> bool:
        return any(
            is_qualifying(self.book, wager, box.stakes[wager])
            for box in self.plan.boxes.values()
            for wager in ("fortune_bonus", "progressive")
            if wager in box.stakes
        )

    # -------------------------------------------------------------------------------------------------- the settlement

    def _settle(self) -> None:
        plan = self.plan
        self.dues = GAMES[self.book.game].settle(self.book, self._layout())
        envies = [due for due in self.dues if due.wager in ENVY]
        holders = {due.for_position for due in envies}
        for seat in sorted(plan.boxes, reverse=True):
            self._settle_box(seat, [d for d in self.dues if d.seat == seat and d.wager not in ENVY], seat in holders)
        for due in envies:
            wager: Any = ENVY[due.wager]
            self.script.add(
                model.EnvyPaid(
                    seat=due.seat, wager=wager, for_position=due.for_position or 1, amount_cents=due.cash_cents
                )
            )
        for step in self.documents:
            self.script.steps.append(step)

    def _layout(self) -> Layout:
        """Return the table as it lies."""
        plan = self.plan
        boxes = [
            Box(
                seat=seat, bettor=box.bettor, hand=hand_of(tuple(plan.hands[seat]), box.way), stakes=box.stakes,
                others=tuple([Placed("match", box.bettor, number, stake) for number, stake in box.match.items()]),
                surrendered=seat in plan.surrendered, voided=seat in plan.voided, abandoned=seat in plan.abandoned,
            )
            for seat, box in plan.boxes.items()
        ]  # fmt: skip
        dealer = hand_of(tuple(plan.hands["dealer"]), plan.dealer_way)
        return Layout(boxes=boxes, dealer=dealer, meter=Meter(reading=self.table.meter.value))

    def _settle_box(self, seat: int, dues: list[Due], holder: bool) -> None:
        plan, add, box = self.plan, self.script.add, self.plan.boxes[seat]
        collected_already = seat in plan.surrendered and not self._any_qualifying()
        shown = seat not in plan.voided and seat not in plan.abandoned and not collected_already
        if shown:
            add(same(model.HandRevealed, position=seat))
        self.by_slip = False
        for due in dues:
            if due.wager == "base" and seat in plan.surrendered:
                continue
            if due.wager == "base" and due.outcome in RESULTS:
                add(same(model.ResultAnnounced, seat=seat, wager="base", result=RESULTS[due.outcome]))
            self._settle_wager(due, box)
        self._pay_beside(seat)
        if holder:
            add(same(model.EnvyAcknowledged, seat=seat))
        if collected_already:
            return
        counted = 7 if seat in plan.surrendered else None
        collected = model.CardsCollected(deck=plan.deck.id, of=seat, count=7, counted=counted)
        if self.by_slip and plan.documents_last:
            self.documents.append(Step(collected))
        elif holder and not self.by_slip and counted is None:
            self.left_on_table[seat] = 7
        else:
            add(collected)

    def _pay_beside(self, seat: int) -> None:
        """Pay what a seat has won beside its wagers: nothing in this game."""

    def _settle_wager(self, due: Due, box: BoxPlan) -> None:
        add, seat = self.script.add, due.seat
        wager: Any = due.wager
        match due.outcome:
            case Outcome.WIN if wager == "progressive":
                self._pay_progressive(due)
            case Outcome.WIN:
                source = self.chips if wager == "base" else source_of(due.winnings_cents)
                add(paid(due, due.returned_cents, due.winnings_cents, source))
                if source == "slip":
                    document(self, due, due.winnings_cents)
            case outcome if outcome in PUSHES:
                add(returned(seat, due.bettor, wager, due.staked_cents, "push"))
            case Outcome.VOID:
                add(returned(seat, due.bettor, wager, due.staked_cents, "void"))
            case Outcome.LOSE | Outcome.FOUL | Outcome.ABANDONED | Outcome.SURRENDERED:
                if wager != "progressive":  # its chips were collected before the deal
                    reason = {Outcome.FOUL: "foul", Outcome.ABANDONED: "abandoned"}.get(due.outcome, "lost")
                    add(taken(seat, due.bettor, wager, due.staked_cents, reason))
            case _:
                raise AssertionError(f"{self.table.id} round {self.plan.round_no}: {due} cannot be settled")

    def _pay_progressive(self, due: Due) -> None:
        """Light, validation, then a fixed amount and a share of the meter, the share by slip (§ 688a.11(h)(3))."""
        add, seat, table = self.script.add, due.seat, self.table
        add(same(model.LightSeen, seat=seat))
        if due.share_bp:
            win_from_meter(self, due)
        role = "shift_manager" if due.winnings_cents > 500_000 else "floorperson"
        add(same(model.PayoutValidated, seat=seat, wager="progressive", by=table.floor, role=role))
        by_slip = due.slip_cents
        if due.cash_cents or due.returned_cents:
            add(paid(due, due.returned_cents, due.cash_cents, source_of(due.cash_cents)))
            by_slip += due.cash_cents if source_of(due.cash_cents) == "slip" else 0
        if due.slip_cents:
            add(paid(due, 0, due.slip_cents, "slip"))
        if by_slip:
            document(self, due, by_slip)

    def _collect_rest(self) -> None:
        count = 7 + sum(self.left_on_table.values())
        of: Any = "all" if self.left_on_table else "dealer"
        self.script.add(model.CardsCollected(deck=self.plan.deck.id, of=of, count=count, counted=None))

    # --------------------------------------------------------------------------------------------------------- the void

    def _void(self) -> None:
        plan, add, table = self.plan, self.script.add, self.table
        assert plan.void is not None
        shuffle_other_deck(self)
        stub = 4 + plan.short_stub
        match plan.void:
            case "wrong_count" | "stub_count":
                add(same(model.StubCounted, count=stub, exposed=0))
            case "exposed_stack":
                add(model.CardExposed(whose="stack", by="dealer", card=None))
            case "exposed_dealer":
                card: Any = TEXT[plan.hands["dealer"][0]]
                add(model.CardExposed(whose="dealer", by=plan.random.choice(("dealer", "device")), card=card))
            case "device_failed":
                add(same(model.DeviceFailed, device="shoe", fault=plan.random.choice(("jam", "stopped"))))
            case _:
                pass
        add(same(model.RoundVoided, scope="round", reason=plan.void))
        for seat in sorted(plan.boxes, reverse=True):
            box = plan.boxes[seat]
            for wager, stake in box.stakes.items():
                if wager not in self.settled_early:
                    add(returned(seat, box.bettor, wager, stake, "void"))
            self._pay_beside(seat)
        add(model.CardsCollected(deck=plan.deck.id, of="all", count=53 + plan.short_stub, counted=None))
        add(same(model.RoundClosed, by=table.dealer))
        if plan.void == "device_failed":
            self.script.after.append(Step(model.DeviceRestored(device="shoe")))
