"""A round of play, written down as it should go (§§ 687a.5, 687a.7 to 687a.11), from its plan.

The settlement is what `games` says is due for the hands as they lie on the table. What the plan says went another way
(a misdeal, a void) is played on as people do; the planters change the rest of the script.
"""

from __future__ import annotations

from typing import Any

from events import model
from events.model import Aspect, Event
from floor.dj_wild.plan import Plan
from floor.round.machines import accept_progressive, shuffle_other_deck, win_from_meter
from floor.round.slips import document
from floor.table.facts import dealt, paid, placed, returned, same, source_of, taken, texts
from floor.table.script import Script, Step
from games.cards import TEXT
from games.dj_wild import settle
from games.layout import Box, Hand, Layout, Meter
from games.pai_gow import Position
from games.wagers import Due, Outcome

OBSERVED: list[Aspect] = [
    "equipment", "shuffle", "wagering", "deal", "stub", "settlement", "progressive", "envy", "collection",
]  # fmt: skip
DECK_CARDS = 53
STANDING = ("progressive", "trips")
"""What is settled although exposed cards void the hands (§ 687a.13(d))."""


class Play:
    """Writes the script of one round."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.table, self.book = plan, plan.table, plan.book
        self.script = Script()
        self.dues: list[Due] = []
        self.documents: list[Step] = []
        self.left_on_table: dict[int, int] = {}
        self.table.wrong_stub = bool(plan.short_stub)
        self.by_slip = False
        self.other_deck_shuffled = False

    def write(self) -> Script:
        """Return the whole script."""
        plan, add = self.plan, self.script.add
        add(model.RoundOpened(deck=plan.deck.id, observed=OBSERVED))
        self._shuffle_and_cut()
        self._wagers()
        self._close_betting()
        self._deal()
        if plan.void is not None:
            self._void()
            return self.script
        self._after_deal()
        self._decisions()
        self._settle()
        self._collect_rest()
        add(same(model.RoundClosed, by=self.table.dealer))
        return self.script

    # ------------------------------------------------------------------------------------------------------ shuffle, cut

    def _shuffle_and_cut(self) -> None:
        table, deck, add = self.table, self.plan.deck, self.script.add
        fresh = deck.id in table.uncut
        table.uncut.discard(deck.id)
        if not deck.dirty and not fresh:
            return
        if deck.dirty and table.spec.shuffler != "none" and not table.shuffler_out:
            add(table.shuffled(deck))
            return
        if deck.dirty:
            add(model.CardsShuffled(deck=deck.id, method="manual", count=None), "dealer")
        random = self.plan.random
        add(
            same(
                model.CardsCut,
                by="dealer",
                depth=random.randrange(10, 40),
                counted_from=random.choice(("top", "bottom")),
            )
        )

    def a_cut(self) -> list[Event]:
        """Return the events of a cut in order."""
        return [same(model.CardsCut, by="dealer", depth=20, counted_from="top")]

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
                    accept_progressive(self, seat, box.bettor, amount)
                    continue
                add(placed(seat, box.bettor, wager, amount))
            if random.random() < 0.01:
                add(placed(seat, box.bettor, "trips", 1000))
                add(model.WagerRemoved(seat=seat, bettor=box.bettor, wager="trips", number=None, amount_cents=1000))

    def _close_betting(self) -> None:
        """ "No more bets"; Start Game lights up and collects the Progressive wagers (§ 687a.8(c))."""
        add = self.script.add
        add(same(model.NoMoreBets, announced_by="dealer"))
        accepted = sum("progressive" in box.stakes for box in self.plan.boxes.values())
        add(same(model.ProgressiveLocked, accepted=accepted, collected=accepted))

    # --------------------------------------------------------------------------------------------------------- the deal

    def _deal(self) -> None:
        plan, steps = self.plan, self.script.steps
        hands = {position: list(plan.hands[position]) for position in plan.order}
        if plan.misdealt is not None:
            whose, error = plan.misdealt
            hands[whose] = [*hands[whose], plan.stub.pop()] if error > 0 else hands[whose][:-1]
        deals: list[Event]
        if self.table.spec.deal_method == "automated_shoe":
            deals = [model.CardsDealt(to=to, cards=texts(hands[to]), face_up=False) for to in plan.order]
        else:
            deals = [dealt(to, card) for to in plan.order for card in hands[to]]
        if plan.void_after:
            deals = deals[: plan.void_after]
        elif plan.wants_side and not plan.side_forgotten:
            deals.append(model.CardsDealt(to="side", cards=texts([plan.side]), face_up=False))
        steps += [Step(event) for event in deals]
        if plan.face_up:
            at = len(steps) - len(deals) + plan.random.randrange(1, len(deals))
            steps[at:at] = [Step(same(model.CardFoundFaceUp, card=TEXT[card])) for card in plan.face_up]

    @property
    def out(self) -> int:
        """How many cards were dealt or set aside."""
        deals: list[Any] = self.script.of(model.CardsDealt)
        return sum(len(step.payload.cards) for step in deals) + len(self.plan.face_up)

    def _after_deal(self) -> None:
        plan, add, deck = self.plan, self.script.add, self.plan.deck
        shuffle_other_deck(self)
        stub = DECK_CARDS - self.out + plan.short_stub
        if plan.counts:
            add(same(model.StubCounted, count=stub, exposed=0))
        add(model.CardsCollected(deck=deck.id, of="stub", count=stub, counted=None))
        if plan.face_up:
            add(model.CardsCollected(deck=deck.id, of="aside", count=len(plan.face_up), counted=None))

    # ------------------------------------------------------------------------------------------------------ the decisions

    def _decisions(self) -> None:
        """Everybody looks, then decides in turn; what was forfeited is collected, and the dealer turns (§ 687a.11(a)-(d))."""
        plan, add = self.plan, self.script.add
        playing = [seat for seat in plan.playing if seat not in plan.abandoned]
        plan.random.shuffle(looking := list(playing))
        for seat in looking:
            add(same(model.HandExamined, seat=seat))
        for seat in playing:
            box = plan.boxes[seat]
            add(same(model.DecisionMade, seat=seat, decision=box.decision))
            if box.decision == "raise":
                add(placed(seat, box.bettor, "raise", 2 * box.stakes["ante"]))
        for seat in playing:
            box = plan.boxes[seat]
            if box.decision == "raise":
                continue
            for wager in ("ante", "blind", "bad_beat"):
                if wager in box.stakes:
                    add(taken(seat, box.bettor, wager, box.stakes[wager]))
            if not self.stays(seat):
                self._collect(seat)
        add(same(model.HandRevealed, position="dealer"))

    def stays(self, seat: int) -> bool:
        """Whether a folded hand's cards stay: until its Trips, and a Progressive, is settled (§ 687a.11(c))."""
        return any(wager in self.plan.boxes[seat].stakes for wager in STANDING)

    def _collect(self, seat: int) -> None:
        count = len(self.plan.hands[seat])
        if self.plan.misdealt is not None and self.plan.misdealt[0] == seat:
            count += self.plan.misdealt[1]
        of: Any = seat
        self.script.add(model.CardsCollected(deck=self.plan.deck.id, of=of, count=count, counted=None))

    # -------------------------------------------------------------------------------------------------- the settlement

    def _due(self, decided: bool) -> list[Due]:
        """Return what everything is due for the hands as they lie, by the meter as it is at each turn."""
        plan = self.plan
        boxes = []
        for seat, box in sorted(plan.boxes.items()):
            stakes = dict(box.stakes)
            if decided and box.plays and box.decision == "raise" and seat not in plan.abandoned:
                stakes["raise"] = self._raised(seat)
            hand = Hand(tuple(plan.hands[seat])) if box.plays else Hand()
            decision = box.decision if decided else None
            boxes.append(Box(seat, box.bettor, hand, stakes, decision=decision, abandoned=seat in plan.abandoned))
        layout = Layout(
            boxes=boxes, dealer=Hand(tuple(plan.hands["dealer"])), side=plan.side,
            meter=Meter(reading=self.table.meter.value), turns=tuple(plan.settling), past_decisions=decided,
        )  # fmt: skip
        return settle(self.book, layout)

    def _raised(self, seat: int) -> int:
        step: Any = self.script.first(model.WagerPlaced, seat=seat, wager="raise")
        return int(step.payload.amount_cents)

    def _settle(self) -> None:
        plan = self.plan
        self.dues = self._due(decided=True)
        for seat in plan.settling:
            if seat in plan.abandoned or not plan.boxes[seat].plays:
                self._settle_box(seat, shown=False)
            elif plan.raises(seat) or self.stays(seat):
                self._settle_box(seat, shown=True)
        self._envy()
        self.script.steps += self.documents

    def _envy(self) -> None:
        for due in self.dues:
            if due.wager == "progressive_envy" and due.net_cents:
                seat: Any = due.seat
                self.script.add(
                    model.EnvyPaid(
                        seat=seat, wager="progressive", for_position=due.for_position or 1, amount_cents=due.cash_cents
                    )
                )

    def _settle_box(self, seat: int, shown: bool) -> None:
        plan, add = self.plan, self.script.add
        if shown:
            add(same(model.HandRevealed, position=seat))
        self.by_slip = False
        order = {"ante": 0, "blind": 1, "raise": 2}
        mine = [due for due in self.dues if due.seat == seat and due.wager != "progressive_envy"]
        for due in sorted(mine, key=lambda due: order.get(due.wager, 3)):
            if (due.wager, due.seat) not in self.script.settled:
                self._settle_wager(due)
        if not plan.boxes[seat].plays:
            return
        if self.by_slip and plan.documents_last:
            of: Any = seat
            collected = model.CardsCollected(deck=plan.deck.id, of=of, count=len(plan.hands[seat]), counted=None)
            self.documents.append(Step(collected))
        else:
            self._collect(seat)

    def _settle_wager(self, due: Due) -> None:
        add, seat = self.script.add, due.seat
        wager: Any = due.wager
        match due.outcome:
            case Outcome.WIN if wager == "progressive":
                self._pay_progressive(due)
            case Outcome.WIN:
                source = "inventory" if wager in ("ante", "raise") else source_of(due.winnings_cents)
                add(paid(due, due.returned_cents, due.winnings_cents, source))
                if source == "slip":
                    document(self, due, due.winnings_cents)
            case Outcome.TIE:
                add(returned(seat, due.bettor, wager, due.staked_cents, "push"))
            case Outcome.LOSE | Outcome.FOLDED | Outcome.ABANDONED:
                if wager != "progressive":  # its chips were collected before the deal
                    add(taken(seat, due.bettor, wager, due.staked_cents,
                              "abandoned" if due.outcome is Outcome.ABANDONED else "lost"))  # fmt: skip
            case Outcome.UNKNOWN if not self.plan.boxes[seat].plays:
                add(returned(seat, due.bettor, wager, due.staked_cents, "other"))  # no ante, no cards
            case _:
                raise AssertionError(f"{self.table.id} round {self.plan.round_no}: {due} cannot be settled")

    def _pay_progressive(self, due: Due) -> None:
        """A line at odds with its wager, or a share of the meter by slip."""
        if due.share_bp:
            win_from_meter(self, due)
            self.script.add(paid(due, 0, due.slip_cents, "slip"))
            document(self, due, due.slip_cents)
            return
        source = source_of(due.cash_cents)
        self.script.add(paid(due, due.returned_cents, due.cash_cents, source))
        if source == "slip":
            document(self, due, due.cash_cents)

    def _collect_rest(self) -> None:
        """The dealer's cards and the side card: all that is left."""
        gone: list[Any] = self.script.of(model.CardsCollected)
        left = DECK_CARDS + self.plan.short_stub - sum(step.payload.count for step in gone)
        self.script.add(model.CardsCollected(deck=self.plan.deck.id, of="all", count=left, counted=None))

    # --------------------------------------------------------------------------------------------------------- the void

    def _void(self) -> None:
        plan, add, table = self.plan, self.script.add, self.table
        assert plan.void is not None
        shuffle_other_deck(self)
        exposed = plan.void in ("exposed_card", "exposed_dealer")
        if (plan.counts or plan.void == "stub_count") and not plan.void_after:
            add(same(model.StubCounted, count=DECK_CARDS - self.out + plan.short_stub, exposed=0))
        if exposed:
            self._expose()
        elif plan.void == "device_failed":
            add(same(model.DeviceFailed, device="shoe", fault=plan.random.choice(("jam", "stopped"))))
        add(same(model.RoundVoided, scope="round", reason=plan.void))
        self.dues = [
            due for due in self._due(decided=False)
            if exposed and (due.wager in STANDING or due.wager == "progressive_envy")
        ]  # fmt: skip
        for seat in plan.settling:
            box = plan.boxes[seat]
            standing = {due.wager for due in self.dues if due.seat == seat}
            for wager, stake in box.stakes.items():
                if wager not in standing:
                    add(returned(seat, box.bettor, wager, stake, "void"))
            for due in self.dues:
                if due.seat == seat and due.wager != "progressive_envy":
                    self._settle_wager(due)
        self._envy()
        self.script.steps += self.documents
        add(model.CardsCollected(deck=plan.deck.id, of="all", count=DECK_CARDS + plan.short_stub, counted=None))
        add(same(model.RoundClosed, by=table.dealer))
        if plan.void == "device_failed":
            self.script.after.append(Step(model.DeviceRestored(device="shoe")))

    def _expose(self) -> None:
        plan, add = self.plan, self.script.add
        if plan.void == "exposed_dealer" and plan.turn % 2:
            add(same(model.HandRevealed, position="dealer"))
            return
        whose: Position = "dealer" if plan.void == "exposed_dealer" else plan.random.choice(plan.playing)
        card: Any = TEXT[plan.random.choice(plan.hands[whose])]
        by: Any = plan.random.choice(("dealer", "dealer", "device"))
        to: Any = whose
        add(model.CardExposed(whose=to, by=by, card=card))
