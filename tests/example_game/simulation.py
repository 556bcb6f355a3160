"""High Card on the floor: one table, what is decided about a round, how it goes, and what can be irregular in it."""

from random import Random
from typing import Any, ClassVar

from events.vocabulary import model
from events.vocabulary.model import Aspect
from floor.faults.anomaly import HERE, Anomalies
from floor.faults.labels import Spot
from floor.faults.payment import register_payment
from floor.game_simulation import GameSimulation
from floor.round.plan import Plan
from floor.round.play import Play
from floor.table.casino import SimulatedFiling, TableSpec
from floor.table.facts import exposed, same, stack_dealt
from floor.table.people import Habit
from floor.table.table import Table
from rulebook.cards.cards import parse_cards
from rulebook.layout import BettingBox, Hand, TableLayout
from rulebook.settlement.wagers import Due
from tests.example_game.settle import settle

ANOMALIES = Anomalies()
RARE = ("As Ah", "Ks Kh", "2s 2h")
BONUS_CENTS = 500


class HighCardTable(Table):
    """A table whose deck has no jokers."""

    def _receive(self, color: str, preshuffled: bool, jokers: int | None = None) -> tuple[str, int]:
        deck = self.serial("deck")
        self.report(model.DeckReceived(deck=deck, back_colour=color, jokers=0, preshuffled=preshuffled))
        return deck, 0


class HighCardPlan(Plan):
    """What is decided about a round: who bets what, which cards come."""

    required = ("ante",)
    habits: ClassVar[dict[str, Habit]] = {"pair_plus": "own"}
    by_hand: ClassVar = ("ante", "pair_plus")

    def __init__(self, table: Any, random: Random) -> None:
        super().__init__(table, random)
        self.exposed = False
        self.bet_all()
        self.deal({})

    def deal(self, targets: dict[Any, list[int]]) -> bool:
        """Deal two cards each, positions with a target getting that."""
        gone = {card for cards in targets.values() for card in cards}
        cards = [card for card in range(52) if card not in gone]
        self.random.shuffle(cards)
        self.hands = {to: targets[to] if to in targets else [cards.pop(), cards.pop()] for to in (*sorted(self.boxes), "dealer")}
        return True

    def stack(self, number: int) -> None:
        """Let a rare hand come up."""
        seat = min(self.boxes)
        self.bet(seat, "pair_plus", BONUS_CENTS)
        self.deal({seat: list(parse_cards(RARE[number % len(RARE)]))})


class HighCardPlay(Play):
    """Writes the script of a round as it should go."""

    observed: ClassVar[list[Aspect]] = ["wagering", "deal", "settlement"]
    at_even_money = ("ante", "pair_plus")
    withdrawn = ("ante", 1000)
    plan: HighCardPlan

    def shuffle_and_cut(self) -> None:
        """No one records it."""

    def close_betting(self) -> None:
        """ "No more bets"."""
        self.script.add(same(model.NoMoreBets, announced_by="dealer"))

    def deal(self) -> None:
        """Two cards each."""
        self.add_deals([stack_dealt(to, cards) for to, cards in self.plan.hands.items()])
        if self.plan.exposed:
            self.script.add(exposed("dealer", "dealer", self.plan.hands["dealer"][0]))

    def play_hands(self) -> None:
        """No one decides anything: the hands are turned over."""
        for to in self.plan.hands:
            self.script.add(same(model.HandRevealed, position=to))

    def due(self) -> list[Due]:
        """Return what every wager is due."""
        plan = self.plan
        boxes = [BettingBox(s, box.bettor, Hand(tuple(plan.hands[s])), box.stakes) for s, box in sorted(plan.boxes.items())]
        return settle(self.book, TableLayout(boxes=boxes, dealer=Hand(tuple(plan.hands["dealer"]))))

    def settle(self) -> None:
        """Settle everything."""
        self.dues = self.due()
        for due in self.dues:
            self.settle_wager(due)

    def collect(self, of: Any, count: int, counted: int | None = None) -> None:
        """No one records it."""

    def shuffle_other_deck(self) -> None:
        """There is one deck."""


register_payment(ANOMALIES, lambda plan: True, lambda plan: True, None)


@ANOMALIES.fault("HC-TURN")
def dealer_first(play: Any) -> Spot:
    """The dealer's hand is turned over before the others."""
    first = next(iter(play.plan.hands))
    dealers, player = (play.script.first(model.HandRevealed, position=to) for to in ("dealer", first))
    play.script.move_before(dealers, player)
    return Spot(first)


def _exposed(plan: HighCardPlan) -> None:
    plan.exposed = True


def _void(plan: HighCardPlan) -> None:
    plan.exposed, plan.void = True, "exposed_dealer"


# A card of the dealer is exposed, and the round goes on, or is voided.
ANOMALIES.fault("DEAL-EXPOSED", Spot(consequences=("PAY-VOID",)), prepare=_exposed)
ANOMALIES.legitimate("void", 15, HERE, prepare=_void)


LIMITS = {"min": "10.00", "max": "500.00", "pair_plus.min": "1.00", "pair_plus.max": "100.00"}
TABLE = TableSpec("hc-01", "pa-700a", "manual_shoe", "none", 1, "", SimulatedFiling({"pair_plus": "A"}, "", LIMITS))
SIMULATION = GameSimulation("high_card", (TABLE,), HighCardTable, HighCardPlan, HighCardPlay, ANOMALIES)
