"""`rack verify`: walk a whole log and name the first event that is not as it was written."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rack.arguments import add_log
from rack.errors import Exit
from rack.output import Output
from rack.settings import log_address

if TYPE_CHECKING:
    from events.verify import Break, Report

HELP = "check chain, numbering and high-water mark of a log; name the first break"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_log(parser)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Walk the log; 4 where anything is not as it was written."""
    from events.verify import verify
    from rack.opening import log_at

    log = log_at(log_address(arguments.log), read_only=True, check_heads=False)
    try:
        report = verify(log, progress=lambda stream, events: output.progress(events, f"events checked, at {stream}"))
        refused = len(log.quarantined())
    finally:
        log.close()
    output.value(as_json(report) | {"quarantined": refused})
    output.text(*(line(found) for found in report.breaks), summary(report, refused))
    return Exit.CLEAN if report.ok else Exit.INTEGRITY


def line(found: Break) -> str:
    """Return a break in one line."""
    return f"{found.code} {found.stream} event {found.seq}: {found.message} ({found.kind.replace('_', ' ')})"


def summary(report: Report, refused: int) -> str:
    """Return what was walked in one line."""
    state = "whole" if report.ok else "BROKEN; nothing after a break of the chain can be trusted"
    held = f", {refused:,} refused lines in quarantine" if refused else ""
    return f"log {report.log_id} of {report.property_id}: {report.events:,} events in {report.streams} streams{held}: {state}"


def as_json(report: Report) -> dict[str, Any]:
    """Return the report as JSON values."""
    from msgspec import to_builtins

    heads = {stream: {"seq": head.seq, "hash": head.hash.hex()} for stream, head in report.heads.items()}
    return {
        "ok": report.ok, "log_id": report.log_id, "property_id": report.property_id, "events": report.events,
        "streams": heads, "first_break": to_builtins(report.first_break), "breaks": to_builtins(report.breaks),
    }  # fmt: skip
