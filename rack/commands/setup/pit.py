"""`rack pit`: the pit's entries at a table, in a person's name, and their corrections."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rack.actions import Act, action_parsers, add_person, at_house, run_action, taken
from rack.arguments import add, add_log, amount, chips, positive
from rack.errors import UsageError
from rack.output import Output, unsigned
from rack.settings import cases_folder, log_address

if TYPE_CHECKING:
    from desk.house.pit import Pit
    from desk.house.table_lines import Line
    from events.log.contract import EventLog

HELP = "Enter what the pit does at a table: open, close, dealers, fills, credits, devices; list and correct it"

EPILOG = """\
Chips are counted as value x number: --chips 25x20,100x5. --at 21:14 is a time of the table's gaming day that is past.
--by is a registered person with the role `pit` (`rack review register`)."""

CORRECTED = ("slip", "dealer", "shift", "device", "fault", "verified_by")
"""Options of `correct` that state a field of the line; --chips and --amount state its amount."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, EPILOG
    action = action_parsers(parser, add_log)

    def entry(name: str, does: str, *takes: str, method: str = "") -> argparse.ArgumentParser:
        made = action(name, does, _entering(method or name, *takes))
        add(made, "table TABLE", "The table.", type=str.lower)
        add_person(made, reason="")
        add(made, "--at TIME", "When it happened, if not now, such as 21:14 or 9:14pm.")
        return made

    opened = entry(
        "open",
        "Open a table: its opener is the last closer, unless --chips or --amount states it.",
        *("cents", "dealer", "verified_by", "day"),
    )
    close = entry("close", "Close a table: the amount is the closer; the dealer taps out.", "cents", "verified_by")
    tap_in = entry("tap-in", "A dealer takes over; the dealer before taps out.", "dealer", method="tap_in")
    entry("tap-out", "The dealer leaves, and no one takes over.", method="tap_out")
    fill = entry("fill", "Chips come from the cage.", "cents", "slip", "verified_by")
    credit = entry("credit", "Chips go to the cage.", "cents", "slip", "verified_by")
    shift = entry("shift", "A new shift begins.", "shift")
    device = entry("device", "A device is out of order.", "device", "fault", "how", method="device_out")
    restore = entry("restore", "A device works again.", "device", method="device_back")
    for each in (opened, close, fill, credit):
        add_amount(each, required=each is not opened)
        add(each, "--verified-by PERSON", "The second person.")
    for each in (fill, credit):
        add(each, "--slip NUMBER", "The number of the slip.", required=True)
    add(opened, "--dealer ID", "The dealer, who taps in.")
    add(opened, "--day DAY", "The gaming day, such as 2026-11-29.")
    add(tap_in, "dealer DEALER", "The dealer.", type=str.lower)
    add(shift, "shift NAME", "The shift.", type=str.lower)
    for each in (device, restore):
        add(each, "device DEVICE", "The shuffler, shoe, shaker or progressive_system.", type=str.lower)
    add(device, "--fault NAME", "jam, stopped, incomplete or inoperative.", required=True)
    add(device, "--marked", "How it was marked as out of order.", choices=("cover", "sign"), dest="how")
    listed = action("list", "List the lines of a table, or the state of every table.", at_house(_list, read_only=True))
    add(listed, "table TABLE", "The table.", nargs="?", type=str.lower)
    add(listed, "--day DAY", "Only this gaming day, such as 2026-11-29.")
    says = "Initial an opener, closer, fill or credit as the second person, as it now counts."
    initial = action("initial", says, _entering("initial"))
    add(initial, "table TABLE", "The table.", type=str.lower)
    add(initial, "line LINE", "The number of the line, as list shows it.", type=positive)
    add_person(initial, reason="")
    right = action("correct", "Correct the content of a line, or strike it.", _entering("correct"))
    add_correction(right)
    add(right, "--slip NUMBER", "The number of the slip.")
    add(right, "--dealer ID", "The dealer.")
    add(right, "--verified-by PERSON", "The second person.")
    add(right, "--shift NAME", "The shift.")
    add(right, "--device NAME", "The device.")
    add(right, "--fault NAME", "The fault.")


