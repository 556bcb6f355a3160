"""`rack archive`: seal the events of a log into files, or restore them into a new log."""

from __future__ import annotations

import argparse
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

from desk.whole_files import named_errors
from rack.arguments import add, add_log
from rack.errors import Exit, UsageError
from rack.export_record import add_custody, record_export
from rack.output import Output, counted
from rack.settings import cases_folder, log_address

if TYPE_CHECKING:
    from desk.review.attachments import AttachmentCheck

HELP = "Seal the closed gaming days of a log into an archive, or restore a log from one"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_log(parser)
    where = parser.add_mutually_exclusive_group(required=True)
    add(where, "--out DIR", "Folder of the archive; created, or extended with new gaming days.")
    add(where, "--restore DIR", "Restore this archive into --log, a new log.")
    add(parser, "--for WHO", "Record in the log that the archive is handed to this party (--by, --reason).", dest="handed_to")
    add_custody(parser)
    add(parser, "--running", "Seal the current gaming day too, up to its last event.")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Archive or restore; 4 if the log or the archive was changed."""
    if not arguments.handed_to and (arguments.by or arguments.reason):
        raise UsageError("--by and --reason need --for; a backup that stays in the house is not recorded")
    if arguments.restore is None:
        return _archive(arguments, output)
    if arguments.running or arguments.handed_to:
        raise UsageError("--running and --for need --out")
    return _restore(arguments, output)


def _archive(arguments: argparse.Namespace, output: Output) -> Exit:
    from desk.review.attachments import carried
    from desk.review.case_folder import CaseFolder, attachments_folder
    from desk.verification.any_log import lost_tails
    from events.archive.read import ArchiveLog
    from events.archive.verify import added_files
    from events.archive.write import write_archive
    from rack.opening import opened_for_proof

    address = log_address(arguments.log)
    with opened_for_proof(address) as (log, store), ExitStack() as resources:
        with named_errors(arguments.out):
            sealed = write_archive(
                log,
                arguments.out,
                running=arguments.running,
                checkpoints=store,
                progress=lambda events: output.progress(events, "events sealed"),
            )
        archive = resources.enter_context(closing(ArchiveLog(arguments.out, read_only=True)))
        # only what sealed events name: a file of a day that is still open would be one that no manifest names
        attached = carried(archive, CaseFolder(attachments_folder(address, cases_folder(address))), CaseFolder(arguments.out))
        integrity = sealed.integrity + attached.failures + [lost for lost in lost_tails(log) if lost not in sealed.integrity]
        integrity += [f"{each.code} {each.message}" for each in added_files(archive)]
        tables = [stream.partition("/")[2] for stream in log.streams() if stream.startswith(("table/", "meter/", "observed/"))]
        identity = {"log_id": log.log_id, "property_id": log.property_id}
    if arguments.handed_to:
        arguments.reason = arguments.reason or f"archive for {arguments.handed_to}"
        record_export(
            address,
            arguments,
            output,
            rounds={table: [None] for table in tables},
            digest=sealed.digest,
            form="archive",
            log_id=identity["log_id"],
        )
    for line in integrity:
        output.problem(line)
    output.value(
        {
            "archive": str(arguments.out),
            **identity,
            "segments": sealed.segments,
            "events": sealed.events,
            "quarantined": sealed.refused,
            "checkpoints": sealed.checkpoints,
            "manifests": sealed.manifests,
            "digest": sealed.digest,
            "running_day": sealed.running_day,
            "integrity": integrity,
            "attachments": attached.counts,
        }
    )
    refused = _extra_counts(sealed.refused, sealed.checkpoints)
    left_open = sealed.running_day and not arguments.running
    day = f"; gaming day {sealed.running_day} is still open and was not sealed" if left_open else ""
    output.text(
        f"{counted(sealed.events, 'event')}{refused} sealed in {counted(sealed.segments, 'segment')}{day}",
        *attached.lines("carried in it", "the archive lacks them, name their folder with RACK_CASES"),
        f"the archive has {counted(sealed.manifests, 'manifest')}; SHA-256 of the last: {sealed.digest}",
    )
    return Exit.INTEGRITY if integrity else Exit.CLEAN


def _restore(arguments: argparse.Namespace, output: Output) -> Exit:
    from events.archive.read import ArchiveLog
    from events.restore import restore
    from rack.opening import options_of

    address = log_address(arguments.log)
    restored = restore(
        ArchiveLog(arguments.restore, read_only=True),
        address,
        progress=lambda events: output.progress(events, "events restored"),
        **options_of(address, create=True),
    )
    attached = _restore_attachments(arguments.restore, address)
    for line in (*restored.integrity, *restored.added, *attached.failures):
        output.problem(line)
    heads = {stream: {"seq": head.seq, "hash": head.hash.hex()} for stream, head in restored.heads.items()}
    output.value(
        {
            "log": address,
            "log_id": restored.log_id,
            "property_id": restored.property_id,
            "events": restored.events,
            "quarantined": restored.refused,
            "checkpoints": restored.checkpoints,
            "streams": heads,
            "integrity": [*restored.integrity, *restored.added],
            "attachments": attached.counts,
        }
    )
    refused = _extra_counts(restored.refused, restored.checkpoints)
    state = (
        "INCOMPLETE: the rest of the archive was changed after it was sealed"
        if restored.integrity
        else "every byte and the hash chain match the archive"
    )
    output.text(
        *attached.lines("restored", "none was restored: the archive has no files of them, or RACK_CASES is not set"),
        f"{counted(restored.events, 'event')}{refused} of {counted(len(heads), 'stream')} restored to {address}: {state}",
    )
    return Exit.INTEGRITY if restored.integrity or restored.added or attached.lost else Exit.CLEAN


def _restore_attachments(archive: Path, address: str) -> AttachmentCheck:
    from desk.review.attachments import carried
    from desk.review.case_folder import CaseFolder, attachments_folder
    from events.archive.read import ArchiveLog

    with closing(ArchiveLog(archive, read_only=True)) as log:
        source = CaseFolder(attachments_folder(f"archive://{archive.absolute()}", None))
        return carried(log, source, CaseFolder(cases_folder(address)))


def _extra_counts(refused: int, checkpoints: int) -> str:
    parts = [(refused, "refused line"), (checkpoints, "checkpoint")]
    return "".join(f", {counted(number, noun)}" for number, noun in parts if number)
