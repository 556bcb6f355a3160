"""The filed rules as kernels take them: limits, paytables and numbers in arrays, made by asking `games`.

A paytable is a table by the set of lines that a hand makes (`games.kernels.ranking`), so that which line is paid, and what it
pays, stays what `games.chapters.Paytable` says.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from games.house_way import HouseWay
from games.kernels.house_way import way_of
from games.kernels.ranking import LINE_SETS
from games.ranking import LINES_BY_RANK
from games.rulebook import Line, Paytable, Rulebook
from replay.equipment import HOUR_US
from replay.round_columns import ENVY_WAGERS, WAGERS

Ints = npt.NDArray[Any]

LOSES, AT_ODDS, AMOUNT, PUSHES, NOT_HERE = range(5)
"""What a line comes to. `NOT_HERE`: what no row tells (a share of the meter), or a wager that is not offered."""
KIND, TIMES, PER, LINE, ENVY_CENTS, ENVY_LINE = range(6)
"""The columns of a paytable: what it comes to; odds, or an amount in cents; the lines' numbers, from 1."""
ACE_LINES: Final = ("both_ace_high", "dealer_ace_high_joker", "dealer_ace_high_no_joker")


class Terms(NamedTuple):
    """Rules in force: limits in cents (by wager: least, most), paytables, the house way, and the numbers of the chapter.

    `most_payout` is -1 where none is filed. Ages are in microseconds; `rate_bp` is -1 where the meter is linked, for then no
    round tells its advances.
    """

    limits: Ints
    ace_high: Ints
    fortune: Ints
    fortune_wild: bool
    progressive: Ints
    progressive_wild: bool
    stake_returned: bool
    way_rows: Ints
    way_plays: Ints
    lowest: bool
    most_payout: int
    qualifying: int
    fortune_envy: bool
    progressive_envy: bool
    envy_holder_must_wager: bool
    deck_age: int
    dice_age: int
    shakes: int
    stub: int
    deck_size: int
    cut_least: int
    cut_below: int
    by_hand: bool
    rate_bp: int


def terms_of(book: Rulebook) -> Terms | None:
    """Return rules as kernels take them; null where the kernels do not know rules such as these."""
    numbers = book.chapter.numbers
    plain = (
        book.chapter.key == "pa-688a"
        and isinstance(book.way, HouseWay)
        and all(
            (rule.closes, rule.follows, rule.of) == ("no_more_bets", ("base",), None)
            for rule in book.chapter.wagers.values()
        )
        and set(book.chapter.wagers) == set(WAGERS)
        and not book.without
    )
    if not plain or not isinstance(book.way, HouseWay):
        return None
    way = way_of(book.way)
    fortune, progressive = (_offered(book, wager) for wager in ENVY_WAGERS)
    hours = numbers["deck_age_hand_hours" if book.deal_method == "hand" else "deck_age_shoe_hours"]
    return Terms(
        limits=np.array([_limits(book, wager) for wager in WAGERS], dtype=np.int64),
        ace_high=_ace_high(_offered(book, "ace_high_bonus")), fortune=_by_lines(fortune), fortune_wild=_is_wild(fortune),
        progressive=_by_lines(progressive), progressive_wild=_is_wild(progressive),
        stake_returned=progressive is not None and progressive.stake_returned, way_rows=way.rows, way_plays=way.plays,
        lowest=way.lowest, most_payout=-1 if book.max_payout_cents is None else book.max_payout_cents,
        qualifying=numbers["qualifying_wager_cents"], fortune_envy=fortune is not None and fortune.has_envy,
        progressive_envy=progressive is not None and progressive.has_envy,
        envy_holder_must_wager=bool(book.settings.get("envy_holder_must_wager", False)), deck_age=hours * HOUR_US,
        dice_age=numbers["dice_age_hours"] * HOUR_US, shakes=numbers["shakes"], stub=numbers["stub_cards"],
        deck_size=numbers["deck_size"], cut_least=numbers["cut_depth_cards"],
        cut_below=numbers.get("cut_from_bottom_cards", numbers["cut_depth_cards"]), by_hand=book.deal_method == "hand",
        rate_bp=-1 if book.linked_meter or progressive is None else progressive.rate_bp,
    )  # fmt: skip


def _offered(book: Rulebook, wager: str) -> Paytable | None:
    offer = book.offers.get(wager)
    return offer.paytable if offer is not None else None


def _limits(book: Rulebook, wager: str) -> tuple[int, int]:
    """The limits of a wager; of one that is not offered, such that no amount is within them."""
    offer = book.offers.get(wager)
    return (1, 0) if offer is None else (offer.min_cents, offer.max_cents)


def _is_wild(paytable: Paytable | None) -> bool:
    return paytable is not None and paytable.joker == "wild"


def _paid(paytable: Paytable, line: Line | None) -> tuple[int, int, int, int]:
    if line is None:
        return LOSES, 0, 1, 0
    number = paytable.lines.index(line) + 1
    if line.meter_bp:
        return NOT_HERE, 0, 1, number
    if line.odds is not None and not line.push:
        return AT_ODDS, line.odds.numerator, line.odds.denominator, number
    if paytable.wager == "progressive":
        return (NOT_HERE, 0, 1, number) if line.push else (AMOUNT, line.amount_cents, 1, number)
    return PUSHES, 0, 1, number


def _by_lines(paytable: Paytable | None) -> Ints:
    """Return what every set of lines comes to."""
    table = np.zeros((LINE_SETS, 6), dtype=np.int64)
    table[:, PER] = 1
    if paytable is None:
        table[:, KIND] = NOT_HERE
        return table
    for bits in range(LINE_SETS):
        made = frozenset(name for at, name in enumerate(LINES_BY_RANK) if bits >> at & 1)
        envy = paytable.envy(made)
        table[bits] = (
            *_paid(paytable, paytable.best(made)),
            envy.envy_cents if envy is not None else 0,
            paytable.lines.index(envy) + 1 if envy is not None else 0,
        )
    return table


def _ace_high(paytable: Paytable | None) -> Ints:
    """Return what the three lines of the Ace High Bonus come to."""
    table = np.full((len(ACE_LINES), 4), NOT_HERE, dtype=np.int64)
    for at, hand in enumerate(ACE_LINES if paytable is not None else ()):
        assert paytable is not None
        table[at] = _paid(paytable, next(line for line in paytable.lines if line.hand == hand))
    return table
