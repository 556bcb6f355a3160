"""`rack review`: the queue of findings, and people's work on them. Every action is an event in the log."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rack.actions import DeskAct, action_parsers, add_person, at_desk, print_entries, run_action, taken
from rack.arguments import add, add_log, amount, moment, positive
from rack.errors import Exit, UsageError
from rack.output import Output
from rack.settings import cameras_file, cases_folder, log_address

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from desk.review.desk import Desk, Entry
    from desk.review.incident_desk import IncidentCase
    from desk.review.persons import Persons
    from replay.findings import Finding

HELP = "Review findings: assign, note, resolve, sign and reopen them; disputes, video, custody, and who may act"

EPILOG = """\
Name a finding by its id or the first digits of it; an incident has the id of its cause. With --incident, an action is
about all findings of the incident at once, and a disposition that moves money takes each finding's own amount.
Every action is a new event; nothing is overwritten.
Who acts (--by, --to) must be registered: the register is the file RACK_PERSONS, or persons.toml beside a log on SQLite."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, EPILOG
    action = action_parsers(parser, add_log)
    listed = action("list", "List open incidents, the gravest first.", at_desk(_list, read_only=True))
    add(listed, "table TABLE", "Only this table.", nargs="?", type=str.lower)
    add(listed, "--all", "Include resolved and withdrawn findings.")
    show = action("show", "Show a finding with its history.", at_desk(_show, read_only=True))
    assign = action("assign", "Assign a finding.", at_desk(_on_finding("assign", "to", "by", "reason")))
    note = action("note", "Add a note.", at_desk(_on_finding("note", "note", "by")))
    resolve = action(
        "resolve",
        "Record the disposition.",
        at_desk(_on_finding("resolve", "disposition", "by", "reason", "amount_cents", "duplicate_of")),
    )
    sign = action(
        "sign",
        "Add the second signature to a disposition that moves money, or to a dispute decided against the record.",
        at_desk(_sign),
    )
    reopen = action("reopen", "Reopen a resolved finding.", at_desk(_on_finding("reopen", "by", "reason")))
    for each in (show, assign, note, resolve, reopen):
        add(each, "finding FINDING", "The finding.")
    add(sign, "finding FINDING", "The finding; with --dispute, the table.")
    for each in (show, assign, resolve, sign, reopen):
        add(each, "--incident", "The whole incident of the finding.")
    add(assign, "--to PERSON", "The assignee.", required=True)
    add(resolve, "--disposition NAME", "The disposition; an unknown name lists them.", required=True)
    for each in (resolve, sign):
        add(each, "--amount MONEY", "The amount paid, recovered or held, such as 100.00.", type=amount, dest="amount_cents")
    add(resolve, "--duplicate-of FINDING", "The finding that this one duplicates.")
    video = action("video", "Mark a clip of a round to be retained.", at_desk(_video))
    attach = action("attach", "Attach a picture or clip to a round, kept next to the log under its SHA-256.", at_desk(_attach))
    opened = action("open", "Open a patron's dispute of a round.", at_desk(_open))
    for each in (video, attach, opened):
        add(each, "table TABLE", "The table.", type=str.lower)
        add(each, "round ROUND", "The number of the round.", type=positive)
    add(video, "--camera ID", "The camera.", required=True)
    add(video, "--from TIME", "Start, such as 2026-03-01T21:14:00Z.", required=True, type=moment("--from"), dest="starts_us")
    add(video, "--to-time TIME", "End.", required=True, type=moment("--to-time"), dest="ends_us")
    add(video, "--file FILE", "The clip's file; its SHA-256 is recorded.")
    add(video, "--finding FINDING", "The finding that the video shows.", dest="finding_id")
    add(attach, "--file FILE", "The file; its SHA-256 is recorded.", required=True)
    add(opened, "--dispute ID", "The id of the dispute.", required=True)
    add(opened, "--seat N", "The patron's seat.", type=positive)
    add(opened, "--patron TOKEN", "The patron token.")
    close = action(
        "close",
        "Close a dispute or a hold investigation. Against the record, say why, and a second person signs.",
        at_desk(_close),
    )
    add(close, "table TABLE", "The table.", type=str.lower)
    what = close.add_mutually_exclusive_group(required=True)
    add(what, "--dispute ID", "The id of the dispute.")
    add(what, "--investigation ID", "The id of the investigation (`rack hold investigate`).")
    add(close, "--outcome NAME", "The outcome; an unknown name lists them.", required=True)
    add(close, "--override TEXT", "Why a dispute is decided against what the record shows.")
    add(sign, "--dispute ID", "The dispute whose decision is signed.")
    add_person(assign, resolve, sign, reopen, video, close)
    for each, dest, says in (
        (note, "note", "The note."),
        (attach, "note", "What it is."),
        (opened, "claim", "The patron's claim."),
    ):
        add_person(each, reason="")
        add(each, "--reason TEXT", says, required=True, dest=dest)
    custody = action("custody", "List who viewed and who exported the record.", at_desk(_custody, read_only=True))
    add(custody, "table TABLE", "The table.", type=str.lower)
    add(custody, "round ROUND", "Only this round.", nargs="?", type=positive)
    action("persons", "List who is registered, and so may act.", _persons)
    register = action("register", "Register a person.", _register)
    add(register, "id ID", "The person's id, such as m.ortiz.")
    add(register, "--name TEXT", "The person's name.", required=True)
    add(
        register,
        "--account NAME",
        "Another name of the same person, such as that of the sign-in; repeatable.",
        action="append",
        default=[],
    )
    add(
        register,
        "--role NAME",
        "A role of the person: pit, count and compliance write at tables; repeatable.",
        action="append",
        default=[],
    )


