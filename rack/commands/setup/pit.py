"""`rack pit`: what the pit enters at a table, in a person's name; and corrections of it."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rack.arguments import add, add_log, check_options, require_options
from rack.errors import Exit, UsageError
from rack.output import Output, money, table
from rack.settings import cases_folder, log_address

if TYPE_CHECKING:
    from desk.house.pit import Pit
    from desk.house.record import Line, TableRecord

HELP = "Enter what the pit does at a table: open, close, dealers, fills, credits, devices; list and correct it"

EPILOG = """\
open TABLE                open the table: the opener is the last closer, unless --chips or --amount states it;
                          --dealer taps in, --verified-by gives a second person's initials, --day the gaming day
close TABLE               close it: --chips or --amount is the closer; the dealer taps out; --verified-by
tap-in TABLE DEALER       a dealer takes over; whoever dealt before taps out
tap-out TABLE             the dealer leaves, and no one takes over
fill TABLE                chips come from the cage: --slip, --chips or --amount
credit TABLE              chips go to the cage: --slip, --chips or --amount
shift TABLE NAME          a new shift begins
device TABLE DEVICE       a device (shuffler, shoe, shaker, progressive_system) is out of order: --fault, --marked
restore TABLE DEVICE      it works again
list [TABLE]              the lines of a table, or how every table is: --day
initial TABLE LINE        a second person's initials under an opener, closer, fill or credit, as it now counts
correct TABLE LINE        state a line otherwise, with --reason: --chips or --amount, --slip, --dealer …; --strike takes it back

Chips are counted as value x number: --chips 25x20,100x5. --at 21:14 is a time of the table's gaming day that is past.
--by is a registered person with the role `pit` (`rack review register`)."""

_ALL = ("by", "at")
_MONEY = ("chips", "amount")
TAKES = {
    "open": (*_ALL, *_MONEY, "dealer", "verified_by", "day"),
    "close": (*_ALL, *_MONEY, "verified_by"),
    "tap-in": _ALL,
    "tap-out": _ALL,
    "fill": (*_ALL, *_MONEY, "slip", "verified_by"),
    "credit": (*_ALL, *_MONEY, "slip", "verified_by"),
    "shift": _ALL,
    "device": (*_ALL, "fault", "marked"),
    "restore": _ALL,
    "list": ("day",),
    "initial": ("by",),
    "correct": ("by", "reason", *_MONEY, "slip", "dealer", "shift", "device", "fault", "strike", "verified_by"),
}
"""Action → its options, next to --log."""
NEEDS = {"fill": ("slip",), "credit": ("slip",), "device": ("fault",), "correct": ("reason",)}
"""Action → options that it needs, next to --by."""
SECOND = {"tap-in": "DEALER", "shift": "NAME", "device": "DEVICE", "restore": "DEVICE"}
SECOND |= {"correct": "LINE", "initial": "LINE"}
"""Action → what it names after the table."""
FIELDS = ("slip", "dealer", "shift", "device", "fault", "verified_by")
"""Options of `correct` that state a field of the line."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, EPILOG
    add(parser, "action ACTION", ", ".join(TAKES), choices=tuple(TAKES))
    add(parser, "of WHAT", "A table, and what the action names after it.", nargs="*")
    add_log(parser)
    add_entry(parser)
    add(parser, "--at TIME", "When it happened, if not now, such as 21:14 or 9:14pm.")
    add(parser, "--slip NUMBER", "fill, credit: the number of the slip.")
    add(parser, "--dealer ID", "open: who deals; correct: the dealer.")
    add(parser, "--verified-by PERSON", "open, close, fill, credit: the second person.")
    add(parser, "--shift NAME", "correct: the shift.")
    add(parser, "--device NAME", "correct: the device.")
    add(parser, "--fault NAME", "device: jam, stopped, incomplete or inoperative.")
    add(parser, "--marked", "device: how it was marked as out of order.", choices=("cover", "sign"))


