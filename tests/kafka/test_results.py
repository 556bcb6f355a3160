"""Results on Kafka: one transaction over findings and state, repeats change nothing, another engine starts anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from events.errors import AppendRefused, LogUnavailable, SecondWriter
from events.kafka_client import Writer
from events.kafka_log import KafkaLog, KafkaResults

ENGINE, OTHER = "5e" * 32, "5f" * 32
A1, A2, B1 = ("findings", "a", b"1"), ("findings", "a", b"2"), ("findings", "b", b"1")
OpenResults = Callable[..., KafkaResults]


@pytest.fixture
def open_results(log: KafkaLog) -> Iterator[OpenResults]:
    opened: list[KafkaResults] = []

    def open_(**options: bool) -> KafkaResults:
        opened.append(KafkaResults(log.address, timeout_s=10.0, **options))  # type: ignore[arg-type]
        return opened[-1]

    yield open_
    for results in opened:
        results.close()


@pytest.fixture
def results(open_results: OpenResults) -> KafkaResults:
    return open_results()


def test_everything_of_a_commit_is_kept(results: KafkaResults, open_results: OpenResults) -> None:
    results.commit(ENGINE, {"table/a": 7}, {"table/a": b"open"}, [A1, ("adjudications", "a", b"9"), B1])
    results.commit(ENGINE, {"table/a": 9, "table/b": 1}, {"table/b": b"\0"}, [A2])
    for store in (results, open_results(read_only=True)):
        assert store.positions(ENGINE) == {"table/a": 9, "table/b": 1}
        assert store.snapshots(ENGINE) == {"table/a": b"open", "table/b": b"\0"}
        assert list(store.results("findings")) == [("a", b"1"), ("b", b"1"), ("a", b"2")]
        assert list(store.results("adjudications")) == [("a", b"9")]
        assert (store.latest("findings", "a"), store.latest("findings", "c")) == (b"2", None)


def test_repeats_change_nothing(results: KafkaResults) -> None:
    for records in ([A1, A1], [A1, B1], [A2, A2], [A1], [A1, B1]):
        results.commit(ENGINE, {}, {}, records)
    assert list(results.results("findings")) == [("a", b"1"), ("b", b"1"), ("a", b"2"), ("a", b"1")]


def test_another_engine_starts_anew(results: KafkaResults) -> None:
    results.commit(ENGINE, {"table/a": 7, "table/b": 3}, {"table/b": b"open"}, [A1])
    assert (results.positions(OTHER), results.snapshots(OTHER)) == ({}, {})
    results.commit(OTHER, {"table/a": 2}, {}, [])
    assert (results.positions(ENGINE), results.positions(OTHER), results.snapshots(OTHER)) == ({}, {"table/a": 2}, {})
    results.commit(ENGINE, {"table/a": 1}, {}, [])
    assert (results.positions(ENGINE), results.snapshots(ENGINE)) == ({"table/a": 1}, {}), "the old state stays away"
    assert list(results.results("findings")) == [("a", b"1")]


def test_reset_forgets_the_state_and_keeps_the_records(results: KafkaResults) -> None:
    results.commit(ENGINE, {"table/a": 7}, {"table/a": b"open"}, [A1])
    results.reset()
    assert (results.positions(ENGINE), results.snapshots(ENGINE)) == ({}, {})
    assert results.latest("findings", "a") == b"1"


def test_a_reader_may_not_write(results: KafkaResults, open_results: OpenResults) -> None:
    with pytest.raises(AppendRefused, match="reading only"):
        open_results(read_only=True).commit(ENGINE, {}, {}, [A1])


def test_a_commit_is_whole_or_nothing(
    results: KafkaResults, open_results: OpenResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    results.commit(ENGINE, {"table/a": 7}, {}, [A1])

    def lose(writer: Writer) -> None:
        writer._producer.flush(10)
        raise ConnectionError("gone")

    with monkeypatch.context() as patch:
        patch.setattr(Writer, "_prepare", lose)
        with pytest.raises(LogUnavailable):
            results.commit(ENGINE, {"table/a": 8}, {"table/a": b"x"}, [A2, B1])
    for store in (open_results(), results):
        assert (store.positions(ENGINE), store.snapshots(ENGINE)) == ({"table/a": 7}, {})
        assert list(store.results("findings")) == [("a", b"1")]
    results.commit(ENGINE, {"table/a": 8}, {"table/a": b"x"}, [A2, B1])
    assert list(results.results("findings")) == [("a", b"1"), ("a", b"2"), ("b", b"1")]


@pytest.mark.parametrize("step", ["_prepare", "_commit"])
def test_a_commit_whose_answer_is_lost_is_made_once(
    results: KafkaResults, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    results.commit(ENGINE, {"table/a": 7}, {}, [A1])
    real, left = getattr(Writer, step), [1]

    def lose(writer: Writer) -> None:
        if step == "_commit":
            real(writer)
        if left[0]:
            left[0] -= 1
            raise TimeoutError("the answer was lost")
        if step == "_prepare":
            real(writer)

    monkeypatch.setattr(Writer, step, lose)
    results.commit(ENGINE, {"table/a": 9}, {}, [A2, B1])
    assert results.positions(ENGINE) == {"table/a": 9}
    assert list(results.results("findings")) == [("a", b"1"), ("a", b"2"), ("b", b"1")]


def test_a_second_replayer_takes_over(results: KafkaResults, open_results: OpenResults) -> None:
    results.commit(ENGINE, {"table/a": 7}, {}, [A1])
    second = open_results()
    second.commit(ENGINE, {"table/a": 8}, {}, [])
    for _ in range(2):
        with pytest.raises(SecondWriter):
            results.commit(ENGINE, {"table/a": 9}, {}, [])
    assert second.positions(ENGINE) == results.positions(ENGINE) == {"table/a": 8}


def test_results_of_no_log(results: KafkaResults) -> None:
    with pytest.raises(LogUnavailable, match="there is no log at"):
        KafkaResults(results.address + "-not")
