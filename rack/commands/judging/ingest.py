"""`rack ingest`: append what devices, the office (both JSON Lines) or people (transcripts) report; a bad line is named."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rack import actions
from rack.arguments import add, add_log, day_of, given_path, is_given, option
from rack.errors import Exit, UsageError
from rack.output import Output, counted
from rack.settings import log_address

if TYPE_CHECKING:
    from events.log.contract import EventLog
    from intake.appending import IntakeSummary, RefusedLine

HELP = (
    "Append device events (JSON Lines) to a log; report and quarantine bad lines, append the rest; with --office, append the "
    "property's events. A transcript is what a person observed: it needs --table, --day and --observer"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(parser, "file FILE", "JSON Lines of device events, or a transcript; - reads JSON Lines from stdin.")
    add_log(parser)
    add(parser, "--property ID", "Create the log if it does not exist, for this property.")
    add(parser, "--office", "The file holds the property's events only; append all of them or none.")
    add(parser, "--profile FILE", "The profile of the device whose messages these are (docs/profiles/).")
    add(parser, "--patrons KEYRING", "Replace card numbers with tokens of this keyring (`rack patrons new`).", type=given_path)

    entry = parser.add_argument_group("a transcript", "Rounds that a person observed; they change nothing at the table.")
    add(entry, "--table ID", "The table at which the rounds were played.")
    add(entry, "--day DAY", "The gaming day on which they were played, such as 2026-03-01.")
    add(entry, "--observer PERSON", "The observer, a registered person, such as m.ortiz.")
    add(entry, "--basis", "How the observer knows (default: video).", choices=("live", "video", "paper"))
    add(entry, "--camera ID", "The camera of the video.")
    add(entry, "--clock-offset-ms MS", "How far the clock of the video is ahead; times are then read by that clock.", type=int)
    add(entry, "--dealer ID", "The dealer, if no line of the transcript names one.")
    add(entry, "--observation ID", "The observation that the rounds belong to (rack observe open).")
    add(entry, "--order-not-seen", "The order of actions is not claimed.")
    add(entry, "--same-as ROUND", "The recorded round that this transcript records, too.", type=int)
    add(entry, "--same-entry ROUND", "The observed round that this transcript records, too.", type=int)


ENTRY = (
    "table", "day", "observer", "basis", "camera", "clock_offset_ms", "dealer", "observation", "order_not_seen", "same_as",
    "same_entry",
)  # fmt: skip
"""The options of a transcript."""


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Ingest the file; 1 if lines were refused or a correction corrects nothing, 4 if something next to the chain differed."""
    from events.errors import AppendRefused, IntegrityError, LogUnavailable
    from intake.appending import IntakeSummary
    from intake.files import is_transcript
    from rack.opening import log_at, report_clock

    address = log_address(arguments.log)
    if arguments.file != "-" and not Path(arguments.file).is_file():
        raise UsageError(f"{arguments.file} is no file; expected one with JSON Lines of device events, or a transcript")
    transcript = arguments.file != "-" and arguments.profile is None and is_transcript(Path(arguments.file))
    if arguments.office and arguments.profile is not None:
        raise UsageError("--office takes JSON Lines of property events, which no device reports; leave out --profile")
    if transcript and arguments.patrons is not None:
        raise UsageError(f"{arguments.file} is a transcript, which holds no card numbers; leave out --patrons")
    if arguments.office and (transcript or arguments.patrons is not None):
        what = "a transcript describes a table" if transcript else "property events name no patron"
        raise UsageError(f"{arguments.file}: --office takes JSON Lines of property events; {what}; leave one of them out")
    given = [name for name in ENTRY if is_given(arguments, name)]
    if transcript:
        return _enter(arguments, output)
    if given:
        raise UsageError(f"{option(given[0])} is for a transcript, and {arguments.file} holds JSON Lines; leave it out")
    log = log_at(address, create=arguments.property is not None, property_id=arguments.property)
    taken, named, doubted, repaired = IntakeSummary(), 0, 0, 0
    try:
        for taken in _ingest(log, arguments):
            for refusal in taken.refused[named:]:
                output.problem(
                    f"{refusal.where}: {_stream_prefix(refusal)}{refusal.reason}; quarantined as {refusal.sha256[:16]}…"
                )
            named = len(taken.refused)
            for misfit in taken.misfits[doubted:]:
                output.problem(f"{misfit.where}: {_stream_prefix(misfit)}{misfit.reason}")
            doubted = len(taken.misfits)
            for repair in log.repairs()[repaired:]:
                output.problem(repair)
                repaired += 1
            output.progress(taken.lines, "lines read")
        report_clock(log, output)
    except BrokenPipeError:  # the reader of stdout went away
        raise
    except (AppendRefused, IntegrityError, LogUnavailable, OSError, KeyboardInterrupt) as error:
        output.value(_as_json(taken) | {"stopped": str(error) or type(error).__name__})
        output.problem(
            f"stored before it stopped: {counted(taken.appended, 'event')}, of the first {counted(taken.lines, 'line')} or a few "
            f"more, and {len(taken.refused):,} refused; hand in the same again: stored events are recognized and dropped"
        )
        raise
    finally:
        log.close()
    output.value(_as_json(taken))
    output.text(
        f"{counted(taken.lines, 'line')}: {counted(taken.appended, 'event')} appended, "
        f"{counted(taken.duplicates, 'duplicate')} dropped, {len(taken.refused):,} refused"
    )
    if repaired:
        return Exit.INTEGRITY
    return Exit.FINDINGS if taken.refused or taken.misfits else Exit.CLEAN


