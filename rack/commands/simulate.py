"""`rack simulate`: a gaming day with planted faults, as JSON Lines of device events; the labels go to a file of their own."""

from __future__ import annotations

import argparse
from pathlib import Path

from rack.arguments import positive
from rack.errors import Exit, UsageError
from rack.output import Output
from rack.settings import DEMO_ROUNDS, DEMO_SEED

HELP = "write a simulated gaming day as device events, and the labels of its planted faults beside it"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--out", metavar="FILE", required=True, help="the events; the labels go to FILE.labels")
    parser.add_argument(
        "--seed", type=int, default=DEMO_SEED, help="the day is a function of it (default: %(default)s)"
    )
    parser.add_argument("--rounds", type=positive, default=DEMO_ROUNDS, help="at least so many (default: %(default)s)")
    parser.add_argument("--tables", type=positive, help="so many tables (default: the simulator's)")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Write events and labels."""
    from msgspec.json import encode

    from floor.gaming_day import simulate
    from rack.intake import line_of

    path = Path(arguments.out)
    if not path.parent.is_dir():
        raise UsageError(f"--out {path}: there is no folder {path.parent}")
    labels_path = path.with_name(path.name + ".labels")
    tables = {} if arguments.tables is None else {"tables": arguments.tables}
    day = simulate(arguments.seed, arguments.rounds, **tables)
    events = 0
    with path.open("wb") as file:
        for stream, drafts in day.groups():
            for draft in drafts:
                file.write(line_of(stream, draft) + b"\n")
            events += len(drafts)
            output.progress(events, "events written")
    with labels_path.open("wb") as file:
        for label in (*day.labels, *day.legitimate):
            file.write(encode(label) + b"\n")
    planted, legitimate = len(day.labels), len(day.legitimate)
    output.value(
        {"out": str(path), "labels": str(labels_path), "events": events, "planted": planted, "legitimate": legitimate}
    )
    output.text(
        f"{path}: {events:,} events; {labels_path}: {planted} planted faults, {legitimate} legitimate irregularities"
    )
    return Exit.CLEAN
