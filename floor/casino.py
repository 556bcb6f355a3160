"""The simulated property: its tables, what each has filed, and its days.

Five tables between them use all paytables of 58 Pa. Code § 688a.12, all three ways of dealing, both ways to find the
start, and every kind of shuffler; what some of them file on the first day takes effect on the second.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from events.model import DealMethod, Shuffler
from floor.streams import DAY_US
from games.rulebook import simple_submission

PROPERTY = "property/main"
TIME_ZONE, CUTOVER, CURRENCY = "America/New_York", "06:00", "USD"
FIRST_DAY = date(2026, 4, 6)
FIRST_CUTOVER_US = int(datetime(2026, 4, 6, 10, 0, tzinfo=UTC).timestamp()) * 1_000_000
TABLES_MIN = 5


@dataclass(frozen=True, slots=True)
class Filing:
    """What a table files: the paytable of each optional wager, its meter, and other settings of the submission."""

    paytables: Mapping[str, str]
    meter: str
    settings: Mapping[str, str]
    linked: bool = False


@dataclass(frozen=True, slots=True)
class TableSpec:
    """A table: its equipment, and what it files for the first day and (`later`) for the second."""

    id: str
    deal_method: DealMethod
    shuffler: Shuffler
    decks: int
    starting: str
    first: Filing
    later: Filing | None = None
    adjacent_boxes: bool = False

    def submission(self, filing: Filing, effective: str) -> str:
        """Return the rules submission, as TOML."""
        return simple_submission(
            paytables=filing.paytables, name=f"{self.id} {effective}", effective=effective, deal_method=self.deal_method,
            starting=self.starting, shuffler=self.shuffler, decks=self.decks, adjacent_boxes=self.adjacent_boxes,
            meter=filing.meter, linked=filing.linked, **filing.settings,
        )  # fmt: skip


def _limits(low: str, high: str) -> dict[str, str]:
    return {
        "min": low, "max": high, "ace_high_bonus.min": "1.00", "ace_high_bonus.max": "100.00",
        "fortune_bonus.min": "1.00", "fortune_bonus.max": "50.00",
    }  # fmt: skip


def _paytables(ace_high: str, fortune: str, progressive: str) -> dict[str, str]:
    return {"ace_high_bonus": ace_high, "fortune_bonus": fortune, "progressive": progressive}


_CAPPED = {"max_payout": "50000.00"}
_SPECS = (
    TableSpec(
        "fu-01", "automated_shoe", "automated_counting", 2, "shaker",
        Filing(_paytables("1", "1", "4"), "link", _limits("25.00", "5000.00") | _CAPPED, linked=True),
    ),
    TableSpec(
        "fu-02", "manual_shoe", "automated", 2, "number",
        Filing(_paytables("2", "2", "4"), "link", _limits("15.00", "2000.00"), linked=True),
    ),
    TableSpec(
        "fu-03", "hand", "automated", 1, "shaker",
        Filing(_paytables("3", "3", "1"), "m-03", _limits("10.00", "1000.00")),
        Filing(_paytables("3", "3", "5"), "m-03b", _limits("10.00", "1500.00")),
    ),
    TableSpec(
        "fu-04", "manual_shoe", "none", 1, "shaker",
        Filing(_paytables("4", "4", "2"), "m-04", _limits("15.00", "1000.00")),
        Filing(_paytables("4", "4", "6"), "m-04b", _limits("15.00", "1000.00")),
        adjacent_boxes=True,
    ),
    TableSpec(
        "fu-05", "automated_shoe", "automated", 2, "shaker",
        Filing(_paytables("5", "5", "3"), "m-05", _limits("25.00", "3000.00")),
        Filing(_paytables("5", "6", "7"), "m-05b", _limits("25.00", "3000.00")),
    ),
)  # fmt: skip


def table_specs(tables: int) -> list[TableSpec]:
    """Return the tables of the floor: the five, and beyond them more of the same kinds with meters of their own."""
    if tables < TABLES_MIN:
        raise ValueError(f"{tables} tables; the floor has at least {TABLES_MIN}, which all paytables take")
    specs = list(_SPECS)
    for number in range(len(_SPECS), tables):
        model, name = _SPECS[number % len(_SPECS)], f"fu-{number + 1:02d}"
        later = model.later and replace(model.later, meter=f"m-{number + 1:02d}b")
        first = replace(model.first, meter=f"m-{number + 1:02d}", linked=False)
        specs.append(replace(model, id=name, first=first, later=later))
    return specs


def gaming_day(number: int) -> str:
    """Return a gaming day by number, from 0.

    >>> gaming_day(1)
    '2026-04-07'
    """
    return (FIRST_DAY + timedelta(days=number)).isoformat()


def cutover_us(number: int) -> int:
    """Return when a gaming day begins, as UTC microseconds."""
    return FIRST_CUTOVER_US + number * DAY_US
