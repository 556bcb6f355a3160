"""Commands with several actions: each action has its own parser, options and function."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rack.arguments import CommandParser, add, output_flags
from rack.errors import Exit
from rack.output import Output
from rack.settings import log_address

if TYPE_CHECKING:
    from desk.review.desk import Desk, Entry
    from events.log.contract import EventLog

Act = Callable[[argparse.Namespace, Output], Exit | None]
"""Carries an action out. None is the exit code 0."""
DeskAct = Callable[["Desk", argparse.Namespace, Output], Exit | None]
"""Carries an action out at an open desk."""


def action_parsers(
    parser: argparse.ArgumentParser, shared: Callable[[argparse.ArgumentParser], None] = lambda parser: None
) -> Callable[[str, str, Act], argparse.ArgumentParser]:
    """Return a function that adds an action (name, help, function); options that `shared` adds may stand before it, too."""
    flags = CommandParser(add_help=False, argument_default=argparse.SUPPRESS)
    shared(flags)
    shared(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    parsers: dict[str, argparse.ArgumentParser] = {}
    parser.set_defaults(actions=parsers)

    def add_action(name: str, does: str, act: Act) -> argparse.ArgumentParser:
        parsers[name] = actions.add_parser(name, help=does, description=does, parents=[output_flags(), flags])
        parsers[name].set_defaults(act=act)
        return parsers[name]

    return add_action


def run_action(arguments: argparse.Namespace, output: Output) -> Exit:
    """Carry out the chosen action."""
    return arguments.act(arguments, output) or Exit.CLEAN


def at_desk(act: DeskAct, *, read_only: bool = False, needs_results: bool = True) -> Act:
    """Return an action at the desk of a log's findings (`rack.opening.desk`)."""

    def acting(arguments: argparse.Namespace, output: Output) -> Exit | None:
        from rack.opening import desk

        address = log_address(arguments.log)
        with desk(address, read_only=read_only, needs_results=needs_results) as opened:
            return act(opened, arguments, output)

    return acting


def at_house(act: Callable[[EventLog, argparse.Namespace, Output], Exit | None], *, read_only: bool = False) -> Act:
    """Return an action of the people of the house in their log."""

    def acting(arguments: argparse.Namespace, output: Output) -> Exit | None:
        from rack.opening import house_log

        with house_log(arguments.log, read_only=read_only) as log:
            return act(log, arguments, output)

    return acting


def add_person(*parsers: argparse.ArgumentParser, reason: str = "The reason.") -> None:
    """Add the options for who acts, and why (empty: without a reason)."""
    for parser in parsers:
        add(parser, "--by PERSON", "Who acts: a registered person, such as m.ortiz.", required=True)
        if reason:
            add(parser, "--reason TEXT", reason, required=True)


def taken(arguments: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Return some of the arguments by name, for a function call."""
    return {name: getattr(arguments, name) for name in names}


def print_entries(output: Output, written: Entry | Sequence[Entry], of: str = "") -> None:
    """Print the written entries: one, or those of a whole incident; `of` names their stream."""
    output.value(written)
    entries = written if isinstance(written, Sequence) else [written]
    output.text(*(f"event {entry.seq}{of}: {entry.by} {entry.says}" for entry in entries))
