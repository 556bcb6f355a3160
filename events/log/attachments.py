"""The attachments of cases and rounds that a log's events name, and where their bytes are: next to the log, or in an archive.

Invariant: the events alone decide which attachments exist. A broken stream is read up to the break; the verification of the log
reports the break.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from events.errors import IntegrityError
from events.log.contract import EventLog
from events.vocabulary.codec import decode
from events.vocabulary.model import CaseAttached, RoundAttached

ATTACHMENTS: Final = "attachments"
"""The folder that holds the bytes of attachments."""
Attached = CaseAttached | RoundAttached
"""A file that is kept next to the log: of a case, or of a round."""
_MARK: Final = b"_attached"
"""Bytes that every event of these types contains; other events need not be decoded."""


def attachment_file(folder: Path, digest: str) -> Path:
    """Return the file of an attachment by its SHA-256 (hex)."""
    return folder / ATTACHMENTS / digest[:2] / digest


def attachments_of(log: EventLog) -> Iterator[tuple[str, Attached]]:
    """Yield every attachment on record, with the table of its case or round; the same bytes of two cases are two."""
    for stream in log.streams():
        kind, _, table = stream.partition("/")
        if kind != "review":
            continue
        with suppress(IntegrityError):
            for record in log.read(stream):
                if _MARK in record.data and isinstance(payload := decode(record.data).payload, Attached):
                    yield table, payload
