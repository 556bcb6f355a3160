"""A round of Pai Gow Poker, written down as it should go (58 Pa. Code §§ 645c.1 to 645c.3), from its plan.

The dice are announced and the wagers on them settled before the cards; the players set first; vigorish is taken where the
game is not commission-free. What the Must-Hit-By controller records is paid as it says: where the plan lets it err, that
is the fault.
"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from events import model
from events.model import Aspect
from floor.face_up_pai_gow.plan import BoxPlan
from floor.face_up_pai_gow.play import OBSERVED, Play
from floor.pai_gow_poker.plan import ON_DICE, PaiGowPlan
from floor.pai_gow_poker.table import PaiGowTable
from floor.table.facts import paid, placed, same, taken
from floor.table.mystery_meter import MysteryMeter
from floor.table.script import Step
from games.catalogue import GAMES
from games.chapters import Paytable, chapter
from games.layout import Dice, Layout
from games.progressive import WHOLE_METER_BP, share_cents
from games.wagers import Due, Outcome

TOO_MUCH_CENTICENTS = 3700
"""By so much a controller errs."""


class PaiGowPlay(Play):
    """Writes the script of one round."""

    observed: ClassVar[list[Aspect]] = [*OBSERVED, "mystery"]
    settled_early: ClassVar = (*ON_DICE, "match")
    plan: PaiGowPlan
    table: PaiGowTable

    def __init__(self, plan: PaiGowPlan) -> None:
        super().__init__(plan)
        self.won: dict[int, int] = {}
        """What the Must-Hit-By controller says that a seat has won, in cents."""
        self.errs = plan.controller
        self.passed = False

    # ------------------------------------------------------------------------------------------------------- the wagers

    def _wagers(self) -> None:
        meter = self._mystery
        if meter is not None and self.errs in ("low_target", "other_configuration"):
            below = self.errs == "low_target"
            self._arm(meter, meter.arm(below, instead=None if below else twin(meter.paytable)))
        super()._wagers()
        for seat, box in self.plan.boxes.items():
            for number, stake in box.match.items():
                self.script.add(placed(seat, box.bettor, "match", stake, number))
            if meter is not None and self.errs == "not_qualified" and seat == self.plan.chosen:
                self._contribute(meter, seat, self.book.offers["progressive"].min_cents)

    @property
    def _mystery(self) -> MysteryMeter | None:
        return self.table.mystery

    def _progressive(self, seat: int, box: BoxPlan, amount: int) -> None:
        super()._progressive(seat, box, amount)
        meter = self._mystery
        if meter is None or "base" not in box.stakes or (self.errs == "skips" and seat == self.plan.chosen):
            return
        self._contribute(meter, seat, amount)

    def _contribute(self, meter: MysteryMeter, seat: int, amount: int) -> None:
        """A qualifying wager adds its percentage; the one that lifts the meter above the target hits (§ 645c.3(c)(2), (3))."""
        plan, error = self.plan, 0
        if self.errs == "advances_wrong":
            error, self.errs = TOO_MUCH_CENTICENTS, ""
        advanced = meter.advance(self.table.id, plan.round_no, seat, amount, error)
        self._by_controller(meter, advanced)
        self.script.add(
            model.ProgressiveAccepted(
                seat=seat, meter=meter.id, amount_cents=amount, reading_centicents=advanced.value_centicents,
                meter_seq=meter.seq,
            )
        )  # fmt: skip
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
        self._by_controller(meter, event)
        self.script.add(event)
        self.won[seat] = self.won.get(seat, 0) + share_cents(reading, WHOLE_METER_BP)
        self._arm(meter, meter.arm())

    def _arm(self, meter: MysteryMeter, event: model.MysteryArmed) -> None:
        self._by_controller(meter, event)
        self.script.add(event)

    def _by_controller(self, meter: MysteryMeter, event: model.Event) -> None:
        self.script.steps.append(Step(event, "controller", meter.id))

    # --------------------------------------------------------------------------------------------------------- the dice

    def _shake(self) -> None:
        if self.book.starting != "player_shaker":
            super()._shake()
            return
        plan = self.plan
        self.script.add(same(model.ShakerActivated, seat=plan.random.choice(sorted(plan.boxes))))
        shaken = self.script.add(model.ShakerShaken(times=None, duration_ms=plan.shaken_ms, covered=True))
        shaken.pause_us = plan.shaken_ms * 1000

    def _roll(self, dice: list[Any], lie: Any) -> None:
        super()._roll(dice, lie)
        if lie == "flat":
            rolled: Any = self.script.steps[-1].payload
            self.script.steps[-1].payload = msgspec.structs.replace(rolled, colours=self.plan.colours)
            if self.has_dice_wagers or self.book.starting == "player_shaker":
                self.script.add(model.DiceAnnounced(dice=dice))

    @property
    def has_dice_wagers(self) -> bool:
        """Whether wagers on the dice are offered."""
        return any(wager in self.book.offers for wager in self.settled_early)

    def _find_start(self) -> None:
        super()._find_start()
        if self.has_dice_wagers:
            self._settle_dice()

    def _settle_dice(self) -> None:
        """Take and pay the wagers on the dice, before the cards are dealt (§ 645c.2(g), (h))."""
        dues = GAMES[self.book.game].settle(self.book, self._layout())
        for due in sorted([due for due in dues if due.wager in self.settled_early], key=lambda due: -due.seat):
            event: Any = taken(due.seat, due.bettor, due.wager, due.staked_cents, "lost")
            if due.outcome is Outcome.WIN:
                event = paid(due, due.returned_cents, due.winnings_cents)
            self.script.add(msgspec.structs.replace(event, number=due.number))

    # -------------------------------------------------------------------------------------------------- the settlement

    def _layout(self) -> Layout:
        dice, colours = self.plan.dice, self.plan.colours
        lay = Dice((dice[0], dice[1], dice[2]), (colours[0], colours[1], colours[2]) if colours else None)
        return msgspec.structs.replace(super()._layout(), dice=lay if self.table.spec.has_dice else None)

    def _settle_box(self, seat: int, dues: list[Due], holder: bool) -> None:
        super()._settle_box(seat, [due for due in dues if due.wager not in self.settled_early], holder)

    def _settle_wager(self, due: Due, box: BoxPlan) -> None:
        super()._settle_wager(due, box)
        if due.vigorish_cents:
            self.script.add(model.VigorishTaken(seat=due.seat, bettor=due.bettor, amount_cents=due.vigorish_cents))

    def _pay_beside(self, seat: int) -> None:
        """Light, validation, and the whole meter, from the inventory or by slip as filed (§ 645c.3(c)(5), (6))."""
        cents = self.won.get(seat)
        if cents is None:
            return
        add, table, filed = self.script.add, self.table, self.book.settings["mystery_paid_by"]
        source: Any = self.plan.random.choice(("inventory", "slip")) if filed == "either" else filed
        add(same(model.LightSeen, seat=seat))
        add(same(model.PayoutValidated, seat=seat, wager="mystery", by=table.floor, role="floorperson"))
        place: Any = seat
        add(
            model.WagerPaid(
                seat=place, bettor=self.plan.boxes[seat].bettor, wager="mystery", number=None, stake_cents=0,
                winnings_cents=cents, source=source,
            )
        )  # fmt: skip
        if source == "slip":
            add(
                model.PayoutDocumented(seat=place, wager="mystery", document=table.serial("jp"), amount_cents=cents)
            )  # fmt: skip


def twin(paytable: Paytable) -> Paytable | None:
    """Return another Must-Hit-By configuration with the same minimum and rate, or null where there is none."""
    book = chapter("pa", "645c")
    known = [book.paytable("mystery", name) for name in book.wagers["mystery"].paytables]
    same_rate = [each for each in known if (each.seed_cents, each.rate_bp) == (paytable.seed_cents, paytable.rate_bp)]
    return next((each for each in same_rate if each.maximum_cents != paytable.maximum_cents), None)
