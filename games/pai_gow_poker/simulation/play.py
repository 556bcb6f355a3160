"""The correct script of a Pai Gow Poker round (58 Pa. Code §§ 645c.1 to 645c.3), from its plan.

The dice are announced and the wagers on them settled before the cards; the players set first; vigorish is taken unless the game
is commission-free. The Must-Hit-By bonus is paid as its controller records; if the plan makes it err, that is the fault.
"""

from typing import Any, ClassVar

import msgspec

from events.vocabulary import model
from events.vocabulary.model import Aspect
from floor.round.pai_gow_play import PaiGowPlay
from floor.table.facts import same, wager_paid, wager_placed, wager_taken
from floor.table.mystery_meter import MysteryMeter
from games.pai_gow_poker.simulation.plan import ON_DICE, PaiGowPokerPlan
from games.pai_gow_poker.simulation.table import PaiGowTable
from rulebook.chapters.chapters import chapter
from rulebook.chapters.paytables import Paytable
from rulebook.settlement.progressive import WHOLE_METER_BP, share_cents
from rulebook.settlement.wagers import Due, Outcome

TOO_MUCH_CENTICENTS = 3700
"""By so much a controller errs."""


class PaiGowPokerPlay(PaiGowPlay):
    """Writes the script of one round."""

    observed: ClassVar[list[Aspect]] = [*PaiGowPlay.observed, "mystery"]
    settled_early = (*ON_DICE, "match")
    plan: PaiGowPokerPlan
    table: PaiGowTable

    def __init__(self, plan: PaiGowPokerPlan) -> None:
        super().__init__(plan)
        self.won: dict[int, int] = {}
        """What the Must-Hit-By controller says that a seat has won, in cents."""
        self.errs = plan.controller
        self.passed = False

    # The wagers

    def take_wagers(self) -> None:
        """Everybody wagers, on numbers too; a controller may err before or after it."""
        meter = self.table.mystery
        if meter is not None and self.errs in ("low_target", "other_configuration"):
            below = self.errs == "low_target"
            self._arm(meter, meter.arm(below, instead=None if below else twin(meter.paytable)))
        super().take_wagers()
        for seat, box in self.plan.boxes.items():
            for number, stake in box.match.items():
                self.script.add(wager_placed(seat, box.bettor, "match", stake, number))
            if meter is not None and self.errs == "not_qualified" and seat == self.plan.chosen:
                self._contribute(meter, seat, self.book.offers["progressive"].min_cents)

    def accept_progressive(self, seat: int, bettor: str, amount: int) -> None:
        """A progressive wager contributes to the Must-Hit-By meter too, where it qualifies."""
        super().accept_progressive(seat, bettor, amount)
        meter, skips = self.table.mystery, self.errs == "skips" and seat == self.plan.chosen
        if meter is not None and "base" in self.plan.boxes[seat].stakes and not skips:
            self._contribute(meter, seat, amount)

    def _contribute(self, meter: MysteryMeter, seat: int, amount: int) -> None:
        """A qualifying wager adds its percentage; the one that lifts the meter above the target hits (§ 645c.3(c)(2), (3))."""
        error = 0
        if self.errs == "advances_wrong":
            error, self.errs = TOO_MUCH_CENTICENTS, ""
        self.advance(meter, seat, amount, error)
        hit = meter.value > meter.target
        if self.errs == "early":
            hit = True
        elif self.errs == "late" and hit and not self.passed:
            self.passed, hit = True, False
        if hit:
            self._hit(meter, seat)

    def _hit(self, meter: MysteryMeter, seat: int) -> None:
        reading, after, target = meter.value, meter.minimum, meter.target
        match self.errs:
            case "wrong_seat":
                seat = next(other for other in self.plan.boxes if other != seat)
            case "wrong_reading":
                reading += TOO_MUCH_CENTICENTS
            case "wrong_reset":
                after += TOO_MUCH_CENTICENTS
            case "other_target":
                target -= 100
        self.errs = ""
        event = meter.hit(self.table.id, self.plan.round_no, seat, reading, after, target)
        self.by_controller(meter, event)
        self.script.add(event)
        self.won[seat] = self.won.get(seat, 0) + share_cents(reading, WHOLE_METER_BP)
        self._arm(meter, meter.arm())

    def _arm(self, meter: MysteryMeter, event: model.MysteryArmed) -> None:
        self.by_controller(meter, event)
        self.script.add(event)

    # The dice

    def shake(self) -> None:
        """The dealer shakes, or a player activates the electronic shaker."""
        if self.book.starting != "player_shaker":
            super().shake()
            return
        plan = self.plan
        self.script.add(same(model.ShakerActivated, seat=plan.random.choice(sorted(plan.boxes))))
        shaken = self.script.add(model.ShakerShaken(times=None, duration_ms=plan.shaken_ms, covered=True))
        shaken.pause_us = plan.shaken_ms * 1000

    def roll(self, dice: list[Any], lie: Any) -> None:
        """Shake the dice and read them; announce each if a wager depends on it."""
        super().roll(dice, lie)
        if lie == "flat":
            rolled = self.script.steps[-1]
            rolled.payload = msgspec.structs.replace(rolled.payload, colours=self.plan.colours)
            if self.has_dice_wagers or self.book.starting == "player_shaker":
                self.script.add(model.DiceAnnounced(dice=dice))

    @property
    def has_dice_wagers(self) -> bool:
        """Whether wagers on the dice are offered."""
        return any(wager in self.book.offers for wager in self.settled_early)

    def find_start(self) -> None:
        """Find the start, then take and pay the wagers on the dice, before the cards are dealt (§ 645c.2(g), (h))."""
        super().find_start()
        dues = [due for due in self.due() if due.wager in self.settled_early] if self.has_dice_wagers else []
        for due in sorted(dues, key=lambda due: -due.seat):
            if due.outcome is Outcome.WIN:
                self.script.add(wager_paid(due, due.returned_cents, due.winnings_cents))
            else:
                self.script.add(wager_taken(due.seat, due.bettor, due.wager, due.staked_cents, "lost", due.number))

    # The settlement

    def settle_wager(self, due: Due) -> None:
        """Settle a wager, and take the vigorish."""
        super().settle_wager(due)
        if due.vigorish_cents:
            self.script.add(model.VigorishTaken(seat=due.seat, bettor=due.bettor, amount_cents=due.vigorish_cents))

    def pay_beside(self, seat: int) -> None:
        """Light, validation, and the whole meter, from the inventory or by slip as filed (§ 645c.3(c)(5), (6))."""
        cents = self.won.get(seat)
        if cents is None:
            return
        add, place, filed = self.script.add, {"seat": seat, "wager": "mystery"}, self.book.settings["mystery_paid_by"]
        source: Any = self.plan.random.choice(("inventory", "slip")) if filed == "either" else filed
        add(same(model.LightSeen, seat=seat))
        add(same(model.PayoutValidated, **place, by=self.table.floor, role="floorperson"))
        money = {"stake_cents": 0, "winnings_cents": cents, "source": source}
        add(model.fact(model.WagerPaid, **place, bettor=self.plan.boxes[seat].bettor, number=None, **money))
        if source == "slip":
            add(model.fact(model.PayoutDocumented, **place, document=self.table.serial("jp"), amount_cents=cents))


def twin(paytable: Paytable) -> Paytable | None:
    """Return another Must-Hit-By configuration with the same minimum and rate, or None if none exists."""
    book = chapter("pa", "645c")
    known = [book.paytable("mystery", name) for name in book.wagers["mystery"].paytables]
    same_rate = [each for each in known if (each.seed_cents, each.rate_bp) == (paytable.seed_cents, paytable.rate_bp)]
    return next((each for each in same_rate if each.maximum_cents != paytable.maximum_cents), None)
