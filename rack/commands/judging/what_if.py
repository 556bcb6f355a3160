"""`rack what-if`: payouts under other rules, over a whole history (docs/batch.md)."""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rack import worker_pool
from rack.arguments import add, add_log
from rack.errors import Exit
from rack.output import Output, counted, money, table, unsigned
from rack.settings import log_address

if TYPE_CHECKING:
    from events.log.contract import EventLog
    from rulebook.chapters.rulebook import Rulebook
    from whatif.round_table import RoundTable
    from whatif.what_if import WhatIfResult

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
        changes = _changes(answer, book, rounds.rules())
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
        sums = (each.done_cents, each.due_cents, each.replacement_cents, each.difference_cents)
        lines.append((name, each.wagers, unsigned(each.staked_cents), *(money(cents) for cents in sums), each.unknown))
    more = "more" if answer.difference_cents > 0 else "less"
    paid = f"{unsigned(abs(answer.difference_cents))} {more}" if answer.difference_cents else "as much"
    output.text(
        *table(header, lines),
        "",
        f"{counted(answer.rounds, 'round')}, {answer.event_replayed:,} of them judged by event replay (docs/batch.md says why). "
        f"The other rules would have paid the patrons {paid}.",
        *changes,
        "For one round: rack round TABLE ROUND --rules FILE",
    )
    return Exit.INTEGRITY if answer.integrity else Exit.CLEAN


def _changes(answer: WhatIfResult, book: Rulebook, texts: Mapping[str, str]) -> Iterator[str]:
    """Yield what the other rules change at each table: the file replaces every filing, and tables can have different ones."""
    from desk.house.filing import differences
    from replay.narrative.names import listed, plural, table_name
    from rulebook.chapters.rulebook import parse_submission

    alike: dict[str, list[str]] = {}
    for stream, filings in sorted(answer.filings.items()):
        for digest, rounds in filings.items():
            said = "; ".join(differences(parse_submission(texts[digest]), book, lambda _: {})) if digest in texts else "unknown"
            alike.setdefault(said or "nothing", []).append(f"{table_name(stream[6:])} ({plural(rounds, 'round')})")
    for said, tables in alike.items():
        yield f"Changes at {listed(tables)}: {said}"


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
