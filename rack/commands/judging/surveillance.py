"""`rack surveillance`: the log of the surveillance room. Every entry is an event in the log, and none is ever changed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rack.arguments import action_parsers, add, add_log, time_us
from rack.errors import Exit
from rack.output import Output, table
from rack.settings import log_address

if TYPE_CHECKING:
    from desk.review.desk import Desk, Entry
    from desk.review.surveillance import HandOver, SurveillanceEntry

HELP = "Keep the log of the surveillance room: enter what was seen, sign a shift over, accept it"

EPILOG = """\
Entries cannot be edited or deleted. To correct one, add another. Who acts must be registered (rack review register).
The printed sheet of a day: rack report surveillance-log --from DAY --to DAY --out DIR"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, EPILOG
    action = action_parsers(parser, add_log)
    listed = action("list", "List entries and shifts handed over.")
    add(listed, "--day DAY", "Only this gaming day, such as 2026-03-01.")
    action(
        "hand-over", "List what the next shift takes over: open incidents, cases, signatures, observations, changes."
    )
    enter = action("enter", "Enter what was seen or done.")
    sign_over = action("sign-over", "Hand the log over at the end of a shift; open incidents and disputes are counted.")
    accept = action("accept", "Accept what was handed over (another person).")
    for each, note in ((enter, "seen or done"), (sign_over, "handed over"), (accept, "accepted")):
        add(each, "--by PERSON", "Who acts: a registered person, such as m.ortiz.", required=True)
        add(each, "--note TEXT", f"What was {note}.", required=True)
    add(enter, "--table ID", "The table.")
    add(enter, "--camera ID", "The camera.")
    add(enter, "--persons TEXT", "Whom it is about; patrons by token.")
    add(enter, "--at TIME", "When it happened, such as 2026-03-01T21:14:00Z (default: now).")
    add(sign_over, "--shift NAME", "The shift that ends, such as swing.", required=True)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """List or write; `list` is 1 if a shift that was handed over waits to be accepted."""
    from rack.opening import desk

    with desk(log_address(arguments.log), read_only=arguments.action in ("list", "hand-over")) as open_desk:
        if arguments.action == "hand-over":
            return _hand_over_list(open_desk, output)
        if arguments.action == "list":
            return _list(open_desk, arguments.day, output)
        entry = _written(open_desk, arguments)
    from msgspec import to_builtins

    output.value(to_builtins(entry))
    output.text(f"event {entry.seq} of review/surveillance: {entry.by} {entry.says}")
    return Exit.CLEAN


def _hand_over_list(desk: Desk, output: Output) -> Exit:
    from msgspec import to_builtins

    from desk.review.surveillance import hand_over_lines

    lines = hand_over_lines(desk)
    output.value(to_builtins(lines))
    output.text(*(f"[ ] {each.words}" for each in lines) if lines else ("Nothing is open, and nothing changed.",))
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
