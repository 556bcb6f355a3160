"""The filed rules as kernels take them: paytables and numbers in arrays, made by asking `games`.

A paytable becomes an array by the set of lines that a hand makes (`games.kernels.ranking`), so that which line is paid, and
what it pays, is decided by `games.rulebook.chapters.Paytable` alone. Each game's own terms stand beside its kernel. Pure; nothing
here is compiled.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from games.cards.ranking import LINES_BY_RANK
from games.kernels.ranking import LINE_SETS
from games.rulebook.rulebook import PayLine, Paytable, Rulebook

Ints = npt.NDArray[Any]

LOSES, AT_ODDS, AMOUNT, PUSHES, NOT_HERE = range(5)
"""What a line comes to. `NOT_HERE`: what the columns cannot settle (a share of the meter), or a wager that is not offered."""
KIND, TIMES, PER, ENVY_CENTS = range(4)
"""The columns of a paytable: what it comes to; odds, or an amount in cents; the Envy Bonus in cents."""

KNOWN_SETTINGS: Final = frozenset(
    {
        "commission_free",
        "envy_holder_must_wager",
        "folded_progressive",
        "fortune_pays",
        "mystery_paid_by",
        "optional_wagers",
        "progressive_deuces",
        "progressive_joker",
        "vigorish_rounding",
        "vigorish_step",
        "void_reverses_meter",
    }
)
"""The settings that kernels know, or that matter in ineligible rounds only. Rules with another are not settled in columns."""


def settings_are_known(book: Rulebook) -> bool:
    """Say whether every setting filed is one that the kernels know."""
    return book.settings.keys() <= KNOWN_SETTINGS


def is_wild(paytable: Paytable | None) -> bool:
    """Say whether the joker is wild on a paytable."""
    return paytable is not None and paytable.joker == "wild"


def paytable_row(paytable: Paytable, line: PayLine | None) -> tuple[int, int, int]:
    """Return what a line comes to (`KIND`, `TIMES`, `PER`); null is the line of a wager that loses."""
    if line is None:
        return LOSES, 0, 1
    if line.meter_bp:
        return NOT_HERE, 0, 1
    if line.odds is not None and not line.push:
        return AT_ODDS, line.odds.numerator, line.odds.denominator
    if paytable.wager == "progressive":
        return (NOT_HERE, 0, 1) if line.push else (AMOUNT, line.amount_cents, 1)
    return PUSHES, 0, 1


def rows_by_lines(paytable: Paytable | None) -> Ints:
    """Return what every set of lines comes to."""
    table = np.zeros((LINE_SETS, 4), dtype=np.int64)
    table[:, PER] = 1
    if paytable is None:
        table[:, KIND] = NOT_HERE
        return table
    for bits in range(LINE_SETS):
        made = frozenset(name for at, name in enumerate(LINES_BY_RANK) if bits >> at & 1)
        envy = paytable.envy(made)
        table[bits] = (*paytable_row(paytable, paytable.best(made)), envy.envy_cents if envy is not None else 0)
    return table
