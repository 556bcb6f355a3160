"""Every report by name: its title, the rules that it meets, and the function that makes it."""

from collections.abc import Callable
from datetime import date
from typing import Final

import msgspec

from analytics.reports import (
    hold_investigations,
    inventory,
    jackpots,
    meters,
    record_extent,
    register,
    surveillance_log,
    table_games,
)
from analytics.reports.filing import PropertyFiling
from analytics.reports.sources import Sources, WrongLog, period
from analytics.warehouse.warehouse import Warehouse
from desk.report.content import Report, ReportingRule
from desk.review.desk import Desk


class ReportKind(msgspec.Struct, frozen=True, kw_only=True):
    """A report that can be made, by its name on the command line."""

    name: str
    title: str
    rules: tuple[ReportingRule, ...]
    make: Callable[[Sources], Report]


_EVERY: Final = (
    ReportKind(name=table_games.NAME, title=table_games.TITLE, rules=table_games.RULES, make=table_games.table_games),
    ReportKind(
        name=hold_investigations.NAME,
        title=hold_investigations.TITLE,
        rules=hold_investigations.RULES,
        make=hold_investigations.hold_investigations,
    ),
    ReportKind(name=meters.NAME, title=meters.TITLE, rules=meters.RULES, make=meters.meters),
    ReportKind(name=jackpots.NAME, title=jackpots.TITLE, rules=jackpots.RULES, make=jackpots.jackpots),
    ReportKind(name=register.NAME, title=register.TITLE, rules=register.RULES, make=register.errors_and_disputes),
    ReportKind(name=inventory.NAME, title=inventory.TITLE, rules=inventory.RULES, make=inventory.table_inventory),
    ReportKind(
        name=surveillance_log.NAME,
        title=surveillance_log.TITLE,
        rules=surveillance_log.RULES,
        make=surveillance_log.surveillance_log,
    ),
)
REPORTS: Final = {each.name: each for each in _EVERY}


def make_report(
    name: str, db: Warehouse, desk: Desk, *, first: date | None = None, last: date | None = None, filing: PropertyFiling
) -> Report:
    """Return a report by name. Raises `NoPeriod`, `WrongLog`, `FilingError`, and an `IntegrityError` for a broken stream."""
    first, last = period(db, first, last)
    sources = Sources(db=db, desk=desk, first=first, last=last, filing=filing)
    if sources.facts.log_id != desk.log.log_id:
        raise WrongLog(
            f"the warehouse is of the log {sources.facts.log_id or 'without a name'}, and {desk.log.log_id} was named; "
            "name the warehouse that was built from that log"
        )
    reviews = sources.reviews()
    return msgspec.structs.replace(
        REPORTS[name].make(sources),
        as_of_us=record_extent.as_of_us(sources, reviews),
        on_record=record_extent.on_record(sources),
        warning=record_extent.warning(sources, reviews),
    )
