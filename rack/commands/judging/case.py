"""`rack case`: patrons' disputes as cases with a number and a due date. Everything is an event in the log."""

from __future__ import annotations

import argparse
from datetime import date
from typing import TYPE_CHECKING

from desk.whole_files import write_whole
from rack.actions import Act, action_parsers, add_person, at_desk, print_entries, run_action, taken
from rack.arguments import add, add_log, given_path, positive
from rack.errors import Exit, UsageError
from rack.output import Output
from rack.settings import cases_folder, key_file, log_address

if TYPE_CHECKING:
    from desk.review.case_folder import CaseFolder
    from desk.review.desk import Desk

HELP = "Keep the case file of a patron's dispute: open, assign, attach, decide, write to the patron, appeal"

EPILOG = """\
A case is named by its table and number, such as FU-01-C3, in capitals or not. The person who acts (--by) must be registered
(rack review register). Due dates and the folder of attachments are set in cases.toml (docs/cases.md)."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, EPILOG
    action = action_parsers(parser, add_log)
    listed = action("list", "List cases by due date, the overdue first.", at_desk(_list, read_only=True))
    add(listed, "table TABLE", "Only this table.", nargs="?", type=str.lower)
    add(listed, "--all", "Decided cases too.")
    show = action(
        "show", "Show a case with its history; every attachment is opened and its hash compared.", at_desk(_show, read_only=True)
    )
    opened = action("open", "Open a case with the patron's claim, or for an open dispute.", at_desk(_open))
    assign = action("assign", "Give a case to its owner.", _writing("assign", "to", "by", "reason"))
    due = action("due", "Move the day by which a case must be decided.", _writing("move_due", "due", "by", "reason"))
    note = action("note", "Add a note.", _writing("note", "note", "by"))
    attach = action("attach", "Attach a file; its bytes are kept next to the log, under their SHA-256.", at_desk(_attach))
    fetch = action("fetch", "Export an attachment.", at_desk(_fetch))
    decide = action(
        "decide",
        "Decide a case; against the record a second person signs.",
        _writing("decide", "outcome", "override", "by", "reason"),
    )
    sign = action("sign", "Sign a decision against the record as the second person.", _writing("sign", "by", "reason"))
    letter = action("letter", "Make the letter to the patron on the decision.", at_desk(_letter))
    appeal = action("appeal", "Record the patron's appeal, which opens the case again.", at_desk(_appeal))
    for each in (show, assign, due, note, attach, fetch, decide, sign, letter, appeal):
        add(each, "case CASE", "The case by its table and number, such as FU-01-C3.")
    add(opened, "table TABLE", "The table.", type=str.lower)
    add(opened, "round ROUND", "The number of the round.", type=_round)
    add(opened, "--claim TEXT", "What the patron says.")
    add(opened, "--dispute ID", "A dispute that is open.")
    add(opened, "--seat N", "The patron's seat.", type=positive)
    add(opened, "--patron TOKEN", "The patron token.")
    add(assign, "--to PERSON", "The owner, such as m.ortiz.", required=True)
    add(due, "--to DAY", "The day, YYYY-MM-DD.", required=True, type=_day, dest="due")
    add(note, "--note TEXT", "What was seen or done.", required=True)
    add(attach, "file FILE", "The file.", type=given_path)
    add(attach, "--note TEXT", "What the file is.", required=True)
    add(fetch, "digest DIGEST", "The attachment's SHA-256, or the first digits of it.", type=str.lower)
    add(fetch, "--out FILE", "The file to write.", required=True)
    add(decide, "--outcome NAME", "The outcome; an unknown name lists them.", required=True)
    add(decide, "--override TEXT", "Why it goes against what the record shows.")
    add(letter, "--out DIR", "The folder to write to.", required=True)
    add(letter, "--key FILE", "The log's key file (default: RACK_KEY, or the demo's).")
    add_person(opened, note, attach, letter, reason="")
    add_person(assign, due, fetch, decide, sign)
    add_person(appeal, reason="What the patron says.")


run = run_action
"""Show or do; `list` is 1 if a case is open, `show` 4 if an attachment is gone or was changed."""


def _round(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text) < 1:
        raise UsageError(f"rack case open TABLE ROUND: expected a round number, got {text}")
    return int(text)


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise UsageError(f"rack case due CASE --to DAY: expected a day as YYYY-MM-DD, got {text}") from None


def _folder(arguments: argparse.Namespace) -> CaseFolder:
    from desk.review.case_folder import CaseFolder

    return CaseFolder(cases_folder(log_address(arguments.log)))


def _list(desk: Desk, arguments: argparse.Namespace, output: Output) -> Exit:
    from desk.review.cases import cases

    name = arguments.table
    if name is not None:
        desk.must_know(name)
    found = [each for each in cases(desk, name) if arguments.all or each.case.decision is None]
    today = desk.today()
    output.value([each.values(today) for each in found])
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
    header = ("case", "due", "state", "owner", "round", "seat", "claim")
    output.table(header, rows, empty="No case is open.")
    return Exit.FINDINGS if any(each.case.decision is None for each in found) else Exit.CLEAN


def _show(desk: Desk, arguments: argparse.Namespace, output: Output) -> Exit:
    from desk.review.cases import case
    from replay.narrative.names import utc

    found, today = case(desk, arguments.case), desk.today()
    lost = {each.digest: each for each in _folder(arguments).losses(found.table, found.case.attachments)}
    value = found.values(today)
    for each in value["attachments"]:
        each["fault"] = lost[each["digest"]].fault if each["digest"] in lost else None
    output.value(value)
    output.text(*found.lines(today))
    for attached in found.case.attachments:
        fault = f"  {lost[attached.digest].fault.upper()}" if attached.digest in lost else ""
        output.text(f"  attached  {attached.name}  {attached.size:,} bytes  {attached.digest}{fault}")
    output.text(*(f"  video     {each.says}" for each in found.videos))
    output.text(*(f"  {utc(each.at_us)}  {each.by}  {each.says}" for each in found.case.history))
    for loss in lost.values():
        output.problem(f"{loss.code} {loss}")
    return Exit.INTEGRITY if lost else Exit.CLEAN


def _fetch(desk: Desk, arguments: argparse.Namespace, output: Output) -> None:
    """Write an attachment to a file, after comparing its hash and recording the export."""
    from desk.review.cases import take_attachment

    if arguments.out.exists():
        raise UsageError(f"{arguments.out} already exists; name another file with --out")
    about = taken(arguments, "digest", "by", "reason")
    attached, data = take_attachment(desk, _folder(arguments), arguments.case, **about)
    write_whole({arguments.out: data})
    output.value({"file": str(arguments.out), "digest": attached.digest, "name": attached.name})
    output.text(str(arguments.out))


def _letter(desk: Desk, arguments: argparse.Namespace, output: Output) -> None:
    """Write the letter on the present decision, after recording it. An existing letter is not overwritten."""
    from hashlib import sha256

    from desk.report.letter import letter_name, signed_letter
    from desk.review.cases import case, letter_made

    found, key = case(desk, arguments.case), key_file(arguments.key, log_address(arguments.log))
    path = arguments.out / letter_name(found)
    pdf = signed_letter(desk.log, found, _folder(arguments).settings(), key)
    if path.exists() and path.read_bytes() != pdf:
        raise UsageError(f"{path} already exists and differs; a letter is never overwritten: name another folder with --out")
    digest = sha256(pdf).hexdigest()
    letter_made(desk, found, digest=digest, by=arguments.by)
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_whole({path: pdf})
    output.value({"case": found.name, "file": str(path), "digest": digest})
    output.text(str(path))


def _open(desk: Desk, given: argparse.Namespace, output: Output) -> None:
    from desk.review.cases import open_case
    from replay.narrative.names import day_words

    about = taken(given, "by", "claim", "seat", "patron", "dispute")
    found = open_case(desk, given.table, given.round, settings=_folder(given).settings(), **about)
    output.value(found.values(""))
    output.text(f"Case {found.name} is open, due {day_words(date.fromisoformat(found.case.due))}.")


def _writing(name: str, *takes: str) -> Act:
    """Return an action on a case: the function of this name, with these options."""

    def act(desk: Desk, given: argparse.Namespace, output: Output) -> None:
        from desk.review import cases

        print_entries(output, getattr(cases, name)(desk, given.case, **taken(given, *takes)))

    return at_desk(act)


def _attach(desk: Desk, given: argparse.Namespace, output: Output) -> None:
    from desk.review.cases import attach
    from events.log.plain_file import read_plain

    path, folder = given.file, _folder(given)
    most = folder.settings().largest_bytes
    if path.stat().st_size > most:  # before it is read: it may be a whole camera's day
        raise UsageError(f"{path} has {path.stat().st_size:,} bytes, more than largest_mib in cases.toml allows")
    about = taken(given, "by", "note")
    print_entries(output, attach(desk, folder, given.case, file=path.name, data=read_plain(path, most + 1), **about))


def _appeal(desk: Desk, given: argparse.Namespace, output: Output) -> None:
    from desk.review.cases import appeal

    about = taken(given, "by", "reason")
    print_entries(output, appeal(desk, given.case, settings=_folder(given).settings(), **about))
