"""A round of play in California, written down as it should go (GEGR-002138), from its plan."""

from __future__ import annotations

from typing import Any, ClassVar

from events import model
from events.model import Aspect, Event, fact
from floor.face_up_pai_gow.facts import hand_set
from floor.face_up_pai_gow.play import Play
from floor.player_dealer.plan import PlayerDealerPlan
from floor.table.facts import dealt, paid, returned, same, taken, texts
from floor.table.script import Script, Step
from games.bonus import is_qualifying
from games.player_dealer import SEATS
from games.wagers import Due, Outcome

OBSERVED: list[Aspect] = [
    "shuffle", "wagering", "start", "deal", "stub", "setting", "settlement", "envy", "rotation", "fees",
]  # fmt: skip
PILES = [f"pile-{number}" for number in range(1, SEATS + 1)]
CARDS_EACH = 7


class PlayerDealerPlay(Play):
    """Writes the script of one round."""

    plan: PlayerDealerPlan
    chips: ClassVar = "player_dealer"

    def write(self) -> Script:
        """Return the whole script."""
        plan, add = self.plan, self.script.add
        offers = [fact(model.PlayerDealerOffered, seat=seat, accepted=accepted) for seat, accepted in plan.offers]
        if plan.offered_early:
            self.table.report(*offers)
        add(model.RoundOpened(deck=plan.deck.id, observed=OBSERVED))
        self._shuffle_and_cut()
        self.script.steps += [Step(event) for event in offers if not plan.offered_early]
        bettor = plan.table.seats[plan.bank].token
        add(model.PlayerDealerWagered(seat=plan.bank, bettor=bettor, amount_cents=plan.bank_cents))
        plan.table.take_position(plan.bank, bool(offers))
        self._wagers()
        self._fees()
        self._deal()
        self._after_deal()
        self._set_hands()
        self._settle()
        add(model.CardsCollected(deck=plan.deck.id, of="all", count=49, counted=None))
        add(same(model.RoundClosed, by=self.table.dealer))
        return self.script

    # -------------------------------------------------------------------------------------------------- wagers and fees

    def _wagers(self) -> None:
        plan, add = self.plan, self.script.add
        super()._wagers()
        for seat, box in plan.boxes.items():
            for bettor, cents in box.behind:
                add(wagered(seat, bettor, "backline", cents))
            if is_qualifying(self.book, "fortune_bonus", box.stakes.get("fortune_bonus", 0)):
                add(same(model.LammerPlaced, seat=seat, wager="fortune_bonus"))

    def _fees(self) -> None:
        """One flat fee a seat with a base wager; the player-dealer and who bets behind pay at times, the same."""
        plan, random = self.plan, self.plan.random
        payers = [(seat, box.bettor) for seat, box in plan.boxes.items() if "base" in box.stakes]
        if random.random() < 0.5:
            payers.append((plan.bank, plan.table.seats[plan.bank].token))
        if random.random() < 0.5:
            payers += [(seat, bettor) for seat, box in plan.boxes.items() for bettor, _ in box.behind]
        for seat, bettor in payers:
            self.script.add(fee(seat, bettor, int(self.book.settings["collection"])))

    # --------------------------------------------------------------------------------------------------------- the deal

    def _deal(self) -> None:
        """By hand seven piles are dealt, and given out from the one picked on; the machine gives out hands."""
        plan, steps = self.plan, self.script.steps
        by_seat = {seat: list(plan.hands[seat]) for seat in plan.order}
        if plan.misdealt is not None:
            more, fewer = plan.misdealt
            by_seat[more].append(by_seat[fewer].pop())
        if self.table.spec.deal_method == "hand":
            steps += [Step(event) for event in self._piles(list(by_seat.values()))]
            self.script.add(fact(model.PileSelected, pile=f"pile-{plan.pile}"))
        self._find_start()
        self.script.add(model.ActionButtonPlaced(seat=plan.button))
        hands = [fact(model.CardsDealt, to=to, cards=texts(cards), face_up=False) for to, cards in by_seat.items()]
        steps += [Step(event) for event in hands]

    def _piles(self, hands: list[list[int]]) -> list[Event]:
        """The cards as they go to the piles, to and fro; the picked pile is the first hand, the next the second."""
        at = self.plan.pile - 1
        piles = {PILES[(at + i) % SEATS]: hand for i, hand in enumerate(hands)}
        return [
            dealt(pile, piles[pile][turn])
            for turn in range(CARDS_EACH)
            for pile in (PILES if turn % 2 == 0 else reversed(PILES))
        ]

    def _after_deal(self) -> None:
        plan, add = self.plan, self.script.add
        if self.book.starting == "shaker":
            add(same(model.ShakerCovered, placed_right_of_dealer=True))
            add(same(model.ShakerShaken, times=1, duration_ms=None, covered=True))
        count = 4 + plan.short_stub
        add(same(model.StubCounted, count=count, exposed=0))
        add(model.CardsCollected(deck=plan.deck.id, of="stub", count=count, counted=None))

    # ------------------------------------------------------------------------------------------------------ the setting

    def _set_hands(self) -> None:
        """The player-dealer's hand is exposed and set, then the players set; looking is free."""
        plan, add, random = self.plan, self.script.add, self.plan.random
        seats = self._in_turn()
        early = [seat for seat in seats if random.random() < 0.5]
        for seat in early:
            add(same(model.HandExamined, seat=seat))
        add(same(model.HandRevealed, position=plan.bank))
        if plan.not_set:
            return
        add(hand_set(plan.bank, plan.dealer_way, "player"))
        for seat in seats:
            if seat not in early:
                add(same(model.HandExamined, seat=seat))
            self._set_box(seat)

    # --------------------------------------------------------------------------------------------------- the settlement

    def _settle(self) -> None:
        plan = self.plan
        self.dues = plan.dues()
        seats = list(dict.fromkeys(due.seat for due in self.dues))
        if plan.any_order:
            plan.random.shuffle(seats)
        for seat in seats:
            self.script.add(same(model.HandRevealed, position=seat))
            for due in self.dues:
                if due.seat == seat:
                    self._settle_due(due)

    def _settle_due(self, due: Due) -> None:
        """Pay, take or push, as far as the player-dealer's wager reaches; the rest goes back."""
        add, wager = self.script.add, due.wager
        if due.for_position is not None:
            if due.cash_cents:
                add(envy(due.seat, due.for_position, due.cash_cents))
            return
        match due.outcome:
            case Outcome.WIN:
                add(paid(due, due.returned_cents, due.winnings_cents, self.chips))
            case Outcome.TIE | Outcome.ACE_HIGH_PUSH:
                add(returned(due.seat, due.bettor, wager, due.staked_cents, "push"))
            case Outcome.LOSE | Outcome.FOUL:
                reason = "foul" if due.outcome is Outcome.FOUL else "lost"
                add(taken(due.seat, due.bettor, wager, due.staked_cents - due.returned_cents, reason))
                if due.returned_cents:
                    add(returned(due.seat, due.bettor, wager, due.returned_cents, "uncovered"))
            case Outcome.UNCOVERED:
                add(returned(due.seat, due.bettor, wager, due.staked_cents, "uncovered"))
            case _:
                raise AssertionError(f"{self.table.id} round {self.plan.round_no}: {due} cannot be settled")


def wagered(seat: int, bettor: str, wager: str, cents: int) -> Event:
    """A wager that is placed."""
    return fact(
        model.WagerPlaced, seat=seat, bettor=bettor, wager=wager, number=None, amount_cents=cents, form="chips"
    )  # fmt: skip


def fee(seat: int, bettor: str, cents: int) -> Event:
    """A collection fee that is taken."""
    return model.CollectionTaken(seat=seat, bettor=bettor, amount_cents=cents)


def envy(seat: int, holder: Any, cents: int) -> Event:
    """An Envy Bonus that is paid."""
    return fact(model.EnvyPaid, seat=seat, wager="fortune_bonus", for_position=holder, amount_cents=cents)
