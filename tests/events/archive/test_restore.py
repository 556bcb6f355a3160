"""An archive given back into a log: every byte, the chain and the refusals, into a new log or one that is its beginning."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from events.archive.manifest import QUARANTINE, path_of
from events.archive.manifest_chain import ManifestChain
from events.archive.write import write_archive
from events.errors import AppendRefused, BrokenSeal, IntegrityError, LogUnavailable, LostTail
from events.log.contract import EventLog, Record
from events.log.high_water import HighWater
from events.open import open_log
from events.proofs.verify import verify
from events.restore import RestoreSummary, restore
from events.sqlite.log import SqliteLog
from tests.contract.backends import SqliteTamper
from tests.contract.drafts import TABLE, Drafts, fill
from tests.events.archive.archives import DAYS, OTHER, PROPERTY, fill_three_days, opened, refused
from tests.kafka_broker import new_address

REFUSED = [refused(b"\x00 garbage"), refused(b"", "unknown", "no JSON"), refused(b"\x00 garbage", OTHER)]
REVIEW = "review/fu-07"
OBSERVED = "observed/fu-07"


class RestoredLog:
    """Where an archive is restored to, and how the log there is opened afterward."""

    def __init__(self, address: str, options: dict[str, Any]) -> None:
        self.address, self._options = address, options
        self._opened: list[EventLog] = []

    def restore(self, folder: Path, **options: Any) -> RestoreSummary:
        self.close()
        return restore(opened(folder), self.address, **self._options, **options)

    def open(self, **options: Any) -> EventLog:
        self._opened.append(open_log(self.address, **self._options, **options))
        return self._opened[-1]

    def close(self) -> None:
        while self._opened:
            self._opened.pop().close()


@pytest.fixture(params=["sqlite", pytest.param("kafka", marks=pytest.mark.kafka)])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RestoredLog]:
    (tmp_path / "restored").mkdir()
    if request.param == "kafka":
        target = RestoredLog(new_address(), {"state_dir": tmp_path / "restored", "timeout_s": 10.0})
    else:
        target = RestoredLog(f"sqlite://{tmp_path}/restored/floor.db", {})
    yield target
    target.close()


@pytest.fixture
def folder(log: SqliteLog, drafts: Drafts, tmp_path: Path) -> Path:
    """The archive of a log with three days, a review, and refused lines."""
    fill_three_days(log, drafts)
    log.append(REVIEW, 1, [drafts.day()])
    log.append(OBSERVED, 1, [drafts.day()])
    for entry in REFUSED:
        log.quarantine(entry)
    write_archive(log, tmp_path / "archive", running=True)
    return tmp_path / "archive"


def contents(log: EventLog) -> dict[str, list[Record]]:
    return {stream: list(log.read(stream)) for stream in log.streams()}


def test_everything_comes_back(log: SqliteLog, folder: Path, target: RestoredLog) -> None:
    said: list[int] = []
    restored = target.restore(folder, progress=said.append)
    assert (restored.events, restored.refused, restored.integrity) == (44, 3, [])
    assert (said[-1], restored.log_id, restored.property_id) == (44, log.log_id, "bellwether")
    again = target.open(read_only=True)
    assert (again.log_id, again.property_id) == (log.log_id, log.property_id)
    assert contents(again) == contents(log)
    assert again.quarantined() == log.quarantined(), "with the time at which each was refused"
    assert restored.heads == again.acknowledged() == {stream: log.head(stream) for stream in log.streams()}
    assert verify(again).ok


def test_the_log_goes_on_where_it_stood(log: SqliteLog, folder: Path, target: RestoredLog, tmp_path: Path) -> None:
    """Gaming day, open rounds, repeats and ids are known again; what is appended can be archived on."""
    target.restore(folder)
    writer, drafts = target.open(), Drafts()
    drafts.made = 1000
    repeat, told = Drafts(), log.head(TABLE).seq
    repeat.made = 35  # the table's third day
    last = [repeat.day(DAYS[2]), *repeat.round()]
    assert writer.append(TABLE, told + 1, last).seqs == (None,) * 7, "the devices' repeats are recognized"
    assert writer.append(TABLE, told + 1, [drafts.day("2026-03-17"), *drafts.round()]).head.seq == told + 7
    target.close()
    again = target.open(read_only=True)
    assert write_archive(again, folder, running=True).events == 7
    assert list(opened(folder).read(TABLE)) == list(again.read(TABLE))


def test_a_second_restore_adds_nothing_and_a_later_one_what_is_new(
    log: SqliteLog, folder: Path, target: RestoredLog, drafts: Drafts
) -> None:
    target.restore(folder)
    again = target.restore(folder)
    assert (again.events, again.refused, again.integrity) == (0, 0, [])
    log.append(TABLE, 22, [drafts.day("2026-03-17"), *drafts.round()])
    log.quarantine(refused(b"later"))
    write_archive(log, folder, running=True)
    later = target.restore(folder)
    assert (later.events, later.refused) == (7, 1)
    assert contents(target.open(read_only=True)) == contents(log)


# ------------------------------------------------------------------------------------------------------------ refusals


def test_a_log_of_its_own_is_not_restored_into(folder: Path, target: RestoredLog) -> None:
    writer = target.open(create=True, property_id="bellwether")
    fill(writer, Drafts())
    before = contents(writer)
    with pytest.raises(AppendRefused, match=r"is the log [0-9a-f]{32}, the archive is of [0-9a-f]{32}; name a new log"):
        target.restore(folder)
    assert contents(target.open(read_only=True)) == before


def test_a_log_of_another_property(folder: Path, target: RestoredLog) -> None:
    target.open(create=True, property_id="copperhill")
    with pytest.raises(LogUnavailable, match="is the log of property copperhill, not bellwether"):
        target.restore(folder)


def test_a_log_with_the_same_id_and_another_history(log: SqliteLog, folder: Path, target: RestoredLog) -> None:
    writer = target.open(create=True, property_id="bellwether", log_id=log.log_id)
    fill(writer, Drafts(), rounds=1)
    before = contents(writer)
    with pytest.raises(AppendRefused, match="holds another table/fu-07 than the archive has; nothing was restored"):
        target.restore(folder)
    assert contents(target.open(read_only=True)) == before
    assert TABLE not in {stream for stream, head in target.open(read_only=True).acknowledged().items() if head.seq > 7}


def test_a_log_that_holds_more(log: SqliteLog, folder: Path, target: RestoredLog) -> None:
    target.restore(folder)
    drafts = Drafts()
    drafts.made = 1000
    writer = target.open()
    writer.append(OTHER, 15, [drafts.day(DAYS[2])])
    with pytest.raises(AppendRefused, match="holds more of table/fu-08 than the archive has"):
        target.restore(folder)


def test_a_mark_beyond_the_archive_stays(folder: Path, log: SqliteLog, tmp_path: Path) -> None:
    """The log at this address is gone, its high-water mark is not: what it acknowledged and the archive has not is lost."""
    path = tmp_path / "gone.db"
    for seq, hash_, said in ((22, bytes(32), "acknowledged more"), (21, bytes(32), "acknowledged another")):
        mark = HighWater(path.with_name("gone.db.high-water"), log.log_id)
        mark.record({TABLE: type(log.head(TABLE))(seq, hash_)})
        mark.close()
        with pytest.raises(AppendRefused, match=f"{said} (of )?table/fu-07 than the archive has"):
            restore(opened(folder), f"sqlite://{path}")
        mark.path.unlink()
    mark = HighWater(path.with_name("gone.db.high-water"), "0" * 32)
    mark.record({TABLE: log.head(TABLE)})
    mark.close()
    with pytest.raises(LostTail, match=r"events of the log 0{32} were acknowledged"):
        restore(opened(folder), f"sqlite://{path}")


def test_an_archive_is_no_target(folder: Path) -> None:
    with pytest.raises(AppendRefused, match="is no log that takes events"):
        restore(opened(folder), f"archive://{folder}")


# -------------------------------------------------------------------------------------------------- broken or interrupted


class RestoreInterrupted(BaseException):
    """The machine stops."""


@pytest.mark.sampled(3, of="kafka")
@pytest.mark.parametrize("after", [1, 2, 5])
def test_an_interrupted_restore_passes_for_no_log_and_is_taken_up(
    folder: Path, target: RestoredLog, log: SqliteLog, after: int
) -> None:
    batches: list[int] = []

    def stop(events: int) -> None:
        batches.append(events)
        if len(batches) == after:
            raise RestoreInterrupted

    with pytest.raises(RestoreInterrupted):
        target.restore(folder, progress=stop)
    report = verify(target.open(read_only=True, check_heads=False))
    assert {found.kind for found in report.breaks} == {"tail_cut"}
    with pytest.raises(LostTail):
        target.open()
    restored = target.restore(folder)
    assert restored.events == 44 - batches[-1]
    assert contents(target.open(read_only=True)) == contents(log)


def test_what_is_sound_of_a_broken_archive_comes_back(folder: Path, target: RestoredLog, log: SqliteLog) -> None:
    """The broken stream as far as it is, the others whole; the log says itself what it lacks."""
    sealed = ManifestChain(folder)
    for manifest in (sealed.of(TABLE)[1], sealed.of(QUARANTINE)[0]):
        path = manifest.file(folder)
        path.write_bytes(bytes(path.stat().st_size))
    restored = target.restore(folder)
    assert [line[:30] for line in restored.integrity] == ["LOG-SEAL table/fu-07 event 8: ", "LOG-SEAL quarantine event 1: s"]
    assert {stream: head.seq for stream, head in restored.heads.items()} == {
        TABLE: 7,
        OTHER: 14,
        PROPERTY: 7,
        REVIEW: 1,
        OBSERVED: 1,
    }
    with pytest.raises(LostTail, match="the stream ends at 7, but 21 events were acknowledged"):
        target.open()
    assert list(target.open(read_only=True, check_heads=False).read(OTHER)) == list(log.read(OTHER))


def test_manifests_that_are_not_as_sealed_restore_nothing(folder: Path, tmp_path: Path) -> None:
    path_of(folder, 2).write_bytes(b"{}")
    with pytest.raises(BrokenSeal, match="manifest 2 cannot be read"):
        restore(opened(folder), f"sqlite://{tmp_path}/new.db")
    assert not (tmp_path / "new.db").exists()


def test_a_damaged_copy_is_noticed_when_it_is_archived_again(folder: Path, tmp_path: Path) -> None:
    restore(opened(folder), f"sqlite://{tmp_path}/new.db")
    SqliteTamper(tmp_path / "new.db").replace(TABLE, 21, b"{}")
    SqliteTamper(tmp_path / "new.db").rechain(TABLE, 21)
    log = SqliteLog(tmp_path / "new.db", read_only=True, check_heads=False)
    said = write_archive(log, folder).integrity
    log.close()
    assert said == ["LOG-SEAL table/fu-07 event 21: the log's chain is not the one that was sealed"]


def test_a_full_disk_leaves_what_can_be_taken_up(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    real: Callable[..., Any] = os.posix_fallocate
    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises((OSError, AppendRefused, IntegrityError), match="No space left"):
        restore(opened(folder), f"sqlite://{tmp_path}/new.db")
    monkeypatch.setattr(os, "posix_fallocate", real)
    assert restore(opened(folder), f"sqlite://{tmp_path}/new.db").events == 44