run = run_action
"""Show or do; `list` is 1 if a finding needs somebody, 4 if the review of a table is broken."""


def _persons(arguments: argparse.Namespace, output: Output) -> None:
    from rack.opening import register_of

    _print_persons(register_of(arguments.log), output)


def _register(arguments: argparse.Namespace, output: Output) -> None:
    from desk.review.persons import Person, register
    from rack.opening import register_file

    accounts, roles = tuple(arguments.account), tuple(arguments.role)
    person = Person(id=arguments.id, name=arguments.name, accounts=accounts, roles=roles)
    _print_persons(register(register_file(arguments.log), person), output)


def _print_persons(persons: Persons, output: Output) -> None:
    output.value(persons.all)
    output.table(
        ("person", "name", "roles", "accounts"),
        [(each.id, each.name, ", ".join(each.roles) or "–", ", ".join(each.accounts) or "–") for each in persons.all],
    )


def _list(desk: Desk, arguments: argparse.Namespace, output: Output) -> Exit:
    from msgspec import to_builtins

    from desk.recorded_round import currency_of
    from desk.review.incident_desk import review_queue
    from replay.narrative.incidents import finding_sentence, incident_sentence

    queue = review_queue(desk, arguments.table, everything=arguments.all)
    currency = currency_of(desk.log)
    output.value([to_builtins(case) | {"incident": queue.incident_of.get(case.finding.id)} for case in queue.cases])
    shown: list[tuple[str, Finding, str, int, IncidentCase | None]] = [
        (each.table, each.incident.cause, incident_sentence(each.incident, currency), len(each.incident.findings), each)
        for each in queue.incidents
    ]
    shown += [(each.table, each.finding, finding_sentence(each.finding, currency), 1, None) for each in queue.withdrawn]
    output.table(
        ("incident", "table", "round", "what", "findings", "state", "assigned to"),
        [
            (cause.id[:8], table, str(cause.round_no or "–"), says, findings, *_state(case))
            for table, cause, says, findings, case in shown
        ],
        empty="No incident is open.",
    )
    for name, why in queue.broken.items():
        output.problem(f"the review stream of {name} is broken and its findings are not listed; run `rack verify`: {why}")
    return Exit.INTEGRITY if queue.broken else Exit.FINDINGS if queue.is_waiting else Exit.CLEAN


def _state(case: IncidentCase | None) -> tuple[str, str]:
    """Return the state of an incident and its assignee; None is a withdrawn finding."""
    return ("withdrawn", "–") if case is None else (case.state.replace("_", " "), case.assigned_to or "–")


def _show(desk: Desk, arguments: argparse.Namespace, output: Output) -> None:
    from desk.recorded_round import currency_of
    from desk.review.incident_desk import IncidentDesk
    from replay.transcript.verdict_text import finding_lines, incident_lines, incident_values

    currency = currency_of(desk.log)
    if not arguments.incident:
        one = desk.case(arguments.finding)
        state = one.review.state.replace("_", " ") + (", withdrawn by a later verdict" if one.withdrawn else "")
        held = f", assigned to {one.review.assigned_to}" if one.review.assigned_to else ""
        output.value(one)
        output.text(f"{one.finding.id}: {_where(one.table, one.finding.round_no)}; {state}{held}")
        output.text(*finding_lines(one.finding, currency=currency), *_history(one.review.history))
        return
    case = IncidentDesk(desk).case(arguments.finding)
    disposed = desk.review(case.table).disposed
    values = incident_values(case.incident, currency, disposed)
    output.value(values | {"state": case.state, "reviews": case.reviews})
    where = _where(case.table, case.incident.cause.round_no)
    output.text(f"{case.incident.id}: {where}; {case.state.replace('_', ' ')}")
    output.text(*incident_lines(case.incident, currency=currency, disposed=disposed))
    for review in case.reviews:
        if review.history:
            output.text("", f"finding {review.finding_id[:8]}", *_history(review.history))


