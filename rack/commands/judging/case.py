"""`rack case`: patrons' disputes as cases with a number and a due date. Everything is an event in the log."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rack.arguments import add_log, check_options, given_path, positive, require_options
from rack.errors import Exit, UsageError
from rack.output import Output, table
from rack.settings import cases_folder, key_file, log_address
from rack.whole_files import write_whole

if TYPE_CHECKING:
    from desk.review.case_folder import CaseFolder
    from desk.review.cases import PatronCase
    from desk.review.desk import Desk, Entry

HELP = "Keep the case file of a patron's dispute: open, assign, attach, decide, write to the patron, appeal"

EPILOG = """\
list [TABLE]         cases by due date, the overdue first (--all: decided ones too)
show CASE            one case with its history; every attachment is opened and its hash compared
open TABLE ROUND     open a case: --claim (what the patron says) or --dispute (one that is open); --seat, --patron
assign CASE          give it to its owner: --to, --reason
due CASE             move the day by which it is to be decided: --to YYYY-MM-DD, --reason
note CASE            add a note: --note
attach CASE FILE     attach a file: --note; its bytes are kept beside the log, under their SHA-256
fetch CASE DIGEST    export an attachment: --out FILE; DIGEST is its SHA-256, or the first digits of it
decide CASE          decide it: --outcome, --reason; against the record also --override, and a second person signs
sign CASE            sign a decision against the record as the second person: --reason
letter CASE          make the letter to the patron on the decision: --out DIR; --key
appeal CASE          record the patron's appeal, which opens the case again: --reason

A case is named by its table and number, such as FU-01-C3, in capitals or not. Who acts (--by) must be registered
(rack review register). Due dates and the folder of attachments are set in cases.toml (docs/cases.md)."""

TAKES = {
    "list": ("all",),
    "show": (),
    "open": ("by", "claim", "dispute", "seat", "patron"),
    "assign": ("by", "to", "reason"),
    "due": ("by", "to", "reason"),
    "note": ("by", "note"),
    "attach": ("by", "note"),
    "fetch": ("by", "reason", "out"),
    "decide": ("by", "outcome", "reason", "override"),
    "sign": ("by", "reason"),
    "letter": ("by", "out", "key"),
    "appeal": ("by", "reason"),
}
"""Action → its options, next to --log."""
NEEDS = {
    "list": (),
    "show": (),
    "open": ("by",),
    "assign": ("by", "to", "reason"),
    "due": ("by", "to", "reason"),
    "note": ("by", "note"),
    "attach": ("by", "note"),
    "fetch": ("by", "reason", "out"),
    "decide": ("by", "outcome", "reason"),
    "sign": ("by", "reason"),
    "letter": ("by", "out"),
    "appeal": ("by", "reason"),
}
PLACES = {"list": "[TABLE]", "open": "TABLE ROUND", "attach": "CASE FILE", "fetch": "CASE DIGEST"}
"""Action → what it is about, if that is not one case."""
READS = {"list", "show"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, EPILOG
    parser.add_argument("action", metavar="ACTION", choices=tuple(TAKES), help=", ".join(TAKES))
    parser.add_argument("of", metavar="WHAT", nargs="*", help="The case, such as FU-01-C3; see below.")
    add_log(parser)
    parser.add_argument("--by", metavar="PERSON", help="Who acts: a registered person, such as m.ortiz.")
    parser.add_argument("--to", metavar="WHAT", help="assign: the owner, such as m.ortiz; due: the day, YYYY-MM-DD.")
    parser.add_argument("--reason", metavar="TEXT", help="The reason; for an appeal what the patron says.")
    parser.add_argument("--note", metavar="TEXT", help="note, attach: what was seen or done, what the file is.")
    parser.add_argument("--claim", metavar="TEXT", help="open: what the patron says.")
    parser.add_argument("--dispute", metavar="ID", help="open: a dispute that is open.")
    parser.add_argument("--seat", metavar="N", type=positive, help="open: the patron's seat.")
    parser.add_argument("--patron", metavar="TOKEN", help="open: the patron token.")
    parser.add_argument("--outcome", metavar="NAME", help="decide: the outcome; an unknown name lists them.")
    parser.add_argument("--override", metavar="TEXT", help="decide: why it goes against what the record shows.")
    parser.add_argument("--out", metavar="FILE", type=given_path, help="fetch: the file to write; letter: the folder.")
    parser.add_argument(
        "--key", metavar="FILE", type=given_path, help="letter: the log's key file (default: RACK_KEY, or the demo's)."
    )
    parser.add_argument("--all", action="store_true", help="list: decided cases too.")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Show or do; `list` is 1 if a case is open, `show` 4 if an attachment is gone or was changed."""
    from desk.review.case_folder import CaseFolder
    from rack.opening import desk

    check_options(arguments, "case", arguments.action, TAKES)
    require_options(arguments, "case", arguments.action, NEEDS[arguments.action])
    address = log_address(arguments.log)
    folder = CaseFolder(cases_folder(address))
    with desk(address, read_only=arguments.action in READS) as open_desk:
        if arguments.action == "list":
            return _list(open_desk, arguments, output)
        if arguments.action == "show":
            return _show(open_desk, folder, _place(arguments, 1)[0], output)
        if arguments.action == "fetch":
            return _fetch(open_desk, folder, arguments, output)
        if arguments.action == "letter":
            return _letter(open_desk, folder, arguments, key_file(arguments.key, address), output)
        if arguments.action == "open":
            _print_case(_opened(open_desk, folder, arguments), output)
        else:
            _print_entry(_WRITES[arguments.action](open_desk, folder, arguments), output)
    return Exit.CLEAN


