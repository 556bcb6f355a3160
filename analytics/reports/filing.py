"""A property's settings for its reports (`reports.toml`), and the regulators' thresholds, both dated data.

Invariant: a figure set by a rule or the property has a first day, perhaps a last one, and a section; a day without such a figure
is an error that says what to file, never a guess.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

Name = Literal["w2g_minimum_cents", "w2g_times_wager", "cash_limit_cents", "opener_variance_cents"]
DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class FilingError(ValueError):
    """The settings for reports cannot be used: names the place, what was expected, and what to do."""


class Threshold(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"first": "from"}):
    """A figure that a regulation sets: its section, its first day and its last day (None: until the next threshold)."""

    name: Name
    first: date
    value: Annotated[int, Meta(ge=0)]
    cite: str
    until: date | None = None


class Pits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"first": "from"}):
    """The tables of each pit, from a gaming day until the next entry."""

    first: date
    tables: dict[str, list[str]]

    def pit_of(self, table: str) -> str | None:
        """Return the pit of a table; None if it is in none."""
        return next((pit for pit, tables in self.tables.items() if table in tables), None)


class PropertyFiling(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A property's settings. `w2g_reduced_by_wager`: winnings are tested less the stake, which is the payer's option."""

    pits: list[Pits] = []
    thresholds: list[Threshold] = []
    week_begins: Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] = "monday"
    w2g_reduced_by_wager: bool = True

    def threshold(self, name: Name, day: date, currency: str = "") -> Threshold:
        """Return the threshold in force on a day: the property's own, else the regulators', whose money is dollars (D1442).

        Raises `FilingError` if none exists.
        """
        in_dollars = name.endswith("_cents") and currency not in ("", "USD")
        for known in (self.thresholds, () if in_dollars else published()):
            fitting = [
                each for each in known if each.name == name and each.first <= day and (each.until is None or day <= each.until)
            ]
            if fitting:
                return max(fitting, key=lambda each: each.first)
        of = f" in {currency}" if in_dollars else ""
        raise FilingError(f"no {name} is on file for {day}{of}; add a [[thresholds]] entry with its section to reports.toml")

    def week_of(self, day: date) -> date:
        """Return the first day of a day's week."""
        return day - timedelta(days=(day.weekday() - DAYS.index(self.week_begins)) % 7)

    def pit_spans(self, first: date, last: date) -> Iterator[tuple[date, date, Pits | None]]:
        """Yield the parts of a period with the same pits, and the pits; None before the first filing."""
        changes = sorted(self.pits, key=lambda each: each.first)
        starts = [first, *(each.first for each in changes if first < each.first <= last)]
        for start, following in zip(starts, [*starts[1:], last + timedelta(days=1)], strict=True):
            in_force = [each for each in changes if each.first <= start]
            yield start, following - timedelta(days=1), in_force[-1] if in_force else None


class _Published(msgspec.Struct, forbid_unknown_fields=True):
    threshold: list[Threshold]


@cache
def published() -> list[Threshold]:
    """Return the regulators' thresholds in the project (`thresholds.toml`)."""
    text = files("analytics.reports").joinpath("thresholds.toml").read_text(encoding="utf-8")
    return msgspec.toml.decode(text, type=_Published).threshold


def read_filing(file: Path | None) -> PropertyFiling:
    """Return a property's settings from a file; empty without a file. Raises `FilingError`, which names the fault."""
    if file is None or not file.is_file():
        return PropertyFiling()
    try:
        filing = msgspec.toml.decode(file.read_bytes(), type=PropertyFiling)
    except (msgspec.MsgspecError, ValueError) as error:
        raise FilingError(f"{file}: {error}; docs/reports.md describes the file") from error
    for pits in filing.pits:
        tables = [table for names in pits.tables.values() for table in names]
        twice = sorted({table for table in tables if tables.count(table) > 1})
        if twice:
            raise FilingError(f"{file}: from {pits.first} on, table {twice[0]} is in two pits; name it in one")
    return filing
