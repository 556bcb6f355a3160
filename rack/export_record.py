"""Records every copy of rounds that a command exports first: an event in `review/<table>` of each table concerned.

The event has the person, the reason, and the SHA-256 of the copy. If it cannot be written, nothing is exported.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from rack.arguments import add
from rack.errors import UsageError
from rack.output import Output, counted

if TYPE_CHECKING:
    from desk.review.desk import RecordKind


def add_custody(parser: argparse.ArgumentParser) -> None:
    """Add the options for who exports the copy, and why."""
    add(parser, "--by PERSON", "Who exports, as in the property's directory (default: the login name).")
    add(parser, "--reason TEXT", "Reason recorded in the log with the export.")


def record_export(
    address: str,
    arguments: argparse.Namespace,
    output: Output,
    *,
    rounds: Mapping[str, Sequence[int | None]],
    digest: str,
    form: str,
    log_id: str,
    what: RecordKind = "table",
    about: str = "",
) -> None:
    """Record that a copy leaves the log at an address: for each table these rounds (None: all of it).

    `log_id` is the copy's log, and `about` says after the reason which copy it is. Raises `UsageError` if the address is another
    log's, and the desk's errors. An archive takes no events: the hand-over of the archive itself is recorded.
    """
    from getpass import getuser

    from desk.review.desk import Desk
    from events.open import parse_address
    from rack.opening import log_at
    from replay.run.replayer import MemoryResults

    if parse_address(address)[0] == "archive":
        output.note("an archive is read-only; this export is not recorded")
        return
    by, reason = arguments.by or getuser().lower(), arguments.reason or f"rack {arguments.command}"
    stated = f"{reason}: {about}" if about else reason
    with closing(log_at(address, check_heads=False)) as log:  # of a log that lost a tail evidence is still taken
        if log.log_id != log_id:
            raise UsageError(
                f"{address} is the log {log.log_id}, but the export is of {log_id or 'an unnamed log'}; name that log with --log"
            )
        at = Desk(log, MemoryResults())
        for table, numbers in sorted(rounds.items()):
            for number in numbers:
                at.exported(table, number, what=what, digest=digest, form=form, by=by, reason=stated)
    output.note(f"export recorded in the log: {counted(len(rounds), 'stream')}, by {by} ({reason})")
