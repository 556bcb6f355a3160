"""The tables of Face Up Pai Gow Poker in California, GEGR-002138.

Four tables between them use both ways of dealing, of finding the start and of shuffling, both readings of what the
player-dealer's wager covers, backline betting and not, both answers to who can hold an Envy hand, and several fees; what
one of them files on the first day takes effect on the second.
"""

from __future__ import annotations

from floor.table.casino import Filing, TableSpec, grown

CHAPTER = "ca-gegr-002138"


def _filing(low: str, high: str, fee: str, **more: str) -> Filing:
    limits = {
        "min": low,
        "max": high,
        "ace_high_bonus.min": "1.00",
        "ace_high_bonus.max": "100.00",
        "fortune_bonus.min": "1.00",
        "fortune_bonus.max": "50.00",
        "collection": fee,
    }
    return Filing({"ace_high_bonus": "1", "fortune_bonus": "1"}, "", limits | more)


_SPECS = (
    TableSpec("ca-01", CHAPTER, "automated_shoe", "automated", 1, "number", _filing("25.00", "5000.00", "2.00")),
    TableSpec("ca-02", CHAPTER, "hand", "none", 1, "shaker", _filing("10.00", "1000.00", "1.00", backline="yes")),
    TableSpec(
        "ca-03",
        CHAPTER,
        "automated_shoe",
        "automated",
        1,
        "shaker",
        _filing("15.00", "2000.00", "1.50", backline="yes", coverage="net"),
        _filing("15.00", "2000.00", "2.00", backline="yes"),
    ),
    TableSpec(
        "ca-04",
        CHAPTER,
        "hand",
        "automated",
        1,
        "number",
        _filing("10.00", "1000.00", "0.50", coverage="net", envy_holder_must_wager="no"),
    ),
)
TABLES_MIN = len(_SPECS)


def table_specs(tables: int) -> list[TableSpec]:
    """Return the tables of the game: the four, and beyond them more of the same kinds."""
    return grown(_SPECS, tables, "ca-", lambda filing, name: filing)
