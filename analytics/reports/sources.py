"""What a report is made from: an open warehouse, a desk to read the log, the period, and what the property filed.

Invariant: nothing here asks a clock. A period that is not given follows from the newest gaming day in the warehouse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
import polars as pl

from analytics.hold.hold import gaming_days, property_facts
from analytics.reports.filing import Filing
from analytics.warehouse.loading import PropertyFacts
from analytics.warehouse.selection import Selection
from analytics.warehouse.warehouse import Warehouse
from replay.report.content import Figure, Report, Rule, Table
from replay.review.desk import Desk, TableReview
from replay.run.engine import engine


class NoPeriod(ValueError):
    """There is no such period to report on: what was asked for, and what to do."""


class WrongLog(ValueError):
    """The warehouse was built from another log than the one that was named."""


class Sources(msgspec.Struct, frozen=True, kw_only=True):
    """What a report reads. `first` and `last` are gaming days, both included."""

    db: Warehouse
    desk: Desk
    first: date
    last: date
    filing: Filing = Filing()

    @property
    def period(self) -> Selection:
        """The rounds of the period."""
        return Selection(first=self.first, last=self.last)

    @property
    def facts(self) -> PropertyFacts:
        """The property's name, time zone and currency."""
        return property_facts(self.db)

    def rows(self, statement: str, **values: Any) -> pl.DataFrame:
        """Return the rows of a statement that may name `$first` and `$last`, and these values."""
        known = {"first": self.first, "last": self.last, **values}
        named = {name: value for name, value in known.items() if f"${name}" in statement}
        frame: pl.DataFrame = self.db.sql(statement, params=named).pl()
        return frame

    def newest_us(self) -> int:
        """Return when the last round of the period was closed; the end of its last day in UTC where it has none."""
        newest = self.rows(
            "SELECT max(closed_at_us) AS at_us FROM fct_rounds WHERE gaming_day BETWEEN $first AND $last"
        )
        at_us: int | None = newest.item()
        if at_us is not None:
            return at_us
        return (
            int(datetime(self.last.year, self.last.month, self.last.day, 23, 59, 59, tzinfo=UTC).timestamp())
            * 1_000_000
        )

    def reviews(self) -> dict[str, TableReview]:
        """Return the review of every table and meter by its name. Raises an `IntegrityError` where a stream is broken."""
        streams = sorted(self.desk.log.streams())
        return {
            name: self.desk.review(name) for kind, _, name in (s.partition("/") for s in streams) if kind == "review"
        }

    def newest_review_us(self, reviews: Mapping[str, TableReview]) -> int:
        """Return when somebody last wrote about a finding, dispute, case or investigation; 0 where nobody did.

        Who looked at the record, or took a copy of it, changes no report and does not date one.
        """
        histories = [
            each.history
            for review in reviews.values()
            for part in (review.findings, review.disputes, review.cases, review.investigations)
            for each in part.values()
        ]
        return max((entry.at_us for history in histories for entry in history), default=0)

    def tables(self) -> list[str]:
        """Return the tables with rounds or counts in the period, sorted."""
        rows = self.rows(
            "SELECT DISTINCT table_id FROM fct_table_days WHERE gaming_day BETWEEN $first AND $last ORDER BY table_id"
        )
        return rows["table_id"].to_list()

    def report(
        self,
        name: str,
        title: str,
        *,
        rules: Sequence[Rule],
        tables: Sequence[Table],
        limits: Sequence[str] = (),
        concerns: Sequence[str] | None = None,
        as_of_us: int | None = None,
        **more: Any,
    ) -> Report:
        """Return a report of these sources. `concerns` are its tables and meters, where not all tables of the period."""
        facts = self.facts
        return Report(
            name=name,
            title=title,
            first=self.first.isoformat(),
            last=self.last.isoformat(),
            as_of_us=max(self.newest_us(), as_of_us or 0),
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
    """Return the period asked for: without days, the month of the newest gaming day up to that day. Raises `NoPeriod`."""
    days = gaming_days(db)
    if not days:
        raise NoPeriod(
            "the warehouse has no gaming day yet; judge rounds with `rack replay --log ADDR --warehouse FILE`"
        )
    last = last or (max(days[0], first) if first is not None else days[0])
    first = first or last.replace(day=1)
    if first > last:
        raise NoPeriod(
            f"the period begins on {first}, after its last day {last}; give --from a day that is not after --to"
        )
    return first, last


@cache
def figures() -> dict[str, Figure]:
    """Return every figure by the name of its column (`figures.toml`)."""
    text = files("analytics.reports").joinpath("figures.toml").read_text(encoding="utf-8")
    defined = msgspec.toml.decode(text, type=dict[str, dict[str, str]])
    return {name: msgspec.convert({"name": name, **fields}, Figure) for name, fields in defined.items()}


def table_of(name: str, title: str, rows: pl.DataFrame, **more: Any) -> Table:
    """Return a frame as a table; each of its columns is defined in `figures.toml`. Days become text."""
    columns = tuple(figures()[column] for column in rows.columns)
    plain = tuple(tuple(v.isoformat() if isinstance(v, date) else v for v in row) for row in rows.iter_rows())
    return Table(name=name, title=title, columns=columns, rows=plain, **more)
