"""Results on Kafka: one transaction over findings and state, repeats change nothing, another engine starts again."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from unittest.mock import patch

import pytest

from events.errors import AppendRefused, LogUnavailable, SecondWriter
from events.kafka import partition_writer
from events.kafka import results as kafka_results
from events.kafka.client import Cluster
from events.kafka.log import KafkaLog, KafkaResults
from events.kafka.partition_reader import Headers
from events.kafka.results_reader import StoredResults
from events.kafka.topics import REPLAY_PARTITION
from events.kafka.transactions import OutgoingRecord, TransactionalWriter
from events.log.contract import Head, QuarantineEntry
from tests.contract.drafts import TABLE, Drafts, fill
from tests.kafka.rubbish import NO_VALUE


def at(seq: int) -> Head:
    """A head of a log at a number."""
    return Head(seq, bytes([seq]) * 32)


ENGINE, OTHER = "5e" * 32, "5f" * 32
A1, A2, B1 = ("findings", "a", b"1"), ("findings", "a", b"2"), ("findings", "b", b"1")
OpenResults = Callable[..., KafkaResults]


@pytest.fixture
def open_results(log: KafkaLog) -> Iterator[OpenResults]:
    opened: list[KafkaResults] = []

    def open_(**options: bool) -> KafkaResults:
        opened.append(KafkaResults(log.address, **options))
        return opened[-1]

    yield open_
    for results in opened:
        results.close()


@pytest.fixture
def results(open_results: OpenResults) -> KafkaResults:
    return open_results()


def test_everything_of_a_commit_is_kept(results: KafkaResults, open_results: OpenResults) -> None:
    results.commit(ENGINE, {"table/a": at(7)}, {"table/a": b"open"}, [A1, ("adjudications", "a", b"9"), B1])
    results.commit(ENGINE, {"table/a": at(9), "table/b": at(1)}, {"table/b": b"\0"}, [A2])
    for store in (results, open_results(read_only=True)):
        assert store.positions(ENGINE) == {"table/a": at(9), "table/b": at(1)}
        assert store.snapshots(ENGINE) == {"table/b": b"\0"}, "a position without a snapshot forgets the one before"
        assert list(store.results("findings")) == [("a", b"1"), ("b", b"1"), ("a", b"2")]
        assert list(store.results("adjudications")) == [("a", b"9")]
        assert (store.latest("findings", "a"), store.latest("findings", "c")) == (b"2", None)


def test_advice_is_kept_once_for_each_stream(results: KafkaResults, open_results: OpenResults) -> None:
    results.commit(ENGINE, {"table/a": at(7)}, {}, [A1], advice={"table/a": b"first", "table/b": b"of b"})
    results.commit(ENGINE, {"table/a": at(8)}, {}, [], advice={"table/a": b"second"})
    reader = open_results(read_only=True)
    assert results.advice() == reader.advice() == {"table/a": b"second", "table/b": b"of b"}
    results.commit(ENGINE, {"table/a": at(9)}, {}, [], advice={"table/a": b""})
    assert results.advice() == reader.advice() == {"table/b": b"of b"}
    assert [each.kind for each in results.stored()] == ["findings"]


def test_repeats_change_nothing(results: KafkaResults) -> None:
    for records in ([A1, A1], [A1, B1], [A2, A2], [A1], [A1, B1]):
        results.commit(ENGINE, {}, {}, records)
    assert list(results.results("findings")) == [("a", b"1"), ("b", b"1"), ("a", b"2"), ("a", b"1")]


def test_another_engine_starts_anew(results: KafkaResults) -> None:
    results.commit(ENGINE, {"table/a": at(7), "table/b": at(3)}, {"table/b": b"open"}, [A1])
    assert (results.positions(OTHER), results.snapshots(OTHER)) == ({}, {})
    results.commit(OTHER, {"table/a": at(2)}, {}, [])
    assert (results.positions(ENGINE), results.positions(OTHER), results.snapshots(OTHER)) == ({}, {"table/a": at(2)}, {})
    results.commit(ENGINE, {"table/a": at(1)}, {}, [])
    assert (results.positions(ENGINE), results.snapshots(ENGINE)) == ({"table/a": at(1)}, {}), "the old state stays away"
    assert list(results.results("findings")) == [("a", b"1")]


def test_reset_forgets_the_state_and_keeps_the_records(results: KafkaResults) -> None:
    results.commit(ENGINE, {"table/a": at(7)}, {"table/a": b"open"}, [A1])
    results.reset()
    assert (results.positions(ENGINE), results.snapshots(ENGINE)) == ({}, {})
    assert results.latest("findings", "a") == b"1"


def test_a_reader_may_not_write(results: KafkaResults, open_results: OpenResults) -> None:
    with pytest.raises(AppendRefused, match="reading only"):
        open_results(read_only=True).commit(ENGINE, {}, {}, [A1])


def test_a_long_commit_has_the_time_it_takes(
    results: KafkaResults, open_results: OpenResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, writer = list[float | None](), Cluster.writer

    def noting(cluster: Cluster, name: str, *, transaction_s: float | None = None) -> TransactionalWriter:
        made.append(transaction_s)
        return writer(cluster, name, transaction_s=transaction_s)

    monkeypatch.setattr(Cluster, "writer", noting)
    monkeypatch.setattr(kafka_results, "IN_TIME", 3)
    results.commit(ENGINE, {}, {}, [A1])
    results.commit(ENGINE, {}, {}, [A2, B1, ("adjudications", "a", b"9")])
    results.commit(ENGINE, {}, {}, [A1])
    assert made == [None, kafka_results.LONGEST_S, None]
    assert list(open_results(read_only=True).results("findings")) == [("a", b"1"), ("a", b"2"), ("b", b"1"), ("a", b"1")]


def test_a_commit_is_whole_or_nothing(results: KafkaResults, open_results: OpenResults, monkeypatch: pytest.MonkeyPatch) -> None:
    results.commit(ENGINE, {"table/a": at(7)}, {}, [A1])

    def lose(writer: TransactionalWriter) -> None:
        writer._producer.flush(10)
        raise ConnectionError("gone")

    with monkeypatch.context() as patch:
        patch.setattr(TransactionalWriter, "_prepare", lose)
        with pytest.raises(LogUnavailable):
            results.commit(ENGINE, {"table/a": at(8)}, {"table/a": b"x"}, [A2, B1])
    for store in (open_results(), results):
        assert (store.positions(ENGINE), store.snapshots(ENGINE)) == ({"table/a": at(7)}, {})
        assert list(store.results("findings")) == [("a", b"1")]
    results.commit(ENGINE, {"table/a": at(8)}, {"table/a": b"x"}, [A2, B1])
    assert list(results.results("findings")) == [("a", b"1"), ("a", b"2"), ("b", b"1")]


@pytest.mark.parametrize("step", ["_prepare", "_commit"])
def test_a_commit_whose_answer_is_lost_is_made_once(results: KafkaResults, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    results.commit(ENGINE, {"table/a": at(7)}, {}, [A1])
    real, left = getattr(TransactionalWriter, step), [1]

    def lose(writer: TransactionalWriter) -> None:
        if step == "_commit":
            real(writer)
        if left[0]:
            left[0] -= 1
            raise TimeoutError("the answer was lost")
        if step == "_prepare":
            real(writer)

    monkeypatch.setattr(TransactionalWriter, step, lose)
    results.commit(ENGINE, {"table/a": at(9)}, {}, [A2, B1])
    assert results.positions(ENGINE) == {"table/a": at(9)}
    assert list(results.results("findings")) == [("a", b"1"), ("a", b"2"), ("b", b"1")]


def test_a_second_replayer_takes_over(results: KafkaResults, open_results: OpenResults) -> None:
    results.commit(ENGINE, {"table/a": at(7)}, {}, [A1])
    second = open_results()
    second.commit(ENGINE, {"table/a": at(8)}, {}, [])
    for _ in range(2):
        with pytest.raises(SecondWriter):
            results.commit(ENGINE, {"table/a": at(9)}, {}, [])
    assert second.positions(ENGINE) == results.positions(ENGINE) == {"table/a": at(8)}


def test_who_judges_again_reads_on_once_in_a_while(
    results: KafkaResults, open_results: OpenResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is stored is not read on for each question; but after a commit of one's own, after a second, and for a reader."""
    asked: list[StoredResults] = []
    read_findings = StoredResults.read_findings
    monkeypatch.setattr(StoredResults, "read_findings", lambda stored: (asked.append(stored), read_findings(stored))[1])
    results.commit(ENGINE, {"table/a": at(7)}, {}, [A1])
    asked.clear()
    assert [results.latest("findings", "a") for _ in range(100)] == [b"1"] * 100
    assert len(asked) < 50
    results.commit(ENGINE, {"table/a": at(8)}, {}, [A2])
    assert results.latest("findings", "a") == b"2"
    reader = open_results(read_only=True)
    assert reader.latest("findings", "a") == b"2"
    results.commit(ENGINE, {"table/a": at(9)}, {}, [A1])
    assert reader.latest("findings", "a") == b"1"
    monkeypatch.setattr(kafka_results, "FRESH_S", 0.0)
    second = open_results()
    assert second.latest("findings", "a") == b"1"
    results.commit(ENGINE, {"table/a": at(10)}, {}, [A2])
    assert second.latest("findings", "a") == b"2"


