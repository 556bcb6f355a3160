"""`rack surveillance`: the log of the surveillance room. Every entry is an event in the log, and none is ever changed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rack.arguments import add_log, check_options, require_options, time_us
from rack.errors import Exit
from rack.output import Output, table
from rack.settings import log_address

if TYPE_CHECKING:
    from desk.review.desk import Desk, Entry
    from desk.review.surveillance import HandOver, SurveillanceEntry

HELP = "Keep the log of the surveillance room: enter what was seen, sign a shift over, accept it"

EPILOG = """\
list        entries and shifts signed over, of one gaming day with --day
enter       enter what was seen or done: --by, --note; --table, --camera, --persons, --at (default: now)
sign-over   sign the log over at the end of a shift: --by, --shift, --note; open incidents and disputes are counted
accept      accept what was signed over (another person): --by, --note

Nothing is changed or removed: to put an entry right, make another one. Who acts must be registered (rack review register).
The printed sheet of a day: rack report surveillance-log --from DAY --to DAY --out DIR"""

TAKES = {
    "list": ("day",),
    "enter": ("by", "note", "table", "camera", "persons", "at"),
    "sign-over": ("by", "note", "shift"),
    "accept": ("by", "note"),
}
"""Action → its options, next to --log."""
NEEDS = {"list": (), "enter": ("by", "note"), "sign-over": ("by", "note", "shift"), "accept": ("by", "note")}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, EPILOG
    parser.add_argument("action", metavar="ACTION", choices=tuple(TAKES), help=", ".join(TAKES))
    add_log(parser)
    parser.add_argument("--by", metavar="PERSON", help="Who acts: a registered person, such as m.ortiz.")
    parser.add_argument("--note", metavar="TEXT", help="What was seen, done or handed over.")
    parser.add_argument("--table", metavar="ID", help="enter: the table.")
    parser.add_argument("--camera", metavar="ID", help="enter: the camera.")
    parser.add_argument("--persons", metavar="TEXT", help="enter: whom it is about; patrons by token.")
    parser.add_argument("--at", metavar="TIME", help="enter: when it happened, such as 2026-03-01T21:14:00Z.")
    parser.add_argument("--shift", metavar="NAME", help="sign-over: the shift that ends, such as swing.")
    parser.add_argument("--day", metavar="DAY", help="list: only this gaming day, such as 2026-03-01.")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """List or write; `list` is 1 if a shift that was signed over waits to be accepted."""
    from rack.opening import desk

    check_options(arguments, "surveillance", arguments.action, TAKES)
    require_options(arguments, "surveillance", arguments.action, NEEDS[arguments.action])
    with desk(log_address(arguments.log), read_only=arguments.action == "list") as open_desk:
        if arguments.action == "list":
            return _list(open_desk, arguments.day, output)
        entry = _written(open_desk, arguments)
    from msgspec import to_builtins

    output.value(to_builtins(entry))
    output.text(f"event {entry.seq} of review/surveillance: {entry.by} {entry.says}")
    return Exit.CLEAN


def _written(desk: Desk, arguments: argparse.Namespace) -> Entry:
    from desk.review import surveillance

    by, note = arguments.by, arguments.note
    if arguments.action == "sign-over":
        return surveillance.sign_over(desk, shift=arguments.shift, note=note, by=by)
    if arguments.action == "accept":
        return surveillance.accept(desk, note=note, by=by)
    return surveillance.make_entry(
        desk,
        note=note,
        by=by,
        happened_us=None if arguments.at is None else time_us(arguments.at, "--at"),
        table=arguments.table,
        camera=arguments.camera,
        persons=arguments.persons,
    )


def _list(desk: Desk, day: str | None, output: Output) -> Exit:
    from msgspec import to_builtins

    from desk.packet.words import utc
    from desk.review.surveillance import log

    found = log(desk)
    entries = [each for each in found.surveillance if day in (None, each.gaming_day)]
    shifts = [each for each in found.hand_overs if day in (None, each.gaming_day)]
    output.value({"entries": to_builtins(entries), "hand_overs": to_builtins(shifts)})
    header = ("event", "gaming day", "happened", "by", "table", "camera", "persons", "what")
    rows = [(str(e.entry.seq), e.gaming_day, utc(e.noted.happened_us), *_said(e)) for e in entries]
    output.text(*(table(header, rows) if rows else ["No entry."]))
    for each in shifts:
        output.text(_hand_over(each))
    return Exit.FINDINGS if any(each.accepted is None for each in shifts) else Exit.CLEAN


def _said(each: SurveillanceEntry) -> tuple[str, ...]:
    noted = each.noted
    return noted.by, noted.table or "–", noted.camera or "–", noted.persons or "–", noted.note


def _hand_over(each: HandOver) -> str:
    accepted = "waits to be accepted" if each.accepted is None else f"{each.accepted.by} {each.accepted.says}"
    return f"{each.gaming_day}: {each.entry.by} {each.entry.says}; {accepted}"
