"""`rack init`: a new property from six answers, as a file for people to complete."""

import argparse
import sys

from rack.arguments import add, given_path
from rack.errors import Exit, UsageError
from rack.output import Output

HELP = "Begin a property: six questions make property.toml and a filing for each game"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "folder DIR", "Folder of the property; made if none exists.", type=given_path)
    add(parser, "--name TEXT", "Name of the property.")
    add(parser, "--zone ZONE", "Its time zone, such as America/New_York.")
    add(parser, "--cutover HH:MM", "When the gaming day begins (default: 06:00).")
    add(parser, "--currency CODE", "Its currency, such as USD (default: USD).")
    add(parser, "--first-day DAY", "The first gaming day, such as 2026-11-29.")
    add(parser, "--tables TEXT", 'The tables, such as "3 face_up_pai_gow, 1 dj_wild".')
    add(parser, "--people TEXT", 'The people, such as "Maria Ortiz, Sam Kane"; two examples without it.')


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Ask for answers that no option gives, and write the files."""
    from desk.house.new_property import DEFAULTS, QUESTIONS, begin

    answers = {name: getattr(arguments, name) for name in QUESTIONS}
    for name, question in QUESTIONS.items():
        if answers[name] is None and sys.stdin.isatty():
            default = DEFAULTS.get(name)
            answers[name] = input(f"{question}{f' [{default}]' if default else ''}: ").strip() or default
        answers[name] = answers[name] or DEFAULTS.get(name)
        if not answers[name]:
            raise UsageError(f"rack init needs --{name.replace('_', '-')}: {question}")
    written = begin(arguments.folder, answers | {"people": arguments.people or ""})
    output.value([str(path) for path in written])
    output.text(
        *(f"written: {path}" for path in written),
        f"Write your people, cameras and limits into these files; then `rack plan {arguments.folder}`, and "
        f"`rack apply {arguments.folder} --by PERSON`.",
    )
    return Exit.CLEAN
