"""`rack replay --batch`: a history judged by its round table, or settled by other rules (docs/batch.md)."""

from __future__ import annotations

import argparse
import contextlib
import os
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rack.arguments import positive
from rack.errors import Exit, UsageError
from rack.opening import log_at
from rack.output import Output, money, table
from rack.settings import dask_tls, log_address

if TYPE_CHECKING:
    from events.log.contract import EventLog, ResultStore
    from replay.columns.batch import BatchSummary
    from replay.columns.round_table import RoundTable
    from replay.columns.row_groups import Engine


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a batch."""
    batch = parser.add_argument_group(
        "batch", "Judge rounds in columns, and replay single rounds event by event where needed."
    )
    batch.add_argument(
        "--batch", action="store_true", help="Judge the whole history from its round table: the same verdicts, faster."
    )
    batch.add_argument(
        "--rounds", metavar="DIR", type=Path, help="The round table that `rack rounds` wrote (default: derive one)."
    )
    batch.add_argument(
        "--workers",
        metavar="N",
        type=positive,
        help="Number of processes (default: one for each processor, if the history is large enough).",
    )
    batch.add_argument(
        "--engine",
        choices=("here", "dask"),
        help="Run in processes of this machine, or on a Dask cluster (extra `scale`).",
    )
    batch.add_argument(
        "--scheduler",
        metavar="ADDR",
        help="Address of a running Dask cluster, tls://host:port (default: start one on this machine).",
    )


def check(arguments: argparse.Namespace) -> None:
    """Raise `UsageError` where arguments do not go together."""
    if arguments.batch and (arguments.as_of or arguments.again or arguments.follow or arguments.group is not None):
        raise UsageError("--batch judges the whole history; leave out --as-of, --again, --follow and --group")
    if not arguments.batch and (arguments.rounds or arguments.workers or arguments.engine or arguments.scheduler):
        raise UsageError("--rounds, --workers, --engine and --scheduler need --batch")
    if arguments.scheduler and arguments.engine != "dask":
        raise UsageError("--scheduler needs --engine dask")


def by_table(log: EventLog, results: ResultStore, arguments: argparse.Namespace, output: Output) -> BatchSummary:
    """Judge by the round table, and store every verdict."""
    from replay.columns.batch import replay_batch

    with _rounds(log, arguments, output) as rounds, _engine(arguments, rounds) as engine:
        summary = replay_batch(log, results, rounds, engine, lambda done: output.progress(done, "rounds judged"))
    output.note(
        f"{summary.upheld_in_columns:,} rounds upheld in columns, {summary.event_replayed:,} judged by event replay"
    )
    return summary


def what_if(log: EventLog, arguments: argparse.Namespace, output: Output) -> Exit:
    """Report what other rules would have paid; 4 where a stream is broken."""
    from rack.commands.judging.rules import read_submission
    from replay.columns import what_if as asked

    book = read_submission(arguments.rules)
    with _rounds(log, arguments, output) as rounds, _engine(arguments, rounds) as engine:
        answer = asked.what_if(log, rounds, book, engine, lambda done: output.progress(done, "rounds settled"))
    for line in answer.integrity:
        output.problem(line)
    if output.as_json:
        from msgspec import to_builtins

        by_wager = {
            name: to_builtins(each) | {"difference_cents": each.difference_cents}
            for name, each in answer.by_wager.items()
        }
        output.value(to_builtins(answer) | {"by_wager": by_wager, "difference_cents": answer.difference_cents})
    header = ("wager", "wagers", "staked", "done", "due", f"due by {book.name}", "difference", "undetermined")
    lines = []
    for name, each in answer.by_wager.items():
        sums = (each.staked_cents, each.done_cents, each.due_cents, each.replacement_cents, each.difference_cents)
        lines.append((name, each.wagers, *(money(cents) for cents in sums), each.unknown))
    more = "more" if answer.difference_cents >= 0 else "less"
    output.text(
        *table(header, lines),
        "",
        f"{answer.rounds:,} rounds, {answer.event_replayed:,} of them judged by event replay. The other rules would have paid "
        f"the patrons {money(abs(answer.difference_cents))} {more}.",
        "For one round: rack round TABLE ROUND --rules FILE",
    )
    return Exit.INTEGRITY if answer.integrity else Exit.CLEAN


@contextlib.contextmanager
def _rounds(log: EventLog, arguments: argparse.Namespace, output: Output) -> Iterator[RoundTable]:
    """Yield the given round table, or a temporary one derived from the log."""
    from replay.columns.round_table import RoundTable, build

    with contextlib.ExitStack() as kept:
        folder = arguments.rounds
        if folder is None:
            folder = Path(kept.enter_context(tempfile.TemporaryDirectory(prefix="rack-rounds-")))
            build(log, folder, lambda stream, rounds: output.progress(rounds, f"rounds written, at {stream}"))
        yield RoundTable(folder)


WORTH_A_PROCESS = 65_536
"""Rounds that one process judges in the time that another takes to start."""


@contextlib.contextmanager
def _engine(arguments: argparse.Namespace, rounds: RoundTable) -> Iterator[Engine]:
    """Yield the engine of the batch. A scheduler on another machine needs TLS: it is sent who won what."""
    from replay.columns.process_engine import ProcessEngine
    from replay.columns.row_groups import LocalEngine

    processors = os.cpu_count() or 1
    if arguments.engine != "dask":
        worth = sum(entry.rounds for entry in rounds.manifest.files) // WORTH_A_PROCESS
        workers = arguments.workers or min(processors, worth)
        if workers < 2:
            yield LocalEngine()
            return
        opener = partial(log_at, log_address(arguments.log), read_only=True, check_heads=False)
        with ProcessEngine(workers, opener) as processes:
            yield processes
        return
    from replay.columns.dask_engine import DaskEngine, Tls

    scheduler, files = arguments.scheduler or "", dask_tls()
    host = scheduler.partition("://")[2].rpartition(":")[0]
    if scheduler and not scheduler.startswith("tls://") and host not in ("127.0.0.1", "localhost", "[::1]"):
        raise UsageError(f"--scheduler {scheduler}: connect to a scheduler on another machine by tls:// only")
    if scheduler.startswith("tls://") and files is None:
        raise UsageError(f"--scheduler {scheduler} needs RACK_DASK_CA, RACK_DASK_CERTIFICATE and RACK_DASK_KEY")
    with DaskEngine(
        scheduler, arguments.workers or processors, Tls(*files) if scheduler and files else None
    ) as cluster:
        yield cluster
