"""Checkpoints in `<prefix>.checkpoints`: another machine that takes over, answers that are lost, records that are not ours."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from events.errors import LogUnavailable, SecondWriter
from events.kafka.checkpoints import KafkaCheckpoints
from events.kafka.client import Cluster, TopicPartition
from events.kafka.log import KafkaLog
from events.kafka.topics import parse_address
from events.kafka.transactions import CommitUnknown, OutgoingRecord
from events.log.contract import Head
from events.proofs.statements import CheckpointBatch

OpenStore = Callable[..., KafkaCheckpoints]


@pytest.fixture
def open_store(address: str, log: KafkaLog, tmp_path: Path) -> Iterator[OpenStore]:
    """Opens the checkpoints of the test's log as a process on this machine would (`machine`: as one elsewhere)."""
    with contextlib.ExitStack() as opened:

        def open_(machine: str = "here", *, read_only: bool = False) -> KafkaCheckpoints:
            state_dir = tmp_path / machine
            store = KafkaCheckpoints(address, log_id=log.log_id, read_only=read_only, state_dir=state_dir)
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

    def unsure(messages: list[OutgoingRecord]) -> None:
        if stored:
            transact(messages)
        raise CommitUnknown("no answer")

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


def put(address: str, key: bytes | None, value: bytes | None) -> None:
    """Write past the store, as anybody with the right to produce can."""
    bootstrap, prefix = parse_address(address)
    Cluster(bootstrap).send_plain(OutgoingRecord(*TopicPartition(f"{prefix}.checkpoints", 0), key, value, []))


def test_the_same_record_again_is_dropped_and_another_is_for_the_reader_to_refuse(address: str, open_store: OpenStore) -> None:
    store = open_store()
    store.append(0, *batch(3))
    store.append(3, *batch(4))
    put(address, b"4", b"batch 4")
    assert list(store.batches()) == [b"batch 3", b"batch 4"]
    put(address, b"4", b"another")
    signed = CheckpointBatch((b"{}",), b"origin\n4\nroot\n\n\xe2\x80\x94 name " + b"A" * 96 + b"\n").encode()
    put(address, b"no number", signed)
    assert list(store.batches()) == [b"batch 3", b"batch 4", b"another", signed]
    assert list(store.batches(4)) == [signed], "what has no number may stand anywhere"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("key", "value"),
    [
        (b"no number", b"strange"),
        (b"9" * 5000, b"strange"),
        (None, b"strange"),
        (b"7", None),
        (b"", b"a\n\nb"),
        (None, b"\xff\xfe\n\n"),
        (b"-3", b""),
    ],
)
def test_what_claims_to_be_no_checkpoint_is_foreign(
    address: str, log: KafkaLog, open_store: OpenStore, key: bytes | None, value: bytes | None
) -> None:
    store = open_store()
    store.append(0, *batch(3))
    put(address, key, value)
    assert list(store.batches()) == [b"batch 3"]
    store.append(3, *batch(4))
    put(address, key, value)
    put(address, b"4", b"batch 4")
    assert list(store.batches()) == [b"batch 3", b"batch 4"], "a repeat is a repeat behind it too"
    store.close()
    again = open_store()
    again.append(4, *batch(5))
    assert list(again.batches(4)) == [b"batch 5"]
    assert [(each.topic, each.key is None) for each in log.foreign().records] == [(f"{log.prefix}.checkpoints", key is None)] * 2


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
