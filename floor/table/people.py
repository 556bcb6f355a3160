"""Who is on the floor: patrons under pseudonymous tokens, each with habits, and dealers and floorpersons in rotation."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal

from floor.table.streams import HOUR_US, MINUTE_US

Style = Literal["house", "strong_low", "strong_high", "careless"]
TAP_US = 20 * MINUTE_US
SHIFTS = ("day", "swing", "grave")
SHIFT_US = 8 * HOUR_US
_UNITS = (1, 2, 4, 6, 8, 12, 20)
_STYLES: tuple[Style, ...] = ("house", "house", "house", "strong_low", "strong_high", "careless")


@dataclass(frozen=True, slots=True)
class Patron:
    """A patron and what this patron usually bets (cents; chances in percent)."""

    token: str
    units: int
    style: Style
    ace_high_percent: int
    ace_high_cents: int
    fortune_percent: int
    fortune_cents: int
    progressive_percent: int


class People:
    """The patrons who come to the property: every one gets a token of its own."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._tokens: set[str] = set()

    def token(self) -> str:
        """Return a token that nobody has yet."""
        while True:
            token = f"p-{self._random.randrange(16**5):05x}"
            if token not in self._tokens:
                self._tokens.add(token)
                return token

    def patron(self) -> Patron:
        """Let a patron come in."""
        random = self._random
        return Patron(
            token=self.token(), units=random.choice(_UNITS), style=random.choice(_STYLES),
            ace_high_percent=random.choice((0, 30, 60, 90)), ace_high_cents=random.choice((100, 200, 500, 500, 1000)),
            fortune_percent=random.choice((0, 40, 70, 95)), fortune_cents=random.choice((100, 300, 500, 500, 500, 1000)),
            progressive_percent=random.choice((0, 30, 80)),
        )  # fmt: skip


def dealer_at(table: int, tables: int, now_us: int) -> str:
    """Return the dealer whose turn it is at a table: dealers move on every 20 minutes, two of them on a break."""
    return f"d-{(table + now_us // TAP_US) % (tables + 2) + 1:02d}"


def floorperson(table: int) -> str:
    """Return the floorperson of a table's pit."""
    return f"f-{table // 4 + 1}"


def shift_at(since_cutover_us: int) -> str:
    """Return the shift at a time of the gaming day."""
    return SHIFTS[min(since_cutover_us // SHIFT_US, 2)]
