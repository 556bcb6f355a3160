"""What checkpoints promise on every backend: the store, whoever signs, and a witness that looks again and again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from events.checkpointer import Checkpointer, KeyNotInForce
from events.codec import canonical
from events.errors import AppendRefused, IntegrityError, LogUnavailable, SecondWriter, WrongSequence
from events.keys import PROPERTY_STREAM, FileSigner, new_key, vouch_for
from events.log import CheckpointStore, Head
from events.model import KeyRetired
from events.notes import KeyKind
from events.proof import NotCovered, check, prove
from events.signing_memory import Signed, SigningMemory
from events.statements import BadCheckpoint, Batch, read_statement
from events.verify import verify
from events.witness import Witness, WitnessFolder
from tests.contract.backends import Backend
from tests.contract.drafts import TABLE, Drafts, fill
from tests.contract.sealed import LOG_ID, ORIGIN, OTHER, Clock, head_of, publish, root_of, signed

ON_SQLITE = pytest.mark.parametrize("make_log", ["sqlite"], indirect=True)
"""For what does not depend on the backend: on one of them it is soon tried."""


class Operator:
    """Who signs for the log of a test."""

    def __init__(self, make_log: Backend, folder: Path, drafts: Drafts) -> None:
        self.make_log, self.folder, self.drafts = make_log, folder, drafts
        self.log = make_log.create(log_id=LOG_ID)
        self.signer = new_key(folder / "key", ORIGIN, KeyKind.LOG)
        self.clock = Clock()
        publish(self.log, drafts, self.signer)
        fill(self.log, drafts, TABLE, rounds=1)
        self.store = make_log.open_checkpoints(LOG_ID)

    def begin(self, signer: FileSigner | None = None, within_s: int | None = None) -> Checkpointer:
        """A checkpointer that has read the log: as after a start of the process."""
        memory = SigningMemory(self.folder / "key", LOG_ID)
        made = Checkpointer(
            self.log, self.store, signer or self.signer, memory, clock=self.clock, within_s=within_s
        )  # fmt: skip
        made.read()
        return made

    def more(self) -> None:
        self.log.append(TABLE, self.log.head(TABLE).seq + 1, self.drafts.round())

    def lines(self) -> list[bytes]:
        """All statements, as they are stored."""
        return [line for batch in self.store.batches() for line in Batch.decode(batch).lines]


@pytest.fixture
def operator(make_log: Backend, tmp_path: Path, drafts: Drafts) -> Operator:
    return Operator(make_log, tmp_path, drafts)


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


def forged(operator: Operator, signer: FileSigner, time: bytes = b"1800000000000000") -> tuple[int, bytes, Head]:
    """A next idle checkpoint, well formed and signed."""
    leaves = operator.lines()
    events = sum({s.stream: s.size for s in map(read_statement, leaves) if s.statement == "head"}.values())
    line = b'{"at_us":%s,"events":%d,"statement":"time","within_s":null}' % (time, events)
    everything = [*leaves, line]
    return len(leaves), signed([line], everything, signer), Head(len(everything), root_of(everything))


def remember(operator: Operator, before: int, size: int, data: bytes = b"") -> None:
    SigningMemory(operator.folder / "key", LOG_ID).record(Signed(before, Head(size, bytes(32)), data))


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
        Checkpointer(operator.log, lost, operator.signer, SigningMemory(operator.folder / "key", LOG_ID),
                     clock=operator.clock)  # type: ignore[arg-type]  # fmt: skip
    assert refused.value.fault == "checkpoint_lost"


class Losing:
    """A store whose newest checkpoints cannot be read any more."""

    def __init__(self, inner: CheckpointStore, lost: int = 0) -> None:
        self.inner, self.lost = inner, lost

    def batches(self, after: int = 0) -> Iterator[bytes]:
        found = list(self.inner.batches(after))
        return iter(found[: len(found) - self.lost])

    def acknowledged(self) -> Head | None:
        return self.inner.acknowledged()


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
    dying._store = Dying(operator.store, stores)  # type: ignore[assignment]
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
def test_a_checkpoint_that_was_stored_and_could_not_be_acknowledged(
    operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
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
        with pytest.raises(NotCovered, match="`rack checkpoint`"):
            prove(operator.log, operator.store, TABLE, numbers)
    with pytest.raises(NotCovered):
        prove(operator.log, operator.store, "table/nowhere", [1])


# The witness.


@pytest.fixture
def witness(operator: Operator, tmp_path: Path) -> Witness:
    signer = new_key(tmp_path / "w", "north", KeyKind.WITNESS)
    folder = WitnessFolder(tmp_path / "north", signer.public_key)
    return Witness(operator.log, operator.store, signer, folder, clock=operator.clock)


def test_a_witness_cosigns_each_new_checkpoint_once(operator: Operator, witness: Witness, tmp_path: Path) -> None:
    assert witness.look() is None
    signing = operator.begin()
    for size in (3, 4):
        signing.sign()
        seen = witness.look()
        assert seen is not None
        assert (seen.checkpoint.size, seen.signed.time_s) == (size, operator.clock.now // 1_000_000)
        assert witness.look() is None
    operator.more()
    signing.read()
    signing.sign()
    signing.sign()
    seen = witness.look()
    assert seen is not None
    assert seen.checkpoint.size == 7, "of several new ones, the newest"
    assert [mark.head.seq for mark in WitnessFolder(tmp_path / "north", seen.signed.key).marks(ORIGIN)] == [3, 4, 7]


@ON_SQLITE
def test_a_witness_goes_on_after_a_restart(operator: Operator, witness: Witness, tmp_path: Path) -> None:
    signing = operator.begin()
    signing.sign()
    seen = witness.look()
    assert seen is not None
    signing.sign()
    signer = FileSigner(seen.signed.key, witness._signer._private)  # type: ignore[attr-defined]
    folder = WitnessFolder(tmp_path / "north", seen.signed.key)
    again = Witness(operator.log, operator.store, signer, folder, clock=operator.clock).look()
    assert again is not None
    assert again.checkpoint.size == 4


@ON_SQLITE
def test_a_witness_trusts_the_keys_that_it_was_given(operator: Operator, tmp_path: Path) -> None:
    signer = new_key(tmp_path / "w", "north", KeyKind.WITNESS)
    other = new_key(tmp_path / "other", ORIGIN, KeyKind.LOG).public_key
    folder = WitnessFolder(tmp_path / "north", signer.public_key)
    operator.begin().sign()
    with pytest.raises(BadCheckpoint, match="none of those vouches"):
        Witness(operator.log, operator.store, signer, folder, anchors=[other], clock=operator.clock).look()
    anchors = [operator.signer.public_key]
    assert Witness(operator.log, operator.store, signer, folder, anchors=anchors, clock=operator.clock).look()


def test_a_key_that_is_published_while_the_witness_looks_is_known(
    operator: Operator, witness: Witness, tmp_path: Path
) -> None:
    operator.begin().sign()
    assert witness.look()
    new = new_key(tmp_path / "key-2", ORIGIN, KeyKind.LOG)
    publish(operator.log, operator.drafts, new, vouch_for(new.public_key, operator.signer))
    operator.begin(new).sign()
    assert witness.look()


@ON_SQLITE
def test_a_witness_that_looks_on_sees_a_checkpoint_of_a_stranger(
    operator: Operator, witness: Witness, tmp_path: Path
) -> None:
    operator.begin().sign()
    assert witness.look()
    stranger = new_key(tmp_path / "stranger", ORIGIN, KeyKind.LOG)
    before, data, head = forged(operator, stranger)
    operator.store.append(before, data, head)
    with pytest.raises(BadCheckpoint, match="names no such key") as refused:
        witness.look()
    assert refused.value.fault == "checkpoint_forged"
    (kept,) = (tmp_path / "north").glob("refused-*")
    assert kept.read_bytes() == data


@ON_SQLITE
def test_a_witness_that_looks_on_sees_that_the_store_lost_what_it_saw(operator: Operator, tmp_path: Path) -> None:
    store = Losing(operator.store)
    signer = new_key(tmp_path / "w", "north", KeyKind.WITNESS)
    folder = WitnessFolder(tmp_path / "north", signer.public_key)
    witness = Witness(operator.log, store, signer, folder, clock=operator.clock)  # type: ignore[arg-type]
    operator.begin().sign()
    assert witness.look()
    store.lost = 1
    with pytest.raises(BadCheckpoint, match="no longer there") as refused:
        witness.look()
    assert refused.value.fault == "checkpoint_lost"


@ON_SQLITE
def test_a_spoilt_folder_of_a_witness_is_no_witness(operator: Operator, witness: Witness, tmp_path: Path) -> None:
    operator.begin().sign()
    seen = witness.look()
    assert seen is not None
    note = tmp_path / "north" / f"{3:016d}.note"
    whole = note.read_bytes()
    for spoilt in (whole[:-4], whole.replace(b"\n3\n", b"\n2\n"), b"", seen.note.encode().split(b"\n\xe2")[0] + b"\n"):
        note.write_bytes(spoilt)
        with pytest.raises(BadCheckpoint) as refused:
            list(WitnessFolder(tmp_path / "north", seen.signed.key).marks(ORIGIN))
        assert refused.value.fault == "checkpoint_forged"
    note.write_bytes(whole)
    other = new_key(tmp_path / "other", "north", KeyKind.WITNESS).public_key
    with pytest.raises(BadCheckpoint, match="is not a checkpoint over 3 statements that north cosigned"):
        list(WitnessFolder(tmp_path / "north", other).marks(ORIGIN))
