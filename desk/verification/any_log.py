"""Verifies any kind of log, and an archive's manifests."""

from typing import Any

from events.errors import IntegrityError
from events.log.contract import EventLog
from events.proofs.verify import VerificationReport, verify


def verify_log(log: EventLog, backend: str, **options: Any) -> VerificationReport:
    """Verify a log, or an archive with its manifests, with the options of `events.proofs.verify.verify`."""
    if backend != "archive":
        return verify(log, **options)
    from events.archive.read import ArchiveLog
    from events.archive.verify import verify_archive

    assert isinstance(log, ArchiveLog)
    return verify_archive(log, **options)


def lost_tails(log: EventLog) -> list[str]:
    """Return a sentence for each stream that ends before its acknowledged end; a reader from a position would not notice."""
    lost = []
    try:
        marked = sorted(log.acknowledged())
    except IntegrityError as error:
        return [f"{error.code} {error}"]
    for stream in marked:
        try:
            log.verify_head(stream)
        except IntegrityError as error:
            lost.append(f"{error.code} {error}")
    return lost
