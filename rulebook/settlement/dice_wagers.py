"""Wagers on the dice: Sum, Match and Beat It (58 Pa. Code § 645c.2(e), (g)).

Invariant: if a die was not read, or it is unknown which die is red, every possibility is tried; an amount that is
the same in all of them is due, otherwise the due amount is unknown (D26). The cards play no part.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import pairwise, product

import msgspec

from rulebook.chapters.money import show_money
from rulebook.chapters.paytables import PayLine
from rulebook.chapters.rulebook import Paytable, Rulebook
from rulebook.layout import BettingBox, Dice, TableLayout
from rulebook.settlement.wagers import Due, MaximumPayout, Outcome, due_of, not_offered, offered, won_at_odds

Values = tuple[int, int, int]

FACES = range(1, 7)
ONE_RED_TWO_BLUE = ["blue", "blue", "red"]
SECTIONS = {"sum": "1", "match": "2", "beat_it": "3"}
"""The paragraph of § 645c.2(e) and (g) that speaks of each."""


def sum_lines(values: Values) -> frozenset[str]:
    """Return the lines of the Sum wager that three dice make (§ 645c.2(e)(1)).

    >>> sorted(sum_lines((4, 2, 4))), sorted(sum_lines((5, 3, 4)))
    (['total_10', 'two_match'], ['series_of_three', 'total_12'])
    """
    lines = {f"total_{sum(values)}"}
    most = max(Counter(values).values())
    if most >= 2:
        lines.add("two_match")
    if most == 3:
        lines.add("three_match")
    if all(after - before == 1 for before, after in pairwise(sorted(values))):
        lines.add("series_of_three")
    return frozenset(lines)


def match_lines(values: Values, number: int | None) -> frozenset[str]:
    """Return the lines of a Match wager on a number (§ 645c.2(e)(2)).

    >>> sorted(match_lines((1, 1, 5), 1)), sorted(match_lines((1, 1, 5), 5))
    (['double_match'], [])
    """
    matching = sum(value == number for value in values)
    return frozenset(("double_match", "triple_match")[: max(0, matching - 1)])


def beat_it_lines(values: Values, red: int) -> frozenset[str]:
    """Return the lines of the Beat It wager, with the place of the red die from 0 to 2 (§ 645c.2(e)(3)).

    >>> sorted(beat_it_lines((6, 2, 1), 0)), sorted(beat_it_lines((6, 2, 1), 1))
    (['a_die_by_one_or_more', 'red_by_two_or_three'], ['a_die_by_one_or_more'])
    """
    ahead = 2 * values[red] - sum(values)
    lines = set()
    if ahead == 4:
        lines.add("red_by_four")
    elif ahead in (2, 3):
        lines.add("red_by_two_or_three")
    elif ahead in (0, 1):
        lines.add("red_ties_or_by_one")
    if 2 * max(values) - sum(values) >= 1:
        lines.add("a_die_by_one_or_more")
    return frozenset(lines)


def lines_made(wager: str, number: int | None, dice: Dice) -> set[frozenset[str]]:
    """Return the pay lines that the dice make, one set for each possible roll."""
    colours = dice.colours
    known = colours is not None and sorted(colours) == ONE_RED_TWO_BLUE
    reds = (colours.index("red"),) if colours is not None and known else (0, 1, 2)
    possible: set[frozenset[str]] = set()
    for one, two, three in product(*(FACES if value is None else (value,) for value in dice.values)):
        values = (one, two, three)
        match wager:
            case "sum":
                possible.add(sum_lines(values))
            case "match":
                possible.update(match_lines(values, each) for each in (FACES if number is None else (number,)))
            case _:
                possible.update(beat_it_lines(values, red) for red in reds)
    return possible


def dice_wager(book: Rulebook, box: BettingBox, wager: str, dice: Dice | None, number: int | None = None) -> Due:
    """Return what a wager on the dice is due: settled before the cards, whatever the hand (§ 645c.2(g), (h))."""
    paytable = offered(book, wager)
    if paytable is None:
        return not_offered(book, box, wager)
    paragraph = SECTIONS[wager]
    lines = {paytable.best(names) for names in lines_made(wager, number, dice)} if dice is not None else set()
    if not lines or len({line.odds if line is not None else None for line in lines}) > 1:
        unknown = due_of(book, box, wager, Outcome.UNKNOWN, None, f"645c.2(g)({paragraph})", paytable)
        return msgspec.structs.replace(unknown, range_cents=_range_cents(lines, box.stakes[wager]))
    line = next(iter(lines))
    if line is None:
        return due_of(book, box, wager, Outcome.LOSE, -box.stakes[wager], f"645c.2(e)({paragraph})", paytable)
    note = _fraction(paytable, line.hand, box.stakes[wager])
    return won_at_odds(book, box, wager, paytable, line, MaximumPayout(None), f"645c.2(g)({paragraph})", note)


def _range_cents(lines: Collection[PayLine | None], stake_cents: int) -> tuple[int, int] | None:
    """Return the smallest and largest amount due for these possible lines (None: a loss); None if the dice are not on record."""
    nets = [line.odds.winnings(stake_cents) if line is not None and line.odds else -stake_cents for line in lines]
    return (min(nets), max(nets)) if nets else None


def _fraction(paytable: Paytable, hand: str, stake_cents: int) -> str | None:
    """Return a note where the odds leave a fraction of a cent, otherwise None (D25)."""
    odds = next(line.odds for line in paytable.lines if line.hand == hand)
    if odds is None or odds.is_exact(stake_cents):
        return None
    staked = show_money(stake_cents)
    return f"D25: {odds} of {staked} leaves a fraction of a cent, which is not paid; rounded up, it is a cent more"


def match_wagers(book: Rulebook, layout: TableLayout) -> Iterator[Due]:
    """Yield what each Match wager is due: a box can have several, each on a number of its own."""
    for box in layout.boxes:
        for placed in box.further:
            if placed.wager == "match":
                one = msgspec.structs.replace(box, stakes={"match": placed.stake_cents}, bettor=placed.bettor)
                due = dice_wager(book, one, "match", layout.dice, placed.number)
                yield msgspec.structs.replace(due, number=placed.number)