run = run_action
"""Enter, list or correct."""


def add_amount(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """Add an amount, counted in chips or stated in total."""
    group = parser.add_mutually_exclusive_group(required=required)
    add(group, "--chips COUNT", "The amount by chips: value x number, such as 25x20,100x5.", type=chips, dest="cents")
    add(group, "--amount MONEY", "The amount in total, such as 12,345.00.", type=amount, dest="cents")


def add_correction(parser: argparse.ArgumentParser) -> None:
    """Add the corrected line, the person, the reason, and its amount."""
    add(parser, "table TABLE", "The table.", type=str.lower)
    add(parser, "line LINE", "The number of the line, as list shows it.", type=positive)
    add_person(parser)
    add_amount(parser, required=False)
    add(parser, "--strike", "The line never happened.")


def _entering(method: str, *takes: str) -> Act:
    """Return an action that calls this method of the pit, with these options in addition to --by and --at."""

    def act(log: EventLog, given: argparse.Namespace, output: Output) -> None:
        from desk.house.pit import Pit
        from desk.house.property_file import closed_tables
        from rack.opening import now_us, register_of

        closed = closed_tables(cases_folder(log_address(given.log)))
        pit = Pit(log, register_of(given.log), now_us, closed)
        if method == "correct":
            correct(pit, given, output)
        elif method == "initial":
            print_lines([pit.initial(given.table, given.line, by=given.by)], pit, output)
        else:
            print_lines(getattr(pit, method)(given.table, **taken(given, "by", "at", *takes)), pit, output)

    return at_house(act)


def correct(pit: Pit, given: argparse.Namespace, output: Output) -> None:
    """Correct a line by the options."""
    stated = {name: getattr(given, name, None) for name in CORRECTED} | {"amount_cents": given.cents}
    fields = {name: value for name, value in stated.items() if value is not None}
    if bool(fields) == given.strike:
        raise UsageError("say what the line should be (such as --amount), or --strike it; one of the two")
    line = pit.correct(given.table, given.line, by=given.by, reason=given.reason, **fields)
    print_lines([line], pit, output)


def _list(log: EventLog, given: argparse.Namespace, output: Output) -> None:
    if given.table is not None:
        show_lines(log, given.table, given.day, output)
        return
    from desk.house.table_lines import TableRecord
    from desk.review.stored_events import names_of

    shown = [TableRecord(log, name) for name in names_of(log, "table")]
    output.value([each.values() for each in shown])
    rows = [
        (each.table, each.gaming_day, "open" if each.opened else "closed", each.dealer or "–", unsigned(each.closer_cents))
        for each in shown
    ]
    output.table(("table", "gaming day", "state", "dealer", "last closer"), rows)


def show_lines(log: EventLog, name: str, day: str | None, output: Output) -> None:
    """Print the lines of a table."""
    from desk.house.table_lines import TableRecord, configured
    from replay.transcript.clock import clock_of

    clock, record = clock_of(configured(log)), TableRecord(log, name)
    if not record.last:
        raise UsageError(f"the log has no table {name!r}; `rack pit list` names them")
    lines = [line for line in record.lines if day in (None, line.gaming_day)]
    output.value([line.values() for line in lines])
    rows = [(str(line.seq), line.gaming_day, _time(line, clock), line.source, line.says) for line in lines]
    output.table(("line", "gaming day", "time", "source", "what"), rows, empty="No lines.")


def print_lines(lines: list[Line], pit: Pit, output: Output) -> None:
    """Print lines in their present form."""
    output.value([line.values() for line in lines])
    output.text(*(f"line {line.seq}  {_time(line, pit.clock)}  {line.says}" for line in lines))


def _time(line: Line, clock: Any) -> str:
    from replay.narrative.names import minute_words, moment

    return minute_words(moment(line.at_us, clock.zone))
