"""The people on the floor: patrons under pseudonymous tokens with habits, and dealers and floorpersons in rotation."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Literal

from floor.table.streams import HOUR_US, MINUTE_US

Habit = Literal["dealers", "own", "progressive"]
"""Optional wagers on the dealer's cards or the dice, on the own cards, on the progressive."""
Style = Literal["house", "strong_low", "strong_high", "careless"]
TAP_US = 20 * MINUTE_US
SHIFTS = ("day", "swing", "grave")
SHIFT_US = 8 * HOUR_US
_UNITS = (1, 2, 4, 6, 8, 12, 20)
_STYLES: tuple[Style, ...] = ("house", "house", "house", "strong_low", "strong_high", "careless")


@dataclass(frozen=True, slots=True)
class Patron:
    """A patron with usual bets: `habits` are chances in percent and cents, by the kind of optional wager."""

    token: str
    units: int
    style: Style
    habits: Mapping[Habit, tuple[int, int]]


class People:
    """The patrons of the property, each with a token of their own."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._tokens: set[str] = set()

    def token(self) -> str:
        """Return a new token."""
        while True:
            token = f"p-{self._random.randrange(16**5):05x}"
            if token not in self._tokens:
                self._tokens.add(token)
                return token

    def patron(self) -> Patron:
        """Let a patron come in."""
        random = self._random
        units, style = random.choice(_UNITS), random.choice(_STYLES)
        dealers = random.choice((0, 30, 60, 90)), random.choice((100, 200, 500, 500, 1000))
        own = random.choice((0, 40, 70, 95)), random.choice((100, 300, 500, 500, 500, 1000))
        habits: dict[Habit, tuple[int, int]] = {"dealers": dealers, "own": own}
        return Patron(self.token(), units, style, {**habits, "progressive": (random.choice((0, 30, 80)), 0)})


def dealer_at(table: int, tables: int, now_us: int) -> str:
    """Return a table's dealer: dealers move on every 20 minutes, two of them on a break."""
    return f"d-{(table + now_us // TAP_US) % (tables + 2) + 1:02d}"


def floorperson(table: int) -> str:
    """Return the floorperson of a table's pit."""
    return f"f-{table // 4 + 1}"


def shift_at(since_cutover_us: int) -> str:
    """Return the shift at a time of the gaming day."""
    return SHIFTS[min(since_cutover_us // SHIFT_US, 2)]