def _place(arguments: argparse.Namespace, most: int) -> list[str]:
    """Return the words after the action. Raises `UsageError` if there are not this many."""
    if len(arguments.of) != most:
        raise UsageError(
            f"rack case {arguments.action} {PLACES.get(arguments.action, 'CASE')}: expected {most} of these"
        )
    of: list[str] = arguments.of
    return of


def _list(desk: Desk, arguments: argparse.Namespace, output: Output) -> Exit:
    from desk.review.cases import cases

    if len(arguments.of) > 1:
        raise UsageError("rack case list [TABLE]: expected one table at most")
    name = arguments.of[0].lower() if arguments.of else None
    if name is not None:
        desk.must_know(name)
    found = [each for each in cases(desk, name) if arguments.all or each.case.decision is None]
    today = desk.today()
    output.value([_value(each, today) for each in found])
    header = ("case", "due", "state", "owner", "round", "seat", "claim")
    rows = [
        (
            each.name,
            each.case.due + (" OVERDUE" if each.case.overdue(today) else ""),
            each.case.state,
            each.case.owner or "–",
            str(each.case.round_no),
            str(each.case.seat or "–"),
            each.case.claim,
        )
        for each in found
    ]
    output.text(*(table(header, rows) if rows else ["No case is open."]))
    return Exit.FINDINGS if any(each.case.decision is None for each in found) else Exit.CLEAN


def _show(desk: Desk, folder: CaseFolder, name: str, output: Output) -> Exit:
    from desk.packet.words import utc
    from desk.review.cases import case

    found, today = case(desk, name), desk.today()
    lost = {each.digest: each for each in folder.losses(found.table, found.case.attachments)}
    value = _value(found, today)
    for each in value["attachments"]:
        each["fault"] = lost[each["digest"]].fault if each["digest"] in lost else None
    output.value(value)
    output.text(*_lines(found, today))
    for attached in found.case.attachments:
        fault = f"  {lost[attached.digest].fault.upper()}" if attached.digest in lost else ""
        output.text(f"  attached  {attached.name}  {attached.size:,} bytes  {attached.digest}{fault}")
    output.text(*(f"  video     {each.says}" for each in found.videos))
    output.text(*(f"  {utc(each.at_us)}  {each.by}  {each.says}" for each in found.case.history))
    for loss in lost.values():
        output.problem(f"{loss.code} {loss}")
    return Exit.INTEGRITY if lost else Exit.CLEAN


def _lines(found: PatronCase, today: str) -> list[str]:
    from replay.narrative.names import day_words, table_name

    of = found.case
    who = [f"seat {of.seat}" if of.seat else "", f"patron {of.patron}" if of.patron else ""]
    place = ", ".join(filter(None, [f"table {table_name(found.table)}, round {of.round_no}", *who]))
    due = f"due {day_words(date.fromisoformat(of.due))}" + (", OVERDUE" if of.overdue(today) else "")
    stands = of.decision.words if of.decision is not None else of.pending.words if of.pending is not None else due
    return [
        f"Case {found.name}: {of.state}, {stands}",
        f"  {place}",
        f"  claim     {of.claim}",
        f"  owner     {of.owner or '–'}",
    ]


def _value(found: PatronCase, today: str) -> dict[str, Any]:
    from msgspec import to_builtins

    of: dict[str, Any] = to_builtins(found.case)
    more = {"state": found.case.state, "overdue": found.case.overdue(today), "videos": to_builtins(found.videos)}
    return {"name": found.name, "table": found.table, **of, **more}


def _fetch(desk: Desk, folder: CaseFolder, arguments: argparse.Namespace, output: Output) -> Exit:
    """Write an attachment to a file, once its hash was compared and its leaving is on record."""
    from desk.review.cases import case

    name, digest = _place(arguments, 2)
    found = case(desk, name)
    fitting = [each for each in found.case.attachments if each.digest.startswith(digest.lower())]
    if len(fitting) != 1:
        raise UsageError(f"case {found.name} has {len(fitting)} attachments whose SHA-256 begins with {digest!r}")
    if arguments.out.exists():
        raise UsageError(f"{arguments.out} already exists; name another file with --out")
    data = folder.read(found.table, fitting[0])
    desk.person(arguments.by)
    desk.exported(
        found.table,
        found.case.round_no,
        what="round",
        digest=fitting[0].digest,
        form="attachment",
        by=arguments.by,
        reason=arguments.reason,
    )
    write_whole({arguments.out: data})
    output.value({"file": str(arguments.out), "digest": fitting[0].digest, "name": fitting[0].name})
    output.text(str(arguments.out))
    return Exit.CLEAN


