"""A scheme that lasts for days: a dealer who overpays a friend and takes chips, one who errs often, dice that wear.

Single faults (`floor/faults`) are independent; a scheme repeats, as analysts expect of real ones. It changes only actions in
rounds that were planned fairly: the cards and all other dealers stay honest. Every wrong settlement is labeled.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

from floor.faults import payment
from floor.faults.anomaly import NotPossible
from floor.faults.labels import Spot
from floor.table.facts import wager_returned
from floor.table.people import Patron
from floor.table.script import changed
from floor.table.table import Table
from rulebook.settlement.wagers import Outcome

TAKEN_CENTS = 10_000
FRIEND = Patron("p-friend", 4, "house", {"dealers": (60, 500), "own": (40, 500), "progressive": (0, 0)})


@dataclass(frozen=True, slots=True)
class Scheme:
    """`thief` pays `FRIEND` too much and takes chips from the tray; `clumsy` errs in `errs_percent` of a hundred rounds; `worn`
    is table → the chance that its first die shows a six instead."""

    thief: str = ""
    clumsy: str = ""
    errs_percent: int = 30
    worn: Mapping[str, float] = field(default_factory=dict)


EXAMPLE = Scheme(thief="d-02", clumsy="d-04", worn={"fu-01": 0.35})
"""One of each at a floor of Face Up Pai Gow."""


class SchemeRun:
    """A running scheme with a random source of its own, so that the rest of the simulation stays the same."""

    def __init__(self, scheme: Scheme, seed: int) -> None:
        self.scheme, self._random = scheme, Random(f"{seed}/schemes")
        self.chip_thefts: list[tuple[str, int]] = []
        """Table and gaming day (by number) of each time that chips were taken."""

    def prepare(self, tables: Iterable[Table]) -> None:
        """Wear the dice."""
        for table in tables:
            table.worn = self.scheme.worn.get(table.id, 0.0)

    def before(self, table: Table, tables: Iterable[Table]) -> None:
        """Seat the friend where the thief deals, and remove the friend if another deals."""
        if not self.scheme.thief:
            return
        here = [seat for seat, patron in table.seats.items() if patron.token == FRIEND.token]
        if here and table.dealer != self.scheme.thief and len(table.seats) > 1:
            table.leave_with_boxes(here[0])
        seated = any(patron.token == FRIEND.token for each in tables for patron in each.seats.values())
        free = [seat for seat in table.book.chapter.seats if seat not in table.seats]
        if table.dealer == self.scheme.thief and free and not seated:
            table.seat_patron(free[0], FRIEND)

    def apply(self, play: Any) -> Iterator[tuple[str, Spot]]:
        """Change the actions of a round that was played correctly; yield each wrong settlement by its code."""
        table: Table = play.table
        if table.dealer and table.dealer == self.scheme.thief:
            yield from self._favor(play)
            if self._random.random() < 0.02:
                table.inventory -= TAKEN_CENTS
                self.chip_thefts.append((table.id, table.day))
        elif table.dealer == self.scheme.clumsy and self._random.randrange(100) < self.scheme.errs_percent:
            code, err = self._random.choice(tuple(payment.MISTAKES.items()))
            with suppress(NotPossible):
                yield code, err(play)

    def _favor(self, play: Any) -> Iterator[tuple[str, Spot]]:
        """Favor the friend in about one of three settlements at the box: return a lost stake, or pay a win twice."""
        for due in payment.at_box(play):
            if due.bettor != FRIEND.token or self._random.random() < 0.65:
                continue
            if due.outcome is Outcome.WIN:
                changed(payment.settled(play, due), winnings_cents=2 * due.winnings_cents)
                yield "PAY-OVER", Spot(due.seat, due.wager)
            elif due.outcome is Outcome.LOSE:
                follows = payment.misread(play, due, "tie")
                payment.settled(play, due).payload = wager_returned(due.seat, due.bettor, due.wager, due.staked_cents, "push")
                yield "PAY-NOT-TAKEN", Spot(due.seat, due.wager, follows)
