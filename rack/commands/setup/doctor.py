"""`rack doctor`: the health of a property, a line for each part that must run."""

import argparse
from contextlib import suppress
from pathlib import Path
from typing import Any

from rack.arguments import add, given_path
from rack.errors import Exit, UsageError
from rack.output import Output

HELP = "Check every part of a property, and say what to do"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "folder DIR", "Folder of the property (`rack init`).", type=given_path)
    add(parser, "--send-test", "Send a test mail on every route first.")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Check every part; 1 if one needs attention."""
    from desk.house.health import look
    from desk.house.property_file import read_property
    from desk.review.persons import ReviewRefused
    from rack.opening import now_us, options_of

    if arguments.send_test:
        _send_test(arguments.folder, output)
    options: dict[str, Any] = {}
    with suppress(ReviewRefused):  # the doctor says why
        options = options_of(read_property(arguments.folder).address)
    parts = list(look(arguments.folder, now_us(), **options))
    output.value([part._asdict() for part in parts])
    rows = [(each.name, "ok" if each.ok else "TO DO", " ".join(filter(None, each[2:]))) for each in parts]
    output.table(("part", "", "says"), rows)
    return Exit.CLEAN if all(part.ok for part in parts) else Exit.FINDINGS


def _send_test(folder: Path, output: Output) -> None:
    """Send a test to each receiver, and record when all accepted it. Raises `UsageError` if none exists."""
    from desk.alarms.sender import send_tests
    from desk.alarms.settings import read_settings
    from desk.house.health import TEST
    from rack.opening import now_us

    file = folder / "alarms.toml"
    if not file.exists():
        raise UsageError(f"{file}: no such file; write [mail] and a [[route]] into property.toml, and apply it")
    answers = list(send_tests(read_settings(file), folder))
    for each in answers:
        output.note(each.line)
    if all(each.answer.taken for each in answers):
        (folder / TEST).write_text(f"{now_us()}\n", encoding="utf-8")
