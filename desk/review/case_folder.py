"""The folder with a property's case attachments, and its settings for cases (`cases.toml`).

Invariant: a file is stored under the SHA-256 of its bytes, is durable before any event names it, and is hashed each time it is
opened. Files are never overwritten or removed.
"""

import os
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from desk.review.persons import ReviewRefused
from events.errors import IntegrityError
from events.log.attachments import ATTACHMENTS, Attached, attachment_file
from events.log.plain_file import NotPlainFile, open_plain, read_toml
from events.open import ON_THIS_MACHINE, parse_address
from events.vocabulary.model import CaseAttached

SETTINGS: Final = "cases.toml"
"""The property's settings for its cases, in the folder of cases."""
MIB: Final = 2**20
APPEAL: Final = (
    "You may appeal this decision to the casino's management, in writing, with the number of the case, or ask the regulator of "
    "this casino to look at it."
)
Days = Annotated[int, Meta(ge=1, le=3_660)]


class AttachmentLost(IntegrityError):
    """The bytes of an attachment next to the log are missing or changed."""

    code = "CASE-FILE"

    def __init__(self, stream: str, path: Path, attached: Attached, fault: str) -> None:
        of = f"case {attached.case}" if isinstance(attached, CaseAttached) else "a round"
        super().__init__(stream, 0, f"{attached.name} of {of} {fault}")
        self.digest, self.fault = attached.digest, fault
        self.args = (
            f"{stream}: {attached.name}, attached to {of}, {fault}: {path}; the record of it remains: "
            f"put a copy with the SHA-256 {attached.digest} there",
        )


class CaseSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A property's settings: days to decide a case and an appeal; how a patron appeals; the largest attachment."""

    days: Days = 30
    appeal_days: Days = 30
    appeal: Annotated[str, Meta(min_length=1, max_length=2_000)] = APPEAL
    largest_mib: Annotated[int, Meta(ge=1, le=1_024)] = 25

    @property
    def largest_bytes(self) -> int:
        """The largest size of an attachment in bytes."""
        return self.largest_mib * MIB


class CaseFolder:
    """The folder of a property's cases. If `path` is None, nothing can be attached or opened."""

    def __init__(self, path: Path | None) -> None:
        self.path = path

    def settings(self) -> CaseSettings:
        """Return the property's settings, or the defaults. Raises `ReviewRefused`, which names file and field."""
        file = None if self.path is None else self.path / SETTINGS
        if file is None or not file.exists():
            return CaseSettings()
        try:
            return msgspec.convert(read_toml(file), CaseSettings)
        except (ValueError, msgspec.ValidationError) as error:
            raise ReviewRefused(f"{file}: expected days, appeal_days, appeal and largest_mib: {error}") from error

    def keep(self, data: bytes) -> str:
        """Store bytes durably; return their SHA-256 (hex). Raises `ReviewRefused`, and `OSError`, which names the file."""
        if not data:
            raise ReviewRefused("the file is empty: nothing was attached")
        settings = self.settings()
        if len(data) > settings.largest_bytes:
            raise ReviewRefused(
                f"the file has {len(data):,} bytes, more than the {settings.largest_mib} MiB that an attachment may have: "
                f"attach a shorter one, or set largest_mib in {SETTINGS}"
            )
        return self.store(data)

    def store(self, data: bytes) -> str:
        """Store bytes of any size durably; return their SHA-256 (hex). Raises the errors of `keep`."""
        digest = sha256(data).hexdigest()
        path = self._path(digest)
        if path.exists():
            if not _holds(path, data):
                raise ReviewRefused(f"{path} holds other bytes than its name says: move it away, and keep it, then repeat")
            return digest
        _make_folder(path.parent)
        fresh = path.with_name(f".{digest}.{os.getpid()}.new")
        try:
            with fresh.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(fresh, path)
        except OSError as error:
            raise OSError(error.errno, os.strerror(error.errno or 0), str(path)) from error
        finally:
            fresh.unlink(missing_ok=True)
        _sync(path.parent)
        return digest

    def read(self, table: str, attached: Attached) -> bytes:
        """Return the bytes of an attachment. Raises `AttachmentLost` if they are missing or changed."""
        path = self._path(attached.digest)
        stream = f"review/{table}"
        try:
            data = _read(path, attached.size)
        except FileNotFoundError:
            raise AttachmentLost(stream, path, attached, "is gone") from None
        except NotPlainFile as error:
            raise AttachmentLost(stream, path, attached, f"is {error.strerror}") from None
        if len(data) != attached.size or sha256(data).hexdigest() != attached.digest:
            raise AttachmentLost(stream, path, attached, "was changed")
        return data

    def losses(self, table: str, attachments: Sequence[Attached]) -> Iterator[AttachmentLost]:
        """Yield the fault of each attachment that cannot be opened whole."""
        for attached in attachments:
            try:
                self.read(table, attached)
            except AttachmentLost as lost:
                yield lost

    def _path(self, digest: str) -> Path:
        if self.path is None:
            raise ReviewRefused("no folder for cases is named; name one with RACK_CASES")
        return attachment_file(self.path, digest)


def _read(path: Path, size: int) -> bytes:
    """Return the bytes of a plain file of this size; none, without reading it, if its size differs. Raises `OSError`."""
    with open(open_plain(path, links=True), "rb") as file:
        return file.read(size) if os.fstat(file.fileno()).st_size == size else b""


def _holds(path: Path, data: bytes) -> bool:
    try:
        return _read(path, len(data)) == data
    except NotPlainFile:
        return False


def _make_folder(folder: Path) -> None:
    """Make a folder that survives a power loss."""
    if not folder.exists():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync(folder.parent)


def _sync(folder: Path) -> None:
    place = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(place)
    finally:
        os.close(place)


def attachments_folder(address: str, cases: Path | None) -> Path | None:
    """Return the folder with a log's attachments: of the archive, the cases, or the log; None if none exists."""
    backend, place = parse_address(address)
    if backend == "archive":
        return Path(place) if (Path(place) / ATTACHMENTS).is_dir() else None
    return cases or (Path(place).parent if backend in ON_THIS_MACHINE else None)
