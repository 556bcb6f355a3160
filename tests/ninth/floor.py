"""High Card on the floor: one table, what is decided about a round, how it goes, and what can be irregular in it."""

from __future__ import annotations

from collections.abc import Collection
from random import Random
from typing import Any, ClassVar

from events import model
from events.model import Event, fact
from floor.faults import payment
from floor.faults.anomaly import Anomalies
from floor.faults.labels import Spot
from floor.game_simulation import GameSimulation
from floor.table.casino import Filing, TableSpec
from floor.table.facts import paid, placed, returned, same, taken, texts
from floor.table.script import Script
from floor.table.table import Table
from games.cards import parse_cards
from games.layout import Box, Hand, Layout
from games.wagers import Due, Outcome
from tests.ninth.high_card import settle

ANOMALIES = Anomalies()
RARE = ("As Ah", "Ks Kh", "2s 2h")
BONUS_CENTS = 500


class HighCardTable(Table):
    """A table whose deck has no jokers."""

    def _receive(self, colour: str, preshuffled: bool, jokers: int | None = None) -> tuple[str, int]:
        deck = self.serial("deck")
        self.report(model.DeckReceived(deck=deck, back_colour=colour, jokers=0, preshuffled=preshuffled))
        return deck, 0


class Plan:
    """What is decided about a round: who bets what, which cards come."""

    base, by_hand, prepared, ties = "ante", ("ante", "bonus"), "bonus", True
    surrendered: ClassVar[Collection[int]] = ()

    def __init__(self, table: HighCardTable, random: Random) -> None:
        self.table, self.random, self.book = table, random, table.book
        self.round_no, self.deck, self.turn = table.round_no + 1, table.deck, 0
        self.bettors = {seat: patron.token for seat, patron in sorted(table.seats.items())}
        ante = self.book.offers["ante"].min_cents
        self.stakes = {seat: {"ante": ante * table.seats[seat].units} for seat in self.bettors}
        for stakes in self.stakes.values():
            if random.random() < 0.5:
                stakes["bonus"] = BONUS_CENTS
        self.exposed = self.void = False
        self.deal()

    def deal(self, *first: int) -> None:
        """Deal; the first seat gets these cards, where some are named."""
        cards = [card for card in range(52) if card not in first]
        self.random.shuffle(cards)
        cards += reversed(first)
        self.hands = {seat: (cards.pop(), cards.pop()) for seat in self.bettors}
        self.dealers = cards.pop(), cards.pop()

    def stack(self, number: int) -> None:
        """Let a rare hand come up."""
        self.stakes[min(self.stakes)]["bonus"] = BONUS_CENTS
        self.deal(*parse_cards(RARE[number % len(RARE)]))

    def dues(self) -> list[Due]:
        """Return what every wager is due."""
        boxes = [Box(seat, self.bettors[seat], Hand(self.hands[seat]), held) for seat, held in self.stakes.items()]
        return settle(self.book, Layout(boxes=boxes, dealer=Hand(self.dealers)))


class Play:
    """Writes the script of a round as it should go."""

    chips = "inventory"

    def __init__(self, plan: Plan) -> None:
        self.plan, self.table, self.script = plan, plan.table, Script()
        self.dues: list[Due] = []
        self.settled: set[tuple[str, int]] = set()

    def write(self) -> Script:
        """Return the whole script."""
        add, plan = self.script.add, self.plan
        add(model.RoundOpened(deck=plan.deck.id, observed=["wagering", "deal", "settlement"]))
        for seat, stakes in plan.stakes.items():
            for wager, cents in stakes.items():
                add(placed(seat, plan.bettors[seat], wager, cents))
        add(same(model.NoMoreBets, announced_by="dealer"))
        for to, cards in (*plan.hands.items(), ("dealer", plan.dealers)):
            add(fact(model.CardsDealt, to=to, cards=texts(cards), face_up=False))
        if plan.exposed:
            add(fact(model.CardExposed, whose="dealer", card=texts(plan.dealers)[0], by="dealer"))
        if plan.void:
            add(fact(model.RoundVoided, scope="round", reason="exposed_dealer"))
            for seat, stakes in plan.stakes.items():
                for wager, cents in stakes.items():
                    add(returned(seat, plan.bettors[seat], wager, cents, "void"))
        else:
            for to in (*plan.hands, "dealer"):
                add(same(model.HandRevealed, position=to))
            self.dues = plan.dues()
            for due in self.dues:
                self.settled.add((due.wager, due.seat))
                add(_settled(due))
        add(same(model.RoundClosed, by=self.table.dealer))
        return self.script


def _settled(due: Due) -> Event:
    if due.outcome is Outcome.WIN:
        return paid(due, due.returned_cents, due.winnings_cents)
    if due.outcome is Outcome.TIE:
        return returned(due.seat, due.bettor, due.wager, due.staked_cents, "push")
    return taken(due.seat, due.bettor, due.wager, due.staked_cents)


for code, planter in {
    "PAY-OVER": payment.pay_over, "PAY-UNDER": payment.pay_under, "PAY-MISSED": payment.pay_missed,
    "PAY-LOSER": payment.pay_loser, "PAY-TAKEN": payment.pay_taken, "PAY-NOT-TAKEN": payment.pay_not_taken,
}.items():  # fmt: skip
    ANOMALIES.fault(code)(planter)


@ANOMALIES.fault("PLAY-ORDER")
def dealer_first(play: Play) -> Spot:
    """The dealer's hand is turned over before the others."""
    first = next(seat for seat in play.plan.hands)
    dealers, player = (play.script.first(model.HandRevealed, position=to) for to in ("dealer", first))
    assert dealers is not None
    assert player is not None
    play.script.move_before(dealers, player)
    return Spot(first)


def _exposed(plan: Plan) -> bool:
    plan.exposed = True
    return True


def _void(plan: Plan) -> bool:
    plan.exposed = plan.void = True
    return True


@ANOMALIES.fault("DEAL-EXPOSED", prepare=_exposed)
def played_on(play: Play) -> Spot:
    """A card of the dealer is exposed, and the round goes on."""
    return Spot(consequences=("PAY-VOID",))


@ANOMALIES.legitimate("void", 15, prepare=_void)
def voided(play: Play) -> Spot:
    """A card of the dealer is exposed, and the round is voided."""
    return Spot()


def specs(tables: int) -> list[TableSpec]:
    """Return the one table there is."""
    limits = {"min": "10.00", "max": "500.00", "bonus.min": "1.00", "bonus.max": "100.00"}
    return [TableSpec("hc-01", "pa-700a", "manual_shoe", "none", 1, "", Filing({"bonus": "A"}, "", limits))]


def natural(play: Any) -> list[str]:
    """Nothing is irregular by itself."""
    return []


HIGH_CARD = GameSimulation(
    name="high_card", tables=1, specs=specs, table=HighCardTable, plan=Plan, play=Play, anomalies=ANOMALIES,
    natural=natural,
)  # fmt: skip
