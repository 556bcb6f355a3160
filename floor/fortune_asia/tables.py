"""The tables of Fortune Asia Poker, 58 Pa. Code Chapter 659a.

Five tables between them use all paytables of § 659a.12, progressive wagers from $1 to $25, all three ways of dealing, both
ways to find the start, and every kind of shuffler; what some of them file on the first day takes effect on the second.
"""

from __future__ import annotations

from floor.table.casino import Filing, TableSpec, grown, with_meter

CHAPTER = "pa-659a"


def _filing(
    fortune: str, insurance: str, progressive: str, meter: str, low: str, high: str, linked: bool = False
) -> Filing:
    paytables = {"fortune_bonus": fortune, "insurance": insurance, "progressive": "1"}
    limits = {
        "min": low,
        "max": high,
        "fortune_bonus.min": "1.00",
        "fortune_bonus.max": "50.00",
        "insurance.min": "1.00",
        "insurance.max": "100.00",
        "progressive.wager": progressive,
    }
    return Filing(paytables, meter, limits, linked=linked)


_SPECS = (
    TableSpec(
        "fa-01",
        CHAPTER,
        "automated_shoe",
        "automated",
        2,
        "shaker",
        _filing("A", "A", "1.00", "fa-link", "25.00", "5000.00", linked=True),
    ),
    TableSpec(
        "fa-02",
        CHAPTER,
        "manual_shoe",
        "automated",
        2,
        "number",
        _filing("B", "B", "1.00", "fa-link", "15.00", "2000.00", linked=True),
    ),
    TableSpec(
        "fa-03",
        CHAPTER,
        "hand",
        "automated",
        1,
        "shaker",
        _filing("C", "C", "5.00", "m-fa-03", "10.00", "1000.00"),
        _filing("D", "A", "2.00", "m-fa-03b", "10.00", "1500.00"),
    ),
    TableSpec(
        "fa-04",
        CHAPTER,
        "manual_shoe",
        "none",
        1,
        "shaker",
        _filing("D", "B", "1.00", "m-fa-04", "15.00", "1000.00"),
        _filing("C", "B", "5.00", "m-fa-04b", "15.00", "1000.00"),
        adjacent_boxes=True,
    ),
    TableSpec(
        "fa-05",
        CHAPTER,
        "automated_shoe",
        "continuous",
        1,
        "shaker",
        _filing("A", "C", "25.00", "m-fa-05", "25.00", "3000.00"),
        _filing("B", "C", "1.00", "m-fa-05b", "25.00", "3000.00"),
    ),
)
TABLES_MIN = len(_SPECS)


def table_specs(tables: int) -> list[TableSpec]:
    """Return the tables of the game: the five, and beyond them more of the same kinds with meters of their own."""
    return grown(_SPECS, tables, "fa-", with_meter("m-fa-"))
