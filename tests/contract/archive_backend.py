"""The archive as a backend of the reading half of the contract: what is appended to a log is sealed at once, and read there."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from events.archive.read import ArchiveLog
from events.archive.write import write_archive
from events.log.contract import NOTHING_EXPECTED, AppendResult, EventLog, Head, QuarantineEntry, Record
from events.log.foreign import OwnStore
from events.vocabulary.envelope import Draft
from tests.contract.backends import Backend, SqliteBackend, Tamper


class SealedLog(OwnStore):
    """Writes to a log in SQLite, seals after each write, reads from the archive."""

    def __init__(self, log: EventLog, folder: Path) -> None:
        self.log, self.folder = log, folder
        self._seal()
        self.archive = ArchiveLog(folder, read_only=True)

    @property
    def log_id(self) -> str:
        return self.archive.log_id

    @property
    def property_id(self) -> str:
        return self.archive.property_id

    def append(self, stream: str, expected_seq: int, drafts: Sequence[Draft]) -> AppendResult:
        appended = self.log.append(stream, expected_seq, drafts)
        self._seal()
        return appended

    def append_groups(
        self, groups: Iterable[tuple[str, Sequence[Draft]]], expected: Mapping[str, int] = NOTHING_EXPECTED
    ) -> list[AppendResult]:
        appended = self.log.append_groups(groups, expected)
        self._seal()
        return appended

    def quarantine(self, *entries: QuarantineEntry) -> None:
        self.log.quarantine(*entries)
        self._seal()

    def streams(self) -> list[str]:
        return self.archive.streams()

    def head(self, stream: str) -> Head:
        return self.archive.head(stream)

    def read(self, stream: str, from_seq: int = 1, to_seq: int | None = None) -> Iterator[Record]:
        return self.archive.read(stream, from_seq, to_seq)

    def tail(self, after: Mapping[str, int], *, wait_s: float | None = None) -> Iterator[list[Record]]:
        return self.archive.tail(after, wait_s=wait_s)

    def quarantined(self) -> list[QuarantineEntry]:
        return self.archive.quarantined()

    def acknowledged(self) -> dict[str, Head]:
        return self.archive.acknowledged()

    def verify_head(self, stream: str) -> None:
        self.archive.verify_head(stream)

    def close(self) -> None:
        self.log.close()

    def _seal(self) -> None:
        assert write_archive(self.log, self.folder, running=True).integrity == []


class ArchiveBackend:
    def __init__(self, folder: Path) -> None:
        self.folder = folder / "archive"
        self.sqlite = SqliteBackend(folder)
        self.tamper: Tamper | None = None
        """What was sealed is damaged in `tests/events/archive/test_tamper.py`: here every event has no file of its own."""

    def create(self, **options: Any) -> EventLog:
        return SealedLog(self.sqlite.create(**options), self.folder)

    def reopen(self, **options: Any) -> EventLog:
        return SealedLog(self.sqlite.reopen(**options), self.folder)

    def open_second(self) -> EventLog:
        return ArchiveLog(self.folder)

    def open_reader(self, **options: Any) -> EventLog:
        return ArchiveLog(self.folder, read_only=True, **options)

    def close(self) -> None:
        self.sqlite.close()


READERS: dict[str, Callable[[Path], Backend]] = {"archive": ArchiveBackend}
"""Backends that keep the reading half of the contract."""
