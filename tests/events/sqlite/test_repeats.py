"""What a log in SQLite knows of its sources: found out one by one, then from all events at once, and right in both ways."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from events.sqlite import repeats
from events.sqlite.log import SqliteLog
from events.vocabulary import model
from events.vocabulary.envelope import Draft

STREAM = "table/t-1"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with_day(SqliteLog(tmp_path / "log.db", create=True, property_id="bellwether")).close()
    return tmp_path / "log.db"


def with_day(log: SqliteLog) -> SqliteLog:
    log.append_groups([(STREAM, [draft("pit", 1, model.GamingDayOpened(gaming_day="2026-03-01"))])])
    return log


def draft(source: str, number: int, payload: model.Event | None = None) -> Draft:
    return Draft(
        event_id=f"{abs(hash((source, number))):032x}"[:32],
        source=source,
        source_seq=number,
        occurred_at_us=number,
        round_no=None,
        payload=payload or model.LightSeen(seat=1),
    )


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sources for which the events of a stream were searched."""
    searched: list[str] = []
    search = repeats.RepeatIndex._events_of

    def counted(self: repeats.RepeatIndex, report: repeats.DeviceReport, needle: bytes) -> Iterator[repeats.RecordSummary]:
        searched.append(report.source)
        return search(self, report, needle)

    monkeypatch.setattr(repeats.RepeatIndex, "_events_of", counted)
    return searched


def test_however_many_sources_a_stream_is_searched_for_a_few_only(path: Path, scans: list[str]) -> None:
    log = SqliteLog(path)
    for number in range(4 * repeats.NEW_SOURCES):
        log.append_groups([(STREAM, [draft(f"d-{number}", 1)])])
    assert len(scans) == repeats.NEW_SOURCES
    log.close()


@pytest.mark.parametrize("another", [False, True], ids=["alone", "with another writer"])
def test_what_came_before_is_known_as_well_from_all_events_at_once(path: Path, another: bool) -> None:
    """The number of a source counts from its newest event, whoever appended it: an older one is late, and looked for."""
    many = [draft(f"d-{number}", 5) for number in range(2 * repeats.NEW_SOURCES)]
    log = SqliteLog(path)
    log.append_groups([(STREAM, many)])
    if another:
        with_other = SqliteLog(path)
        with_other.append_groups([(STREAM, [draft("d-new", 9)])])
        with_other.close()
    else:
        log.append_groups([(STREAM, [draft("d-new", 9)])])
        log.close()
        log = SqliteLog(path)
    (again,) = log.append_groups([(STREAM, [*many, draft("d-new", 9)])])
    assert set(again.seqs) == {None}
    index = log._repeats
    for number in range(2 * repeats.NEW_SOURCES):
        assert index._latest_of(repeats.DeviceReport(STREAM, f"d-{number}", 1, b"")) == 5
    assert index._latest_of(repeats.DeviceReport(STREAM, "d-new", 1, b"")) == 9
    assert index._latest_of(repeats.DeviceReport(STREAM, "d-none", 1, b"")) == 0
    log.close()
