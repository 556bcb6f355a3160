"""`rack plan`: the changes of a property's file, in words; it changes nothing."""

from __future__ import annotations

import argparse
from contextlib import closing
from typing import TYPE_CHECKING

from rack.arguments import add, given_path
from rack.errors import Exit
from rack.output import Output, counted

if TYPE_CHECKING:
    from desk.house.plan import Plan

HELP = "Print what property.toml would change in the log and next to it, with returns; touch nothing"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "folder DIR", "Folder of the property (`rack init`).", type=given_path)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Print the plan; 1 if something would change."""
    from analytics.theory.theory import percent_of
    from desk.house.plan import make_plan
    from desk.house.property_file import read_property
    from events.errors import LogUnavailable
    from rack.opening import log_at

    made = read_property(arguments.folder)
    plan = None
    if made.log_file is None or made.log_file.exists():
        try:
            with closing(log_at(made.address, read_only=True)) as log:
                plan = make_plan(made, log, percent_of)
        except LogUnavailable as error:
            if made.log_file is not None:
                raise
            output.note(f"{error}; this is the plan of a new log")
    plan = plan or make_plan(made, None, percent_of)
    print_plan(plan, output, "to be appended")
    return Exit.FINDINGS if plan.changes else Exit.CLEAN


def print_plan(plan: Plan, output: Output, what: str) -> None:
    """Print a plan."""
    files = sum(each.mark in "+~" for each in plan.files)
    output.value({"lines": plan.lines, "events": plan.events, "files": files, "changes": plan.changes})
    output.text(*plan.lines, f"{counted(plan.events, 'event')} {what}, {counted(files, 'file')}")
