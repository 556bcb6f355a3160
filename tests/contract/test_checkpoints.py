"""What checkpoints promise on every backend: the store, whoever signs, and a witness that looks again and again."""

from pathlib import Path

import pytest

from events.errors import AppendRefused, IntegrityError, LogUnavailable, SecondWriter, WrongSequence
from events.log.contract import CheckpointStore, Head
from events.proofs.checkpointer import Checkpointer, KeyNotInForce
from events.proofs.inclusion import CheckpointMissing, check, prove
from events.proofs.keys import PROPERTY_STREAM, new_key, vouch_for
from events.proofs.signed_note import KeyKind
from events.proofs.signing_memory import SigningMemory, SigningRecord
from events.proofs.statements import BadCheckpoint, read_statement
from events.proofs.verify import verify
from events.vocabulary.codec import canonical
from events.vocabulary.model import KeyRetired
from tests.contract.backends import Backend
from tests.contract.drafts import TABLE, fill
from tests.contract.operator import ON_SQLITE, Losing, Operator
from tests.contract.sealed import LOG_ID, ORIGIN, OTHER, head_of, publish, root_of, signed

# The store.


def batch(size: int) -> tuple[bytes, Head]:
    return b"batch %d" % size, Head(size, bytes([size]) * 32)


def test_batches_are_read_back_in_order(operator: Operator, make_log: Backend) -> None:
    store = operator.store
    assert (list(store.batches()), store.acknowledged()) == ([], None)
    for before, size in ((0, 3), (3, 4), (4, 9)):
        store.append(before, *batch(size))
        assert store.acknowledged() == batch(size)[1]
    reader = make_log.open_checkpoints(LOG_ID, read_only=True)
    for each in (store, reader, reader):
        assert list(each.batches()) == [b"batch 3", b"batch 4", b"batch 9"]
        assert list(each.batches(3)) == [b"batch 4", b"batch 9"]
        assert list(each.batches(4)) == [b"batch 9"]
        assert list(each.batches(9)) == []
    store.append(9, *batch(12))
    assert list(reader.batches(4)) == [b"batch 9", b"batch 12"]
    assert list(reader.batches(9)) == [b"batch 12"]
    assert reader.acknowledged() == batch(12)[1]


def test_a_batch_that_does_not_follow_is_refused(operator: Operator) -> None:
    operator.store.append(0, *batch(3))
    for before in (0, 2, 4):
        with pytest.raises(WrongSequence):
            operator.store.append(before, *batch(9))
    assert list(operator.store.batches()) == [b"batch 3"]


def test_a_reader_adds_nothing(operator: Operator, make_log: Backend) -> None:
    reader = make_log.open_checkpoints(LOG_ID, read_only=True)
    with pytest.raises(AppendRefused, match="reading only"):
        reader.append(0, *batch(3))
    assert list(operator.store.batches()) == []


def test_one_process_at_a_time_adds_checkpoints(operator: Operator, make_log: Backend) -> None:
    with pytest.raises(SecondWriter):
        make_log.open_checkpoints(LOG_ID)
    operator.store.close()
    again = make_log.open_checkpoints(LOG_ID)
    again.append(0, *batch(3))
    assert again.acknowledged() == batch(3)[1]


@ON_SQLITE
def test_the_high_water_file_of_another_log_is_no_mark(operator: Operator, make_log: Backend) -> None:
    operator.store.append(0, *batch(3))
    operator.store.close()
    with pytest.raises(IntegrityError, match="acknowledged"):
        make_log.open_checkpoints("ff" * 16, read_only=True).acknowledged()


# Whoever signs.


def test_what_a_checkpoint_states_is_true(operator: Operator) -> None:
    """Heads and root against the definitions; the streams that did not move are not stated again."""
    signing = operator.begin()
    signing.sign()
    operator.more()
    assert signing.read() == 6
    assert signing.pending == 6
    checkpoint = signing.sign()
    assert signing.pending == 0
    lines = operator.lines()
    assert [line for line in lines if b'"time"' not in line] == [
        canonical(head_of(stream, [record.data for record in operator.log.read(stream, 1, size)]))
        for stream, size in ((PROPERTY_STREAM, 2), (TABLE, 7), (TABLE, 13))
    ]
    assert (checkpoint.origin, checkpoint.size, checkpoint.root) == (ORIGIN, 5, root_of(lines))
    times = [read_statement(lines[place]) for place in (2, 4)]
    assert [(each.events, each.within_s) for each in times] == [(9, None), (15, None)]


def test_an_idle_checkpoint_states_the_time_alone(operator: Operator) -> None:
    signing = operator.begin(within_s=60)
    first, second = signing.sign(), signing.sign()
    assert (first.size, second.size) == (3, 4)
    assert b'"within_s":60' in operator.lines()[3]
    assert signing.sign(last=True).size == 5
    assert b'"within_s":null' in operator.lines()[4]


