"""A table in California between its rounds: who had the player-dealer position, and whose the chips are."""

from dataclasses import dataclass
from typing import Any, Final

from events.vocabulary import model
from floor.table.inventory import inventory_change
from floor.table.script import Script
from floor.table.table import Table
from games.player_dealer.settle import SEATS

PATRONS_MIN: Final = 3
"""With fewer there would at times be no one to play against."""


@dataclass(frozen=True, slots=True)
class Tenure:
    """The last holder of the position, and for how many rounds since it was offered."""

    seat: int = 0
    patron: str = ""
    rounds: int = 0


class PlayerDealerTable(Table):
    """A table at which a patron is the player-dealer: wagers go from patron to patron, past the table inventory."""

    def __init__(self, *what: Any) -> None:
        super().__init__(*what)
        self.held = Tenure()

    @property
    def holder_stays(self) -> bool:
        """Whether the last holder of the position still sits there."""
        there = self.seats.get(self.held.seat)
        return there is not None and there.token == self.held.patron

    def take_position(self, seat: int, offered: bool) -> None:
        """Give a seat the position for a round; `offered`: it was offered before."""
        patron = self.seats[seat].token
        again = patron == self.held.patron and not offered
        self.held = Tenure(seat, patron, self.held.rounds + 1 if again else 1)

    def open_day(self, day: int, keep_dice: bool = False) -> None:
        """Open the table on a gaming day, with patrons enough to play."""
        super().open_day(day, keep_dice)
        self._fill_up()

    def come_and_go(self) -> None:
        """Have patrons leave, arrive and buy more chips; sometimes all seven seats are taken."""
        super().come_and_go()
        if self.random.random() < 0.01:
            self._sizes = SEATS
        self._fill_up()

    def _fill_up(self) -> None:
        while len(self.seats) < PATRONS_MIN:
            self._arrive()

    def book_round(self, script: Script) -> None:
        """Add a round's commission and mistaken payments to the inventory; fees go into a box of their own (D27)."""
        moved = (*script.of(model.VigorishTaken), *script.of(model.WagerPaid))
        self.inventory += sum(inventory_change(step.payload, self.book) for step in moved)
