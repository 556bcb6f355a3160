"""Reports on foreign records in a log's store, on settings of the store that can lose evidence, and on a clock that is ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from events.log.contract import EventLog
    from events.log.foreign import ForeignReport, StoreFault
    from rack.output import Output


def foreign_lines(report: ForeignReport, said: int = 0) -> list[str]:
    """Return foreign records beyond those already said: the first of them by name, then how many more, then what to do."""
    if report.count <= said:
        return []
    named = [f"foreign record, skipped: {record.line()}" for record in report.records[said:]]
    more = report.count - max(said, len(report.records))
    if more:
        named.append(f"{more:,} {'more foreign records' if named else 'foreign records'} skipped")
    return [
        *named,
        "foreign records are not part of the log and do not change it; find out who can write to its topics",
    ]


def fault_lines(faults: list[StoreFault]) -> list[str]:
    """Return the settings of a store by which evidence can be lost, one line each."""
    return [f"evidence can be lost: {fault.line()}" for fault in faults]


def report_store_faults(log: EventLog, output: Output) -> list[StoreFault]:
    """Report on stderr the settings of the store that can lose evidence; return them."""
    faults = log.store_faults()
    for line in fault_lines(faults):
        output.problem(line)
    return faults


def report_clock(log: EventLog, output: Output) -> None:
    """Report on stderr that the log holds events of a time that has not come."""
    from events.log.clock import ahead_lines, streams_ahead
    from events.sqlite.log import utc_now_us

    now_us = utc_now_us()
    for line in ahead_lines(streams_ahead(log, now_us), now_us):
        output.problem(line)
