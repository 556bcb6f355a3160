"""The signed checkpoints of a log in its archive: sealed with the events that they cover, checked there, given back."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from events.archive.checkpoints import ArchiveCheckpoints
from events.archive.manifest import CHECKPOINTS
from events.archive.manifest_chain import ManifestChain
from events.archive.read import ArchiveLog
from events.archive.verify import verify_archive
from events.archive.write import ArchiveSummary, write_archive
from events.errors import AppendRefused, LogUnavailable
from events.log.contract import EventLog, Head
from events.open import open_checkpoints, open_log
from events.proofs.verify import VerificationReport, verify
from events.restore import restore
from events.sqlite.checkpoints import SqliteCheckpoints
from events.sqlite.log import SqliteLog
from tests.contract.sealed import LOG_ID, Honest, build
from tests.events.archive.archives import forge_file, opened, parquet


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Honest]:
    """A log of one gaming day with four checkpoints."""
    folder = tmp_path_factory.mktemp("honest")
    return folder, build(folder)


@pytest.fixture
def log(honest: tuple[Path, Honest], tmp_path: Path) -> Iterator[SqliteLog]:
    for name in ("floor.db", "floor.db.checkpoints", "floor.db.high-water", "floor.db.checkpoints.high-water"):
        shutil.copy(honest[0] / name, tmp_path / name)
    with contextlib.closing(SqliteLog(tmp_path / "floor.db")) as opened_:
        yield opened_


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "archive"


def seal(log: SqliteLog, folder: Path, *, running: bool = True) -> ArchiveSummary:
    with contextlib.closing(SqliteCheckpoints(f"{log.path}.checkpoints", log_id=LOG_ID, read_only=True)) as store:
        return write_archive(log, folder, running=running, checkpoints=store)


def batches(address: str) -> list[bytes]:
    with contextlib.closing(open_checkpoints(address, log_id=LOG_ID, read_only=True)) as store:
        return list(store.batches())


def checked(folder: Path, honest: Honest) -> VerificationReport:
    """The archive verified with the key that an auditor was given."""
    store = ArchiveCheckpoints(folder, log_id=LOG_ID, read_only=True)
    archive = ArchiveLog(folder, read_only=True, check_heads=False)
    return verify_archive(archive, checkpoints=store, anchors=[honest.signer.public_key])


def test_an_archive_is_checked_with_the_public_key(log: SqliteLog, folder: Path, honest: tuple[Path, Honest]) -> None:
    sealed = seal(log, folder)
    assert (sealed.checkpoints, sealed.integrity) == (4, [])
    assert batches(f"archive://{folder}") == batches(f"sqlite://{log.path}") == honest[1].contents.batches
    report = checked(folder, honest[1])
    assert report.ok, report.breaks
    assert report.signed is not None
    assert (report.signed.checkpoints, report.signed.anchored) == (4, True)
    assert seal(log, folder).checkpoints == 0


def test_a_checkpoint_waits_for_the_events_that_it_covers(log: SqliteLog, folder: Path) -> None:
    assert seal(log, folder, running=False).checkpoints == 0, "all of it is the running day"
    assert seal(log, folder).checkpoints == 4


def test_reading_on(log: SqliteLog, folder: Path, honest: tuple[Path, Honest]) -> None:
    seal(log, folder)
    store = ArchiveCheckpoints(folder, log_id=LOG_ID, read_only=True)
    stored = honest[1].contents
    first = len(stored.lines(0))
    assert list(store.batches(first - 1)) == stored.batches
    assert list(store.batches(first)) == stored.batches[1:]
    assert list(store.batches(10_000)) == []
    with pytest.raises(AppendRefused, match="open for reading only"):
        store.append(0, b"", Head(1, b""))
    with pytest.raises(AppendRefused, match="takes no checkpoints"):
        ArchiveCheckpoints(folder, log_id=LOG_ID)
    with pytest.raises(LogUnavailable, match=f"the archive of the log {LOG_ID}, not of {'0' * 32}"):
        ArchiveCheckpoints(folder, log_id="0" * 32, read_only=True)


def test_damaged_or_forged_checkpoints_are_told(log: SqliteLog, folder: Path, honest: tuple[Path, Honest]) -> None:
    seal(log, folder)
    (manifest,) = ManifestChain(folder).of(CHECKPOINTS)
    held = manifest.file(folder).read_bytes()
    manifest.file(folder).write_bytes(held[::-1])
    found = checked(folder, honest[1]).first_break
    assert found is not None
    assert (found.stream, found.seq, found.kind) == (CHECKPOINTS, 1, "changed")
    manifest.file(folder).write_bytes(held)
    rows = [(record.seq, record.data.replace(b'"at_us":1', b'"at_us":2')) for record in opened(folder).listed(CHECKPOINTS)]
    forge_file(folder, manifest.number, lambda path: parquet(path, rows))
    found = checked(folder, honest[1]).first_break
    assert found is not None
    assert (found.stream, found.seq, found.kind) == (CHECKPOINTS, 1, "changed")


def test_whoever_rewrites_the_archive_to_its_end_has_not_the_key(
    log: SqliteLog, folder: Path, honest: tuple[Path, Honest], tmp_path: Path
) -> None:
    """The events are another story, sound in itself; the checkpoints are the old ones."""
    from tests.contract.drafts import Drafts, fill

    with contextlib.closing(SqliteLog(tmp_path / "x.db", property_id=log.property_id, create=True, log_id=LOG_ID)) as other:
        for stream in ("property/main", "table/fu-07", "table/fu-08"):
            fill(other, Drafts(), stream, rounds=5)
        with contextlib.closing(SqliteCheckpoints(f"{log.path}.checkpoints", log_id=LOG_ID, read_only=True)) as store:
            write_archive(other, folder, running=True, checkpoints=store)
    store_ = ArchiveCheckpoints(folder, log_id=LOG_ID, read_only=True)
    assert len(list(store_.batches())) == 4
    assert verify(ArchiveLog(folder, read_only=True)).ok
    assert not checked(folder, honest[1]).ok


def test_they_are_given_back(log: SqliteLog, folder: Path, honest: tuple[Path, Honest], tmp_path: Path) -> None:
    seal(log, folder)
    address = f"sqlite://{tmp_path}/again.db"
    assert restore(opened(folder), address).checkpoints == 4
    assert restore(opened(folder), address).checkpoints == 0
    assert batches(address) == honest[1].contents.batches
    again: EventLog = open_log(address, read_only=True)
    with contextlib.closing(again), contextlib.closing(open_checkpoints(address, log_id=LOG_ID, read_only=True)) as store:
        report = verify(again, checkpoints=store, anchors=[honest[1].signer.public_key])
        assert report.ok, report.breaks
        assert store.acknowledged() is not None


def test_other_checkpoints_are_not_mixed_in(log: SqliteLog, folder: Path, tmp_path: Path) -> None:
    seal(log, folder)
    address = f"sqlite://{tmp_path}/again.db"
    restore(opened(folder), address)
    (tmp_path / "again.db.checkpoints").unlink()
    (tmp_path / "again.db.checkpoints.high-water").unlink()
    with contextlib.closing(SqliteCheckpoints(tmp_path / "again.db.checkpoints", log_id=LOG_ID)) as store:
        store.append(0, b"others\n\nnote", Head(1, bytes(32)))
    with pytest.raises(AppendRefused, match="other checkpoints than the archive"):
        restore(opened(folder), address)
