"""Arguments that several commands share."""

import argparse
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from rack.errors import UsageError

OPTION_SPELLINGS = {"first": "--from", "last": "--to", "from_time": "--from"}
"""Options whose spelling differs from the name of their argument."""


class CommandParser(argparse.ArgumentParser):
    """The parser of `rack` and of each of its commands."""

    def __init__(self, *, add_help: bool = True, **options: Any) -> None:
        super().__init__(add_help=False, **options)
        if not add_help:
            return
        self.add_argument("-h", "--help", action="help", default=argparse.SUPPRESS, help="Print this help and exit.")


def parsed(parser: argparse.ArgumentParser, words: Sequence[str] | None) -> argparse.Namespace:
    """Parse a command line. Raises `UsageError` for an option of another action: no option is ignored silently."""
    given, left = parser.parse_known_args(words)
    actions: Mapping[str, argparse.ArgumentParser] = getattr(given, "actions", {})
    for name in (each.partition("=")[0] for each in left if each.startswith("--")):
        if takers := [action for action, each in actions.items() if name in each._option_string_actions]:
            raise UsageError(f"{actions[given.action].prog} takes no {name}; it applies to: {', '.join(takers)}")
    if left:
        parser.error(f"unrecognized arguments: {' '.join(left)}")
    return given


def add(parser: argparse._ActionsContainer, name: str, says: str, **options: Any) -> None:
    """Add an argument by its name and its placeholder in the help; an option without one is a flag.

    `says` is its help; the other options are argparse's. A FILE or DIR is a path.

    >>> parser = CommandParser()
    >>> add(parser, "table TABLE", "The table."), add(parser, "--camera ID", "The camera."), add(parser, "--all", "All.")
    (None, None, None)
    >>> parser.parse_args(["fu-01", "--camera", "C7"])
    Namespace(table='fu-01', camera='C7', all=False)
    """
    flag, _, metavar = name.partition(" ")
    if metavar:
        options["metavar"] = metavar
    elif flag.startswith("--") and not {"choices", "type", "action"} & options.keys():
        options["action"] = "store_true"
    if metavar in ("FILE", "DIR") and flag.startswith("--"):
        options.setdefault("type", given_path)
    parser.add_argument(flag, help=says, **options)


def output_flags() -> CommandParser:
    """Return a parent parser with `--json` and `--quiet`, which every command and action takes."""
    flags = CommandParser(add_help=False, argument_default=argparse.SUPPRESS)
    add(flags, "--json", "Print the result as JSON, and nothing else, on stdout.")
    add(flags, "--quiet", "Print no progress and no notes on stderr.")
    return flags


def add_log(parser: argparse.ArgumentParser) -> None:
    """Add `--log`."""
    add(parser, "--log ADDR", "Address of the log: sqlite:///path/file.db or kafka://host:port/prefix (default: RACK_LOG).")


def add_round(parser: argparse.ArgumentParser) -> None:
    """Add a table and the number of one of its rounds."""
    says = "Table id, such as fu-01; observed/fu-01 for a round that a person entered."
    add(parser, "table TABLE", says, type=str.lower)
    add(parser, "round ROUND", "Round number.", type=positive)


def given_path(text: str) -> Path:
    """Read a path, for argparse. An empty text is refused: it comes from an unset variable, and would mean this folder."""
    if not text.strip():
        raise argparse.ArgumentTypeError("expected a path, got an empty text; is a variable not set?")
    return Path(text)


def positive(text: str) -> int:
    """Read a number of 1 or more, for argparse."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a number of 1 or more, got {text}")
    return number


def within(low: int, high: int) -> Callable[[str], int]:
    """Return a reader of numbers in a range, for argparse.

    >>> within(0, 23)("7")
    7
    """

    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"expected a number from {low} to {high}, got {text}")
        return int(text)

    return number


PORT = within(1, 65_535)
"""Reads a port."""


def option(name: str) -> str:
    """Return an argument's name in the form of the command line.

    >>> option("by_person"), option("from_time")
    ('--by-person', '--from')
    """
    return OPTION_SPELLINGS.get(name, f"--{name.replace('_', '-')}")


def is_given(arguments: argparse.Namespace, name: str) -> bool:
    """Return whether an option was given whose default is None, false or empty."""
    value = getattr(arguments, name)
    return value is not None and value is not False and value not in ("", [])


def check_options(arguments: argparse.Namespace, command: str, action: str, takes: Mapping[str, Collection[str]]) -> None:
    """Raise `UsageError` for an option that the action does not take; arguments that `takes` does not name fit every action."""
    for name in dict.fromkeys(chain.from_iterable(takes.values())):
        if name not in takes[action] and is_given(arguments, name):
            others = ", ".join(each for each, names in takes.items() if name in names)
            raise UsageError(f"rack {command} {action} takes no {option(name)}; it applies to: {others}")


def time_us(text: str, option_name: str, expected: str = "a time") -> int:
    """Read an option's time with zone; return UTC microseconds. Raises `UsageError`.

    >>> time_us("2026-03-01T21:14:00.5Z", "--from"), time_us("2026-03-01T16:14:00-05:00", "--from")
    (1772399640500000, 1772399640000000)
    """
    from datetime import datetime, timedelta

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{option_name} {text}: expected {expected} (2026-03-01T21:14:00Z)") from None
    if moment.tzinfo is None:
        raise UsageError(f"{option_name} {text}: name the time zone (2026-03-01T21:14:00Z, or …-05:00)")
    return (moment - datetime.fromisoformat("1970-01-01T00:00:00Z")) // timedelta(microseconds=1)


def moment(option_name: str) -> Callable[[str], int]:
    """Return a reader of the times of an option, for argparse (`time_us`)."""
    return partial(time_us, option_name=option_name)


def amount(text: str) -> int:
    """Read an amount as cents, for argparse. Raises `UsageError`."""
    return _cents("amount_cents", text)


def chips(text: str) -> int:
    """Read a count of chips as cents, for argparse. Raises `UsageError`."""
    return _cents("chips_cents", text)


def _cents(reader: str, text: str) -> int:
    from desk.house import pit
    from desk.review.persons import ReviewRefused

    try:
        cents: int = getattr(pit, reader)(text)
    except ReviewRefused as error:
        raise UsageError(str(error)) from error
    return cents


def day_of(text: str, option_name: str) -> str:
    """Read an option's day, such as 2026-03-01. Raises `UsageError`."""
    from datetime import date

    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise UsageError(f"{option_name} {text}: expected a day (2026-03-01)") from None


def as_of(values: Sequence[str]) -> tuple[dict[str, int], int | None]:
    """Read `--as-of`: stream=seq any number of times, or one time. Returns positions and the time in UTC microseconds.

    >>> as_of(["table/fu-01=120", "meter/m-1=7"])
    ({'table/fu-01': 120, 'meter/m-1': 7}, None)
    >>> as_of(["2026-03-01T21:14:00Z"])
    ({}, 1772399640000000)
    """
    positions: dict[str, int] = {}
    at_us: int | None = None
    for value in values:
        stream, equals, seq = value.partition("=")
        if equals:
            if not (seq.isascii() and seq.isdigit()):
                raise UsageError(f"--as-of {value}: expected stream=seq, as in table/fu-01=120")
            positions[stream] = int(seq)
            continue
        if at_us is not None:
            raise UsageError("--as-of: give one time only")
        at_us = time_us(value, "--as-of", "stream=seq (table/fu-01=120) or a time")
    if positions and at_us is not None:
        raise UsageError("--as-of: give positions or a time, not both")
    return positions, at_us
