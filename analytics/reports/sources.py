"""The sources of a report: an open warehouse, a desk to read the log, the period, and the property's settings.

Invariant: no clock is read here. A period that is not given follows from the newest gaming day in the warehouse.
"""

from collections.abc import Sequence
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any, Final

import msgspec
import polars as pl

from analytics.hold.hold import hold_totals
from analytics.reports.filing import PropertyFiling
from analytics.warehouse.floor_data import gaming_days, property_facts
from analytics.warehouse.loading import PropertyFacts
from analytics.warehouse.selection import Selection
from analytics.warehouse.warehouse import Warehouse
from desk.report.content import Report, ReportColumn, ReportingRule, ReportTable
from desk.review.desk import Desk, TableReview
from replay.narrative.names import plural
from replay.run.engine import engine


class NoPeriod(ValueError):
    """There is no such period to report on; the message says what was asked for, and what to do."""


class WrongLog(ValueError):
    """The warehouse was built from another log than the named one."""


class Sources(msgspec.Struct, frozen=True, kw_only=True):
    """The data sources of a report. `first` and `last` are gaming days, both included."""

    db: Warehouse
    desk: Desk
    first: date
    last: date
    filing: PropertyFiling = PropertyFiling()

    @property
    def period(self) -> Selection:
        """The rounds of the period."""
        return Selection(first=self.first, last=self.last)

    @property
    def facts(self) -> PropertyFacts:
        """The property's name, time zone and currency."""
        return property_facts(self.db)

    def rows(self, statement: str, **values: Any) -> pl.DataFrame:
        """Return the rows of a statement with `$first`, `$last` and these values as parameters."""
        known = {"first": self.first, "last": self.last, **values}
        named = {name: value for name, value in known.items() if f"${name}" in statement}
        frame: pl.DataFrame = self.db.sql(statement, params=named).pl()
        return frame

    def newest_us(self) -> int:
        """Return the closing time of the period's last round, else of the record's last; 0 if there are none."""
        newest = self.rows(
            """
            SELECT coalesce(max(closed_at_us) FILTER (gaming_day BETWEEN $first AND $last), max(closed_at_us), 0) AS at_us
            FROM fct_rounds
            """
        )
        at_us: int = newest.item()
        return at_us

    def reviews(self) -> dict[str, TableReview]:
        """Return the review of every table and meter by its name. Raises an `IntegrityError` if a stream is broken."""
        streams = sorted(self.desk.log.streams())
        return {name: self.desk.review(name) for kind, _, name in (s.partition("/") for s in streams) if kind == "review"}

    def tables(self) -> list[str]:
        """Return the tables with rounds or counts in the period, sorted."""
        rows = self.rows(
            "SELECT DISTINCT table_id FROM fct_table_days WHERE gaming_day BETWEEN $first AND $last ORDER BY table_id"
        )
        return rows["table_id"].to_list()

    def table_days(self) -> dict[str, Any]:
        """Return the numbers of table days in the period, of those with recorded wagers, and of possible duplicates."""
        return hold_totals(self.db, self.period).row(0, named=True)

    def without_wagers(self) -> str:
        """Return the number of table days without recorded wagers and its consequence in words; empty if all have some (D870)."""
        days = self.table_days()
        without = days["table_days"] - days["table_days_with_wagers"]
        if not without:
            return ""
        return (
            f"No wagers are on record for {without:,} of {plural(days['table_days'], 'table day')}: they are in no figure of "
            "wagers, no finding and no form, and their trays can only be compared with drop, fills and credits."
        )

    def report(
        self,
        name: str,
        title: str,
        *,
        rules: Sequence[ReportingRule],
        tables: Sequence[ReportTable],
        limits: Sequence[str] = (),
        concerns: Sequence[str] | None = None,
        **more: Any,
    ) -> Report:
        """Return a report of these sources. `concerns` are its tables and meters; default: all tables of the period."""
        facts = self.facts
        return Report(
            name=name,
            title=title,
            first=self.first.isoformat(),
            last=self.last.isoformat(),
            as_of_us=self.newest_us(),
            log_id=facts.log_id,
            property_name=facts.name,
            currency=facts.currency,
            time_zone=facts.time_zone,
            software=engine(),
            concerns=tuple(self.tables() if concerns is None else concerns),
            rules=tuple(rules),
            tables=tuple(tables),
            limits=tuple(limits),
            **more,
        )


def period(db: Warehouse, first: date | None = None, last: date | None = None) -> tuple[date, date]:
    """Return the requested period: without days, the month of the newest gaming day up to that day. Raises `NoPeriod`."""
    days = gaming_days(db)
    if not days:
        raise NoPeriod("the warehouse has no gaming day yet; judge rounds with `rack replay --log ADDR --warehouse FILE`")
    last = last or (max(days[0], first) if first is not None else days[0])
    first = first or last.replace(day=1)
    if first > last:
        raise NoPeriod(f"the period begins on {first}, after its last day {last}; give --from a day that is not after --to")
    return first, last


@cache
def figures() -> dict[str, ReportColumn]:
    """Return every figure by the name of its column (`figures.toml`)."""
    text = files("analytics.reports").joinpath("figures.toml").read_text(encoding="utf-8")
    defined = msgspec.toml.decode(text, type=dict[str, dict[str, str]])
    return {name: msgspec.convert({"name": name, **fields}, ReportColumn) for name, fields in defined.items()}


_REPEATS: Final = ("repeated_drops", "repeated_slips")
_OF_DAYS: Final = ("days", "days_with_wagers")


def table_with_remarks(name: str, title: str, rows: pl.DataFrame, note: str = "", **more: Any) -> ReportTable:
    """Return a frame as a table, with a remark if it has table days without recorded wagers, or duplicate entries.

    Columns needed only for the remark (`days`, `days_with_wagers`, `repeated_drops`, `repeated_slips`) are hidden. Rows with
    duplicate entries are marked.
    """
    remarks, marked = [], []
    for at, row in enumerate(rows.iter_rows(named=True)):
        days, with_wagers = (row.get(column) for column in _OF_DAYS)
        on_record = f"wagers of {with_wagers} of {plural(days, 'table day')}" if days and with_wagers else "no wagers on record"
        said = [on_record] if days and with_wagers != days else []
        counts = [(row[column] or 0, column.removeprefix("repeated_").removesuffix("s")) for column in _REPEATS]
        repeats = [f"{plural(number, noun)} entered twice" for number, noun in counts if number]
        marked += [at] if repeats else []
        remarks.append("; ".join([*said, *repeats]) or None)
    shown = rows.drop([column for column in (*_REPEATS, *_OF_DAYS) if column in rows.columns])
    if any(remarks):
        shown = shown.with_columns(pl.Series("remark", remarks, dtype=pl.String))
    if marked:
        words = "In a shaded row a count of the same box or slip, day and amount is on record twice, and both count (D871)."
        note = f"{note} {words}".strip()
    return table_of(name, title, shown, note=note, marked=tuple(marked), **more)


def table_of(name: str, title: str, rows: pl.DataFrame, **more: Any) -> ReportTable:
    """Return a frame as a table; each of its columns is defined in `figures.toml`. Days become text."""
    columns = tuple(figures()[column] for column in rows.columns)
    plain = tuple(tuple(v.isoformat() if isinstance(v, date) else v for v in row) for row in rows.iter_rows())
    return ReportTable(name=name, title=title, columns=columns, rows=plain, **more)
