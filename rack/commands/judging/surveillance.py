"""`rack surveillance`: the surveillance room's log. Every entry is an event in the log and is never changed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rack.actions import Act, action_parsers, add_person, at_desk, print_entries, run_action, taken
from rack.arguments import add, add_log, moment
from rack.errors import Exit
from rack.output import Output

if TYPE_CHECKING:
    from desk.review.desk import Desk
    from desk.review.surveillance import HandOver, SurveillanceEntry

HELP = "Keep the log of the surveillance room: enter what was seen, hand a shift over, accept it"

EPILOG = """\
Entries cannot be edited or deleted. To correct one, add another. The person who acts must be registered (rack review register).
The printed sheet of a day: rack report surveillance-log --from DAY --to DAY --out DIR"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, EPILOG
    action = action_parsers(parser, add_log)
    listed = action("list", "List entries and shifts handed over.", at_desk(_list, read_only=True))
    add(listed, "--day DAY", "Only this gaming day, such as 2026-03-01.")
    action(
        "hand-over",
        "List what the next shift takes over: open incidents, cases, signatures, observations, changes.",
        at_desk(_hand_over_list, read_only=True),
    )
    enter = action("enter", "Enter what was seen or done.", _writing("make_entry", "happened_us", "table", "camera", "persons"))
    sign_over = action(
        "sign-over",
        "Hand the log over at the end of a shift; open incidents and disputes are counted.",
        _writing("sign_over", "shift"),
    )
    accept = action("accept", "Accept what was handed over (another person).", _writing("accept"))
    for each, note in ((enter, "seen or done"), (sign_over, "handed over"), (accept, "accepted")):
        add_person(each, reason="")
        add(each, "--note TEXT", f"What was {note}.", required=True)
    add(enter, "--table ID", "The table.")
    add(enter, "--camera ID", "The camera.")
    add(enter, "--persons TEXT", "Whom it is about; patrons by token.")
    add(
        enter,
        "--at TIME",
        "When it happened, such as 2026-03-01T21:14:00Z (default: now).",
        type=moment("--at"),
        dest="happened_us",
    )
    add(sign_over, "--shift NAME", "The shift that ends, such as swing.", required=True)


run = run_action
"""List or write; `list` is 1 if a shift that was handed over waits to be accepted."""


def _hand_over_list(desk: Desk, arguments: argparse.Namespace, output: Output) -> None:
    from desk.review.surveillance import hand_over_lines

    lines = hand_over_lines(desk)
    output.value(lines)
    output.text(*(f"[ ] {each.words}" for each in lines) if lines else ("Nothing is open, and nothing changed.",))


def _writing(name: str, *takes: str) -> Act:
    """Return an action that calls this function, with these options in addition to --by and --note."""

    def act(desk: Desk, arguments: argparse.Namespace, output: Output) -> None:
        from desk.review import surveillance

        entry = getattr(surveillance, name)(desk, **taken(arguments, "by", "note", *takes))
        print_entries(output, entry, of=" of review/surveillance")

    return at_desk(act)


def _list(desk: Desk, arguments: argparse.Namespace, output: Output) -> Exit:
    from desk.review.surveillance import log
    from replay.narrative.names import utc

    found, day = log(desk), arguments.day
    entries = [each for each in found.surveillance if day in (None, each.gaming_day)]
    shifts = [each for each in found.hand_overs if day in (None, each.gaming_day)]
    output.value({"entries": entries, "hand_overs": shifts})
    header = ("event", "gaming day", "happened", "by", "table", "camera", "persons", "what")
    rows = [(str(e.entry.seq), e.gaming_day, utc(e.noted.happened_us), *_cells(e)) for e in entries]
    output.table(header, rows, empty="No entry.")
    for each in shifts:
        output.text(_hand_over(each))
    return Exit.FINDINGS if any(each.accepted is None for each in shifts) else Exit.CLEAN


def _cells(each: SurveillanceEntry) -> tuple[str, ...]:
    noted = each.noted
    return noted.by, noted.table or "–", noted.camera or "–", noted.persons or "–", noted.note


def _hand_over(each: HandOver) -> str:
    accepted = "waits to be accepted" if each.accepted is None else f"{each.accepted.by} {each.accepted.says}"
    return f"{each.gaming_day}: {each.entry.by} {each.entry.says}; {accepted}"
