"""`rack review`: the queue of findings, and what people do about them. Every action is an event in the log."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rack.arguments import add, add_log, check_options, option, positive, require_options, time_us
from rack.errors import Exit, UsageError
from rack.output import Output, money, table
from rack.settings import cameras_file, log_address, persons_file

if TYPE_CHECKING:
    from desk.review.cameras import Camera
    from desk.review.desk import Desk, Entry, ReviewedFinding, TableReview
    from desk.review.incident_desk import IncidentCase

HELP = "Review findings: assign, note, resolve, sign and reopen them; disputes, video, custody, and who may act"

EPILOG = """\
list [TABLE]              open incidents, the gravest first (--all: every one, and withdrawn findings)
show FINDING              one finding with its history; --incident: its whole incident
assign FINDING            assign the finding: --to, --reason
note FINDING              add a note: --reason
resolve FINDING           record the disposition: --disposition, --reason; --amount if money moves, --duplicate-of
sign FINDING              add the second signature to a disposition that moves money (another person): --reason
reopen FINDING            reopen a resolved finding: --reason
video TABLE ROUND         mark a clip to be retained: --camera, --from, --to-time, --reason; --file: its SHA-256 goes on record
attach TABLE ROUND        attach a picture or clip to a round, kept beside the log under its SHA-256: --file, --reason
open TABLE ROUND          open a patron's dispute: --dispute, --reason (the patron's claim), --seat, --patron
close TABLE               close a dispute (--dispute) or a hold investigation (--investigation): --outcome, --reason;
                          a dispute against the record also --override, and a second person signs (sign TABLE --dispute)
custody TABLE [ROUND]     who viewed and who exported the record
persons                   who is registered, and so may act
register ID               register a person: --name, --account, --role (again for each)

