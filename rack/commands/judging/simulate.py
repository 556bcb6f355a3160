"""`rack simulate`: a gaming day with planted faults, as JSON Lines of device events; the labels go to a file of their own."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from desk.whole_files import named_errors
from rack.arguments import add, positive
from rack.errors import Exit, UsageError
from rack.output import Output
from rack.settings import DEMO_ROUNDS, DEMO_SEED
from rulebook.chapters.editions import Amendment, read_amendment

HELP = "Write simulated gaming days as device events, with the planted faults labeled in a second file"

PLANT_CHOICES = {
    "faults": "every kind of fault, one per round, and rare hands",
    "scheme": "a dealer who overpays a friend, a dealer who errs often, and a worn die, on all days; random cards",
    "nothing": "no faults; random cards",
}
PLAYS = {
    "habit": "patrons play by habit, some of them badly",
    "house_way": "every patron plays as `rack theory` assumes: by the house way, with the best decisions",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(
        parser,
        "--out FILE",
        "File for device events; property events go to FILE.office.jsonl, labels to FILE.labels.json.",
        required=True,
        type=str,
    )
    add(parser, "--seed", "Seed of the simulation (default: %(default)s).", type=int, default=DEMO_SEED)
    add(parser, "--rounds", "Minimum number of rounds of each game (default: %(default)s).", type=positive, default=DEMO_ROUNDS)
    add(parser, "--games NAMES", "Games, by name and separated by commas, or all.", default="")
    add(parser, "--tables", "Number of tables (default: set by the simulator).", type=positive)
    add(parser, "--days", "Minimum number of gaming days (default: %(default)s).", type=positive, default=2)
    add(
        parser,
        "--plant",
        "; ".join(f"{name}: {text}" for name, text in PLANT_CHOICES.items()),
        choices=tuple(PLANT_CHOICES),
        default="faults",
    )
    add(
        parser,
        "--play",
        "How patrons play. " + "; ".join(f"{name}: {text}" for name, text in PLAYS.items()),
        choices=tuple(PLAYS),
        default="habit",
    )
    add(
        parser,
        "--amendments FILE",
        "Amendments of chapters, in their order: dealers pay by each from its gaming day on. Later device reports are in "
        "FILE.CHAPTER-EDITION.jsonl; publish the amendment with `rack rules amend` before you ingest them.",
        nargs="+",
        default=(),
    )


def read_amendments(files: Sequence[str]) -> list[Amendment]:
    """Return amendments from files, by their days. Raises `UsageError`, which names file, key and what was expected."""
    read = []
    for file in files:
        try:
            read.append(read_amendment(Path(file).read_text(encoding="utf-8"), file))
        except ValueError as error:
            raise UsageError(f"--amendments {error}") from error
    return sorted(read, key=lambda each: each.effective)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Write events and labels."""
    from floor.catalogue import SIMULATIONS
    from floor.day.gaming_day import OFFICE_SUFFIX, SELDOM, simulate
    from floor.day.schemes import EXAMPLE
    from trial.demo import parse_games

    path = Path(arguments.out)
    if not path.parent.is_dir():
        raise UsageError(f"--out {path}: there is no folder {path.parent}")
    games = parse_games(arguments.games)
    for game in games:
        if arguments.tables is not None and arguments.tables < SIMULATIONS[game].tables:
            least = SIMULATIONS[game].tables
            raise UsageError(f"--tables {arguments.tables}: {game} needs at least {least} tables to use every filed option")
    faults = arguments.plant == "faults"
    amendments = read_amendments(arguments.amendments)
    try:
        day = simulate(
            arguments.seed,
            arguments.rounds,
            games=games,
            plant=faults,
            days=arguments.days,
            rare_every=SELDOM if faults else 0,
            scheme=EXAMPLE if arguments.plant == "scheme" else None,
            tables=arguments.tables,
            house_way=arguments.play == "house_way",
            amendments=amendments,
        )
    except ValueError as error:
        if not amendments:
            raise
        raise UsageError(f"--amendments: {error}") from error
    with named_errors(path):
        later = day.write(path)
    office, labels = f"{path}{OFFICE_SUFFIX}", f"{path}.labels.json"
    planted, legitimate = len(day.labels), len(day.legitimate)
    output.value(
        {
            "out": str(path),
            "office": office,
            "labels": labels,
            "later": [str(file) for file in later],
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
    for file, each in zip(later, amendments, strict=True):
        output.text(f"{file}: after edition {each.edition} of {each.key} was published, which counts from {each.effective}")
    return Exit.CLEAN
