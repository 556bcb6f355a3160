"""`rack what-if`: payouts under other rules, over a whole history (docs/batch.md)."""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rack import worker_pool
from rack.arguments import add, add_log
from rack.errors import Exit
from rack.output import Output, money, table
from rack.settings import log_address

if TYPE_CHECKING:
    from events.log.contract import EventLog
    from whatif.round_table import RoundTable

HELP = "Settle a whole history by other rules, and show what that would have cost"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_log(parser)
    add(parser, "rules FILE", "The rules submission to settle by instead of those on file.")
    add(parser, "--rounds DIR", "The round table that `rack replay --rounds` keeps, or `rack rounds` made (default: derive one).")
    worker_pool.add_arguments(parser)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Report the payouts under other rules; 4 if a stream is broken."""
    from rack.commands.judging.rules import read_submission
    from rack.opening import log_at
    from whatif.what_if import what_if

    worker_pool.check(arguments)
    book, address = read_submission(arguments.rules), log_address(arguments.log)
    with (
        contextlib.closing(log_at(address, read_only=True, check_heads=False)) as log,
        _rounds(log, arguments.rounds, output) as rounds,
        worker_pool.pool(arguments, address) as pool,
    ):
        answer = what_if(log, rounds, book, pool, lambda done: output.progress(done, "rounds settled"))
    for line in answer.integrity:
        output.problem(line)
    if output.as_json:
        from msgspec import to_builtins

        by_wager = {
            name: to_builtins(each) | {"difference_cents": each.difference_cents} for name, each in answer.by_wager.items()
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
        f"{answer.rounds:,} rounds, {answer.event_replayed:,} of them judged by event replay (docs/batch.md says why). "
        f"The other rules would have paid the patrons {money(abs(answer.difference_cents))} {more}.",
        "For one round: rack round TABLE ROUND --rules FILE",
    )
    return Exit.INTEGRITY if answer.integrity else Exit.CLEAN


@contextlib.contextmanager
def _rounds(log: EventLog, folder: Path | None, output: Output) -> Iterator[RoundTable]:
    """Yield the given round table, or a temporary one derived from the log."""
    from whatif.round_table import RoundTable, build, steady

    with contextlib.ExitStack() as kept:
        if folder is not None:
            yield kept.enter_context(steady(folder))
            return
        made = Path(kept.enter_context(tempfile.TemporaryDirectory(prefix="rack-rounds-")))
        build(log, made, lambda stream, rounds: output.progress(rounds, f"rounds written, at {stream}"))
        yield RoundTable(made)