Name a finding by its id or the first digits of it; an incident has the id of its cause. With --incident, an action is
about all findings of the incident at once, and a disposition that moves money takes each finding's own amount.
Every action is a new event; nothing is overwritten.
Who acts (--by, --to) must be registered: the register is the file RACK_PERSONS, or persons.toml beside a log on SQLite."""

ACTIONS = (
    "list",
    "show",
    "assign",
    "note",
    "resolve",
    "sign",
    "reopen",
    "video",
    "attach",
    "open",
    "close",
    "custody",
    "persons",
    "register",
)
READ_ACTIONS = {"list", "show", "custody"}
TAKES = {
    "list": ("all",),
    "show": ("incident",),
    "assign": ("by", "reason", "to", "incident"),
    "note": ("by", "reason"),
    "resolve": ("by", "reason", "disposition", "amount", "duplicate_of", "incident"),
    "sign": ("by", "reason", "amount", "incident", "dispute"),
    "reopen": ("by", "reason", "incident"),
    "video": ("by", "reason", "camera", "from_time", "to_time", "finding", "file"),
    "attach": ("by", "reason", "file"),
    "open": ("by", "reason", "dispute", "seat", "patron"),
    "close": ("by", "reason", "dispute", "investigation", "outcome", "override"),
    "custody": (),
    "persons": (),
    "register": ("name", "account", "role"),
}
"""Action → its options, next to --log."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.formatter_class, parser.epilog = argparse.RawDescriptionHelpFormatter, EPILOG
    add(parser, "action ACTION", ", ".join(ACTIONS), choices=ACTIONS)
    add(parser, "of WHAT", "The id of a finding, or a table and a round.", nargs="*")
    add_log(parser)
    add(parser, "--by PERSON", "Who acts: a registered person, such as m.ortiz.")
    add(parser, "--reason TEXT", "The reason; for a note its text, for a dispute the patron's claim.")
    add(parser, "--to PERSON", "assign: the assignee.")
    add(parser, "--disposition NAME", "resolve: the disposition; an unknown name lists them.")
    add(parser, "--amount MONEY", "resolve, sign: the amount paid, recovered or held, such as 100.00.")
    add(parser, "--duplicate-of FINDING", "resolve: the finding that this one duplicates.")
    add(parser, "--dispute ID", "open, close, sign: the id of the dispute.")
    add(parser, "--investigation ID", "close: the id of the investigation (`rack hold investigate`).")
    add(parser, "--outcome NAME", "close: the outcome; an unknown name lists them.")
    add(parser, "--override TEXT", "close: why a dispute is decided against what the record shows.")
    add(parser, "--seat N", "open: the patron's seat.", type=positive)
    add(parser, "--patron TOKEN", "open: the patron token.")
    add(parser, "--camera ID", "video: the camera.")
    add(parser, "--from TIME", "video: start time, such as 2026-03-01T21:14:00Z.", dest="from_time")
    add(parser, "--to-time TIME", "video: end time.")
    add(parser, "--file FILE", "video, attach: the file; its SHA-256 is recorded.")
    add(parser, "--finding FINDING", "video: the finding that the video shows.")
    add(parser, "--incident", "show, assign, resolve, sign, reopen: the whole incident of the finding.")
    add(parser, "--name TEXT", "register: the person's name.")
    add(
        parser,
        "--account NAME",
        "register: another name of the same person, such as the one of the sign-in; again for each.",
        action="append",
    )
    add(
        parser,
        "--role NAME",
        "register: what the person is here for: pit, count and compliance write at tables; again for each.",
        action="append",
    )
    add(parser, "--all", "list: include resolved and withdrawn findings.")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Show or do; `list` is 1 if findings wait for somebody, 4 if the review of a table is broken."""
    from rack.opening import desk

    check_options(arguments, "review", arguments.action, TAKES)
    if arguments.dispute and arguments.investigation:
        raise UsageError("rack review close takes one of the two: give --dispute or --investigation")
    if arguments.action in ("persons", "register"):
        return _persons(arguments, output)
    with desk(log_address(arguments.log), read_only=arguments.action in READ_ACTIONS) as open_desk:
        if arguments.action == "list":
            return _list(open_desk, arguments, output)
        if arguments.action == "show" and arguments.incident:
            _show_incident(open_desk, arguments, output)
        elif arguments.action == "show":
            _show(open_desk.case(_finding(arguments)), _currency(open_desk), output)
        elif arguments.incident:
            _print_entries(_incident_action(open_desk, arguments), output)
        elif arguments.action == "custody":
            _custody(open_desk, arguments, output)
        else:
            _print_entry(_WRITE_ACTIONS[arguments.action](open_desk, arguments), output)
    return Exit.CLEAN


def _persons(arguments: argparse.Namespace, output: Output) -> Exit:
    """Print the register of persons, with the one who is added to it. Raises `UsageError`, and what the register raises."""
    from msgspec import to_builtins

    from desk.review.persons import Person, read, register

    file = persons_file(log_address(arguments.log))
    if file is None:
        raise UsageError("the register of persons of a log on Kafka is named by RACK_PERSONS; set it to a file")
    if arguments.action == "register":
        if len(arguments.of) != 1:
            raise UsageError("rack review register: expected the id of one person, such as m.ortiz")
        name, accounts, roles = _need(arguments, "name"), tuple(arguments.account or ()), tuple(arguments.role or ())
        persons = register(file, Person(id=arguments.of[0], name=name, accounts=accounts, roles=roles))
    else:
        persons = read(file)
    output.value([to_builtins(person) for person in persons.all])
    rows = [
        (person.id, person.name, ", ".join(person.roles) or "–", ", ".join(person.accounts) or "–")
        for person in persons.all
    ]
    output.text(*table(("person", "name", "roles", "accounts"), rows))
    return Exit.CLEAN


def _list(desk: Desk, arguments: argparse.Namespace, output: Output) -> Exit:
    from desk.review.incident_desk import incident_cases
    from replay.narrative.incidents import finding_sentence

    if len(arguments.of) > 1:
        raise UsageError("rack review list [TABLE]: expected one table at most")
    for name in map(str.lower, arguments.of):
        desk.must_know(name)
    broken: dict[str, str] = {}
    cases = desk.cases(arguments.of[0].lower() if arguments.of else None, broken)
    every = incident_cases(cases)
    incident_of = {finding.id: each.incident.id for each in every for finding in each.incident.findings}
    place = {finding: at for at, finding in enumerate(incident_of)}  # the gravest incident first, in each its cause
    cases = sorted(cases, key=lambda case: place.get(case.finding.id, len(place)))
    waiting = [each for each in every if each.state != "resolved"]
    shown = [
        case for case in cases if arguments.all or (case.finding.id in incident_of and case.review.state != "resolved")
    ]
    output.value([_case(case) | {"incident": incident_of.get(case.finding.id)} for case in shown])
    currency = _currency(desk)
    rows = [_row(each, currency) for each in (every if arguments.all else waiting)]
    rows += [
        (
            case.finding.id[:8],
            case.table,
            str(case.finding.round_no or "–"),
            finding_sentence(case.finding, currency),
            1,
            "withdrawn",
            "–",
        )
        for case in shown
        if case.withdrawn
    ]
    header = ("incident", "table", "round", "what", "findings", "state", "assigned to")
    output.text(*(table(header, rows) if rows else ["No incident is open."]))
    for name, why in broken.items():
        output.problem(
            f"the review stream of {name} is broken and its findings are not listed; run `rack verify`: {why}"
        )
    if broken:
        return Exit.INTEGRITY
    return Exit.FINDINGS if waiting else Exit.CLEAN


def _currency(desk: Desk) -> str:
    from desk.recorded_round import property_configured

    configured = property_configured(desk.log)
    return "USD" if configured is None else configured.currency


def _row(each: IncidentCase, currency: str) -> tuple[object, ...]:
    from replay.narrative.incidents import incident_sentence

    return (
        each.incident.id[:8],
        each.table,
        str(each.incident.cause.round_no or "–"),
        incident_sentence(each.incident, currency),
        len(each.incident.findings),
        each.state.replace("_", " "),
        each.assigned_to or "–",
    )


def _show(case: ReviewedFinding, currency: str, output: Output) -> None:
    from replay.transcript.verdict_text import finding_lines

    output.value(_case(case))
    state = case.review.state.replace("_", " ") + (", withdrawn by a later verdict" if case.withdrawn else "")
    held = f", assigned to {case.review.assigned_to}" if case.review.assigned_to else ""
    where = f"table {case.table}" + ("" if case.finding.round_no is None else f", round {case.finding.round_no}")
    output.text(
        f"{case.finding.id}: {where}; {state}{held}",
        *finding_lines(case.finding, currency=currency),
        *_history(case.review.history),
    )


def _show_incident(desk: Desk, arguments: argparse.Namespace, output: Output) -> None:
    from msgspec import to_builtins

    from desk.review.incident_desk import IncidentDesk
    from replay.transcript.verdict_text import incident_lines, incident_values

    case = IncidentDesk(desk).case(_finding(arguments))
    currency = _currency(desk)
    disposed = desk.review(case.table).disposed
    output.value(
        incident_values(case.incident, currency, disposed) | {"state": case.state, "reviews": to_builtins(case.reviews)}
    )
    round_no = case.incident.cause.round_no
    where = f"table {case.table}" + ("" if round_no is None else f", round {round_no}")
    lines = incident_lines(case.incident, currency=currency, disposed=disposed)
    output.text(f"{case.incident.id}: {where}; {case.state.replace('_', ' ')}", *lines)
    for review in case.reviews:
        if review.history:
            output.text("", f"finding {review.finding_id[:8]}", *_history(review.history))


def _custody(desk: Desk, arguments: argparse.Namespace, output: Output) -> None:
    from msgspec import to_builtins

    table_id, round_no = _place(arguments, round_optional=True)
    desk.must_know(table_id)
    review: TableReview = desk.review(table_id)
    entries = [entry for entry in review.custody if round_no in (None, entry.round_no)]
    output.value(to_builtins(entries))
    output.text(*(_history(entries) if entries else ["The log records no view and no export."]))


def _history(entries: Any) -> list[str]:
    from datetime import UTC, datetime

    return [
        f"  {datetime.fromtimestamp(each.at_us // 1_000_000, tz=UTC):%Y-%m-%d %H:%M:%SZ}  {each.by}  {each.says}"
        for each in entries
    ]


def _print_entry(entry: Entry, output: Output) -> None:
    from msgspec import to_builtins

    output.value(to_builtins(entry))
    output.text(f"event {entry.seq}: {entry.by} {entry.says}")


def _print_entries(entries: list[Entry], output: Output) -> None:
    from msgspec import to_builtins

    output.value(to_builtins(entries))
    output.text(*(f"event {entry.seq}: {entry.by} {entry.says}" for entry in entries))


def _case(case: ReviewedFinding) -> dict[str, Any]:
    from msgspec import to_builtins

    return {
        "finding": to_builtins(case.finding),
        "withdrawn": case.withdrawn,
        "review": to_builtins(case.review),
    }


# ------------------------------------------------------------------------------------------------------------- writing


def _assign(desk: Desk, given: argparse.Namespace) -> Entry:
    return desk.assign(_finding(given), to=_need(given, "to"), by=_need(given, "by"), reason=_need(given, "reason"))


def _note(desk: Desk, given: argparse.Namespace) -> Entry:
    return desk.note(_finding(given), note=_need(given, "reason"), by=_need(given, "by"))


def _resolve(desk: Desk, given: argparse.Namespace) -> Entry:
    return desk.resolve(
        _finding(given),
        disposition=_need(given, "disposition"),
        by=_need(given, "by"),
        reason=_need(given, "reason"),
        amount_cents=_cents(given.amount),
        duplicate_of=given.duplicate_of,
    )


def _sign(desk: Desk, given: argparse.Namespace) -> Entry:
    if given.dispute:
        if given.amount:
            raise UsageError("rack review sign TABLE --dispute ID: a decision has no --amount")
        table_id, _ = _place(given, round_optional=True)
        return desk.sign_dispute(table_id, dispute=given.dispute, by=_need(given, "by"), reason=_need(given, "reason"))
    return desk.sign(
        _finding(given), by=_need(given, "by"), reason=_need(given, "reason"), amount_cents=_cents(given.amount)
    )


def _reopen(desk: Desk, given: argparse.Namespace) -> Entry:
    return desk.reopen(_finding(given), by=_need(given, "by"), reason=_need(given, "reason"))


def _incident_action(desk: Desk, given: argparse.Namespace) -> list[Entry]:
    """Do to a whole incident what `given` says. Raises `UsageError` for what only one finding can be given."""
    from desk.review.incident_desk import IncidentDesk

    if given.amount or given.duplicate_of:
        raise UsageError(
            "--incident takes each finding's own amount: leave out --amount and --duplicate-of, or leave out --incident"
        )
    whole, finding, by, reason = IncidentDesk(desk), _finding(given), _need(given, "by"), _need(given, "reason")
    if given.action == "assign":
        return whole.assign(finding, to=_need(given, "to"), by=by, reason=reason)
    if given.action == "resolve":
        return whole.resolve(finding, disposition=_need(given, "disposition"), by=by, reason=reason)
    if given.action == "sign":
        return whole.sign(finding, by=by, reason=reason)
    return whole.reopen(finding, by=by, reason=reason)


def _attach(desk: Desk, given: argparse.Namespace) -> Entry:
    """Attach a picture or clip to a round."""
    from desk.review.case_folder import CaseFolder
    from desk.review.cases import attach_to_round
    from events.log.plain_file import read_plain
    from rack.settings import cases_folder

    place, round_no = _place(given)
    path, folder = Path(_need(given, "file")), CaseFolder(cases_folder(log_address(given.log)))
    data = read_plain(path, folder.settings().largest_bytes + 1)
    by, note = _need(given, "by"), _need(given, "reason")
    return attach_to_round(desk, folder, place, round_no or 0, file=path.name, data=data, by=by, note=note)


def _video(desk: Desk, given: argparse.Namespace) -> Entry:
    """Mark a clip: times are the property's, and stored by the clock of a camera that the file of cameras names."""
    table_id, round_no = _place(given)
    known = _camera(given)
    ahead_us = 0 if known is None else known.clock_offset_ms * 1_000
    return desk.mark_video(
        table_id,
        round_no or 0,
        camera=_need(given, "camera"),
        by=_need(given, "by"),
        reason=_need(given, "reason"),
        starts_us=_moment(given, "from_time") + ahead_us,
        ends_us=_moment(given, "to_time") + ahead_us,
        finding_id=given.finding,
        clock_offset_ms=None if known is None else known.clock_offset_ms,
        digest=None if given.file is None else _sha256(given.file),
    )