def test_signing_goes_on_after_a_restart(operator: Operator) -> None:
    operator.begin().sign()
    operator.more()
    assert operator.begin().sign().size == 5
    report = verify(operator.log, checkpoints=operator.store, anchors=[operator.signer.public_key])
    assert report.ok
    assert report.signed is not None
    assert (report.signed.checkpoints, report.signed.events) == (2, 15)


@ON_SQLITE
def test_a_clock_that_runs_back_does_not_run_back_in_the_statements(operator: Operator) -> None:
    operator.begin().sign()
    operator.clock.now -= 3_600_000_000
    operator.begin().sign()
    assert verify(operator.log, checkpoints=operator.store).ok


@ON_SQLITE
def test_a_key_that_is_not_in_force_signs_nothing(operator: Operator, tmp_path: Path) -> None:
    stranger = new_key(tmp_path / "other", ORIGIN, KeyKind.LOG)
    with pytest.raises(KeyNotInForce, match="rack keys list"):
        operator.begin(stranger).sign()
    vouch = vouch_for(stranger.public_key, operator.signer)
    publish(operator.log, operator.drafts, stranger, vouch)
    operator.begin(stranger).sign()
    retired = KeyRetired(by="chief", public_key=str(operator.signer.public_key), reason="yearly")
    operator.log.append(PROPERTY_STREAM, 4, [operator.drafts(retired)])
    with pytest.raises(KeyNotInForce):
        operator.begin().sign()
    operator.begin(stranger).sign()
    report = verify(operator.log, checkpoints=operator.store, anchors=[operator.signer.public_key])
    assert (report.ok, report.signed and report.signed.checkpoints) == (True, 2)


def test_checkpoints_come_after_so_many_events(operator: Operator) -> None:
    signing = operator.begin()
    signing.sign()
    following = signing.follow(6, 3600, lambda: False)
    operator.more()
    assert next(following).size == 5
    operator.more()
    assert next(following).size == 7
    following.close()


def test_checkpoints_come_in_idle_times_too_and_end_when_asked(operator: Operator) -> None:
    signing = operator.begin()
    signing.sign()
    stop: list[bool] = []
    following = signing.follow(1000, 0.05, lambda: bool(stop))
    assert [next(following).size for _ in range(3)] == [4, 5, 6]
    stop.append(True)
    assert [each.size for each in following] == [7]


def remember(operator: Operator, before: int, size: int, data: bytes = b"") -> None:
    SigningMemory(operator.folder / "key", LOG_ID).record(SigningRecord(before, Head(size, bytes(32)), data))


@ON_SQLITE
def test_a_store_that_was_rolled_back_is_not_signed_on(operator: Operator) -> None:
    """The key remembers a checkpoint over 5 statements after 4; the store ends with 3."""
    operator.begin().sign()
    remember(operator, 4, 5)
    with pytest.raises(BadCheckpoint, match="the key's memory holds one over 5") as refused:
        operator.begin()
    assert (refused.value.fault, refused.value.seq) == ("checkpoint_lost", 4)


@ON_SQLITE
def test_a_store_that_holds_another_story_is_not_signed_on(operator: Operator) -> None:
    """What the key signed last is another checkpoint than the one that the store holds at that size."""
    operator.begin().sign()
    remember(operator, 0, 3)
    with pytest.raises(BadCheckpoint, match="the key's memory holds a checkpoint over 3") as refused:
        operator.begin()
    assert refused.value.fault == "checkpoint_fork"


@ON_SQLITE
def test_a_store_that_lost_what_it_acknowledged_is_not_mended(make_log: Backend, operator: Operator) -> None:
    """The last checkpoint is gone from the store, which knows that it had it: no death of a process explains that."""
    operator.begin().sign()
    operator.begin().sign()
    lost = Losing(operator.store, 1)
    with pytest.raises(BadCheckpoint, match="holds one over 4") as refused:
        Checkpointer(operator.log, lost, operator.signer, SigningMemory(operator.folder / "key", LOG_ID), clock=operator.clock)
    assert refused.value.fault == "checkpoint_lost"


class Dying:
    """A store that takes what it is given, or not, and does not live to say so."""

    def __init__(self, inner: CheckpointStore, stores: bool) -> None:
        self.inner, self.stores = inner, stores

    def append(self, before: int, data: bytes, head: Head) -> None:
        if self.stores:
            self.inner.append(before, data, head)
        raise LogUnavailable("no answer")