RUBBISH = [b"", b"{", b"\xff", b"[" * 5000, b'{"generation":7}', b"null"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("value", RUBBISH)
def test_state_that_no_replayer_wrote_is_replayed_over(
    log: KafkaLog, results: KafkaResults, open_results: OpenResults, cluster: Cluster, null_headers: None, value: bytes
) -> None:
    results.commit(ENGINE, {"table/a": at(7), "table/b": at(3)}, {"table/a": b"image"}, [A1])
    for key in (b"replay/position/table/a", b"replay/\xff", b"\xff"):
        cluster.send_plain(OutgoingRecord(f"{log.prefix}.state", REPLAY_PARTITION, key, value, [("generation", b"\xff")]))
    snapshot = OutgoingRecord(f"{log.prefix}.state", REPLAY_PARTITION, b"replay/snapshot/x", value, [("generation", NO_VALUE)])
    cluster.send_plain(snapshot)
    second = open_results()
    assert second.positions(ENGINE) == {"table/b": at(3)}
    cluster.send_plain(OutgoingRecord(f"{log.prefix}.state", REPLAY_PARTITION, b"replay/generation", value, []))
    third = open_results()
    assert (third.positions(ENGINE), third.snapshots(ENGINE)) == ({}, {})
    third.commit(ENGINE, {"table/a": at(7)}, {}, [A1, A2])
    assert list(third.results("findings")) == [("a", b"1"), ("a", b"2")]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("value", RUBBISH)
def test_quarantine_that_a_stranger_wrote_is_foreign(log: KafkaLog, cluster: Cluster, null_headers: None, value: bytes) -> None:
    kept = QuarantineEntry(TABLE, sha256(b"smudged").hexdigest(), "no event", b"smudged")
    log.quarantine(kept)
    topic, key = f"{log.prefix}.quarantine", kept.sha256.encode()
    stated: Headers = [("stream", TABLE.encode()), ("reason", b"no event"), ("at_us", b"7")]
    headers: Headers = [("stream", b"\xff"), ("at_us", b"9" * 5000), ("reason", NO_VALUE)]
    for foreign in (
        OutgoingRecord(topic, 0, b"\xff", value, headers),
        OutgoingRecord(topic, 0, key, value, headers),
        OutgoingRecord(topic, 0, b"key", value, stated),
        OutgoingRecord(topic, 0, key, None, stated),
        OutgoingRecord(topic, 0, key, value, stated[:2]),
        OutgoingRecord(topic, 0, None, value, stated),
    ):
        cluster.send_plain(foreign)
    (entry,) = log.quarantined()
    assert (entry.data, entry.stream) == (b"smudged", TABLE)
    assert log.foreign().count == 6
    cluster.send_plain(OutgoingRecord(topic, 0, b"0" * 64, value, stated))
    assert [each.data for each in log.quarantined()] == [b"smudged", value], "what claims to be an entry is listed"
    assert log.foreign().count == 6


def test_an_owner_that_a_stranger_wrote_takes_no_right_to_write(log: KafkaLog, drafts: Drafts, cluster: Cluster) -> None:
    fill(log, drafts)
    cluster.send_plain(OutgoingRecord(f"{log.prefix}.state", 0, f"owner/{log.prefix}.0".encode(), b"{", []))
    cluster.writer(f"{log.prefix}.0").close()
    with patch.object(partition_writer, "SUCCESSOR_S", 0.2):
        assert log.append(TABLE, 14, drafts.round()).seqs == tuple(range(14, 20))


def test_results_of_no_log(results: KafkaResults) -> None:
    with pytest.raises(LogUnavailable, match="there is no log at"):
        KafkaResults(results.address + "-not")


def test_results_are_read_past_a_place(results: KafkaResults, open_results: OpenResults) -> None:
    """Those of one stream begin again: its places too."""
    a, b = ("adjudications", "table/a#1", b"{}"), ("adjudications", "table/b#1", b"{}")
    results.commit(ENGINE, {}, {}, [a, b, ("ledger", "table/a#2", b"{}"), ("ledger", "table/a#3", b"{}")])
    for store in (results, open_results(read_only=True)):
        found = [(each.key, each.place) for each in store.stored("table/a", 1)]
        assert found == [("table/a#2", 2), ("table/a#3", 3)]
        assert [each.place for each in store.stored("table/a", 2)] == [3]
        assert [list(store.stored(stream, place)) for stream, place in (("table/a", 3), ("table/c", 1))] == [[], []]
    results.commit(ENGINE, {}, {}, [("ledger", "table/a#5", b"{}"), ("ledger", "table/a#6", b"{}")], anew=["table/a"])
    for store in (results, open_results(read_only=True)):
        assert [(each.key, each.place) for each in store.stored("table/a", 1)] == [("table/a#6", 2)]