def _letter(desk: Desk, folder: CaseFolder, arguments: argparse.Namespace, key: Path, output: Output) -> Exit:
    """Write the letter on the decision in force, once it is on record. A letter that was made is not overwritten."""
    from hashlib import sha256

    from desk.report.letter import letter_name, signed_letter
    from desk.review.cases import case, letter_made

    found = case(desk, _place(arguments, 1)[0])
    path = arguments.out / letter_name(found)
    pdf = signed_letter(desk.log, found, folder.settings(), key)
    if path.exists() and path.read_bytes() != pdf:
        raise UsageError(
            f"{path} already exists and differs; a letter is never overwritten: name another folder with --out"
        )
    digest = sha256(pdf).hexdigest()
    letter_made(desk, found, digest=digest, by=arguments.by)
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_whole({path: pdf})
    output.value({"case": found.name, "file": str(path), "digest": digest})
    output.text(str(path))
    return Exit.CLEAN


def _opened(desk: Desk, folder: CaseFolder, given: argparse.Namespace) -> PatronCase:
    from desk.review.cases import open_case

    name, number = _place(given, 2)
    if not (number.isascii() and number.isdecimal()) or int(number) < 1:
        raise UsageError(f"rack case open TABLE ROUND: expected a round number, got {number}")
    return open_case(
        desk,
        name.lower(),
        int(number),
        by=given.by,
        settings=folder.settings(),
        claim=given.claim,
        seat=given.seat,
        patron=given.patron,
        dispute=given.dispute,
    )


def _assign(desk: Desk, folder: CaseFolder, given: argparse.Namespace) -> Entry:
    from desk.review.cases import assign

    return assign(desk, _place(given, 1)[0], to=given.to, by=given.by, reason=given.reason)


def _move_due(desk: Desk, folder: CaseFolder, given: argparse.Namespace) -> Entry:
    from desk.review.cases import move_due

    try:
        day = date.fromisoformat(given.to).isoformat()
    except ValueError:
        raise UsageError(f"rack case due CASE --to DAY: expected a day as YYYY-MM-DD, got {given.to}") from None
    return move_due(desk, _place(given, 1)[0], due=day, by=given.by, reason=given.reason)


def _note(desk: Desk, folder: CaseFolder, given: argparse.Namespace) -> Entry:
    from desk.review.cases import note

    return note(desk, _place(given, 1)[0], note=given.note, by=given.by)


def _attach(desk: Desk, folder: CaseFolder, given: argparse.Namespace) -> Entry:
    from desk.review.cases import attach
    from events.log.plain_file import read_plain

    name, file = _place(given, 2)
    path = Path(file)
    if path.stat().st_size > folder.settings().largest_bytes:  # before it is read: it may be a whole camera's day
        raise UsageError(f"{path} has {path.stat().st_size:,} bytes, more than largest_mib in cases.toml allows")
    data = read_plain(path, folder.settings().largest_bytes + 1)
    return attach(desk, folder, name, file=path.name, data=data, by=given.by, note=given.note)


def _decide(desk: Desk, folder: CaseFolder, given: argparse.Namespace) -> Entry:
    from desk.review.cases import decide

    return decide(
        desk,
        _place(given, 1)[0],
        outcome=given.outcome,
        by=given.by,
        reason=given.reason,
        override=given.override,
    )


def _sign(desk: Desk, folder: CaseFolder, given: argparse.Namespace) -> Entry:
    from desk.review.cases import sign

    return sign(desk, _place(given, 1)[0], by=given.by, reason=given.reason)


def _appeal(desk: Desk, folder: CaseFolder, given: argparse.Namespace) -> Entry:
    from desk.review.cases import appeal

    return appeal(desk, _place(given, 1)[0], by=given.by, reason=given.reason, settings=folder.settings())


_WRITES: dict[str, Callable[[Desk, CaseFolder, argparse.Namespace], Entry]] = {
    "assign": _assign,
    "due": _move_due,
    "note": _note,
    "attach": _attach,
    "decide": _decide,
    "sign": _sign,
    "appeal": _appeal,
}


def _print_case(found: PatronCase, output: Output) -> None:
    from replay.narrative.names import day_words

    output.value(_value(found, ""))
    output.text(f"Case {found.name} is open, due {day_words(date.fromisoformat(found.case.due))}.")


def _print_entry(entry: Entry, output: Output) -> None:
    from msgspec import to_builtins

    output.value(to_builtins(entry))
    output.text(f"event {entry.seq}: {entry.by} {entry.says}")