def add_entry(parser: argparse.ArgumentParser) -> None:
    """Add the options that every entry of the house takes: who, how much, and for corrections why."""
    add(parser, "--by PERSON", "Who enters it: a registered person, such as m.ortiz.")
    add(parser, "--chips COUNT", "The amount by chips: value x number, such as 25x20,100x5.")
    add(parser, "--amount MONEY", "The amount in total, such as 12,345.00.")
    add(parser, "--day DAY", "The gaming day, such as 2026-11-29.")
    add(parser, "--reason TEXT", "correct: why.")
    add(parser, "--strike", "correct: the line never happened.")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Enter, list or correct."""
    from desk.house.pit import Pit
    from desk.house.property_file import closed_tables
    from rack.opening import house_log, register_of

    action, of = arguments.action, [each.lower() for each in arguments.of]
    check_options(arguments, "pit", action, TAKES)
    wanted = (0, 1) if action == "list" else (2,) if action in SECOND else (1,)
    if len(of) not in wanted:
        raise UsageError(f"rack pit {action}: expected TABLE{' ' + SECOND[action] if action in SECOND else ''}")
    if action == "list":
        with house_log(arguments.log, read_only=True) as log:
            show_lines(log, of, arguments.day, output)
        return Exit.CLEAN
    require_options(arguments, "pit", action, ("by", *NEEDS.get(action, ())))
    with house_log(arguments.log) as log:
        pit = Pit(log, register_of(arguments.log), now_us, closed_tables(cases_folder(log_address(arguments.log))))
        if action == "correct":
            print_lines([correct(pit, arguments, of)], pit, output)
        else:
            print_lines(_ENTRIES[action](pit, arguments, of), pit, output)
    return Exit.CLEAN


def now_us() -> int:
    """Return the time of this machine (UTC microseconds)."""
    return time.time_ns() // 1_000


def given_cents(given: argparse.Namespace) -> int | None:
    """Return the amount that --chips or --amount gives. Raises `UsageError` for both, and `ReviewRefused`."""
    from desk.house.pit import amount_cents, chips_cents

    if given.chips and given.amount:
        raise UsageError("--chips counts the amount and --amount states it; give one of them")
    return chips_cents(given.chips) if given.chips else amount_cents(given.amount) if given.amount else None


def _needed_cents(given: argparse.Namespace) -> int:
    cents = given_cents(given)
    if cents is None:
        raise UsageError(f"rack pit {given.action}: give the amount, with --chips or --amount")
    return cents


_ENTRIES: dict[str, Callable[[Pit, argparse.Namespace, list[str]], list[Line]]] = {
    "open": lambda pit, given, of: pit.open(
        of[0],
        by=given.by,
        verified_by=given.verified_by,
        cents=given_cents(given),
        dealer=given.dealer,
        at=given.at,
        day=given.day,
    ),
    "close": lambda pit, given, of: pit.close(
        of[0], by=given.by, cents=_needed_cents(given), verified_by=given.verified_by, at=given.at
    ),
    "tap-in": lambda pit, given, of: pit.tap_in(of[0], by=given.by, dealer=of[1], at=given.at),
    "tap-out": lambda pit, given, of: pit.tap_out(of[0], by=given.by, at=given.at),
    "fill": lambda pit, given, of: pit.fill(
        of[0], by=given.by, cents=_needed_cents(given), slip=given.slip, verified_by=given.verified_by, at=given.at
    ),
    "credit": lambda pit, given, of: pit.credit(
        of[0], by=given.by, cents=_needed_cents(given), slip=given.slip, verified_by=given.verified_by, at=given.at
    ),
    "shift": lambda pit, given, of: pit.shift(of[0], by=given.by, shift=of[1], at=given.at),
    "device": lambda pit, given, of: pit.device_out(
        of[0], by=given.by, device=of[1], fault=given.fault, how=given.marked, at=given.at
    ),
    "restore": lambda pit, given, of: pit.device_back(of[0], by=given.by, device=of[1], at=given.at),
    "initial": lambda pit, given, of: [pit.initial(of[0], _line_number(of), by=given.by)],
}


def _line_number(of: list[str]) -> int:
    if not (of[1].isascii() and of[1].isdigit()):
        raise UsageError(f"{of[1]}: expected the number of a line, as `rack pit list {of[0]}` shows it")
    return int(of[1])


def correct(pit: Pit, given: argparse.Namespace, of: list[str]) -> Line:
    """Correct a line as the options say."""
    fields: dict[str, Any] = {name: getattr(given, name) for name in FIELDS if getattr(given, name, None) is not None}
    cents = given_cents(given)
    if cents is not None:
        fields["amount_cents"] = cents
    if bool(fields) == given.strike:
        raise UsageError("say what the line should be (such as --amount), or --strike it; one of the two")
    return pit.correct(of[0], _line_number(of), by=given.by, reason=given.reason, **fields)


def show_lines(log: Any, of: list[str], day: str | None, output: Output) -> None:
    """Print the lines of a table, or how every table is."""
    from desk.house.record import TableRecord, configured
    from replay.transcript.clock import clock_of

    clock = clock_of(configured(log))
    if not of:
        names = [name.removeprefix("table/") for name in log.streams() if name.startswith("table/")]
        _show_tables([TableRecord(log, name) for name in names], output)
        return
    record = TableRecord(log, of[0])
    if not record.last:
        raise UsageError(f"the log has no table {of[0]!r}; `rack pit list` names them")
    lines = [line for line in record.lines if day in (None, line.gaming_day)]
    output.value([as_json(line) for line in lines])
    rows = [(str(line.seq), line.gaming_day, _time(line, clock), line.source, _says(line)) for line in lines]
    output.text(*(table(("line", "gaming day", "time", "source", "what"), rows) if rows else ["No lines."]))


def _show_tables(records: list[TableRecord], output: Output) -> None:
    output.value(
        [
            {"table": each.table, "gaming_day": each.gaming_day, "open": each.opened is not None, "dealer": each.dealer}
            | {"closer_cents": each.closer_cents, "last_dealers": each.dealers()}
            for each in records
        ]
    )
    rows = [
        (
            each.table,
            each.gaming_day,
            "open" if each.opened else "closed",
            each.dealer or "–",
            _or_dash(each.closer_cents),
        )
        for each in records
    ]
    output.text(*table(("table", "gaming day", "state", "dealer", "last closer"), rows))


def _or_dash(cents: int | None) -> str:
    return "–" if cents is None else money(cents).lstrip("+")


def print_lines(lines: list[Line], pit: Pit, output: Output) -> None:
    """Print lines as they now are."""
    output.value([as_json(line) for line in lines])
    output.text(*(f"line {line.seq}  {_time(line, pit.clock)}  {_says(line)}" for line in lines))


def _time(line: Line, clock: Any) -> str:
    return f"{datetime.fromtimestamp(line.at_us // 1_000_000, tz=UTC).astimezone(clock.zone):%H:%M}"


def _says(line: Line) -> str:
    from replay.narrative.events import sentence

    said = sentence(line.shown) + ("; waits for a second person's initials" if line.awaits_initials else "")
    if line.counts is None:
        said += ": struck"
    elif line.counts != line.entered:
        said += f" (entered: {sentence(line.entered)})"
    return said + "".join(f"; corrected by {each.by}: {each.reason}" for each in line.amendments)


def as_json(line: Line) -> dict[str, Any]:
    """Return a line as JSON has it."""
    from msgspec import to_builtins

    return {
        "line": line.seq,
        "gaming_day": line.gaming_day,
        "at_us": line.at_us,
        "source": line.source,
        "type": line.entered.TYPE,
        "entered": to_builtins(line.entered),
        "counts": None if line.counts is None else to_builtins(line.counts),
        "initials": line.initials,
        "corrections": [each._asdict() for each in line.amendments],
    }
