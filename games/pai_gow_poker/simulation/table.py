"""A table of Pai Gow Poker between its rounds: its Must-Hit-By meter is armed before it is first used."""

from random import Random
from typing import Any

from floor.table.meters import Meter
from floor.table.mystery_meter import MysteryMeter
from floor.table.table import Table


class PaiGowTable(Table):
    """A table that may have a Must-Hit-By meter next to the progressive one."""

    def __init__(self, *what: Any) -> None:
        super().__init__(*what)
        self._in_use: set[str] = set()

    @property
    def mystery(self) -> MysteryMeter | None:
        """The Must-Hit-By meter of the rules in force, if any."""
        meter = self.meters.get(self.book.mystery_meter or "")
        return meter if isinstance(meter, MysteryMeter) else None

    def meters_filed(self, seed: int) -> list[Meter]:
        """Return the meters that the table's rules name."""
        return super().meters_filed(seed) + [
            MysteryMeter(book.mystery_meter, book.chapter.key, paytable, Random(f"{seed}/{book.mystery_meter}"))
            for book in self.books
            if book.mystery_meter is not None and (paytable := book.offers["mystery"].paytable) is not None
        ]

    def open_day(self, day: int, keep_dice: bool = False) -> None:
        """Open the table on a gaming day; if it now has a meter, record the meter's arming here too."""
        super().open_day(day, keep_dice)
        meter = self.mystery
        if meter is not None and meter.armed is not None and meter.id not in self._in_use:
            self._in_use.add(meter.id)
            self.report(meter.armed)
