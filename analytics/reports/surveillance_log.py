"""The surveillance daily log and shift hand-over: people's entries, hand-overs, and open work for the next shift.

Invariant: entries are unchanged and in order; a device is out of order from its failure until the record says that it works
again.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import polars as pl

from analytics.reports.round_documents import device_events
from analytics.reports.sources import Sources, table_of
from analytics.warehouse.loading import schema_of
from desk.report.content import Report, ReportingRule, ReportTable
from desk.report.single_events import device_times
from desk.review.desk import TableReview
from desk.review.disputes import case_name
from desk.review.surveillance import SURVEILLANCE, HandOver, SurveillanceEntry, log
from replay.narrative.findings import finding_title
from replay.narrative.names import heading

NAME, TITLE = "surveillance-log", "Surveillance log and shift hand-over"
RULES: Final = (
    ReportingRule(cite="9 NYCRR 5314.3", role="answers", asks="surveillance log, electronic and not to be modified"),
    ReportingRule(cite="K.A.R. 112-106-6", role="answers", asks="surveillance log, with the change of shifts"),
    ReportingRule(cite="La. Admin. Code 42 § III-3309", role="helps", asks="surveillance logs"),
    ReportingRule(cite="W. Va. Code R. 179-4-121", role="helps", asks="surveillance logs"),
    ReportingRule(cite="Ohio Admin. Code 3772-19-09", role="helps", asks="surveillance logs"),
)


def surveillance_log(sources: Sources) -> Report:
    """Return the report."""
    reviews, of_room = sources.reviews(), log(sources.desk)
    first, last = str(sources.first), str(sources.last)
    entries = [each for each in of_room.surveillance if first <= each.gaming_day <= last]
    shifts = [each for each in of_room.hand_overs if first <= each.gaming_day <= last]
    made = table_of("entries", "Entries", _frame(_ENTRY, entries), empty="No one made an entry in this period.")
    tables = [made, _shifts(shifts), _incidents(sources, reviews), _disputes(reviews), _devices(sources)]
    limits = [
        "What no one entered is not here. An entry is corrected by another one; both remain.",
        "Open incidents and disputes are those open in the record that this report is made from.",
        "A device that failed and of which no one recorded that it works again is out of order here.",
    ]
    return sources.report(
        NAME,
        TITLE,
        rules=RULES,
        tables=tables,
        limits=limits,
        concerns=[*sources.tables(), *([SURVEILLANCE] if entries or shifts else [])],
        signatures=("Handed over by", "Accepted by"),
    )


T = TypeVar("T")
Columns = tuple[tuple[str, Any, Callable[[T], Any]], ...]
"""The columns of a table: the name, the type, and how it is had of what a row is about."""


def _frame(columns: Columns[T], items: Sequence[T]) -> pl.DataFrame:
    rows = [tuple(value_of(item) for _, _, value_of in columns) for item in items]
    return pl.DataFrame(rows, schema={name: type_ for name, type_, _ in columns}, orient="row")


_ENTRY: Final[Columns[SurveillanceEntry]] = (
    ("event_no", pl.Int64, lambda each: each.entry.seq),
    ("gaming_day", pl.String, lambda each: each.gaming_day),
    ("happened_at_us", pl.Int64, lambda each: each.noted.happened_us),
    ("entered_at_us", pl.Int64, lambda each: each.entry.at_us),
    ("entered_by", pl.String, lambda each: each.noted.by),
    ("table_id", pl.String, lambda each: each.noted.table),
    ("camera", pl.String, lambda each: each.noted.camera),
    ("persons", pl.String, lambda each: each.noted.persons),
    ("note", pl.String, lambda each: each.noted.note),
)


_SHIFT: Final[Columns[HandOver]] = (
    ("event_no", pl.Int64, lambda each: each.entry.seq),
    ("gaming_day", pl.String, lambda each: each.gaming_day),
    ("shift", pl.String, lambda each: each.signed.shift),
    ("signed_over_by", pl.String, lambda each: each.signed.by),
    ("signed_over_at_us", pl.Int64, lambda each: each.entry.at_us),
    ("open_incidents", pl.Int64, lambda each: each.signed.incidents),
    ("open_disputes", pl.Int64, lambda each: each.signed.disputes),
    ("note", pl.String, lambda each: each.signed.note),
    ("accepted_by", pl.String, lambda each: each.accepted.by if each.accepted else None),
    ("accepted_at_us", pl.Int64, lambda each: each.accepted.at_us if each.accepted else None),
    ("accepted_with", pl.String, lambda each: each.accepted.says if each.accepted else None),
)


def _shifts(shifts: Sequence[HandOver]) -> ReportTable:
    """Return every shift handed over, and who accepted it; one not accepted is marked."""
    return table_of(
        "shifts",
        "Shifts handed over",
        _frame(_SHIFT, shifts),
        empty="No shift was handed over in this period.",
        marked=tuple(i for i, each in enumerate(shifts) if each.accepted is None),
    )


def _incidents(sources: Sources, reviews: Mapping[str, TableReview]) -> ReportTable:
    """Return the unresolved incidents up to the last day, gravest first."""
    found = sources.rows(
        """
        SELECT table_id, gaming_day, round_no, code, severity, finding_ids
        FROM fct_incidents
        WHERE gaming_day <= $last
        ORDER BY severity_rank, gaming_day, table_id, round_no, incident_id
        """
    )
    rows = []
    for row in found.iter_rows(named=True):
        review = reviews.get(row["table_id"], TableReview(""))
        standing = [review.finding(each) for each in row["finding_ids"]]
        if any(each.state != "resolved" for each in standing):
            people = sorted({each.assigned_to for each in standing if each.assigned_to})
            named = (row["severity"], row["table_id"], row["gaming_day"], row["round_no"], finding_title(row["code"]))
            rows.append((*named, ", ".join(people) or None))
    schema = schema_of(
        "severity VARCHAR, table_id VARCHAR, gaming_day DATE, round_no BIGINT, incident VARCHAR, assigned_to VARCHAR"
    )
    return table_of("open-incidents", "Open incidents", pl.DataFrame(rows, schema=schema, orient="row"), empty="None.")


def _disputes(reviews: Mapping[str, TableReview]) -> ReportTable:
    rows = [
        (
            each.dispute,
            table,
            each.round_no,
            each.seat,
            each.patron,
            each.claim,
            each.opened_by,
            each.history[0].at_us,
            *((case_name(table, case.number), case.due) if (case := review.case_of(each.dispute)) else (None, None)),
        )
        for table, review in reviews.items()
        for each in review.disputes.values()
        if each.outcome is None
    ]
    schema = schema_of(
        "dispute VARCHAR, table_id VARCHAR, round_no BIGINT, seat BIGINT, patron VARCHAR, claim VARCHAR, opened_by VARCHAR, "
        "opened_at_us BIGINT, case VARCHAR, due VARCHAR"
    )
    return table_of("open-disputes", "Open disputes", pl.DataFrame(rows, schema=schema, orient="row"), empty="None.")


def _devices(sources: Sources) -> ReportTable:
    """Return the devices that failed up to the last day and do not work again by the record."""
    rows = []
    for (stream,), events in device_events(sources).group_by("stream", maintain_order=True):
        times = device_times(sources.desk.log, str(stream), events["seq"].to_list())
        last: dict[str, tuple[str, int, str, int]] = {}
        for seq, type_, device, fault in events.select("seq", "type", "device", "fault").iter_rows():
            day, at_us = times[seq]
            if day > str(sources.last):
                continue
            if type_ == "device_failed":
                last[device] = (fault, last[device][1] if device in last else at_us, "", seq)
            elif type_ == "device_covered" and device in last:
                last[device] = (*last[device][:2], "covered", last[device][3])
            elif type_ == "device_restored":
                last.pop(device, None)
        table = str(stream).partition("/")[2]
        rows += [(table, heading(device), fault, at_us, cover or None) for device, (fault, at_us, cover, _) in last.items()]
    schema = schema_of("table_id VARCHAR, device VARCHAR, fault VARCHAR, failed_at_us BIGINT, remark VARCHAR")
    return table_of(
        "devices",
        "Devices out of order",
        pl.DataFrame(sorted(rows), schema=schema, orient="row"),
        empty="No device is out of order.",
        marked=tuple(range(len(rows))),
    )
