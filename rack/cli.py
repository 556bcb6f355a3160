"""The command `rack`: finds the command, runs it, and turns every error into one line and an exit code.

Exit codes: 0 clean, 1 findings, 2 usage, 3 environment, 4 integrity failure. A command is a module in a room of
`rack.commands` with `HELP`, `configure(parser)` and `run(arguments, output) -> Exit`. It imports what it needs when it
runs, so that `--help` answers at once. `dealer-errors` is the module `dealer_errors`.
"""

import argparse
import importlib
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from rack.arguments import CommandParser, output_flags, parsed
from rack.errors import Exit, UsageError, exit_code, missing_extra, require_extras
from rack.installation import foreign_files
from rack.output import Output

COMMANDS = {
    path.stem.replace("_", "-"): path.parent.name for path in sorted((Path(__file__).parent / "commands").glob("*/[!_]*.py"))
}
"""Command → the room of `rack.commands` that its module is in: a command is found by its place."""

GROUPS = {
    "The first day": ("demo", "judge", "init", "live", "dashboard", "verify"),
    "A house without sensors": ("plan", "apply", "sign-in", "doctor", "pit", "count", "observe"),
    "Take events in": ("simulate", "ingest", "gateway", "devices", "quarantine", "patrons", "kafka"),
    "Judge": ("replay", "verdicts", "round", "rounds", "advise", "what-if", "rules", "theory"),
    "Work on findings": ("review", "find", "case", "dispute", "alerts", "surveillance"),
    "Prove and keep": ("keys", "checkpoint", "witness", "prove", "archive"),
    "Analyze and report": ("warehouse", "hold", "dealer-errors", "fairness", "report", "metrics"),
    "Help": ("docs", "completion"),
}
"""The commands as `rack --help` shows them: those of the first day, then the rest by what they are for."""

FIRST = next(iter(GROUPS))

OLD_NAMES = {"errors": "dealer-errors"}
"""Name of a command in an earlier version → its name now. The old one still works, and no help shows it."""

EPILOG = """\
Exit codes: 0 clean, 1 findings, 2 usage, 3 environment, 4 integrity failure.
Log address: sqlite:///path/file.db, kafka://host:port/prefix or, read-only, archive:///path/folder. RACK_LOG sets the default.
`rack docs NAME` prints the document that a message names as docs/NAME.md, `rack docs PAY-UNDER` what a finding is,
`rack docs D13` a decision. RACK_DEBUG=1 prints the traceback of an error."""


class _GroupedHelp(argparse.RawDescriptionHelpFormatter):
    """Shows the commands under the titles of `GROUPS`."""

    def _format_action(self, action: argparse.Action) -> str:
        if not isinstance(action, argparse._SubParsersAction):
            return super()._format_action(action)
        shown = {each.dest: self._format_action(each) for each in action._get_subactions()}
        groups = (f"{title}:\n{''.join(map(shown.__getitem__, names))}" for title, names in GROUPS.items())
        return "\n".join(groups).removeprefix(f"{FIRST}:\n")