@pytest.mark.parametrize("stores", [False, True])
def test_what_was_signed_when_the_process_died_is_what_stands_in_the_store(operator: Operator, stores: bool) -> None:
    """Whether it was stored or not: the same signature, and no other checkpoint at that place."""
    operator.begin().sign()
    operator.more()
    dying = operator.begin()
    dying._store = Dying(operator.store, stores)
    with pytest.raises(LogUnavailable):
        dying.sign()
    remembered = SigningMemory(operator.folder / "key", LOG_ID).load()
    assert remembered is not None
    assert (remembered.before, remembered.head.seq) == (3, 5)
    operator.more()
    assert operator.begin().sign().size == 7
    stored = list(operator.store.batches())
    assert (len(stored), stored[1]) == (3, remembered.data)
    assert verify(operator.log, checkpoints=operator.store).ok


@ON_SQLITE
def test_a_full_disk_at_the_key_signs_nothing(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    signing = operator.begin()
    signing.sign()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        signing.sign()
    monkeypatch.undo()
    assert len(list(operator.store.batches())) == 1
    assert operator.begin().sign().size == 4


@ON_SQLITE
def test_a_checkpoint_that_was_stored_and_could_not_be_acknowledged(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever signs hears that; started again, he finds it, and goes on from it."""
    operator.begin().sign()
    operator.more()
    signing = operator.begin()

    def fails(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("os.fdatasync", fails)
    with pytest.raises(LogUnavailable, match=r"high-water: Input/output error; .*is stored, and not acknowledged"):
        signing.sign()
    monkeypatch.undo()
    assert len(list(operator.store.batches())) == 2
    operator.more()
    assert operator.begin().sign().size == 7
    assert len(list(operator.store.batches())) == 3
    assert verify(operator.log, checkpoints=operator.store).ok


@ON_SQLITE
@pytest.mark.parametrize("content", [b"", b"discard-rack signed v1 ff 1 2 00\n", b"x\n", b"discard-rack signed v1\n"])
def test_a_memory_that_is_not_as_it_was_written_is_no_memory(operator: Operator, content: bytes) -> None:
    operator.begin().sign()
    (operator.folder / f"key.{LOG_ID[:8]}.signed").write_bytes(content)
    with pytest.raises(IntegrityError, match="keep it"):
        operator.begin()


@ON_SQLITE
def test_events_that_contradict_what_was_signed_are_not_signed_on(operator: Operator) -> None:
    """Somebody with the key states another head of the table: the events do not bear it out, and nothing more is signed."""
    operator.begin().sign()
    leaves = operator.lines()
    false = canonical(head_of(OTHER, [b"what never was"]))
    time = b'{"at_us":1800000000000000,"events":10,"statement":"time","within_s":null}'
    everything = [*leaves, false, time]
    data = signed([false, time], everything, operator.signer)
    operator.store.append(3, data, Head(5, root_of(everything)))
    (operator.folder / f"key.{LOG_ID[:8]}.signed").unlink()
    fill(operator.log, operator.drafts, OTHER)
    with pytest.raises(IntegrityError, match="not those of which a checkpoint states the root") as refused:
        operator.begin()
    assert (refused.value.stream, refused.value.seq) == (OTHER, 1)


@ON_SQLITE
def test_silence_is_what_is_longer_than_promised(operator: Operator) -> None:
    """60 seconds were promised: 60 are kept, one more is a silence, and so is what the auditor's own measure finds."""
    signing = operator.begin(within_s=60)
    signing.sign()
    operator.clock.now += 59_000_000
    signing.sign()
    assert report_of(operator).silences == ()
    operator.clock.now += 60_000_000
    signing.sign(last=True)
    (silence,) = report_of(operator).silences
    assert (silence.to_us - silence.from_us, silence.within_s) == (61_000_000, 60)
    operator.clock.now += 500_000_000
    signing.sign()
    assert len(report_of(operator).silences) == 1, "the last one promised nothing"
    assert [each.within_s for each in report_of(operator, gap_s=60).silences] == [60, 60]
    assert [each.within_s for each in report_of(operator, gap_s=59).silences] == [59, 59, 59]
    assert len(report_of(operator, gap_s=500).silences) == 2


def report_of(operator: Operator, gap_s: int | None = None):
    report = verify(operator.log, checkpoints=operator.store, gap_s=gap_s)
    assert report.ok, "a silence breaks nothing"
    assert report.signed is not None
    return report.signed


# Proofs.


def test_every_event_that_is_covered_is_proven(operator: Operator) -> None:
    signing = operator.begin()
    signing.sign()
    operator.more()
    signing.read()
    signing.sign()
    operator.more()
    for number in range(1, 14):
        shown = check(prove(operator.log, operator.store, TABLE, [number]), [operator.signer.public_key])
        assert (shown.stream, shown.numbers) == (TABLE, (number,))
        assert shown.head.size == (7 if number <= 7 else 13), "under the first statement that covers it"
    for numbers in ([14], [1, 14], [99]):
        with pytest.raises(CheckpointMissing, match="`rack checkpoint`"):
            prove(operator.log, operator.store, TABLE, numbers)
    with pytest.raises(CheckpointMissing):
        prove(operator.log, operator.store, "table/nowhere", [1])
