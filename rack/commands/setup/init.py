"""`rack init`: a property from six answers, as a file that people complete."""

from __future__ import annotations

import argparse
import sys

from rack.arguments import given_path
from rack.errors import Exit, UsageError
from rack.output import Output

HELP = "Begin a property: six questions make property.toml and a filing for each game"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("folder", metavar="DIR", type=given_path, help="Folder of the property; made if there is none.")
    parser.add_argument("--name", metavar="TEXT", help="Name of the property.")
    parser.add_argument("--zone", metavar="ZONE", help="Its time zone, such as America/New_York.")
    parser.add_argument("--cutover", metavar="HH:MM", help="When the gaming day begins (default: 06:00).")
    parser.add_argument("--currency", metavar="CODE", help="Its currency, such as USD (default: USD).")
    parser.add_argument("--first-day", metavar="DAY", help="The first gaming day, such as 2026-11-29.")
    parser.add_argument("--tables", metavar="TEXT", help='The tables, such as "3 face_up_pai_gow, 1 dj_wild".')


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Ask for what no option answers, and write the files."""
    from desk.house.starting import DEFAULTS, QUESTIONS, begin

    answers = {name: getattr(arguments, name) for name in QUESTIONS}
    for name, question in QUESTIONS.items():
        if answers[name] is None and sys.stdin.isatty():
            default = DEFAULTS.get(name)
            answers[name] = input(f"{question}{f' [{default}]' if default else ''}: ").strip() or default
        answers[name] = answers[name] or DEFAULTS.get(name)
        if not answers[name]:
            raise UsageError(f"rack init needs --{name.replace('_', '-')}: {question}")
    written = begin(arguments.folder, answers)
    output.value([str(path) for path in written])
    output.text(
        *(f"written: {path}" for path in written),
        f"Write your people, cameras and limits into these files; then `rack plan {arguments.folder}`, and "
        f"`rack apply {arguments.folder} --by PERSON`.",
    )
    return Exit.CLEAN
