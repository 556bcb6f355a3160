"""The tables of Over/Under, Annex A of rulemaking 125-223, Chapter 686a.

Five tables between them use every kind of shuffler (two of them shuffle by hand), one batch and two, one box and more, the
Bonus Wager offered or not, and every setting that may be filed; what some of them file on the first day takes effect on the
second.
"""

from __future__ import annotations

from floor.table.casino import Filing, TableSpec, grown

CHAPTER = "pa-686a"


def _filing(low: str, high: str, bonus: bool = True, **settings: str) -> Filing:
    limits = {"min": low, "max": high, **settings}
    if not bonus:
        return Filing({}, "", limits)
    return Filing({"bonus": "1"}, "", limits | {"bonus.min": "1.00", "bonus.max": "100.00"})


_SPECS = (
    TableSpec(
        "ou-01",
        CHAPTER,
        "manual_shoe",
        "none",
        1,
        "",
        _filing("10.00", "500.00"),
        _filing("15.00", "1000.00"),
    ),
    TableSpec(
        "ou-02",
        CHAPTER,
        "manual_shoe",
        "automated",
        2,
        "",
        _filing("25.00", "2000.00", decisions="hand_by_hand"),
        _filing("25.00", "2000.00"),
    ),
    TableSpec(
        "ou-03",
        CHAPTER,
        "manual_shoe",
        "continuous",
        1,
        "",
        _filing("5.00", "300.00", most_boxes="3"),
        _filing("10.00", "300.00", bonus=False, most_boxes="2"),
        adjacent_boxes=True,
    ),
    TableSpec(
        "ou-04",
        CHAPTER,
        "manual_shoe",
        "none",
        1,
        "",
        _filing("15.00", "1500.00", bonus=False),
        _filing("15.00", "1500.00", dead_hand_returns="ante"),
        adjacent_boxes=True,
    ),
    TableSpec(
        "ou-05",
        CHAPTER,
        "manual_shoe",
        "automated_counting",
        2,
        "",
        _filing("10.00", "1000.00", wrong_side="pushes"),
        _filing("10.00", "1000.00", dead_hand_returns="ante"),
    ),
)
TABLES_MIN = len(_SPECS)


def table_specs(tables: int) -> list[TableSpec]:
    """Return the tables of the game: the five, and beyond them more of the same kinds."""
    return grown(_SPECS, tables, "ou-", lambda filing, name: filing)
