"""The content of a report: plain values, each figure with its meaning. Pure.

Invariant: a report's only dates are those of its period and of the record (or of the verification it reports), so that it can be
made again.
"""

from typing import Any, Literal

import msgspec

Kind = Literal[
    "text",
    "table",
    "game",
    "wager",
    "count",
    "number",
    "money",
    "meter",
    "difference",
    "percent",
    "points",
    "times",
    "day",
    "time",
]
"""How a value is written: a number names something (a round), a count counts; money is integer cents, a meter's
reading hundredths of a cent, a time UTC microseconds, a day `YYYY-MM-DD`."""
NUMERIC: frozenset[Kind] = frozenset({"count", "number", "money", "meter", "difference", "percent", "points", "times"})


class ReportColumn(msgspec.Struct, frozen=True, kw_only=True):
    """A column: name, label, format, meaning and section; `hidden` replaces each value for a viewer who may not see names."""

    name: str
    label: str
    kind: Kind
    meaning: str = ""
    cite: str = ""
    hidden: str = ""


class ReportTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table of a report: rows with a value for each column. `marked` rows need attention; `empty` is shown without rows."""

    name: str
    title: str
    columns: tuple[ReportColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    note: str = ""
    empty: str = "None in this period."
    marked: tuple[int, ...] = ()


class ReportingRule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that requires such a report, and how far the report goes: `answers` it, or merely `helps` with it."""

    cite: str
    role: Literal["answers", "helps"]
    asks: str


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A report on a property's gaming days `first` to `last`, both included (`YYYY-MM-DD`).

    `as_of_us` is the newest time in its record and dates the document. `concerns` are the tables and meters in it, `software` the
    engine that made it. `limits` says what it cannot show, `signatures` who signs on paper. `on_record` names the days with any
    record; `warning` says that the period is empty or not over. A report `dated_by` a verification has the day and time of that.
    """

    name: str
    title: str
    first: str
    last: str
    as_of_us: int
    log_id: str
    property_name: str
    currency: str
    time_zone: str
    concerns: tuple[str, ...]
    software: str
    rules: tuple[ReportingRule, ...]
    tables: tuple[ReportTable, ...]
    limits: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ("Prepared by", "Reviewed by")
    on_record: str = ""
    warning: str = ""
    dated_by: Literal["record", "verification"] = "record"

    @property
    def file_name(self) -> str:
        """The name of its files without the ending."""
        return f"{self.name}-{self.first}-to-{self.last}"

    @property
    def figures(self) -> list[ReportColumn]:
        """The defined figures of all tables, each once, in order of first appearance."""
        every = {each.name: each for table in self.tables for each in table.columns if each.meaning}
        return list(every.values())
