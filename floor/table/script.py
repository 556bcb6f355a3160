"""The script of a round: the steps at the table before devices report them.

A round is first written as played correctly; a fault injector then changes the actions (a step dropped, moved or replaced); only
then do the steps become drafts with numbers and times. The device of an event reports its step.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from events.vocabulary import model
from events.vocabulary.model import Event

# Device of an event, and how long it takes (milliseconds, least and most). Devices are the table's own.
_DICE, _SHOE, _SHUFFLER, _BETTING = "dice", "shoe", "shuffler", "betting"
_DEALER, _FLOOR, _PROGRESSIVE = "dealer", "floor", "progressive"
DEVICES: dict[type[Event], tuple[str, int, int]] = {
    model.RoundOpened: (_DEALER, 3000, 9000),
    model.CardsShuffled: (_SHUFFLER, 900, 2500),
    model.DeviceFailed: (_FLOOR, 2000, 5000),
    model.DeviceCovered: (_FLOOR, 20_000, 60_000),
    model.DeviceRestored: (_FLOOR, 20_000, 90_000),
    model.RecutOrdered: (_FLOOR, 2000, 6000),
    model.WagerPlaced: (_BETTING, 500, 2500),
    model.WagerRemoved: (_BETTING, 500, 2000),
    model.WagerRefused: (_DEALER, 1000, 3000),
    model.PlayerDealerWagered: (_BETTING, 500, 2500),
    model.ProgressiveAccepted: (_PROGRESSIVE, 200, 500),
    model.ProgressiveLocked: (_PROGRESSIVE, 500, 1500),
    model.MysteryHit: (_PROGRESSIVE, 200, 500),
    model.MysteryArmed: (_PROGRESSIVE, 200, 500),
    model.ProgressiveWon: (_PROGRESSIVE, 200, 700),
    model.ShakerShaken: (_DICE, 1500, 3000),
    model.DiceRolled: (_DICE, 700, 1500),
    model.NumberDrawn: (_DICE, 700, 1500),
    model.ShakerActivated: (_DICE, 800, 3000),
    model.ShakerCovered: (_DICE, 400, 900),
    model.CardsDealt: (_SHOE, 300, 700),
    model.CardDrawnInError: (_SHOE, 200, 500),
    model.CardFoundFaceUp: (_SHOE, 500, 1500),
    model.HandExamined: (_DEALER, 800, 3000),
    model.HandSet: (_DEALER, 2000, 7000),
    model.HandReset: (_DEALER, 2000, 5000),
    model.PayoutValidated: (_FLOOR, 5000, 40_000),
    model.PayoutDocumented: (_FLOOR, 30_000, 120_000),
    model.EventCorrected: (_FLOOR, 5000, 60_000),
    model.DealerTappedIn: (_FLOOR, 2000, 6000),
    model.DealerTappedOut: (_FLOOR, 2000, 6000),
    model.DeckInspected: (_FLOOR, 20_000, 60_000),
}
_OTHERS = (_DEALER, 500, 2000)
_FLOORS = (_FLOOR, 3000, 12_000)
_BY_FLOOR = (
    model.GamingDayOpened, model.ShiftChanged, model.RulesFiled, model.TableOpened, model.TableClosed,
    model.InventoryCounted, model.DeckReceived, model.JokerDestroyed, model.DeckInPlay, model.DeckRemoved,
    model.CardsSpread, model.CardsWashed, model.DiceReceived, model.DiceRemoved, model.PatronSeated, model.PatronLeft,
    model.BuyIn, model.MarkerIssued, model.FillReceived, model.CreditSent, model.DropCounted,
)  # fmt: skip
for _type in _BY_FLOOR:
    DEVICES.setdefault(_type, _FLOORS)

COUNT = "count"
"""The device of the count room, which counts the drop."""
SOURCES = tuple(sorted({_OTHERS[0], COUNT, *(device for device, _, _ in DEVICES.values())}))
"""The devices that report for a table."""


@dataclass(slots=True, eq=False)
class ScriptStep:
    """One step: the event, the device that reports it, and how it deviates.

    `meter` names the stream of a controller's event. `corrects` is the step whose event this one supersedes with `replacement`;
    `truth` is the real event if another was typed. `pause_us` is extra time before the step. `payload` is of the type requested
    from `Script.of`.
    """

    payload: Any
    source: str = ""
    meter: str | None = None
    wait_ms: tuple[int, int] = (0, 0)
    pause_us: int = 0
    counter_jump: int = 0
    clock_back_us: int = 0
    corrects: "ScriptStep | None" = None
    replacement: Event | None = None
    truth: Event | None = None
    round_no: int | None = None
    seq: int = 0
    event_id: str = ""

    def __post_init__(self) -> None:
        device, *wait_ms = DEVICES.get(self.payload.KIND, _OTHERS)
        self.source, self.wait_ms = self.source or device, (wait_ms[0], wait_ms[1])


class Script:
    """The steps of a round in order, with methods to find and change them."""

    def __init__(self) -> None:
        self.steps: list[ScriptStep] = []
        self.after: list[ScriptStep] = []
        """Steps after the round: between it and the next."""
        self.resent: ScriptStep | None = None
        self.late: list[ScriptStep] = []

    def add(self, payload: Event, source: str = "") -> ScriptStep:
        """Append a step."""
        step = ScriptStep(payload, source)
        self.steps.append(step)
        return step

    def of(self, type_: type[Event], **fields: object) -> list[ScriptStep]:
        """Return the steps whose event is of a type and has these values, in order."""
        return [
            step
            for step in self.steps
            if step.payload.KIND is type_ and all(getattr(step.payload, k) == v for k, v in fields.items())
        ]

    def first(self, type_: type[Event], **fields: object) -> ScriptStep | None:
        """Return the first step of a type with these values, or None."""
        return next(iter(self.of(type_, **fields)), None)

    def index(self, step: ScriptStep) -> int:
        """Return the index of a step."""
        return self.steps.index(step)

    def drop(self, step: ScriptStep) -> None:
        """Remove a step: it does not happen."""
        self.steps.remove(step)

    def drop_first(self, type_: type[Event], **fields: object) -> None:
        """Remove the first step of a type with these values, if there is one."""
        for step in self.of(type_, **fields)[:1]:
            self.drop(step)

    def before(self, step: ScriptStep, *payloads: Event) -> list[ScriptStep]:
        """Insert events before a step."""
        added = [ScriptStep(payload) for payload in payloads]
        at = self.index(step)
        self.steps[at:at] = added
        return added

    def behind(self, step: ScriptStep, *payloads: Event) -> list[ScriptStep]:
        """Insert events right after a step."""
        added = [ScriptStep(payload) for payload in payloads]
        at = self.index(step) + 1
        self.steps[at:at] = added
        return added

    def move_before(self, step: ScriptStep, other: ScriptStep) -> None:
        """Move a step right before another."""
        self.steps.remove(step)
        self.steps.insert(self.index(other), step)

    def move_behind(self, step: ScriptStep, other: ScriptStep) -> None:
        """Move a step right after another."""
        self.steps.remove(step)
        self.steps.insert(self.index(other) + 1, step)

    def settling(self, seat: int, wager: str) -> ScriptStep | None:
        """Return the first step that takes, pays or returns a wager, or None."""
        return next(
            (
                step
                for step in self.steps
                if step.payload.KIND in SETTLING and step.payload.seat == seat and step.payload.wager == wager
            ),
            None,
        )

    @property
    def settled(self) -> set[tuple[str, int]]:
        """The wagers that a step settles, with their seats."""
        return {(step.payload.wager, step.payload.seat) for step in self.steps if step.payload.KIND in SETTLING}

    def __iter__(self) -> Iterator[ScriptStep]:
        return iter(self.steps)


SETTLING: tuple[type[Event], ...] = (model.WagerTaken, model.WagerPaid, model.WagerReturned)


def changed(step: ScriptStep, **fields: Any) -> None:
    """Replace values of a step's event."""
    step.payload = msgspec.structs.replace(step.payload, **fields)