class Command(Protocol):
    """The interface of a module in `rack.commands`."""

    HELP: str

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments."""

    def run(self, arguments: argparse.Namespace, output: Output) -> Exit:
        """Carry the command out."""


def command(name: str) -> Command:
    """Return the module of a command."""
    now = OLD_NAMES.get(name, name)
    return cast(Command, importlib.import_module(f"rack.commands.{COMMANDS[now]}.{now.replace('-', '_')}"))


def build_parser(only: str | None = None) -> argparse.ArgumentParser:
    """Return the parser of the whole command line or, with `only`, of one command, whose module alone is imported."""
    shared = output_flags()
    parser = CommandParser(
        prog="rack",
        description="Rebuild every round from the log, replay it by the regulation, and report what differs.",
        epilog=EPILOG,
        formatter_class=_GroupedHelp,
        parents=[shared],
    )
    parser.add_argument("--version", action=_Version, help="Print the version and exit.")
    commands = parser.add_subparsers(title=FIRST, dest="command", metavar="COMMAND", required=True)
    for name in (*COMMANDS, *OLD_NAMES) if only is None else (only,):
        module = command(name)
        shown: dict[str, Any] = {} if name in OLD_NAMES else {"help": module.HELP}
        description = f"{module.HELP}."
        module.configure(commands.add_parser(name, description=description, parents=[shared], **shown))
    return parser


NOT_OTHERS = 0o027
"""The rights that our files and folders never give, whatever the umask: writing by the group, anything by others."""


class _Version(argparse.Action):
    """Prints the version of the installed distribution, looked up only on request."""

    def __init__(self, option_strings: Sequence[str], dest: str, **options: Any) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, default=argparse.SUPPRESS, help=options.get("help"))

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import PackageNotFoundError, version

        try:
            installed = version("discard-rack")
        except PackageNotFoundError:
            installed = "(not installed)"
        Output().text(f"rack {installed}")
        parser.exit()


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code. Files and folders that it writes are for their owner and group only."""
    before = os.umask(0)
    os.umask(before | NOT_OTHERS)
    try:
        return _run(argv)
    finally:
        os.umask(before)


def _run(argv: Sequence[str] | None) -> int:
    if problem := foreign_files():
        Output().problem(f"rack: {problem}")
        return Exit.ENVIRONMENT
    try:
        words = sys.argv[1:] if argv is None else argv
        _must_be_text(words)
        arguments = parsed(build_parser(_named_first(words)), argv)
    except UsageError as error:
        Output().problem(f"rack: {error}")
        return Exit.USAGE
    output = Output(as_json=getattr(arguments, "json", False), quiet=getattr(arguments, "quiet", False))
    try:
        from events.log.relaxed_gc import relaxed_gc
        from replay.installed_games import add_installed_games

        require_extras(OLD_NAMES.get(arguments.command, arguments.command))
        with relaxed_gc():  # most objects of a command are its modules', and stay
            add_installed_games()
            return command(arguments.command).run(arguments, output)
    except BrokenPipeError:  # the reader of stdout went away (`| head`), which is its right
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.CLEAN
    except KeyboardInterrupt:
        output.problem("rack: interrupted; every acknowledged event is stored")
        return 130
    except Exception as error:
        return _refuse(error, arguments.command, output)


def _must_be_text(words: Sequence[str]) -> None:
    """Raise `UsageError` if bytes of an argument are no text, or a character of it is in no text."""
    for number, word in enumerate(words, 1):
        if "\0" in word or word != word.encode("utf-8", "replace").decode():
            raise UsageError(f"argument {number} is not UTF-8 text: {ascii(word)[1:-1][:80]}; type it again, or rename the file")


def _named_first(words: Sequence[str]) -> str | None:
    """Return the command at the start of the command line; None if it names no command, as in a call for help."""
    return words[0] if words and words[0] in {*COMMANDS, *OLD_NAMES} else None


def _refuse(error: Exception, name: str, output: Output) -> int:
    """Report the error in one line; with RACK_DEBUG=1 show the traceback instead."""
    code = exit_code(error)
    if os.environ.get("RACK_DEBUG", "") not in {"", "0"}:
        raise error
    missing = missing_extra(error)
    if missing is not None:
        library, extra = missing
        output.problem(
            f"rack: `rack {name}` needs the extra `{extra}` ({library} is not installed): pip install 'discard-rack[{extra}]'"
        )
        return Exit.ENVIRONMENT
    if code is None:
        from replay.installed_games import failed_in

        game = failed_in(error)
        whose = f"raised by {game}; correct or uninstall it" if game else "this is a defect of Discard Rack"
        output.problem(f"rack: unexpected {type(error).__name__}: {error}; {whose} (RACK_DEBUG=1 shows where)")
        return Exit.ENVIRONMENT
    output.problem(f"rack: {_sentence(error)}")
    return code


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    said = str(error) or type(error).__name__
    named = re.search(r"docs/([a-z0-9-]+)\.md", said)
    return said if named is None else f"{said} (`rack docs {named[1]}` prints it)"


if __name__ == "__main__":
    raise SystemExit(main())
