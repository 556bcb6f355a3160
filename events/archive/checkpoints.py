"""The checkpoints that an archive holds, for reading only: address `archive:///path`."""

import os
from collections.abc import Iterator

from events.archive.read import ArchiveLog
from events.errors import AppendRefused, LogUnavailable
from events.log.contract import Head
from events.proofs.statements import CHECKPOINTS, BadCheckpoint, CheckpointBatch


class ArchiveCheckpoints:
    """The checkpoints sealed in an archive (see `events.log.contract.CheckpointStore`).

    Raises the errors of `ArchiveLog`, and `LogUnavailable` if the archive is of another log than the one named.
    """

    def __init__(self, path: str | os.PathLike[str], *, log_id: str, read_only: bool = False) -> None:
        if not read_only:
            raise AppendRefused(f"{path} is an archive and takes no checkpoints; sign the log it was made from")
        self._archive = ArchiveLog(path, read_only=True, check_heads=False)
        if log_id != self._archive.log_id:
            raise LogUnavailable(f"{path} is the archive of the log {self._archive.log_id}, not of {log_id}")

    def batches(self, after: int = 0) -> Iterator[bytes]:
        """Yield the encoded batches after this many statements. Raises an `IntegrityError` if one is not as sealed."""
        size = 0
        for record in self._archive.listed(CHECKPOINTS):
            try:
                size += len(CheckpointBatch.decode(record.data).lines)
            except ValueError as error:
                raise BadCheckpoint(size + 1, "statement_changed", str(error)) from error
            if size > after:
                yield record.data

    def append(self, before: int, data: bytes, head: Head) -> None:
        """Refuse: an archive takes no checkpoints."""
        raise AppendRefused(f"{self._archive.path} is an archive, open for reading only")

    def acknowledged(self) -> Head | None:
        """Return None: the chain of the manifests shows that none is lost."""
        return None

    def close(self) -> None:
        """Do nothing: no file stays open between reads."""
