"""`rack quarantine`: lines refused at intake, and how to add them to the record with a trace."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from contextlib import closing
from typing import TYPE_CHECKING, Any

from rack.actions import Act, action_parsers, run_action, taken
from rack.arguments import add, add_log
from rack.errors import Exit, UsageError
from rack.output import Output
from rack.settings import log_address

if TYPE_CHECKING:
    from events.log.contract import EventLog
    from intake.quarantine import QuarantineCase

HELP = "List input refused at intake, show one entry, or redrive entries that can be read now"

MAX_BYTES_SHOWN = 2_000
"""Bytes of an entry that are shown; --out writes all of them to a file."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    action = action_parsers(parser, add_log)
    says = "First digits of the entry's SHA-256 (`rack quarantine list`)."
    action("list", "List every entry.", _on_log(_list))
    show = action("show", "Show one entry with its bytes.", _on_log(_show))
    add(show, "digest SHA256", says)
    add(show, "--out FILE", "Write the refused bytes to a new file.")
    redrive = action(
        "redrive",
        "Append entries that can be read now: those named, or every one that is not yet redriven.",
        _on_log(_redrive, writing=True),
    )
    add(redrive, "digest SHA256", says, nargs="*")
    add(redrive, "--line FILE", "The corrected line for one entry.")
    add(redrive, "--by ID", "The person who redrives, such as sv-1.")
    add(redrive, "--reason TEXT", "Why the entry can be read now, or what was corrected.")


run = run_action
"""Carry it out; `redrive` is 1 if an entry is still refused; 4 if bytes are not those that were refused."""


def _on_log(act: Callable[[EventLog, argparse.Namespace, Output], Exit], *, writing: bool = False) -> Act:
    def acting(arguments: argparse.Namespace, output: Output) -> Exit:
        from rack.opening import log_at

        if writing and arguments.line is not None and len(arguments.digest) != 1:
            raise UsageError("name one entry by the first digits of its SHA-256 (`rack quarantine list`)")
        if writing and not (arguments.by and arguments.reason):
            raise UsageError("redrive needs --by and --reason, such as --by sv-1 --reason 'software of the shoe was upgraded'")
        with closing(log_at(log_address(arguments.log), read_only=not writing, check_heads=writing)) as log:
            return act(log, arguments, output)

    return acting


def _list(log: EventLog, arguments: argparse.Namespace, output: Output) -> Exit:
    from intake.quarantine import quarantine_cases

    entries = quarantine_cases(log)
    output.value([each.values() for each in entries])
    for each in entries:
        _report_fault(output, each)
    rows = [
        (each.refused_at, each.stream, each.entry.sha256[:16], each.size, each.state, each.entry.reason[:60]) for each in entries
    ]
    header = ("refused at", "stream", "sha-256", "bytes", "state", "reason")
    output.table(header, rows, empty="The quarantine is empty.")
    return _exit_of(entries)


def _report_fault(output: Output, case: QuarantineCase) -> None:
    if case.fault is not None:
        output.problem(f"{case.fault.code} {case.fault}")


def _exit_of(cases: Iterable[QuarantineCase]) -> Exit:
    return Exit.INTEGRITY if any(case.fault is not None for case in cases) else Exit.CLEAN


def _show(log: EventLog, arguments: argparse.Namespace, output: Output) -> Exit:
    from intake.quarantine import find_case, quarantine_cases

    each = find_case(quarantine_cases(log), arguments.digest)
    data = each.entry.data
    if arguments.out is not None:
        with arguments.out.open("xb") as file:
            file.write(data)
    text = data[:MAX_BYTES_SHOWN].decode("ascii", "backslashreplace")
    _report_fault(output, each)
    output.value(each.values() | {"text": text})
    shown = "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)
    rest = (
        f"{len(data) - MAX_BYTES_SHOWN:,} more bytes are not shown; --out FILE writes all of them"
        if len(data) > MAX_BYTES_SHOWN
        else ""
    )
    output.text(
        f"sha-256  {each.entry.sha256}",
        f"stream   {each.stream}",
        f"refused  {each.refused_at}",
        f"state    {each.state}",
        f"reason   {each.entry.reason}",
        "",
        shown,
        *([rest] if rest else []),
    )
    return _exit_of([each])


def _redrive(log: EventLog, arguments: argparse.Namespace, output: Output) -> Exit:
    from desk.house.filing import read_filed_rules
    from events.errors import EventError
    from intake.quarantine import find_case, quarantine_cases, redrive

    entries = quarantine_cases(log)
    chosen = [find_case(entries, digest) for digest in arguments.digest]
    for each in chosen or entries:
        _report_fault(output, each)
    line = arguments.line.read_bytes().strip() if arguments.line is not None else None
    about = taken(arguments, "by", "reason") | {"line": line, "read_rules": read_filed_rules}
    done, refused = list[dict[str, Any]](), list[dict[str, str]]()
    for each in chosen or [entry for entry in entries if entry.redriven_seq is None]:
        sha256 = each.entry.sha256
        if each.fault is not None:
            refused.append({"sha256": sha256, "reason": str(each.fault)})
            continue
        try:
            appended = redrive(log, each, **about)
        except EventError as error:
            output.problem(f"still refused: {error}")
            refused.append({"sha256": sha256, "reason": str(error)})
        else:
            done.append({"sha256": sha256, "stream": appended.stream, "seq": appended.head.seq})
            output.text(f"{sha256[:16]}… is {appended.stream} event {appended.head.seq}")
    output.value({"redriven": done, "refused": refused})
    output.text(f"{len(done):,} redriven, {len(refused):,} still refused; `rack replay` judges their rounds again")
    return _exit_of(chosen or entries) or (Exit.FINDINGS if refused else Exit.CLEAN)
