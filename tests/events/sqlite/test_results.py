"""Where a replayer keeps what it found: one transaction, repeats change nothing, another engine starts anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from events.errors import LogUnavailable
from events.log.contract import Head, ResultStore
from events.sqlite.results import SqliteResults


def at(seq: int) -> Head:
    """A head of a log at a number."""
    return Head(seq, bytes([seq]) * 32)


ENGINE, OTHER = "5e" * 32, "5f" * 32
A1, A2, B1 = ("findings", "a", b"1"), ("findings", "a", b"2"), ("findings", "b", b"1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "floor.db.verdicts"


@pytest.fixture
def results(path: Path) -> Iterator[ResultStore]:
    results = SqliteResults(path)
    yield results
    results.close()


def test_everything_of_a_commit_is_kept(results: ResultStore, path: Path) -> None:
    results.commit(ENGINE, {"table/a": at(7)}, {"table/a": b"open"}, [A1, ("adjudications", "a", b"9"), B1])
    results.commit(ENGINE, {"table/a": at(9), "table/b": at(1)}, {"table/b": b"\0"}, [A2])
    reader = SqliteResults(path, read_only=True)
    for store in (results, reader):
        assert store.positions(ENGINE) == {"table/a": at(9), "table/b": at(1)}
        assert store.snapshots(ENGINE) == {"table/b": b"\0"}, "a position without a snapshot forgets the one before"
        assert list(store.results("findings")) == [("a", b"1"), ("b", b"1"), ("a", b"2")]
        assert list(store.results("adjudications")) == [("a", b"9")]
        assert (store.latest("findings", "a"), store.latest("findings", "c")) == (b"2", None)
    reader.close()


def test_repeats_change_nothing(results: ResultStore) -> None:
    for records in ([A1, A1], [A1, B1], [A2, A2], [A1], [A1, B1]):
        results.commit(ENGINE, {}, {}, records)
    assert list(results.results("findings")) == [("a", b"1"), ("b", b"1"), ("a", b"2"), ("a", b"1")]


def test_a_commit_is_whole_or_nothing(results: ResultStore) -> None:
    results.commit(ENGINE, {"table/a": at(7)}, {}, [A1])
    with pytest.raises(TypeError):
        results.commit(
            ENGINE, {"table/a": at(8)}, {"table/a": b"x"}, [A2, ("findings", "b", "text")]
        )  # text where bytes belong
    assert (results.positions(ENGINE), results.snapshots(ENGINE)) == ({"table/a": at(7)}, {})
    assert list(results.results("findings")) == [("a", b"1")]


def test_another_engine_starts_anew(results: ResultStore) -> None:
    results.commit(ENGINE, {"table/a": at(7)}, {"table/a": b"open"}, [A1])
    assert (results.positions(OTHER), results.snapshots(OTHER)) == ({}, {})
    results.commit(OTHER, {"table/a": at(2)}, {}, [A1])
    assert (results.positions(OTHER), results.positions(ENGINE), results.snapshots(ENGINE)) == (
        {"table/a": at(2)},
        {},
        {},
    )
    assert list(results.results("findings")) == [("a", b"1")]


def test_reset_forgets_the_position_and_keeps_the_records(results: ResultStore) -> None:
    results.commit(ENGINE, {"table/a": at(7)}, {"table/a": b"open"}, [A1])
    results.reset()
    assert (results.positions(ENGINE), results.snapshots(ENGINE)) == ({}, {})
    assert results.latest("findings", "a") == b"1"


def test_many_results_are_read_in_order(results: ResultStore) -> None:
    results.commit(ENGINE, {}, {}, [("findings", f"{number}", b"x") for number in range(9000)])
    assert [key for key, _ in results.results("findings")] == [f"{number}" for number in range(9000)]


def test_a_reader_needs_results(path: Path) -> None:
    with pytest.raises(LogUnavailable, match="replay the log first"):
        SqliteResults(path, read_only=True)
