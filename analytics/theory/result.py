"""The returns of one wager, as counts of its ends: the arithmetic that all returns share."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import msgspec

from rulebook.chapters.money import Odds


def pays(odds: Odds | None) -> Fraction:
    """Return the winnings per unit staked of a wager with its own odds."""
    assert odds is not None, "the wager has odds of its own"
    return Fraction(odds.numerator, odds.denominator)


class End(msgspec.Struct, frozen=True):
    """One end of a wager: its count of the total, the patron's net, and the whole stake, in base units."""

    number: int
    net: Fraction
    staked: Fraction = Fraction(1)


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """All ends of one wager with one paytable; `beside` is returned in addition: contributions that come back from a meter."""

    wager: str
    paytable: str
    cite: str
    total: int
    ends: Sequence[End]
    lines: Mapping[str, int | float]
    method: str = "enumeration"
    beside: Fraction = Fraction(0)
    parts: Mapping[str, float] = {}
    notices: Sequence[str] = ()

    def __post_init__(self) -> None:
        counted = sum(end.number for end in self.ends)
        if counted != self.total:
            raise ValueError(f"{self.wager} {self.paytable}: {counted} ends of {self.total}")

    def per_base_unit(self) -> Fraction:
        """Return the return per unit of the starting wager."""
        return 1 + self._net()

    def per_amount_wagered(self) -> Fraction:
        """Return the return per amount wagered, raises included."""
        return 1 + self._net() / self._mean([end.staked for end in self.ends])

    def variance(self) -> Fraction:
        """Return the variance of the net of the ends, in base units."""
        return self._mean([end.net**2 for end in self.ends]) - self._mean([end.net for end in self.ends]) ** 2

    def hits(self) -> Fraction:
        """Return the share of rounds with a net win."""
        return Fraction(sum(end.number for end in self.ends if end.net > 0), self.total)

    def _net(self) -> Fraction:
        return self._mean([end.net for end in self.ends]) + self.beside

    def _mean(self, values: Sequence[Fraction]) -> Fraction:
        weighed = (end.number * value for end, value in zip(self.ends, values, strict=True))
        return sum(weighed, Fraction(0)) / self.total
