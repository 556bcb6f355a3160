"""`rack judge`: what should have been paid, from a transcript that a person wrote down."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rack.errors import Exit, UsageError
from rack.output import Output

HELP = "judge a transcript: here is what happened, what should it have paid"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", metavar="FILE", help="a transcript (see docs/transcript.md); - reads stdin")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Judge the transcript; 1 where something was done otherwise than the rules say."""
    from msgspec import to_builtins

    from rack.report import verdict_lines
    from replay.transcript import judge

    text, source = read_text(arguments.file)
    judged = judge(text, source)
    output.value(
        {
            "verdict": judged.verdict,
            "settlements": to_builtins(judged.settlements),
            "findings": to_builtins(judged.findings),
            "undetermined": to_builtins(judged.undetermined),
        }
    )
    output.text(*verdict_lines(judged.verdict, judged.undetermined, judged.settlements, judged.findings))
    return Exit.FINDINGS if judged.findings else Exit.CLEAN


def read_text(file: str) -> tuple[str, str]:
    """Return a text and what to call it. Raises `UsageError` where there is none in UTF-8."""
    try:
        if file == "-":
            return sys.stdin.buffer.read().decode(), "stdin"
        return Path(file).read_text(encoding="utf-8"), file
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: expected a transcript in UTF-8: {error}") from error
    except FileNotFoundError:
        raise UsageError(f"{file}: no such file; expected a transcript") from None
