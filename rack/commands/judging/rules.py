"""`rack rules`: list what can be filed, check a rules submission, and file one at tables."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from rack.actions import action_parsers, at_house, run_action, taken
from rack.arguments import add, add_log, option
from rack.errors import UsageError
from rack.output import Output

if TYPE_CHECKING:
    from desk.house.filing import Office
    from events.log.contract import EventLog
    from rulebook.chapters.rulebook import Rulebook

HELP = "List the paytables that can be filed, check a rules submission, file it at tables, or sign a filing"

EPILOG = "Filing, publishing and signing need the role `compliance` in the register of persons (`rack review register`)."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.epilog = EPILOG
    action = action_parsers(parser)
    action("list", "List every wager and paytable of every chapter, with its section.", _list)
    says = "List the editions of every chapter: what each changed, since when, and amendments whose text is not held."
    editions = action("editions", says, _editions)
    check = action("check", "Validate a rules submission, an amendment, or the chapter of a game.", _check)
    file = action("file", "File a rules submission at tables, all or none.", _file)
    for each in (check, file):
        add(each, "file FILE", "The rules submission (TOML); for check also a chapter or an amendment.")
    says = "Sign the last filing of each table a second time, as another person than the one who filed."
    sign = action("sign", says, at_house(_sign))
    for each in (file, sign):
        add(each, "tables TABLE", "The tables.", nargs="+", type=str.lower)
    amend = action("amend", "Publish an amendment of a chapter at every table, from a gaming day on; two persons.", _amend)
    add(amend, "file FILE", "The amendment (TOML; docs/editions.md has its form).")
    add(amend, "--by PERSON", "Who publishes it.")
    add(amend, "--signed-by PERSON", "The second person, who signs it.")
    says = "List who filed which rules, and who signed; a filing by a device is named."
    filed = action("filed", says, at_house(_filed, read_only=True))
    add(filed, "tables TABLE", "Only these tables.", nargs="*", type=str.lower)
    for each in (editions, file, sign, amend, filed):
        add_log(each)
    add(sign, "--by PERSON", "Who signs, such as m.ortiz.", required=True)
    add(file, "--by PERSON", "Who files, such as m.ortiz.")
    add(file, "--signed-by PERSON", "The second person, who signs at once.")
    for each in (file, amend):
        add(each, "--dry-run", "Print what would change, and what every wager returns; write nothing.")


run = run_action
"""List, check, file or sign; 2 if a submission is refused."""


def _office(log: EventLog, arguments: argparse.Namespace, *needs: str) -> Office:
    from desk.house.filing import Office
    from rack.opening import now_us, register_of

    for name in needs:
        if not getattr(arguments, name):
            raise UsageError(f"rack rules {arguments.action} needs {option(name)} (rack rules --help)")
    return Office(log, register_of(arguments.log), now_us())


def _file(arguments: argparse.Namespace, output: Output) -> None:
    from analytics.theory.theory import percent_of
    from desk.house.filing import planned
    from desk.house.table_lines import TableRecord
    from rack.opening import house_log

    book = read_submission(arguments.file)
    with house_log(arguments.log, read_only=arguments.dry_run) as log:
        if arguments.dry_run:
            made = [planned(TableRecord(log, name), book, percent_of) for name in arguments.tables]
        else:
            office, about = _office(log, arguments, "by"), taken(arguments, "by", "signed_by")
            made = office.file(arguments.tables, book.text, percent_of, **about)
    output.value([filing.values() for filing in made])
    output.text(*(filing.says for filing in made))
    if not arguments.dry_run and arguments.signed_by is None:
        output.note(f"filed by {arguments.by}; a second person signs with `rack rules sign TABLE --by PERSON`")


def _amend(arguments: argparse.Namespace, output: Output) -> None:
    from desk.house.filing import publishing
    from desk.review.observations import bring_editions
    from desk.review.persons import ReviewRefused
    from rack import settings
    from rack.opening import desk, house_log

    file = arguments.file
    text = _text_of(file)
    try:
        if arguments.dry_run:
            with house_log(arguments.log, read_only=True) as log:
                made = publishing(log, text)
        else:
            with desk(settings.log_address(arguments.log), needs_results=False) as opened:
                office = _office(opened.log, arguments, "by", "signed_by")
                made = office.publish(text, **taken(arguments, "by", "signed_by"))
                bring_editions(opened, arguments.by)
    except ValueError as error:
        raise ReviewRefused(f"{file}: {error}; nothing was written") from error
    amendment = made.amendment
    output.value(
        {
            "chapter": amendment.key,
            "edition": amendment.edition,
            "effective_gaming_day": amendment.effective,
            "sha256": amendment.digest,
            "tables": list(made.tables),
            "judged_again": list(made.judged_again),
            "misfits": made.misfits,
        }
    )
    tables = "1 table" if len(made.tables) == 1 else f"{len(made.tables)} tables"
    output.text(f"{amendment.key}, edition {amendment.edition}, from {amendment.effective} on ({amendment.cite}): {tables}")
    if made.judged_again:
        output.text(f"rounds since {amendment.effective} are judged again: {', '.join(made.judged_again)}")
    for name, why in made.misfits.items():
        output.note(f"{name}: the rules on file do not fit it: {why}; file new rules from {amendment.effective} on")


def _sign(log: EventLog, arguments: argparse.Namespace, output: Output) -> None:
    signed = _office(log, arguments).sign(arguments.tables, by=arguments.by)
    output.value([{"table": name, "signs": seq, "by": arguments.by} for name, seq in signed.items()])
    output.text(*(f"{name}: {arguments.by} signed the filing that is event {seq}" for name, seq in signed.items()))


def _filed(log: EventLog, arguments: argparse.Namespace, output: Output) -> None:
    from desk.house.table_lines import TableRecord
    from desk.review.stored_events import names_of

    known = names_of(log, "table")
    unknown = sorted(set(arguments.tables) - set(known))
    if unknown:
        raise UsageError(f"the log has no table {unknown[0]!r}: expected one of {', '.join(known) or 'none'}")
    made = [(name, each) for name in arguments.tables or known for each in TableRecord(log, name).filed]
    output.value([{"table": name} | each._asdict() for name, each in made])
    rows = [
        (
            name,
            each.effective_gaming_day,
            each.submission,
            each.sha256[:16],
            each.source.removeprefix("filing-") if each.by_office else f"{each.source} (a device)",
            ", ".join(each.signed_by) or "–",
        )
        for name, each in made
    ]
    output.table(("table", "from", "rules", "SHA-256", "filed by", "signed by"), rows)


def _list(arguments: argparse.Namespace, output: Output) -> None:
    from rulebook.chapters.rulebook import known_rules

    known = known_rules()
    output.value([msgspec.structs.asdict(each) for each in known])
    rows = [(each.chapter, each.wager or f"house way {each.house_way}", each.paytable or "–", each.cite) for each in known]
    output.table(("chapter", "wager", "paytable", "cite"), rows)


def _editions(arguments: argparse.Namespace, output: Output) -> None:
    from intake.filings import published
    from rack.opening import house_log
    from rack.settings import load
    from replay.narrative.names import edition_changes
    from rulebook.chapters.known_editions import known_editions

    texts: list[str] = []
    if arguments.log or load().log:
        with house_log(arguments.log, read_only=True) as log:
            texts = [each.toml for each in published(log)]
    known = known_editions(texts)
    output.value([each._asdict() for each in known])
    rows = [
        (each.chapter, each.edition or "–", each.effective or "–", each.cite or "–", each.held, edition_changes(each.changes))
        for each in known
    ]
    output.table(("chapter", "edition", "from", "published", "held", "changes"), rows)


def read_submission(file: str) -> Rulebook:
    """Read a rules submission. Raises `UsageError` if none exists, `RulesRefused` if it is refused."""
    from rulebook.chapters.rulebook import parse_submission

    return parse_submission(_text_of(file), file)


def _text_of(file: str) -> str:
    from rulebook.chapters.submission import MAX_TEXT

    try:
        with Path(file).open(encoding="utf-8") as content:
            return content.read(MAX_TEXT + 1)  # one that is longer is refused by that
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: expected a rules submission in UTF-8: {error}") from error
    except FileNotFoundError:
        raise UsageError(f"{file}: no such file; expected a rules submission (TOML)") from None


def _check(arguments: argparse.Namespace, output: Output) -> None:
    from desk.house.rules_check import check_rules

    checked = check_rules(_text_of(arguments.file), arguments.file)
    output.value(checked.values)
    output.text(*checked.lines)
