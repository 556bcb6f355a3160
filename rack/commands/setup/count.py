"""`rack count`: the count of a gaming day's drop boxes, entered twice, the second time blind; and corrections."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rack.actions import Act, action_parsers, add_person, at_house, run_action
from rack.arguments import add, add_log
from rack.commands.setup.pit import add_correction, correct, show_lines
from rack.errors import Exit, UsageError
from rack.output import Output, counted, unsigned
from rack.settings import cases_folder, log_address

if TYPE_CHECKING:
    from desk.house.counting import CountRoom, Difference
    from events.log.contract import EventLog

HELP = "Enter the drop boxes of a gaming day twice, and write them if both agree; list and correct what was counted"

EPILOG = """\
An amount is a total (12,345.00) or a count of chips and notes (100x5,20x12). On a terminal, without boxes, the command asks
for each box of the day that waits. --by is a registered person with the role `count` (`rack review register`)."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, EPILOG
    action = action_parsers(parser, add_log)
    enter = action("enter", "Make a first entry of the day's boxes.", _counting(_enter))
    again = action(
        "again",
        "Make the second entry, as another person: if both agree all boxes are written, else what differs is shown.",
        _counting(_again),
    )
    settle = action(
        "settle", "Say which amount counts in each box that differs, and why; then all boxes are written.", _counting(_settle)
    )
    for each in (enter, again, settle):
        add(each, "boxes TABLE=AMOUNT", "What each box held.", nargs="+" if each is settle else "*", type=str.lower)
        add(each, "--day DAY", "The gaming day, such as 2026-11-29.", required=True)
        add_person(each, reason="The reason." if each is settle else "")
    listed = action("list", "List which boxes of a day wait to be counted, or the lines of a table.", _list)
    add(listed, "table TABLE", "The table.", nargs="?", type=str.lower)
    add(listed, "--day DAY", "The gaming day, such as 2026-11-29.")
    right = action("correct", "Correct a written box, or strike it.", _counting(correct))
    add_correction(right)


run = run_action
"""Count; 1 if two entries differ."""


def _counting(act: Callable[[CountRoom, argparse.Namespace, Output], Exit | None], *, read_only: bool = False) -> Act:
    """Return an action in the count room, which keeps first entries next to the property's cases."""

    def counting(log: EventLog, given: argparse.Namespace, output: Output) -> Exit | None:
        from desk.house.counting import CountRoom
        from rack.opening import now_us, register_of

        folder = (cases_folder(log_address(given.log)) or Path(".rack")) / "counts"
        return act(CountRoom(log, register_of(given.log), now_us, folder), given, output)

    return at_house(counting, read_only=read_only)


def _list(given: argparse.Namespace, output: Output) -> Exit | None:
    if given.table is not None:
        return at_house(lambda log, *_: show_lines(log, given.table, given.day, output), read_only=True)(given, output)
    if given.day is None:
        raise UsageError("rack count list needs --day, or a table")
    return _counting(_waiting, read_only=True)(given, output)


def _waiting(room: CountRoom, given: argparse.Namespace, output: Output) -> None:
    boxes = room.boxes(given.day)
    output.value(boxes)
    output.text(*(boxes or [f"No box of {given.day} waits to be counted."]))


def _enter(room: CountRoom, given: argparse.Namespace, output: Output) -> None:
    boxes = _boxes(room, given)
    room.enter(given.day, boxes, by=given.by)
    next_ = f"another person enters them again with `rack count again --day {given.day}`"
    _print(given.day, [], f"{counted(len(boxes), 'box', 'boxes')} of {given.day} kept; {next_}", output)


def _again(room: CountRoom, given: argparse.Namespace, output: Output) -> Exit:
    boxes = _boxes(room, given)
    differences = room.enter_second(given.day, boxes, by=given.by)
    says = "nothing is written until you count these again, or settle them with `rack count settle` and a reason"
    agreed = f"both entries agree, and are written: {counted(len(boxes), 'box', 'boxes')} of {given.day}"
    _print(given.day, differences, says if differences else agreed, output)
    return Exit.FINDINGS if differences else Exit.CLEAN


def _settle(room: CountRoom, given: argparse.Namespace, output: Output) -> None:
    room.settle(given.day, _boxes(room, given), by=given.by, reason=given.reason)
    _print(given.day, [], f"the boxes of {given.day} are written", output)


def _print(day: str, differences: Sequence[Difference], says: str, output: Output) -> None:
    output.value({"day": day, "differences": differences})
    if differences:
        rows = [(each.table, _shown(each.first), _shown(each.again)) for each in differences]
        output.table(("box", "first entry", "second entry"), rows)
    output.text(says)


def _shown(cents: int | None) -> str:
    return "left out" if cents is None else unsigned(cents)


def _boxes(room: CountRoom, given: argparse.Namespace) -> dict[str, int]:
    """Read TABLE=AMOUNT, or ask for each uncounted box. Raises `UsageError`, and `ReviewRefused` for an invalid amount."""
    from desk.house.pit import typed_cents

    if not given.boxes:
        if not sys.stdin.isatty():
            raise UsageError("rack count: name each box as TABLE=AMOUNT")
        return {name: typed_cents(input(f"{name}: ").strip()) for name in room.boxes(given.day)}
    grid: dict[str, int] = {}
    for each in given.boxes:
        name, equals, amount = each.partition("=")
        if not equals or not name or name in grid:
            raise UsageError(f"{each}: expected TABLE=AMOUNT, each table once, as in fu-01=12,345.00")
        grid[name] = typed_cents(amount)
    return grid