def _where(table: str, round_no: int | None) -> str:
    return f"table {table}" + ("" if round_no is None else f", round {round_no}")


def _custody(desk: Desk, arguments: argparse.Namespace, output: Output) -> None:
    desk.must_know(arguments.table)
    entries = [each for each in desk.review(arguments.table).custody if arguments.round in (None, each.round_no)]
    output.value(entries)
    output.text(*(_history(entries) if entries else ["The log records no view and no export."]))


def _history(entries: Iterable[Entry]) -> list[str]:
    from replay.narrative.names import utc

    return [f"  {utc(each.at_us).replace('T', ' ')}  {each.by}  {each.says}" for each in entries]


# ------------------------------------------------------------------------------------------------------------- writing


def _on_finding(name: str, *takes: str) -> DeskAct:
    """Return an action on a finding or its whole incident: a method of the desk, with these options."""

    def act(desk: Desk, given: argparse.Namespace, output: Output) -> None:
        from desk.review.incident_desk import IncidentDesk

        if not getattr(given, "incident", False):
            print_entries(output, getattr(desk, name)(given.finding, **taken(given, *takes)))
            return
        of_one = {"amount_cents", "duplicate_of"}
        if any(getattr(given, each, None) for each in of_one):
            raise UsageError(
                "--incident takes each finding's own amount: leave out --amount and --duplicate-of, or leave out --incident"
            )
        options = taken(given, *(each for each in takes if each not in of_one))
        print_entries(output, getattr(IncidentDesk(desk), name)(given.finding, **options))

    return act


def _sign(desk: Desk, given: argparse.Namespace, output: Output) -> None:
    if not given.dispute:
        _on_finding("sign", "by", "reason", "amount_cents")(desk, given, output)
        return
    if given.amount_cents or given.incident:
        raise UsageError("rack review sign TABLE --dispute ID: a decision has no --amount and no --incident")
    print_entries(output, desk.sign_dispute(given.finding.lower(), **taken(given, "dispute", "by", "reason")))


def _attach(desk: Desk, given: argparse.Namespace, output: Output) -> None:
    from desk.review.case_folder import CaseFolder
    from desk.review.cases import attach_to_round
    from events.log.plain_file import read_plain

    folder = CaseFolder(cases_folder(log_address(given.log)))
    data = read_plain(given.file, folder.settings().largest_bytes + 1)
    about = taken(given, "by", "note")
    print_entries(output, attach_to_round(desk, folder, given.table, given.round, file=given.file.name, data=data, **about))


def _video(desk: Desk, given: argparse.Namespace, output: Output) -> None:
    """Mark a clip: times are the property's, stored by the clock of a camera in the file of cameras."""
    from desk.review.cameras import read_cameras

    cameras = cameras_file(log_address(given.log))
    camera = None if cameras is None else read_cameras(cameras).find(given.camera)
    offset_ms = None if camera is None else camera.clock_offset_ms
    times = {name: getattr(given, name) + (offset_ms or 0) * 1_000 for name in ("starts_us", "ends_us")}
    digest = None if given.file is None else _sha256(given.file)
    about = taken(given, "camera", "by", "reason", "finding_id")
    marked = desk.mark_video(given.table, given.round, **about, **times, clock_offset_ms=offset_ms, digest=digest)
    print_entries(output, marked)


def _sha256(path: Path) -> str:
    from hashlib import file_digest

    from events.log.plain_file import open_plain

    with open(open_plain(path, links=True), "rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _open(desk: Desk, given: argparse.Namespace, output: Output) -> None:
    about = taken(given, "dispute", "claim", "by", "seat", "patron")
    print_entries(output, desk.open_dispute(given.table, given.round, **about))


def _close(desk: Desk, given: argparse.Namespace, output: Output) -> None:
    about = taken(given, "outcome", "by", "reason")
    if given.investigation:
        if given.override:
            raise UsageError("rack review close --investigation takes no --override; that is for a dispute")
        closed = desk.close_investigation(given.table, investigation=given.investigation, **about)
    else:
        closed = desk.close_dispute(given.table, dispute=given.dispute, override=given.override, **about)
    print_entries(output, closed)