def _enter(arguments: argparse.Namespace, output: Output) -> Exit:
    """Enter a person's observations; 1 if a line is refused, and then its round is not stored."""
    from desk.review.persons import ReviewRefused
    from desk.transcript_entry import EnteredScript, Observer, enter_transcript
    from rack.opening import desk
    from replay.transcript.file import read_text, rules_beside
    from replay.transcript.words import TranscriptError

    for name in ("table", "day", "observer"):
        if not is_given(arguments, name):
            raise UsageError(
                f"{arguments.file} begins with no JSON and is read as a transcript of what a person observed: it needs --table, "
                f"--day and --observer; {option(name)} is missing"
            )
    if arguments.property is not None:
        raise UsageError("a round is entered at a table that the log has; leave out --property")
    observer = Observer(
        day=day_of(arguments.day, "--day"),
        by=arguments.observer,
        basis=arguments.basis or "video",
        order_seen=not arguments.order_not_seen,
        **actions.taken(arguments, "table", "camera", "clock_offset_ms", "dealer", "observation", "same_as", "same_entry"),
    )
    text, source = read_text(arguments.file)
    entered: list[EnteredScript] = []
    refusal = ""
    with desk(log_address(arguments.log), needs_results=False) as open_desk:
        try:
            for each in enter_transcript(open_desk, text, source, rules_beside(arguments.file), observer):
                entered.append(each)
                what = counted(each.events, "event") if each.events else "entered before, nothing stored"
                output.text(f"line {each.line}: observed/{observer.table} round {each.round_no} ({what})")
        except (ReviewRefused, TranscriptError) as error:
            refusal = str(error)
            output.problem(f"{refusal}; nothing of it was stored")
    output.value({"refused": refusal or None, "rounds": [each._asdict() for each in entered]})
    return Exit.FINDINGS if refusal else Exit.CLEAN


def _ingest(log: EventLog, arguments: argparse.Namespace) -> Iterator[IntakeSummary]:
    from desk.house.filing import read_filed_rules
    from intake.files import append_file, append_office_file

    if arguments.office:
        return append_office_file(log, arguments.file)
    return append_file(log, arguments.file, read_filed_rules, patrons=arguments.patrons, profile=arguments.profile)


def _stream_prefix(refusal: RefusedLine) -> str:
    return "" if refusal.stream is None else f"{refusal.stream}: "


def _as_json(taken: IntakeSummary) -> dict[str, object]:
    refused = [{"where": r.where, "stream": r.stream, "reason": r.reason, "sha256": r.sha256} for r in taken.refused]
    misfits = [{"where": each.where, "stream": each.stream, "reason": each.reason} for each in taken.misfits]
    counts = {"lines": taken.lines, "appended": taken.appended, "duplicates": taken.duplicates, "refused": refused}
    return {**counts, "misfits": misfits} if misfits else {**counts}
