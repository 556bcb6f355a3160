"""`rack rounds`: derive the round table from a log, one row for each round, for what-ifs and analysts."""

from __future__ import annotations

import argparse
from contextlib import closing
from typing import TYPE_CHECKING, Any

from desk.whole_files import named_errors
from rack.arguments import add, add_log
from rack.errors import Exit
from rack.output import Output, counted
from rack.settings import log_address

if TYPE_CHECKING:
    from whatif.round_table import Manifest

HELP = "Derive the round table of a log: one row per round, in Parquet (docs/batch.md)"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_log(parser)
    add(parser, "--out DIR", "Folder of the round table; its contents are replaced.", required=True)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Make the table; 4 if a stream is broken (it has no rows then)."""
    from rack.opening import log_at
    from whatif.round_table import RoundTable, build

    with closing(log_at(log_address(arguments.log), read_only=True, check_heads=False)) as log, named_errors(arguments.out):
        made = build(log, arguments.out, lambda stream, rounds: output.progress(rounds, f"rounds written, at {stream}"))
    rounds, ineligible = rounds_of(made), RoundTable(arguments.out).ineligible()
    output.value(as_json(made) | {"asides": ineligible})
    output.text(f"{counted(rounds, 'round')} in {counted(len(made.files), 'file')} at {arguments.out}")
    if ineligible:
        many = sum(ineligible.values())
        output.text(f"replayed event by event: {counted(many, 'round')} ({many / rounds:.1%})")
        output.table(("rounds", "why"), [(f"{count:,}", reason) for reason, count in ineligible.items()])
    if made.event_replay:
        output.table(("stream without rows", "why"), sorted(made.event_replay.items()))
    return Exit.INTEGRITY if any(why.startswith("LOG-") for why in made.event_replay.values()) else Exit.CLEAN


def rounds_of(made: Manifest) -> int:
    """Return the number of rounds in a table."""
    return sum(entry.rounds for entry in made.files)


def as_json(made: Manifest) -> dict[str, Any]:
    """Return the manifest as JSON values."""
    from msgspec import to_builtins

    manifest: dict[str, Any] = to_builtins(made)
    return manifest | {"rounds": rounds_of(made)}
