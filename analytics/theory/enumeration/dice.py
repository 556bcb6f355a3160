"""Three dice, one red and two blue: all 216 rolls by the lines of the wagers of § 645c.2(e)."""

from collections import Counter
from itertools import product
from typing import Any

Roll = tuple[int, ...]


def sum_lines(roll: Roll) -> list[str]:
    """Return the lines of the Sum wager (§ 645c.2(e)(1)).

    >>> sum_lines((4, 2, 3)), sum_lines((5, 5, 5))
    (['total_9', 'series_of_three'], ['total_15', 'two_match', 'three_match'])
    """
    low, middle, high = sorted(roll)
    different = len(set(roll))
    lines = [f"total_{sum(roll)}"]
    if different < 3:
        lines.append("two_match")
    if different == 1:
        lines.append("three_match")
    if (middle, high) == (low + 1, low + 2):
        lines.append("series_of_three")
    return lines


def match_lines(roll: Roll) -> list[str]:
    """Return the pay lines of a Match wager on the number one (§ 645c.2(e)(2)).

    >>> match_lines((1, 4, 1)), match_lines((1, 1, 1)), match_lines((1, 2, 2))
    (['double_match'], ['triple_match'], [])
    """
    return {2: ["double_match"], 3: ["triple_match"]}.get(roll.count(1), [])


def beat_it_lines(roll: Roll) -> list[str]:
    """Return the lines of the Beat It wager; the first die is the red one (§ 645c.2(e)(3)).

    >>> beat_it_lines((6, 1, 1)), beat_it_lines((1, 1, 3))
    (['red_by_four', 'a_die_by_one_or_more'], ['a_die_by_one_or_more'])
    """
    red, *blue = roll
    by = red - sum(blue)
    named = {4: "red_by_four", 3: "red_by_two_or_three", 2: "red_by_two_or_three"}
    lines = [named.get(by, "red_ties_or_by_one")] if by >= 0 else []
    if any(2 * die > sum(roll) for die in roll):
        lines.append("a_die_by_one_or_more")
    return lines


def compute() -> dict[str, Any]:
    """Count all rolls for each wager by the lines that they make."""
    rows = []
    for wager, lines in (("sum", sum_lines), ("match", match_lines), ("beat_it", beat_it_lines)):
        counted = Counter(tuple(sorted(lines(roll))) for roll in product(range(1, 7), repeat=3))
        rows += [{"wager": wager, "made": list(names), "rolls": counted[names]} for names in sorted(counted)]
    return {"what": "three dice by the lines that they make", "method": "enumeration", "total": 6**3, "rows": rows}
