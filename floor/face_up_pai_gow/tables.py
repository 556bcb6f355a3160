"""The tables of Face Up Pai Gow Poker, 58 Pa. Code Chapter 688a.

Five tables between them use all paytables of § 688a.12, all three ways of dealing, both ways to find the start, and every
kind of shuffler; what some of them file on the first day takes effect on the second.
"""

from __future__ import annotations

from floor.table.casino import Filing, TableSpec, grown, with_meter

CHAPTER = "pa-688a"


def _limits(low: str, high: str) -> dict[str, str]:
    return {
        "min": low,
        "max": high,
        "ace_high_bonus.min": "1.00",
        "ace_high_bonus.max": "100.00",
        "fortune_bonus.min": "1.00",
        "fortune_bonus.max": "50.00",
    }


def _paytables(ace_high: str, fortune: str, progressive: str) -> dict[str, str]:
    return {"ace_high_bonus": ace_high, "fortune_bonus": fortune, "progressive": progressive}


_CAPPED = {"max_payout": "50000.00"}
_SPECS = (
    TableSpec(
        "fu-01",
        CHAPTER,
        "automated_shoe",
        "automated_counting",
        2,
        "shaker",
        Filing(_paytables("1", "1", "4"), "link", _limits("25.00", "5000.00") | _CAPPED, linked=True),
    ),
    TableSpec(
        "fu-02",
        CHAPTER,
        "manual_shoe",
        "automated",
        2,
        "number",
        Filing(_paytables("2", "2", "4"), "link", _limits("15.00", "2000.00"), linked=True),
    ),
    TableSpec(
        "fu-03",
        CHAPTER,
        "hand",
        "automated",
        1,
        "shaker",
        Filing(_paytables("3", "3", "1"), "m-03", _limits("10.00", "1000.00")),
        Filing(_paytables("3", "3", "5"), "m-03b", _limits("10.00", "1500.00")),
    ),
    TableSpec(
        "fu-04",
        CHAPTER,
        "manual_shoe",
        "none",
        1,
        "shaker",
        Filing(_paytables("4", "4", "2"), "m-04", _limits("15.00", "1000.00")),
        Filing(_paytables("4", "4", "6"), "m-04b", _limits("15.00", "1000.00")),
        adjacent_boxes=True,
    ),
    TableSpec(
        "fu-05",
        CHAPTER,
        "automated_shoe",
        "automated",
        2,
        "shaker",
        Filing(_paytables("5", "5", "3"), "m-05", _limits("25.00", "3000.00")),
        Filing(_paytables("5", "6", "7"), "m-05b", _limits("25.00", "3000.00")),
    ),
)
TABLES_MIN = len(_SPECS)


def table_specs(tables: int) -> list[TableSpec]:
    """Return the tables of the floor: the five, and beyond them more of the same kinds with meters of their own."""
    return grown(_SPECS, tables, "fu-", with_meter("m-"))
