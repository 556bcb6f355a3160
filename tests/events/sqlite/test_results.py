"""Where a replayer keeps what it found: one transaction, repeats change nothing, another engine starts again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from events.errors import LogUnavailable, SecondWriter
from events.log.contract import Head, ResultStore
from events.log.result_chain import check_chains
from events.sqlite.results import SqliteResults
from tests.contract.backends import SqliteTamper


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


def test_advice_is_kept_once_for_each_stream_and_has_no_place_in_a_chain(results: ResultStore, path: Path) -> None:
    results.commit(ENGINE, {"table/a": at(7)}, {}, [A1], advice={"table/a": b"first", "table/b": b"of b"})
    heads = results.chain_heads()
    results.commit(ENGINE, {"table/a": at(8)}, {}, [], advice={"table/a": b"second"})
    reader = SqliteResults(path, read_only=True)
    assert results.advice() == reader.advice() == {"table/a": b"second", "table/b": b"of b"}
    results.commit(OTHER, {"table/a": at(9)}, {}, [], advice={"table/a": b""})
    assert results.advice() == reader.advice() == {"table/b": b"of b"}
    assert results.chain_heads() == heads
    assert [each.kind for each in results.stored()] == ["findings"]
    reader.close()


def test_results_from_before_there_was_advice_have_none(path: Path) -> None:
    SqliteResults(path).close()
    SqliteTamper(path).execute("DROP TABLE advice")
    reader = SqliteResults(path, read_only=True)
    assert reader.advice() == {}
    reader.close()


def test_repeats_change_nothing(results: ResultStore) -> None:
    for records in ([A1, A1], [A1, B1], [A2, A2], [A1], [A1, B1]):
        results.commit(ENGINE, {}, {}, records)
    assert list(results.results("findings")) == [("a", b"1"), ("b", b"1"), ("a", b"2"), ("a", b"1")]


def test_a_commit_is_whole_or_nothing(results: ResultStore) -> None:
    results.commit(ENGINE, {"table/a": at(7)}, {}, [A1])
    with pytest.raises(TypeError):
        results.commit(ENGINE, {"table/a": at(8)}, {"table/a": b"x"}, [A2, ("findings", "b", "text")])  # text where bytes belong
    assert (results.positions(ENGINE), results.snapshots(ENGINE)) == ({"table/a": at(7)}, {})
    assert list(results.results("findings")) == [("a", b"1")]


def test_another_engine_starts_anew(results: ResultStore) -> None:
    results.commit(ENGINE, {"table/a": at(7)}, {"table/a": b"open"}, [A1])
    assert (results.positions(OTHER), results.snapshots(OTHER)) == ({}, {})
    results.commit(OTHER, {"table/a": at(2)}, {}, [A1])
    assert (results.positions(OTHER), results.positions(ENGINE), results.snapshots(ENGINE)) == ({"table/a": at(2)}, {}, {})
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


def test_a_second_replayer_is_refused_and_a_reader_is_not(results: ResultStore, path: Path) -> None:
    with pytest.raises(SecondWriter, match=r"another replayer is at work: .*written by process [0-9]+; wait until it ends"):
        SqliteResults(path)
    SqliteResults(path, read_only=True).close()
    results.close()
    SqliteResults(path).close()


LEGACY = """
CREATE TABLE positions (engine TEXT NOT NULL, stream TEXT NOT NULL, seq INTEGER NOT NULL,
                        PRIMARY KEY (engine, stream)) STRICT, WITHOUT ROWID;
CREATE TABLE snapshots (engine TEXT NOT NULL, stream TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (engine, stream)) STRICT;
CREATE TABLE records (pos INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, data BLOB NOT NULL) STRICT;
CREATE INDEX records_by_key ON records (kind, key, pos);
INSERT INTO positions VALUES ('e', 'table/a', 7);
INSERT INTO snapshots VALUES ('e', 'table/a', x'80');
INSERT INTO records (kind, key, data) VALUES ('adjudications', 'table/a#1', x'7b7d'), ('ledger', 'table/a#9', x'7b7d');
"""


def test_a_store_from_before_chains_is_read_as_it_is(path: Path) -> None:
    SqliteTamper(path).execute(LEGACY)
    reader = SqliteResults(path, read_only=True)
    assert list(reader.results("ledger")) == [("table/a#9", b"{}")]
    assert [(each.stream, each.place) for each in reader.stored()] == [("table/a", 0)] * 2
    assert (reader.positions("e"), reader.chain_heads(), reader.broken_chains()) == ({}, {}, {})
    assert check_chains(reader).broken == {}
    reader.close()


def test_a_store_from_before_chains_gets_them_when_it_is_opened_for_writing(path: Path) -> None:
    """Its positions count for nothing, for they have no digest."""
    SqliteTamper(path).execute(LEGACY)
    store = SqliteResults(path)
    assert store.unchained() == 2
    assert [(each.stream, each.place) for each in store.stored()] == [("table/a", 1), ("table/a", 2)]
    assert check_chains(store).broken == store.broken_chains() == {}
    assert store.positions("e") == store.snapshots("e") == {}
    store.commit("e", {}, {}, [("ledger", "table/a#9", b"[]")])
    store.close()
    again = SqliteResults(path)
    assert (again.unchained(), again.chain_heads()["table/a"].seq) == (0, 3)
    again.close()


def test_what_is_judged_anew_takes_the_place_of_what_was_stored(results: ResultStore, path: Path) -> None:
    first, other = ("adjudications", "table/a#1", b"{}"), ("adjudications", "table/b#1", b"{}")
    results.commit(ENGINE, {"table/a": at(7)}, {"table/a": b"image"}, [first, other, ("ledger", "table/a#2", b"{}")])
    results.commit(ENGINE, {}, {}, [first], anew=["table/a"])
    assert [(each.key, each.place) for each in results.stored()] == [("table/b#1", 1), ("table/a#1", 1)]
    assert results.positions(ENGINE) == {}
    assert results.chain_heads()["table/a"].seq == 1
    assert check_chains(results).broken == {}
    kept = SqliteTamper(path).execute("SELECT key FROM discarded ORDER BY pos")
    assert kept == [("table/a#1",), ("table/a#2",)], "what was thrown away can be looked at"


def test_results_are_read_past_a_place(results: ResultStore) -> None:
    a, b = ("adjudications", "table/a#1", b"{}"), ("adjudications", "table/b#1", b"{}")
    results.commit(ENGINE, {}, {}, [a, b, ("ledger", "table/a#2", b"{}"), ("ledger", "table/a#3", b"{}")])
    assert [(each.key, each.place) for each in results.stored("table/a", 1)] == [("table/a#2", 2), ("table/a#3", 3)]
    assert [each.place for each in results.stored("table/a", 2)] == [3]
    assert [list(results.stored(stream, place)) for stream, place in (("table/a", 3), ("table/c", 1))] == [[], []]
