"""`rack count`: the drop boxes of a gaming day, entered twice without sight of each other, then written; and corrections."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rack.arguments import add, add_log, check_options, require_options
from rack.commands.setup.pit import add_entry, correct, now_us, print_lines, show_lines
from rack.errors import Exit, UsageError
from rack.output import Output, money, table
from rack.settings import cases_folder, log_address

if TYPE_CHECKING:
    from desk.house.counting import CountRoom, Difference

HELP = "Enter the drop boxes of a gaming day twice, and write them if both agree; list and correct what was counted"

EPILOG = """\
enter [TABLE=AMOUNT …]    a first entry of the day's boxes: --day, --by
again [TABLE=AMOUNT …]    the second, by another person: if both agree all boxes are written, else what differs is shown
settle TABLE=AMOUNT …     which amount counts in each box that differs, and why (--reason); then all boxes are written
list [TABLE]              which boxes of --day wait to be counted; the lines of a table
correct TABLE LINE        state a box that was written otherwise, with --reason: --chips or --amount; --strike takes it back

An amount is a total (12,345.00) or a count of chips and notes (100x5,20x12). Without boxes on a terminal, each box of the day
that waits is asked for. --by is a registered person with the role `count` (`rack review register`)."""

TAKES = {
    "enter": ("by", "day"),
    "again": ("by", "day"),
    "settle": ("by", "day", "reason"),
    "list": ("day",),
    "correct": ("by", "reason", "chips", "amount", "strike"),
}
"""Action → its options, next to --log."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, EPILOG
    add(parser, "action ACTION", ", ".join(TAKES), choices=tuple(TAKES))
    add(parser, "of WHAT", "TABLE=AMOUNT for each box; or a table and a line.", nargs="*")
    add_log(parser)
    add_entry(parser)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Count; 1 if two entries differ."""
    from desk.house.counting import CountRoom
    from rack.opening import house_log, register_of

    action, of = arguments.action, [each.lower() for each in arguments.of]
    check_options(arguments, "count", action, TAKES)
    folder = (cases_folder(log_address(arguments.log)) or Path(".rack")) / "counts"
    if action == "list" and of:
        with house_log(arguments.log, read_only=True) as log:
            show_lines(log, of, arguments.day, output)
        return Exit.CLEAN
    needed = {"list": ("day",), "correct": ("by", "reason"), "settle": ("by", "day", "reason")}
    require_options(arguments, "count", action, needed.get(action, ("by", "day")))
    if action == "correct" and len(of) != 2:
        raise UsageError("rack count correct: expected TABLE LINE")
    with house_log(arguments.log, read_only=action == "list") as log:
        room = CountRoom(log, register_of(arguments.log), now_us, folder)
        if action == "list":
            boxes = room.boxes(arguments.day)
            output.value(boxes)
            output.text(*(boxes or [f"No box of {arguments.day} waits to be counted."]))
        elif action == "correct":
            print_lines([correct(room, arguments, of)], room, output)
        else:
            return _enter(room, arguments, of, output)
    return Exit.CLEAN


def _enter(room: CountRoom, given: argparse.Namespace, of: list[str], output: Output) -> Exit:
    day = given.day
    grid = _grid(of) if of or given.action == "settle" else _asked(room, day)
    differences: list[Difference] = []
    if given.action == "enter":
        room.enter(day, grid, by=given.by)
        said = f"{len(grid)} boxes of {day} kept; another person enters them again with `rack count again --day {day}`"
    elif given.action == "settle":
        room.settle(day, grid, by=given.by, reason=given.reason)
        said = f"the boxes of {day} are written"
    else:
        differences = room.again(day, grid, by=given.by)
        said = "nothing is written until you count these again, or settle them with `rack count settle` and a reason"
        said = said if differences else f"both entries agree: {len(grid)} boxes of {day} are written"
    output.value(
        {
            "day": day,
            "differences": [{"table": each.table, "first": each.first, "again": each.again} for each in differences],
        }
    )
    if differences:
        rows = [(each.table, _shown(each.first), _shown(each.again)) for each in differences]
        output.text(*table(("box", "first entry", "second entry"), rows))
    output.text(said)
    return Exit.FINDINGS if differences else Exit.CLEAN


def _shown(cents: int | None) -> str:
    return "left out" if cents is None else money(cents).lstrip("+")


def _grid(of: list[str]) -> dict[str, int]:
    """Read TABLE=AMOUNT. Raises `UsageError`, and `ReviewRefused` for what is no amount."""
    from desk.house.pit import typed_cents

    grid: dict[str, int] = {}
    for each in of:
        name, equals, amount = each.partition("=")
        if not equals or not name or name in grid:
            raise UsageError(f"{each}: expected TABLE=AMOUNT, each table once, as in fu-01=12,345.00")
        grid[name] = typed_cents(amount)
    return grid


def _asked(room: CountRoom, day: str) -> dict[str, int]:
    """Ask for each box of the day that waits, on a terminal. Raises `UsageError` elsewhere."""
    from desk.house.pit import typed_cents

    if not sys.stdin.isatty():
        raise UsageError("rack count: name each box as TABLE=AMOUNT")
    return {name: typed_cents(input(f"{name}: ").strip()) for name in room.boxes(day)}
