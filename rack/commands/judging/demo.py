"""`rack demo`: a simulated gaming day with known faults, from events to findings and pages."""

import argparse

from rack import settings
from rack.arguments import add, positive
from rack.errors import Exit
from rack.output import Output

HELP = "Simulate a gaming day with planted faults, replay it, and compare findings with faults"

ROUNDS_OF_SEVERAL_GAMES = 1_200
"""Rounds of each game if several are played: enough to plant every fault twice."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "--seed", "Seed of the simulation (default: %(default)s).", type=int, default=settings.DEMO_SEED)
    add(parser, "--games NAMES", "Games, by name and separated by commas, or all (default: Face Up Pai Gow).", default="")
    add(
        parser,
        "--rounds",
        f"Rounds of each game (default: {settings.DEMO_ROUNDS}; {ROUNDS_OF_SEVERAL_GAMES} with several games).",
        type=positive,
    )
    add(parser, "--out DIR", "Folder for the results (default: RACK_OUT, or demo).")
    add(parser, "--log ADDR", "An empty log to use instead of floor.db in DIR.")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Run the demo; 0 if exactly the planted faults were found, 1 otherwise."""
    from rack.opening import options_of
    from trial import demo
    from trial.property_folder import TrialPlace

    out = arguments.out or settings.load().out
    games = demo.parse_games(arguments.games)
    rounds = arguments.rounds or (settings.DEMO_ROUNDS if len(games) == 1 else ROUNDS_OF_SEVERAL_GAMES)
    log = demo.prepare(out, arguments.log)
    place = TrialPlace(out, log, options_of(log), options_of(log, create=True))
    done = demo.run(arguments.seed, rounds, place, output.progress, games)
    report = demo.report(done)
    demo.write_report(out, report)
    output.value(report)
    output.text(*demo.report_lines(report))
    return Exit.CLEAN if done.perfect else Exit.FINDINGS
