"""Checkpoints in `<prefix>.checkpoints`: another machine that takes over, answers that are lost, records that are not ours."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from events.errors import LogUnavailable, SecondWriter
from events.kafka.checkpoints import KafkaCheckpoints
from events.kafka.client import Cluster, Lane, Outgoing, Unsure
from events.kafka.log import KafkaLog
from events.kafka.topics import parse_address
from events.log.contract import Head

OpenStore = Callable[..., KafkaCheckpoints]


@pytest.fixture
def open_store(address: str, log: KafkaLog, tmp_path: Path) -> Iterator[OpenStore]:
    """Opens the checkpoints of the test's log as a process on this machine would (`machine`: as one elsewhere)."""
    with contextlib.ExitStack() as opened:

        def open_(machine: str = "here", *, read_only: bool = False) -> KafkaCheckpoints:
            state_dir = tmp_path / machine
            store = KafkaCheckpoints(
                address, log_id=log.log_id, read_only=read_only, state_dir=state_dir, timeout_s=10.0
            )
            return opened.enter_context(contextlib.closing(store))

        yield open_


def batch(size: int) -> tuple[bytes, Head]:
    return b"batch %d" % size, Head(size, bytes([size]) * 32)


def test_another_machine_takes_the_right_to_sign_over(open_store: OpenStore) -> None:
    here = open_store()
    here.append(0, *batch(3))
    elsewhere = open_store("elsewhere")
    elsewhere.append(3, *batch(4))
    with pytest.raises(SecondWriter, match="another process writes the checkpoints"):
        here.append(3, *batch(5))
    assert list(elsewhere.batches()) == [b"batch 3", b"batch 4"]
    assert (here.acknowledged(), elsewhere.acknowledged()) == (batch(3)[1], batch(4)[1])


@pytest.mark.parametrize("stored", [False, True])
def test_a_lost_answer_ends_the_process_and_the_next_one_finds_out(
    open_store: OpenStore, monkeypatch: pytest.MonkeyPatch, stored: bool
) -> None:
    store = open_store()
    store.append(0, *batch(3))
    assert store._writer is not None
    transact = store._writer.transact

    def unsure(messages: list[Outgoing]) -> None:
        if stored:
            transact(messages)
        raise Unsure("no answer")

    monkeypatch.setattr(store._writer, "transact", unsure)
    with pytest.raises(LogUnavailable, match="did not say whether the checkpoint was stored"):
        store.append(3, *batch(4))
    assert store.acknowledged() == batch(3)[1], "what may not be there is not acknowledged"
    store.close()
    again = open_store()
    found = list(again.batches())
    assert found == [b"batch 3", b"batch 4"][: 1 + stored]
    again.append(4 if stored else 3, *batch(9))
    assert list(again.batches()) == [*found, b"batch 9"]


def put(address: str, key: bytes, value: bytes) -> None:
    """Write past the store, as anybody with the right to produce can."""
    bootstrap, prefix = parse_address(address)
    Cluster(bootstrap, timeout_s=10.0).send_plain(Outgoing(*Lane(f"{prefix}.checkpoints", 0), key, value, []))


def test_the_same_record_again_is_dropped_and_another_is_for_the_reader_to_refuse(
    address: str, open_store: OpenStore
) -> None:
    store = open_store()
    store.append(0, *batch(3))
    store.append(3, *batch(4))
    put(address, b"4", b"batch 4")
    assert list(store.batches()) == [b"batch 3", b"batch 4"]
    put(address, b"4", b"another")
    put(address, b"no number", b"strange")
    assert list(store.batches()) == [b"batch 3", b"batch 4", b"another", b"strange"]
    assert list(store.batches(4)) == [b"strange"], "what has no number may stand anywhere"


def test_reading_goes_on_where_it_ended(open_store: OpenStore) -> None:
    store, reader = open_store(), open_store(read_only=True)
    before = 0
    for size in range(1, 30):
        store.append(before, *batch(size))
        before = size
    assert len(list(reader.batches())) == 29
    assert list(reader.batches(28)) == [b"batch 29"]
    assert reader._places[0][1] > 0
    assert list(reader.batches(5))[:2] == [b"batch 6", b"batch 7"], "and further back too"
    store.append(29, *batch(30))
    assert list(reader.batches(29)) == [b"batch 30"]
