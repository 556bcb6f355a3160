"""The tables of Pai Gow Poker, 58 Pa. Code Chapter 645c.

Five tables: commission-free with Tiger 9 or with vigorish; dice shaken by the dealer or by a player's electronic shaker;
between them and their two days all paytables of the wagers on the dice, and four configurations of the Must-Hit-By bonus.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from floor.table.casino import Filing, TableSpec, grown

CHAPTER = "pa-645c"
_NOTHING: Mapping[str, str] = {}


def _filing(
    fortune: str,
    progressive: str,
    meter: str,
    low: str,
    high: str,
    wagers: Mapping[str, str],
    settings: Mapping[str, str] = _NOTHING,
    linked: bool = False,
) -> Filing:
    """Return what a table files: beside Fortune Bonus and Progressive these wagers, and these settings."""
    limits = {"min": low, "max": high, "fortune_bonus.min": "1.00", "fortune_bonus.max": "50.00"}
    for wager in wagers:
        if wager != "mystery":
            limits |= {f"{wager}.min": "1.00", f"{wager}.max": "100.00"}
    paytables = {"fortune_bonus": fortune, "progressive": progressive, **wagers}
    return Filing(paytables, meter, limits | dict(settings), linked=linked)


def _paid_by(meter: str, source: str) -> dict[str, str]:
    """The Must-Hit-By meter, and what its bonus is paid from."""
    return {"mystery.meter": meter, "mystery_paid_by": source}


_TIGER_9 = {"tiger_9": "yes"}
_VIGORISH = {"commission_free": "no"}
_SPECS = (
    TableSpec(
        "pg-01",
        CHAPTER,
        "automated_shoe",
        "automated_counting",
        2,
        "shaker",
        _filing("1", "4", "pg-link", "25.00", "5000.00", _TIGER_9, {"max_payout": "50000.00"}, linked=True),
    ),
    TableSpec(
        "pg-02",
        CHAPTER,
        "manual_shoe",
        "automated",
        2,
        "number",
        _filing(
            "2",
            "4",
            "pg-link",
            "15.00",
            "2000.00",
            {"mystery": "A-1"},
            _VIGORISH | _paid_by("mh-02", "inventory"),
            linked=True,
        ),
        _filing(
            "2",
            "3",
            "m-pg-02b",
            "15.00",
            "2000.00",
            {"mystery": "B-5"},
            _VIGORISH | {"vigorish_rounding": "nearest"} | _paid_by("mh-02b", "either"),
        ),
    ),
    TableSpec(
        "pg-03",
        CHAPTER,
        "hand",
        "automated",
        1,
        "player_shaker",
        _filing("3", "1", "m-pg-03", "10.00", "1000.00", _TIGER_9 | {"sum": "A", "match": "1", "beat_it": "A"}),
        _filing("3", "5", "m-pg-03b", "10.00", "1500.00", _TIGER_9 | {"sum": "B", "match": "1", "beat_it": "B"}),
    ),
    TableSpec(
        "pg-04",
        CHAPTER,
        "manual_shoe",
        "none",
        1,
        "shaker",
        _filing("4", "2", "m-pg-04", "15.00", "1000.00", {"sum": "C", "beat_it": "C"}, _VIGORISH),
        _filing(
            "5",
            "6",
            "m-pg-04b",
            "15.00",
            "1000.00",
            {"sum": "D", "match": "1"},
            _VIGORISH | {"vigorish_step": "0.05", "vigorish_rounding": "up"},
        ),
        adjacent_boxes=True,
    ),
    TableSpec(
        "pg-05",
        CHAPTER,
        "automated_shoe",
        "automated",
        2,
        "player_shaker",
        _filing("5", "3", "m-pg-05", "25.00", "3000.00", _TIGER_9 | {"mystery": "D-5"}, _paid_by("mh-05", "slip")),
        _filing(
            "6", "7", "m-pg-05b", "25.00", "3000.00", _TIGER_9 | {"mystery": "C-1"}, _paid_by("mh-05b", "inventory")
        ),
    ),
)
TABLES_MIN = len(_SPECS)


def _own(filing: Filing, name: str) -> Filing:
    """The same filing with meters of the table's own."""
    settings = dict(filing.settings)
    if "mystery.meter" in settings:
        settings["mystery.meter"] = f"mh-pg-{name}"
    return replace(filing, meter=f"m-pg-{name}", linked=False, settings=settings)


def table_specs(tables: int) -> list[TableSpec]:
    """Return the tables of the game: the five, and beyond them more of the same kinds with meters of their own."""
    return grown(_SPECS, tables, "pg-", _own)
