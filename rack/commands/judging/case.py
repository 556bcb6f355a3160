"""`rack case`: patrons' disputes as cases with a number and a due date. Everything is an event in the log."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rack.arguments import action_parsers, add, add_log, positive
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
A case is named by its table and number, such as FU-01-C3, in capitals or not. Who acts (--by) must be registered
(rack review register). Due dates and the folder of attachments are set in cases.toml (docs/cases.md)."""

READS = {"list", "show"}
ABOUT = {
    "CASE": "The case by its table and number, such as FU-01-C3.",
    "TABLE": "The table.",
    "ROUND": "The number of the round.",
    "FILE": "The file.",
    "DIGEST": "The attachment's SHA-256, or the first digits of it.",
}
"""What an action is about → its help."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, EPILOG
    action = action_parsers(parser, add_log)

    def case_action(name: str, does: str, *about: str) -> argparse.ArgumentParser:
        added = action(name, does)
        for each in about:
            added.add_argument("of", metavar=each, action="append", help=ABOUT[each])
        if name not in READS:
            add(added, "--by PERSON", "Who acts: a registered person, such as m.ortiz.", required=True)
        return added

    listed = case_action("list", "List cases by due date, the overdue first.")
    add(listed, "of TABLE", "Only this table.", nargs="*")
    add(listed, "--all", "Decided cases too.")
    case_action("show", "Show a case with its history; every attachment is opened and its hash compared.", "CASE")
    opened = case_action(
        "open", "Open a case by what the patron says, or for a dispute that is open.", "TABLE", "ROUND"
    )
    add(opened, "--claim TEXT", "What the patron says.")
    add(opened, "--dispute ID", "A dispute that is open.")
    add(opened, "--seat N", "The patron's seat.", type=positive)
    add(opened, "--patron TOKEN", "The patron token.")
    assign = case_action("assign", "Give a case to its owner.", "CASE")
    add(assign, "--to PERSON", "The owner, such as m.ortiz.", required=True)
    due = case_action("due", "Move the day by which a case is to be decided.", "CASE")
    add(due, "--to DAY", "The day, YYYY-MM-DD.", required=True)
    note = case_action("note", "Add a note.", "CASE")
    add(note, "--note TEXT", "What was seen or done.", required=True)
    attach = case_action(
        "attach", "Attach a file; its bytes are kept next to the log, under their SHA-256.", "CASE", "FILE"
    )
    add(attach, "--note TEXT", "What the file is.", required=True)
    fetch = case_action("fetch", "Export an attachment.", "CASE", "DIGEST")
    add(fetch, "--out FILE", "The file to write.", required=True)
    decide = case_action("decide", "Decide a case; against the record a second person signs.", "CASE")
    add(decide, "--outcome NAME", "The outcome; an unknown name lists them.", required=True)
    add(decide, "--override TEXT", "Why it goes against what the record shows.")
    sign = case_action("sign", "Sign a decision against the record as the second person.", "CASE")
    letter = case_action("letter", "Make the letter to the patron on the decision.", "CASE")
    add(letter, "--out DIR", "The folder to write to.", required=True)
    add(letter, "--key FILE", "The log's key file (default: RACK_KEY, or the demo's).")
    appeal = case_action("appeal", "Record the patron's appeal, which opens the case again.", "CASE")
    for each in (assign, due, fetch, decide, sign, appeal):
        says = "What the patron says." if each is appeal else "The reason."
        add(each, "--reason TEXT", says, required=True)


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Show or do; `list` is 1 if a case is open, `show` 4 if an attachment is gone or was changed."""
    from desk.review.case_folder import CaseFolder
    from rack.opening import desk

    address = log_address(arguments.log)
    folder = CaseFolder(cases_folder(address))
    with desk(address, read_only=arguments.action in READS) as open_desk:
        if arguments.action == "list":
            return _list(open_desk, arguments, output)
        if arguments.action == "show":
            return _show(open_desk, folder, arguments.of[0], output)
        if arguments.action == "fetch":
            return _fetch(open_desk, folder, arguments, output)
        if arguments.action == "letter":
            return _letter(open_desk, folder, arguments, key_file(arguments.key, address), output)
        if arguments.action == "open":
            _print_case(_opened(open_desk, folder, arguments), output)
        else:
            _print_entry(_WRITES[arguments.action](open_desk, folder, arguments), output)
    return Exit.CLEAN


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

    name, digest = arguments.of
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

    found = case(desk, arguments.of[0])
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

    name, number = given.of
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

    return assign(desk, given.of[0], to=given.to, by=given.by, reason=given.reason)


def _move_due(desk: Desk, folder: CaseFolder, given: argparse.Namespace) -> Entry:
    from desk.review.cases import move_due

    try:
        day = date.fromisoformat(given.to).isoformat()
    except ValueError:
        raise UsageError(f"rack case due CASE --to DAY: expected a day as YYYY-MM-DD, got {given.to}") from None
    return move_due(desk, given.of[0], due=day, by=given.by, reason=given.reason)


def _note(desk: Desk, folder: CaseFolder, given: argparse.Namespace) -> Entry:
    from desk.review.cases import note

    return note(desk, given.of[0], note=given.note, by=given.by)


def _attach(desk: Desk, folder: CaseFolder, given: argparse.Namespace) -> Entry:
    from desk.review.cases import attach
    from events.log.plain_file import read_plain

    name, file = given.of
    path = Path(file)
    if path.stat().st_size > folder.settings().largest_bytes:  # before it is read: it may be a whole camera's day
        raise UsageError(f"{path} has {path.stat().st_size:,} bytes, more than largest_mib in cases.toml allows")
    data = read_plain(path, folder.settings().largest_bytes + 1)
    return attach(desk, folder, name, file=path.name, data=data, by=given.by, note=given.note)


def _decide(desk: Desk, folder: CaseFolder, given: argparse.Namespace) -> Entry:
    from desk.review.cases import decide

    return decide(
        desk,
        given.of[0],
        outcome=given.outcome,
        by=given.by,
        reason=given.reason,
        override=given.override,
    )


def _sign(desk: Desk, folder: CaseFolder, given: argparse.Namespace) -> Entry:
    from desk.review.cases import sign

    return sign(desk, given.of[0], by=given.by, reason=given.reason)


def _appeal(desk: Desk, folder: CaseFolder, given: argparse.Namespace) -> Entry:
    from desk.review.cases import appeal

    return appeal(desk, given.of[0], by=given.by, reason=given.reason, settings=folder.settings())


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
