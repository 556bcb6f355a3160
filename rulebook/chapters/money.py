"""Money as integer cents and odds as ratios (D25). There are no floats here.

Payout odds are printed as "20 to 1" throughout 58 Pa. Code § 688a.12; here they are written `20:1`.
"""

import re
from typing import Final

import msgspec

CENTS_MAX: Final = 2**53 - 1
_MONEY: Final = re.compile(r"\A(0|[1-9][0-9]*)(?:\.([0-9]{2}))?\Z", re.ASCII)
_ODDS: Final = re.compile(r"\A([1-9][0-9]*|0):([1-9][0-9]*)\Z", re.ASCII)


class Odds(msgspec.Struct, frozen=True, order=False):
    """Winnings to stake: `Odds(15, 2)` pays 15 for every 2 staked, and the stake goes back besides.

    >>> Odds(20, 1).winnings(500), str(Odds(20, 1))
    (10000, '20:1')
    """

    numerator: int
    denominator: int

    def __post_init__(self) -> None:
        if self.numerator < 0 or self.denominator < 1:
            raise ValueError(f"{self.numerator}:{self.denominator} are not odds")

    def __str__(self) -> str:
        return f"{self.numerator}:{self.denominator}"

    @classmethod
    def parse(cls, text: str) -> "Odds":
        """Read odds written as `20:1`.

        >>> Odds.parse("15:2")
        Odds(numerator=15, denominator=2)
        """
        match = _ODDS.match(text)
        if match is None:
            raise ValueError(f"{text!r} are not odds such as 20:1")
        return cls(int(match[1]), int(match[2]))

    def winnings(self, stake_cents: int) -> int:
        """Return the winnings of a stake, without the stake, in cents, rounded down (D25).

        >>> Odds(15, 2).winnings(101)
        757
        """
        if stake_cents < 0:
            raise ValueError(f"a stake of {stake_cents} cents")
        return stake_cents * self.numerator // self.denominator

    def is_exact(self, stake_cents: int) -> bool:
        """Return whether the winnings of this stake come out in whole cents.

        >>> Odds(15, 2).is_exact(101), Odds(15, 2).is_exact(100)
        (False, True)
        """
        return stake_cents * self.numerator % self.denominator == 0

    def is_better_than(self, other: "Odds") -> bool:
        """Return whether these odds pay more than others on the same stake.

        >>> Odds(15, 2).is_better_than(Odds(7, 1))
        True
        """
        return self.numerator * other.denominator > other.numerator * self.denominator


def parse_money(text: str) -> int:
    """Return the cents of an amount written in dollars, strictly: `25.00` or `25`, no sign, no thousands.

    >>> parse_money("25.00"), parse_money("25"), parse_money("7.50")
    (2500, 2500, 750)
    """
    match = _MONEY.match(text)
    if match is None:
        raise ValueError(f"{text!r} is not an amount such as 25.00")
    cents = int(match[1]) * 100 + int(match[2] or 0)
    if cents > CENTS_MAX:
        raise ValueError(f"{text} is more than can be kept")
    return cents


def show_money(cents: int, thousands: bool = False) -> str:
    """Return cents as dollars, with two decimals; `thousands` groups them for people to read.

    >>> show_money(2500), show_money(-1050), show_money(123456789, thousands=True)
    ('25.00', '-10.50', '1,234,567.89')
    """
    sign, whole, part = "-" if cents < 0 else "", abs(cents) // 100, abs(cents) % 100
    return f"{sign}{whole:,}.{part:02d}" if thousands else f"{sign}{whole}.{part:02d}"
