"""The correct script of a round with a player-dealer (GEGR-002138), from its plan."""

from typing import Any, ClassVar

from events.vocabulary import model
from events.vocabulary.model import Aspect, Event, fact
from floor.round.pai_gow_play import CARDS, STUB, PaiGowPlay
from floor.table.facts import card_dealt, hand_set, same, wager_placed
from floor.table.script import ScriptStep
from games.player_dealer.settle import SEATS
from games.player_dealer.simulation.plan import PlayerDealerPlan
from games.player_dealer.simulation.table import PlayerDealerTable
from rulebook.settlement.wagers import Due

PILES = [f"pile-{number}" for number in range(1, SEATS + 1)]


class PlayerDealerPlay(PaiGowPlay):
    """Writes the script of one round."""

    observed: ClassVar[list[Aspect]] = [
        *("shuffle", "wagering", "start", "deal", "stub", "setting", "settlement", "envy", "rotation", "fees")
    ]
    plan: PlayerDealerPlan
    table: PlayerDealerTable
    chips = "player_dealer"

    def shuffle_and_cut(self) -> None:
        """Shuffle and cut; the position is offered before the round or now, and the player-dealer wagers."""
        plan = self.plan
        offers = [fact(model.PlayerDealerOffered, seat=seat, accepted=accepted) for seat, accepted in plan.offers]
        if plan.offered_early:
            self.table.report(*offers)
        super().shuffle_and_cut()
        self.script.steps += [ScriptStep(event) for event in offers if not plan.offered_early]
        bettor = plan.table.seats[plan.bank].token
        self.script.add(fact(model.PlayerDealerWagered, seat=plan.bank, bettor=bettor, amount_cents=plan.bank_cents))
        plan.table.take_position(plan.bank, bool(offers))

    def take_wagers(self) -> None:
        """Everybody wagers, from behind too; a qualifying wager gets its button at once."""
        super().take_wagers()
        for seat, box in self.plan.boxes.items():
            for bettor, cents in box.behind:
                self.script.add(wager_placed(seat, bettor, "backline", cents))
            if self.qualifies(seat, "fortune_bonus"):
                self.script.add(same(model.LammerPlaced, seat=seat, wager="fortune_bonus"))

    def close_betting(self) -> None:
        """One flat fee a seat with a base wager; the player-dealer and who bets behind pay at times, the same."""
        plan, random = self.plan, self.plan.random
        payers = [(seat, box.bettor) for seat, box in plan.boxes.items() if "base" in box.stakes]
        if random.random() < 0.5:
            payers.append((plan.bank, plan.table.seats[plan.bank].token))
        if random.random() < 0.5:
            payers += [(seat, bettor) for seat, box in plan.boxes.items() for bettor, _ in box.behind]
        for seat, bettor in payers:
            self.script.add(fee(seat, bettor, int(self.book.settings["collection"])))

    def find_start(self) -> None:
        """The start is found when the hands lie ready: see `deal`."""

    def deal(self) -> None:
        """By hand seven piles are dealt, and given out from the one picked on; the machine gives out hands."""
        plan, hands = self.plan, self.hands_dealt()
        if self.table.spec.deal_method == "hand":
            self.script.steps += [ScriptStep(event) for event in self._piles(list(hands.values()))]
            self.script.add(fact(model.PileSelected, pile=f"pile-{plan.pile}"))
        super().find_start()
        self.script.add(model.ActionButtonPlaced(seat=plan.button))
        self.add_deals(self.stacks(hands))

    def _piles(self, hands: list[list[int]]) -> list[Event]:
        """The cards as they go to the piles, to and fro; the picked pile is the first hand, the next the second."""
        at = self.plan.pile - 1
        piles = {PILES[(at + i) % SEATS]: hand for i, hand in enumerate(hands)}
        there, back = PILES, PILES[::-1]
        return [card_dealt(pile, piles[pile][turn]) for turn in range(CARDS) for pile in (back if turn % 2 else there)]

    def after_deal(self) -> None:
        """The shaker is covered, and the stub counted."""
        self.cover_shaker()
        self.count_stub(STUB + self.plan.short_stub)

    def play_hands(self) -> None:
        """The player-dealer's hand is exposed and set, then the players set; looking is free."""
        plan, add = self.plan, self.script.add
        seats = self.in_turn()
        early = [seat for seat in seats if plan.random.random() < 0.5]
        for seat in early:
            add(same(model.HandExamined, seat=seat))
        add(same(model.HandRevealed, position=plan.bank))
        if plan.not_set:
            return
        add(hand_set(plan.bank, plan.dealer_way, "player"))
        for seat in seats:
            if seat not in early:
                add(same(model.HandExamined, seat=seat))
            self.set_box(seat)

    def settle(self) -> None:
        """Settle clockwise from the action on, or, where all is covered, in any order."""
        self.dues = self.plan.dues()
        seats = list(dict.fromkeys(due.seat for due in self.dues))
        if self.plan.any_order:
            self.plan.random.shuffle(seats)
        for seat in seats:
            self.script.add(same(model.HandRevealed, position=seat))
            for due in self.dues:
                if due.seat != seat:
                    continue
                if due.for_position is None:
                    self.settle_wager(due)
                elif due.cash_cents:
                    self.pay_envy(due)

    def source_of(self, due: Due) -> Any:
        """All winnings come from the player-dealer."""
        return self.chips

    def collect_rest(self) -> None:
        """All cards but the stub."""
        self.collect("all", CARDS * SEATS)


def fee(seat: Any, bettor: str, cents: int) -> Event:
    """A collection fee that is taken."""
    return model.CollectionTaken(seat=seat, bettor=bettor, amount_cents=cents)