def _camera(given: argparse.Namespace) -> Camera | None:
    """Return what the property's file says of the camera; None if it does not name it."""
    from desk.review.cameras import read_cameras

    file = cameras_file(log_address(given.log))
    return None if file is None else read_cameras(file).find(_need(given, "camera"))


def _sha256(path: Path) -> str:
    from hashlib import file_digest

    from events.log.plain_file import open_plain

    with open(open_plain(path, links=True), "rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _open(desk: Desk, given: argparse.Namespace) -> Entry:
    table_id, round_no = _place(given)
    return desk.open_dispute(
        table_id,
        round_no or 0,
        dispute=_need(given, "dispute"),
        claim=_need(given, "reason"),
        by=_need(given, "by"),
        seat=given.seat,
        patron=given.patron,
    )


def _close(desk: Desk, given: argparse.Namespace) -> Entry:
    table_id, _ = _place(given, round_optional=True)
    if given.investigation:
        return desk.close_investigation(
            table_id,
            investigation=given.investigation,
            outcome=_need(given, "outcome"),
            by=_need(given, "by"),
            reason=_need(given, "reason"),
        )
    return desk.close_dispute(
        table_id,
        dispute=_need(given, "dispute"),
        outcome=_need(given, "outcome"),
        by=_need(given, "by"),
        reason=_need(given, "reason"),
        override=given.override,
    )


_WRITE_ACTIONS: dict[str, Callable[[Desk, argparse.Namespace], Entry]] = {
    "assign": _assign,
    "note": _note,
    "resolve": _resolve,
    "sign": _sign,
    "reopen": _reopen,
    "video": _video,
    "attach": _attach,
    "open": _open,
    "close": _close,
}


def _need(given: argparse.Namespace, name: str) -> str:
    require_options(given, "review", given.action, (name,))
    value: str = getattr(given, name)
    return value


def _finding(given: argparse.Namespace) -> str:
    if len(given.of) != 1:
        raise UsageError(f"rack review {given.action} FINDING: expected the id of one finding (rack review list)")
    return str(given.of[0])


def _place(given: argparse.Namespace, *, round_optional: bool = False) -> tuple[str, int | None]:
    if len(given.of) == 1 and round_optional:
        return given.of[0].lower(), None
    if len(given.of) != 2 or not (given.of[1].isascii() and given.of[1].isdigit() and int(given.of[1])):
        raise UsageError(f"rack review {given.action}: expected a table and the number of a round, as in fu-01 17")
    return given.of[0].lower(), int(given.of[1])


def _moment(given: argparse.Namespace, name: str) -> int:
    return time_us(_need(given, name), option(name))


def _cents(text: str | None) -> int | None:
    """Read an amount.

    >>> _cents("1,100.00"), _cents("25"), _cents(None)
    (110000, 2500, None)
    """
    import re

    if text is None:
        return None
    match = re.fullmatch(r"([0-9]{1,12}|[0-9]{1,3}(?:,[0-9]{3}){1,3})(?:\.([0-9]{2}))?", text, re.ASCII)
    if match is None:
        raise UsageError(f"--amount {text}: expected an amount, as in {money(10_000).lstrip('+')}")
    return int(match[1].replace(",", "")) * 100 + int(match[2] or 0)
