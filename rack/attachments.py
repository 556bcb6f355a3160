"""The attachments of cases, where a log is verified, archived or restored: where they lie, and what is said of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rack.output import counted
from rack.settings import cases_folder

if TYPE_CHECKING:
    from events.log.contract import EventLog
    from replay.review.attachments import AttachmentCheck
    from replay.review.case_folder import CaseFolder


def folder_of(address: str) -> CaseFolder:
    """Return where the attachments of a log lie: beside a log, and inside an archive that carries them."""
    from events.log.attachments import ATTACHMENTS
    from events.open import parse_address
    from replay.review.case_folder import CaseFolder

    backend, place = parse_address(address)
    if backend == "archive":
        return CaseFolder(Path(place) if (Path(place) / ATTACHMENTS).is_dir() else None)
    return CaseFolder(cases_folder(address))


def check(log: EventLog, folder: CaseFolder) -> AttachmentCheck:
    """Compare all attachments with the hashes on record; without a folder none can be, and how many there are is counted."""
    from events.log.attachments import attachments_of
    from replay.review.attachments import AttachmentCheck, compared

    if folder.path is None:
        return AttachmentCheck(sum(1 for _ in attachments_of(log)), 0, ())
    return compared(log, folder)


def carry(log: EventLog, source: CaseFolder, target: Path | None) -> AttachmentCheck:
    """Copy all attachments to another folder; without a folder to read, or one to write, they are counted alone."""
    from events.log.attachments import attachments_of
    from replay.review.attachments import AttachmentCheck, carried
    from replay.review.case_folder import CaseFolder

    if source.path is None or target is None:
        return AttachmentCheck(sum(1 for _ in attachments_of(log)), 0, ())
    return carried(log, source, CaseFolder(target))


def as_json(found: AttachmentCheck) -> dict[str, Any]:
    """Return the check as JSON values."""
    return {"on_record": found.on_record, "whole": found.whole, "lost": found.failures}


def lines(found: AttachmentCheck, done: str, without: str) -> list[str]:
    """Return what is said: nothing where no attachment is on record. `done` is what was done with those that are whole,
    `without` what holds where no folder is there to read.
    """
    if not found.on_record:
        return []
    many = counted(found.on_record, "attachment")
    if not found.whole and not found.lost:
        return [f"{many} of cases on record: {without}"]
    return [*found.failures, f"{found.whole} of {many} of cases {done}"]
