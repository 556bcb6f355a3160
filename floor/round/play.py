"""The correct script of a round, from its plan: the common part of every game.

The settlement is what `games` says is due for the hands on the table. If the plan deviates (a wrong start, a void), people play
on as they do; fault injectors change the rest of the script. A game overrides its own steps; `write` has their order.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

from events.vocabulary import model
from events.vocabulary.model import Aspect, Event, fact
from floor.table.facts import (
    collected,
    same,
    source_of,
    stack_dealt,
    wager_paid,
    wager_placed,
    wager_removed,
    wager_returned,
    wager_taken,
)
from floor.table.script import Script, ScriptStep
from rulebook.cards.cards import TEXT
from rulebook.catalogue import GAMES
from rulebook.settlement.pai_gow import Position
from rulebook.settlement.wagers import PUSHES, Due, Outcome

DECK_CARDS = 53
ENVY = {"fortune_envy": "fortune_bonus", "progressive_envy": "progressive"}
REASONS = {Outcome.FOUL: "foul", Outcome.ABANDONED: "abandoned"}


class Play(ABC):
    """Writes the script of one round."""

    observed: ClassVar[list[Aspect]]
    """The aspects of a round that the table's devices report."""
    cut_depths: ClassVar[tuple[int, int]] = (10, 40)
    """How deep the dealer cuts."""
    chips: ClassVar[Any] = "inventory"
    """The owner of the chips that pay winnings."""
    at_even_money: ClassVar[tuple[str, ...]] = ("base",)
    """The wagers that are paid from the chips at the table, however much they win."""
    settled_early: ClassVar[tuple[str, ...]] = ()
    """The wagers that are settled before the deal, and stay settled if the round is void later."""
    withdrawn: ClassVar[tuple[str, int]] = ("base", 1000)
    """The wager and amount that a player may place and take back."""

    def __init__(self, plan: Any) -> None:
        self.plan, self.table, self.book = plan, plan.table, plan.book
        self.script = Script()
        self.dues: list[Due] = []
        self.documents: list[ScriptStep] = []
        self.left_on_table: dict[int, int] = {}
        self.table.wrong_stub = bool(plan.short_stub)
        self.table.voided_last = plan.void is not None
        self.by_slip = False
        self.other_deck_shuffled = False

    def write(self) -> Script:
        """Return the whole script."""
        plan, add = self.plan, self.script.add
        add(model.RoundOpened(deck=plan.deck.id, observed=self.observed))
        self.shuffle_and_cut()
        self.take_wagers()
        self.close_betting()
        self.find_start()
        self.deal()
        if plan.void is not None:
            self.void_round()
            return self.script
        self.after_deal()
        self.play_hands()
        self.settle()
        self.collect_rest()
        add(same(model.RoundClosed, by=self.table.dealer))
        return self.script

    # Shuffle and cut

    def shuffle_and_cut(self) -> None:
        """Shuffle the deck if it was dealt; a hand-shuffled deck is then cut, and a preshuffled one too if that is due."""
        table, deck, add = self.table, self.plan.deck, self.script.add
        uncut = deck.id in table.uncut
        table.uncut.discard(deck.id)
        if not deck.dirty:
            if uncut:
                self.cut()
            return
        if not table.by_hand:
            add(table.shuffled(deck))
            return
        add(model.CardsShuffled(deck=deck.id, method="manual", count=None), "dealer")
        self.cut()

    def cut(self) -> None:
        """The cards are cut."""
        self.script.steps += [ScriptStep(event) for event in self.a_cut()]

    def a_cut(self) -> list[Event]:
        """Return a correct cut: offered in order until somebody takes it, and the dealer's if no one does."""
        random, offers = self.plan.random, list[Event]()
        cutter: Position = "dealer"
        for seat, accepted in self.cut_offers():
            offers.append(same(model.CutOffered, seat=seat, accepted=accepted))
            if accepted:
                cutter = seat
                break
        depth, side = random.randrange(*self.cut_depths), random.choice(("top", "bottom"))
        return [*offers, same(model.CardsCut, by=cutter, depth=depth, counted_from=side)]

    def cut_offers(self) -> Iterator[tuple[int, bool]]:
        """Yield each player offered the cut, in order, and whether that player would take it: here no one."""
        return iter(())

    def shuffle_other_deck(self) -> None:
        """While one deck is dealt the machine shuffles the other (§§ 688a.3(b)(2), 687a.3(b)(2))."""
        table = self.table
        for deck in table.decks:
            if deck is not self.plan.deck and deck.dirty and not table.by_hand:
                self.script.add(table.shuffled(deck))
                deck.dirty = False
                self.other_deck_shuffled = True

    # The wagers

    def take_wagers(self) -> None:
        """Everybody wagers, in any order; sometimes somebody withdraws a wager."""
        plan, add, random = self.plan, self.script.add, self.plan.random
        seats = list(plan.boxes)
        random.shuffle(seats)
        for seat in seats:
            box = plan.boxes[seat]
            for wager, stake in box.stakes.items():
                amount = stake - box.late.get(wager, 0)
                if wager == "progressive":
                    self.accept_progressive(seat, box.bettor, amount)
                    continue
                if wager == "base" and amount >= 10_000 and random.random() < 0.04:
                    add(wager_placed(seat, box.bettor, wager, amount // 2))
                    amount -= amount // 2
                add(wager_placed(seat, box.bettor, wager, amount))
            if random.random() < 0.01:
                add(wager_placed(seat, box.bettor, *self.withdrawn))
                add(wager_removed(seat, box.bettor, *self.withdrawn))

    def accept_progressive(self, seat: int, bettor: str, amount: int) -> None:
        """A progressive wager is placed, the controller accepts it and advances its meter."""
        self.script.add(wager_placed(seat, bettor, "progressive", amount))
        error, self.plan.meter_error = self.plan.meter_error, 0
        self.advance(self.table.meter, seat, amount, error)

    def advance(self, meter: Any, seat: Any, amount: int, error: int) -> None:
        """Advance a meter, with its new reading in the table's record."""
        advanced = meter.advance(self.table.id, self.plan.round_no, seat, amount, error)
        self.by_controller(meter, advanced)
        self.script.add(
            model.ProgressiveAccepted(
                seat=seat, meter=meter.id, amount_cents=amount, reading_centicents=advanced.value_centicents, meter_seq=meter.seq
            )
        )

    def by_controller(self, meter: Any, event: Event) -> None:
        """A meter's controller reports in the meter's own stream."""
        self.script.steps.append(ScriptStep(event, "controller", meter.id))

    def close_betting(self) -> None:
        """ "No more bets"; the progressive wagers are locked and collected."""
        self.script.add(same(model.NoMoreBets, announced_by="dealer"))
        self.mark_qualifying()
        accepted = sum("progressive" in box.stakes for box in self.plan.boxes.values())
        self.script.add(same(model.ProgressiveLocked, accepted=accepted, collected=accepted))

    def mark_qualifying(self) -> None:
        """Mark the wagers that qualify for an Envy Bonus: here none is marked."""

    # The deal

    def find_start(self) -> None:
        """Find the position that gets the first card: here a fixed one."""

    @abstractmethod
    def deal(self) -> None:
        """Deal the cards."""

    def face_up(self, position: Position) -> bool:
        """Return whether the cards of a position are dealt face up."""
        return False

    def stacks(self, hands: dict[Position, list[int]]) -> list[Event]:
        """Return the hands as an automated shoe deals them."""
        return [stack_dealt(to, cards, self.face_up(to)) for to, cards in hands.items()]

    def add_deals(self, deals: list[Event]) -> None:
        """Deal these cards, with cards found face up among them."""
        plan, steps = self.plan, self.script.steps
        steps += [ScriptStep(event) for event in deals]
        if plan.face_up:
            at = len(steps) - len(deals) + plan.random.randrange(1, len(deals))
            steps[at:at] = [ScriptStep(same(model.CardFoundFaceUp, card=TEXT[card])) for card in plan.face_up]

    def after_deal(self) -> None:
        """The steps between the deal and the first decision."""

    @abstractmethod
    def play_hands(self) -> None:
        """Everybody sets the hands, or decides."""

    def setting_begins(self) -> ScriptStep:
        """Return the first step after the deal in which somebody looks at cards or sets them."""
        looks = (model.HandSet, model.HandExamined, model.HandRevealed)
        return next(step for step in self.script.steps if type(step.payload) in looks)

    # The settlement

    def due(self) -> list[Due]:
        """Return the amounts due for the hands on the table."""
        return GAMES[self.book.game].settle(self.book, self.plan.layout())

    @abstractmethod
    def settle(self) -> None:
        """Settle everything, in order."""

    def settle_wager(self, due: Due) -> None:
        """Pay, take or return a wager as due; the uncovered part goes back."""
        add, seat = self.script.add, due.seat
        match due.outcome:
            case Outcome.WIN if due.wager == "progressive":
                self.pay_progressive(due)
            case Outcome.WIN:
                source = self.source_of(due)
                add(wager_paid(due, due.returned_cents, due.winnings_cents, source))
                if source == "slip":
                    self.document(due, due.winnings_cents)
            case outcome if outcome in PUSHES or outcome is Outcome.TIE:
                add(wager_returned(seat, due.bettor, due.wager, due.staked_cents, "push"))
            case Outcome.VOID | Outcome.UNCOVERED:
                add(wager_returned(seat, due.bettor, due.wager, due.staked_cents, due.outcome.name.lower()))
            case Outcome.LOSE | Outcome.FOUL | Outcome.ABANDONED | Outcome.SURRENDERED | Outcome.FOLDED:
                if due.wager == "progressive":
                    return  # its chips were collected before the deal
                reason = REASONS.get(due.outcome, "lost")
                add(wager_taken(seat, due.bettor, due.wager, due.staked_cents - due.returned_cents, reason))
                if due.returned_cents:
                    add(wager_returned(seat, due.bettor, due.wager, due.returned_cents, "uncovered"))
            case Outcome.UNKNOWN if self.plan.base not in self.plan.boxes[seat].stakes:
                add(wager_returned(seat, due.bettor, due.wager, due.staked_cents, "other"))  # no ante, no cards
            case _:
                raise AssertionError(f"{self.table.id} round {self.plan.round_no}: {due} cannot be settled")

    def source_of(self, due: Due) -> Any:
        """Return the source of a wager's winnings."""
        return self.chips if due.wager in self.at_even_money else source_of(due.winnings_cents)

    def win_from_meter(self, due: Due) -> None:
        """Take the share off the meter, and record the win with both readings in the round."""
        plan, meter = self.plan, self.table.meter
        reading = meter.value
        error, plan.reset_error = plan.reset_error, 0
        won = meter.win(self.table.id, plan.round_no, due.seat, due.share_bp, error)
        self.by_controller(meter, won)
        self.script.add(
            model.ProgressiveWon(
                seat=due.seat,
                meter=meter.id,
                share_bp=due.share_bp,
                reading_centicents=reading,
                after_centicents=won.value_centicents,
                meter_seq=meter.seq,
            )
        )

    def pay_progressive(self, due: Due) -> None:
        """Pay a fixed amount and a share of the meter, the share by slip."""
        self.see_win(due)
        if due.share_bp:
            self.win_from_meter(due)
        self.validate_win(due)
        by_slip = due.slip_cents
        if due.cash_cents or due.returned_cents:
            source = source_of(due.cash_cents)
            self.script.add(wager_paid(due, due.returned_cents, due.cash_cents, source))
            by_slip += due.cash_cents if source == "slip" else 0
        if due.slip_cents:
            self.script.add(wager_paid(due, 0, due.slip_cents, "slip"))
        if by_slip:
            self.document(due, by_slip)

    def see_win(self, due: Due) -> None:
        """See a win of the progressive: here no one must."""

    def validate_win(self, due: Due) -> None:
        """Validate a win: here no one must."""

    def document(self, due: Due, amount_cents: int) -> None:
        """Document a payment by slip, at once or after the other settlements; the cards stay until then."""
        wager: Any = due.wager  # games name wagers as the events do
        paper = model.PayoutDocumented(seat=due.seat, wager=wager, document=self.table.serial("jp"), amount_cents=amount_cents)
        self.by_slip = True
        if self.plan.documents_last:
            self.documents.append(ScriptStep(paper))
        else:
            self.script.add(paper)

    def pay_envy(self, due: Due) -> None:
        """Pay an Envy Bonus."""
        paid_to = {"seat": due.seat, "for_position": due.for_position}
        self.script.add(fact(model.EnvyPaid, **paid_to, wager=ENVY[due.wager], amount_cents=due.cash_cents))

    def collect(self, of: Any, count: int, counted: int | None = None) -> None:
        """Put cards into the discard rack."""
        self.script.add(collected(self.plan.deck.id, of, count, counted))

    def collect_rest(self) -> None:
        """Put the remaining cards into the discard rack."""

    def pay_beside(self, seat: int) -> None:
        """Pay a seat's winnings outside its wagers: here there are none."""

    # The void

    def void_round(self) -> None:
        """Void the round on the plan's ground: its discovery, the call, and the return of every voided wager."""
        plan, add = self.plan, self.script.add
        self.shuffle_other_deck()
        self.find_ground()
        if plan.void == "device_failed":
            add(same(model.DeviceFailed, device="shoe", fault=plan.random.choice(("jam", "stopped"))))
            self.script.after.append(ScriptStep(model.DeviceRestored(device="shoe")))
        add(same(model.RoundVoided, scope="round", reason=plan.void))
        self.give_back()
        self.collect("all", DECK_CARDS + plan.short_stub)
        add(same(model.RoundClosed, by=self.table.dealer))

    def find_ground(self) -> None:
        """Record the discovery before the round is voided."""

    def give_back(self) -> None:
        """Return the wagers of a round that is void."""
        for seat in sorted(self.plan.boxes, reverse=True):
            box = self.plan.boxes[seat]
            for wager, stake in box.stakes.items():
                if wager not in self.settled_early:
                    self.script.add(wager_returned(seat, box.bettor, wager, stake, "void"))
            self.pay_beside(seat)
