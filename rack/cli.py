"""The command `rack`: finds the command, runs it, and turns every error into one line and an exit code.

Exit codes: 0 clean, 1 findings, 2 usage, 3 environment, 4 integrity failure. A command is a module of `rack.commands`
with `HELP`, `configure(parser)` and `run(arguments, output) -> Exit`; it imports what it needs when it runs, so that
`--help` answers at once.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Protocol, cast

from rack.arguments import output_flags
from rack.errors import Exit, exit_code
from rack.output import Output

COMMANDS = (
    "demo",
    "simulate",
    "ingest",
    "replay",
    "rounds",
    "round",
    "judge",
    "review",
    "dispute",
    "verify",
    "prove",
    "checkpoint",
    "witness",
    "keys",
    "archive",
    "quarantine",
    "patrons",
    "rules",
    "theory",
    "warehouse",
    "hold",
    "errors",
    "fairness",
    "metrics",
    "dashboard",
)

EPILOG = """\
exit codes: 0 clean, 1 findings, 2 usage, 3 environment, 4 integrity failure
a log is sqlite:///path/file.db, kafka://host:port/prefix or (to read) archive:///path/folder; RACK_LOG names one for all
RACK_DEBUG=1 shows the traceback of an error"""


class Command(Protocol):
    """What a module of `rack.commands` offers."""

    HELP: str

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments."""

    def run(self, arguments: argparse.Namespace, output: Output) -> Exit:
        """Carry the command out."""


def command(name: str) -> Command:
    """Return the module of a command."""
    return cast(Command, importlib.import_module(f"rack.commands.{name}"))


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    shared = output_flags()
    parser = argparse.ArgumentParser(
        prog="rack",
        description="Rebuild every round from the log, play it again by the regulation, say what differs.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[shared],
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in COMMANDS:
        module = command(name)
        module.configure(
            commands.add_parser(
                name, help=module.HELP, description=f"{module.HELP[0].upper()}{module.HELP[1:]}.", parents=[shared]
            )
        )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    arguments = build_parser().parse_args(argv)
    output = Output(as_json=getattr(arguments, "json", False), quiet=getattr(arguments, "quiet", False))
    try:
        return command(arguments.command).run(arguments, output)
    except BrokenPipeError:  # the reader of stdout went away (`| head`), which is its right
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.CLEAN
    except KeyboardInterrupt:
        output.problem("rack: interrupted; what was acknowledged stays")
        return 130
    except Exception as error:
        return _refuse(error, output)


def _refuse(error: Exception, output: Output) -> int:
    """Say in one line what is wrong; with RACK_DEBUG=1 show the traceback instead."""
    code = exit_code(error)
    if os.environ.get("RACK_DEBUG", "") not in {"", "0"}:
        raise error
    if code is None:
        output.problem(
            f"rack: unexpected {type(error).__name__}: {error}; this is a defect of Discard Rack (RACK_DEBUG=1 shows where)"
        )
        return Exit.ENVIRONMENT
    output.problem(f"rack: {_sentence(error)}")
    return code


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__


if __name__ == "__main__":
    raise SystemExit(main())
