"""What `rack verify` says beside its result: how far it has come, and the report of what was verified (`--report`)."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import TYPE_CHECKING

from rack.errors import UsageError
from rack.output import Output

if TYPE_CHECKING:
    from desk.report.verification import Verified
    from events.log.contract import EventLog
    from events.proofs.signed_note import Signer
    from events.proofs.verify import Progress


def check_report_options(arguments: argparse.Namespace) -> None:
    """Raise `UsageError` where the report could not be written when the verification has ended."""
    path = arguments.report
    if path is None:
        if arguments.sign is not None:
            raise UsageError("--sign signs the report of a verification; name the report's file with --report")
        return
    if path.exists():
        raise UsageError(f"{path} already exists, and a report is never overwritten; name another file with --report")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{path.parent}: no such folder; expected one for the report")


def progress_of(log: EventLog, arguments: argparse.Namespace, output: Output) -> Progress:
    """Return what tells of each stream as it is walked: in a line on a terminal, or as JSON where that was asked for."""
    if not arguments.progress:
        return lambda stream, events: output.progress(events, f"events checked, at {stream}")
    from events.errors import IntegrityError

    names, last = log.streams(), 0
    for name in names:
        with suppress(IntegrityError):  # the walk names it
            last += log.head(name).seq
    done: dict[str, None] = {}

    def step(stream: str, events: int) -> None:
        done[stream] = None
        output.step({"stream": stream, "number": len(done), "streams": len(names), "events": events, "of": last})

    return step


def compared_beside(arguments: argparse.Namespace) -> tuple[list[tuple[str, str]], list[str]]:
    """Return what was compared beside the log, with a word on each, and what was not, in sentences."""
    checks, omitted = [], []
    if arguments.rounds is not None:
        checks.append(("Round table", f"{arguments.rounds.name}: derived again and compared"))
    else:
        omitted.append("No round table was derived again and compared.")
    if arguments.verdicts:
        checks.append(("Verdicts", "every round was judged again, and every stored result compared"))
    else:
        omitted.append("No round was judged again: whether the verdicts are right was not looked at.")
    return checks, omitted


def write_report(arguments: argparse.Namespace, output: Output, log: EventLog, made: Verified) -> None:
    """Write the report, signed where a key is named and in force; where it is not, the report and stderr say so.

    No verification is lost to a signature (a broken log may not even say which key is in force) or to a full disk.
    """
    from msgspec.structs import replace

    from desk.report.document import to_pdf
    from desk.report.verification import verification_report
    from rack.recorded_round import property_configured
    from rack.whole_files import write_whole
    from replay.run.engine import engine

    signer, why = _signer(arguments, log)
    if arguments.sign is not None and why:
        output.problem(f"the report is not signed: {why}")
    report = verification_report(replace(made, unsigned=why), property_configured(log), engine())
    try:
        write_whole({arguments.report: to_pdf(report, signer)})
    except OSError as error:
        output.problem(
            f"{error.filename}: {error.strerror}; there is no report of this verification, and its result stands"
        )
    else:
        output.note(f"{arguments.report}: the report of this verification")


def _signer(arguments: argparse.Namespace, log: EventLog) -> tuple[Signer | None, str]:
    """Return who signs; or null, and why nobody does."""
    import os
    from pathlib import Path

    from desk.packet.make import check_key
    from events.errors import EventError, IntegrityError
    from events.proofs.checkpointer import KeyNotInForce
    from events.proofs.keys import PROPERTY_STREAM, KeyRefused, read_signer

    path = arguments.sign or (Path(os.environ["RACK_KEY"]) if os.environ.get("RACK_KEY") else None)
    if path is None:
        return None, "no key was named (--sign, RACK_KEY)"
    try:
        signer = read_signer(path)
        check_key(signer, log.read(PROPERTY_STREAM), "the log")
    except (KeyRefused, KeyNotInForce, IntegrityError, EventError) as error:
        return None, str(error)
    return signer, ""
