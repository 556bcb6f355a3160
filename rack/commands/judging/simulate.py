"""`rack simulate`: a gaming day with planted faults, as JSON Lines of device events; the labels go to a file of their own."""

from __future__ import annotations

import argparse
from pathlib import Path

from rack.arguments import positive
from rack.errors import Exit, UsageError
from rack.output import Output
from rack.settings import DEMO_ROUNDS, DEMO_SEED

HELP = "write simulated gaming days as device events, and the labels of what is planted beside them"

PLANT_CHOICES = {
    "faults": "every kind of fault, each by itself, and hands that are rare",
    "scheme": "for all days a dealer who pays a friend too much, one who errs often, and a worn die; cards as they fall",
    "nothing": "no fault; cards as they fall",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--out",
        metavar="FILE",
        required=True,
        help="the devices' events; the office's go to FILE.office.jsonl, the labels to FILE.labels.json",
    )
    parser.add_argument(
        "--seed", type=int, default=DEMO_SEED, help="the day is a function of it (default: %(default)s)"
    )
    parser.add_argument("--rounds", type=positive, default=DEMO_ROUNDS, help="at least so many (default: %(default)s)")
    parser.add_argument("--games", metavar="NAMES", default="", help="games, by name with commas between, or all")
    parser.add_argument("--tables", type=positive, help="so many tables (default: the simulator's)")
    parser.add_argument("--days", type=positive, default=2, help="gaming days, at least (default: %(default)s)")
    parser.add_argument(
        "--plant",
        choices=tuple(PLANT_CHOICES),
        default="faults",
        help="; ".join(f"{name}: {said}" for name, said in PLANT_CHOICES.items()),
    )


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Write events and labels."""
    from floor.gaming_day import OFFICE_SUFFIX, simulate
    from floor.schemes import EXAMPLE
    from floor.wings import WINGS
    from rack.demo import parse_games

    path = Path(arguments.out)
    if not path.parent.is_dir():
        raise UsageError(f"--out {path}: there is no folder {path.parent}")
    games = parse_games(arguments.games)
    for game in games:
        if arguments.tables is not None and arguments.tables < WINGS[game].tables:
            least = WINGS[game].tables
            raise UsageError(
                f"--tables {arguments.tables}: {game} has {least} tables at least, which use all that can be filed"
            )
    faults = arguments.plant == "faults"
    day = simulate(
        arguments.seed,
        arguments.rounds,
        games=games,
        plant=faults,
        days=arguments.days,
        rare=faults,
        scheme=EXAMPLE if arguments.plant == "scheme" else None,
        tables=arguments.tables,
    )
    day.write(path)
    office, labels = f"{path}{OFFICE_SUFFIX}", f"{path}.labels.json"
    planted, legitimate = len(day.labels), len(day.legitimate)
    output.value(
        {
            "out": str(path),
            "office": office,
            "labels": labels,
            "events": day.events,
            "rounds": day.rounds,
            "planted": planted,
            "legitimate": legitimate,
        }
    )
    output.text(
        f"{path} and {office}: {day.events:,} events of {day.rounds:,} rounds; "
        f"{labels}: {planted:,} planted faults, {legitimate:,} legitimate irregularities"
    )
    return Exit.CLEAN
