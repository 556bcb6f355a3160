"""Verifies a whole archive as any log, and that its folder has no unsealed files."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from events.archive.files import PARTIAL
from events.archive.manifest import ARCHIVE, HEAD, IDENTITY, path_of
from events.archive.read import ArchiveLog
from events.log.attachments import attachment_file, attachments_of
from events.proofs.verify import Break, VerificationReport, verify

LOCK = "archive.lock"
_SEGMENT = re.compile(r"\Asegments/([a-z]+/[a-z0-9-]{1,32}|quarantine|checkpoints)/[^/]*\.([0-9]{1,16})-[0-9]{1,16}\.parquet\Z")


def verify_archive(archive: ArchiveLog, **options: Any) -> VerificationReport:
    """Verify all streams and the quarantine, and report files that no manifest names: kind `added`.

    Options are those of `verify`. If the manifests are broken, the files are not compared, since no one can tell which belong.
    """
    report = verify(archive, **options)
    if archive.manifests.broken is not None:
        return report
    breaks = (*report.breaks, *added_files(archive))
    return msgspec.structs.replace(report, ok=not breaks, breaks=breaks, first_break=breaks[0] if breaks else None)


def added_files(archive: ArchiveLog) -> Iterator[Break]:
    """Yield a break for each file in the folder of a whole archive that no manifest names."""
    present = list(_files(archive.path))  # before the manifests, which a writer may be adding to
    archive.streams()
    sealed, folder = archive.manifests.sealed, archive.path
    known = {folder / IDENTITY, folder / HEAD, folder / LOCK}
    known |= {path_of(folder, manifest.number) for manifest in sealed}
    known |= {manifest.file(folder) for manifest in sealed}
    known |= {attachment_file(folder, attached.digest) for _, attached in attachments_of(archive)}
    for path in present:
        if path not in known and not path.name.endswith(PARTIAL):
            name = path.relative_to(folder).as_posix()
            match = _SEGMENT.match(name)
            stream, seq = (match[1], int(match[2])) if match else (ARCHIVE, len(sealed) + 1)
            message = f"{ascii(name)[1:-1]} was not sealed into this archive: no manifest names it; move it elsewhere"
            yield Break(stream=stream, seq=seq, kind="added", code="LOG-SEAL", message=message)


def _files(folder: Path) -> Iterator[Path]:
    """Yield all files and links in order; links are not followed."""
    for at, folders, files in os.walk(folder):
        folders.sort()
        links = [name for name in folders if (Path(at) / name).is_symlink()]
        yield from (Path(at) / name for name in sorted([*files, *links]))
