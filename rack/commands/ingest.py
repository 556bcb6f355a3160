"""`rack ingest`: append what devices (JSON Lines) or people (transcripts) report; a bad line is named and quarantined."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from rack.arguments import add_log
from rack.errors import Exit, UsageError
from rack.output import Output
from rack.settings import log_address

if TYPE_CHECKING:
    from rack.intake import Refusal, Report, Taken

HELP = (
    "append device events (JSON Lines) or transcripts to a log; a bad line is named and quarantined, the rest goes in"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", metavar="FILE", help="JSON Lines of device events, or a transcript; - reads stdin")
    add_log(parser)
    parser.add_argument(
        "--property", metavar="ID", help="the property of a log that does not exist yet: with this it is created"
    )


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Take the file in; 1 where lines were refused."""
    from events.open import open_log
    from rack.intake import Taken, take

    address = log_address(arguments.log)
    lines = read_file(arguments.file)
    log = open_log(address, create=arguments.property is not None, property_id=arguments.property)
    taken, named = Taken(), 0
    try:
        for taken in take(log, lines):
            for refusal in taken.refused[named:]:
                output.problem(
                    f"{refusal.where}: {_meant(refusal)}{refusal.reason}; quarantined as {refusal.sha256[:16]}…"
                )
            named = len(taken.refused)
            output.progress(taken.lines, "lines read")
    finally:
        log.close()
    output.value(_as_json(taken))
    output.text(
        f"{taken.lines:,} lines: {taken.appended:,} events appended, {taken.duplicates:,} duplicates dropped, "
        f"{len(taken.refused):,} refused"
    )
    return Exit.FINDINGS if taken.refused else Exit.CLEAN


def read_file(name: str) -> Iterable[Report | Refusal]:
    """Return the lines of a file of either form. Raises `UsageError` where there is no such file."""
    if name == "-":
        return read_lines(sys.stdin.buffer, "stdin")
    path = Path(name)
    if not path.is_file():
        raise UsageError(f"{name}: no such file; expected JSON Lines of device events, or a transcript")
    with path.open("rb") as file:
        transcript = is_transcript(file)
    if transcript:
        from rack.transcript_intake import read_transcript

        return read_transcript(path)
    return _lines_of(path)


def is_transcript(file: BinaryIO) -> bool:
    """Say whether the first line that says anything is not JSON's."""
    for line in file:
        if line.strip():
            return not line.lstrip().startswith(b"{")
    return False


def read_lines(file: Iterable[bytes], name: str) -> Iterator[Report | Refusal]:
    """Yield each line that says anything, read."""
    from rack.intake import read_line

    for number, line in enumerate(file, start=1):
        data = line.rstrip(b"\r\n")
        if data.strip():
            yield read_line(data, f"{name}:{number}")


def _lines_of(path: Path) -> Iterator[Report | Refusal]:
    with path.open("rb") as file:
        yield from read_lines(file, str(path))


def _meant(refusal: Refusal) -> str:
    return "" if refusal.stream is None else f"{refusal.stream}: "


def _as_json(taken: Taken) -> dict[str, object]:
    refused = [{"where": r.where, "stream": r.stream, "reason": r.reason, "sha256": r.sha256} for r in taken.refused]
    return {"lines": taken.lines, "appended": taken.appended, "duplicates": taken.duplicates, "refused": refused}
