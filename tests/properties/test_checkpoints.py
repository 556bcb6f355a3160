"""What checkpoints and proofs promise to an auditor, whatever was appended and whatever is changed."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from events.errors import IntegrityError
from events.log.contract import Head, QuarantineEntry, Record
from events.log.foreign import OwnStore
from events.log.turn import SoleWriter
from events.proofs.checkpoint import Checkpoint
from events.proofs.history import History, Mark, StreamHeads
from events.proofs.inclusion import Proof, check, prove
from events.proofs.keys import PROPERTY_STREAM
from events.proofs.merkle import BadProof
from events.proofs.signed_note import BadNote
from events.proofs.statements import BadCheckpoint, CheckpointBatch, HeadStatement, Ledger, TimeStatement, read_statement
from events.proofs.verify import verify
from events.proofs.verify_checkpoints import check_checkpoints
from events.vocabulary.codec import canonical
from tests.contract.drafts import TABLE
from tests.contract.sealed import LOG_ID, ORIGIN, Contents, Honest, build, chain_of, flipped, head_of, root_of, signed

STREAMS = st.sampled_from(["table/a", "table/b", "meter/m", "property/main"])


class Memory(SoleWriter, OwnStore):
    """A log and its checkpoints in memory, as they are, right or wrong; the chain is made to fit the bytes."""

    log_id, property_id = LOG_ID, "bellwether"

    def __init__(self, contents: Contents) -> None:
        self.contents = contents

    def streams(self) -> list[str]:
        return sorted(self.contents.events)

    def read(self, stream: str, from_seq: int = 1, to_seq: int | None = None) -> Iterator[Record]:
        datas = [event.data for event in self.contents.events.get(stream, ())]
        chain = chain_of(stream, datas)
        for seq, data in enumerate(datas[:to_seq], 1):
            if seq >= from_seq:
                yield Record(stream, seq, data, chain[seq])

    def batches(self, after: int = 0) -> Iterator[bytes]:
        return iter(self.contents.batches)

    def verify_head(self, stream: str) -> None: ...

    def quarantined(self) -> list[QuarantineEntry]:
        return []

    def acknowledged(self) -> Any:
        return {}


class Store(Memory):
    def acknowledged(self) -> Any:
        return None


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Honest:
    return build(tmp_path_factory.mktemp("honest"))


def walk(contents: Contents, **known: Any):
    log: Any = Memory(contents)
    store: Any = Store(contents)
    return verify(log, checkpoints=store, **known)


@pytest.mark.slow
def test_every_byte_of_every_checkpoint_counts(honest: Honest) -> None:
    """Statements, note and signature; with the key that the auditor was given, and without."""
    anchors = [honest.signer.public_key]
    assert walk(honest.contents, anchors=anchors).ok
    for number, batch in enumerate(honest.contents.batches):
        for place in range(len(batch)):
            contents = honest.contents.copy()
            contents.batches[number] = flipped(batch, place)
            log: Any = Store(contents)
            checked = check_checkpoints(log, log, anchors=(), marks=())
            assert [error.stream for error in checked.errors] == ["checkpoints"], (number, place)
            assert checked.signed.checkpoints == number


@pytest.mark.slow
def test_every_byte_of_an_event_that_is_covered_counts(honest: Honest) -> None:
    """Even if the chain is made again, as here it always is: the roots tell."""
    for seq in (1, 7, 8, 13):
        data = honest.contents.events[TABLE][seq - 1].data
        for place in range(0, len(data), 3):
            contents = honest.contents.copy()
            datas = [event.data for event in contents.events[TABLE]]
            datas[seq - 1] = flipped(data, place)
            contents.rechain(TABLE, *datas)
            kinds = {found.kind for found in walk(contents).breaks if found.stream == TABLE}
            assert "changed" in kinds, (seq, place)


@pytest.mark.parametrize("false", ["root", "chain"])
def test_root_and_chain_must_both_be_true(honest: Honest, false: str) -> None:
    """Whoever has the key states one of them rightly and the other not: each is held against the events."""
    contents, leaves = honest.contents.copy(), list[bytes]()
    for number in range(len(contents.batches)):
        lines = contents.lines(number)
        if number == 1:
            head = read_statement(lines[0])
            assert isinstance(head, HeadStatement)
            lines[0] = canonical(msgspec.structs.replace(head, **{false: "00" * 32}))
        leaves += lines
        contents.batches[number] = signed(lines, leaves, honest.signer)
    found = walk(contents, anchors=[honest.signer.public_key]).first_break
    assert found is not None
    assert (found.stream, found.seq, found.kind) == (head.stream, 8, "changed")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_checkpoints_in_any_other_order_or_number_are_no_history(honest: Honest, data: st.DataObject) -> None:
    """Removed, repeated, in another order: whatever is not the beginning of the honest history is refused."""
    whole = honest.contents.batches
    chosen = data.draw(st.lists(st.sampled_from(range(len(whole))), max_size=6))
    contents = honest.contents.copy()
    contents.batches = [whole[number] for number in chosen]
    assert walk(contents).ok == (chosen == list(range(len(chosen))))


@given(st.lists(st.lists(st.tuples(STREAMS, st.binary(min_size=1, max_size=8)), max_size=6), min_size=1, max_size=6))
def test_what_is_stated_is_what_was_appended(rounds: list[list[tuple[str, bytes]]]) -> None:
    """Heads, chains and roots, number by number, against the definitions; however streams interleave."""
    events: dict[str, list[bytes]] = {}
    growing: dict[str, StreamHeads] = {}
    ledger, leaves = Ledger(ORIGIN), list[bytes]()
    for added in rounds:
        for stream, event in added:
            datas = events.setdefault(stream, [])
            datas.append(event)
            growing.setdefault(stream, StreamHeads(stream)).add(event, chain_of(stream, datas)[-1])
            assert growing[stream].statement() == head_of(stream, datas)
        moved = {stream for stream, _ in added}
        statements: list[HeadStatement | TimeStatement] = [growing[stream].statement() for stream in sorted(moved)]
        statements.append(TimeStatement(at_us=0, events=sum(map(len, events.values())), within_s=None))
        leaves += map(canonical, statements)
        assert ledger.extend(statements) == Checkpoint(ORIGIN, len(leaves), root_of(leaves))


@given(st.integers(1, 12), st.integers(1, 12))
def test_a_stream_never_shrinks_in_the_statements(first: int, second: int) -> None:
    """A signed checkpoint that says so is a fork; one that states the same number again, too."""
    ledger = Ledger(ORIGIN)
    ledger.extend([head_of(TABLE, [b"x"] * first), TimeStatement(at_us=0, events=first, within_s=None)])
    again = [head_of(TABLE, [b"x"] * second), TimeStatement(at_us=0, events=second, within_s=None)]
    if second > first:
        ledger.extend(again)
        return
    with pytest.raises(BadCheckpoint) as refused:
        ledger.extend(again)
    assert (refused.value.fault, refused.value.seq) == ("checkpoint_fork", 3)


@pytest.mark.parametrize(
    ("statements", "said"),
    [
        ([head_of(TABLE, [b"x"])], "at the end a time"),
        ([TimeStatement(at_us=0, events=0, within_s=None), head_of(TABLE, [b"x"])], "at the end a time"),
        ([TimeStatement(at_us=0, events=1, within_s=None)], "the heads cover 0"),
        ([head_of(TABLE, [b"x"]), TimeStatement(at_us=0, events=0, within_s=None)], "the heads cover 1"),
    ],
)
def test_what_a_checkpoint_may_not_state(statements: Sequence[HeadStatement | TimeStatement], said: str) -> None:
    with pytest.raises(BadCheckpoint, match=said):
        Ledger(ORIGIN).extend(statements)


def test_time_does_not_run_back() -> None:
    ledger = Ledger(ORIGIN)
    for at_us in (5, 5, 6):
        ledger.extend([TimeStatement(at_us=at_us, events=0, within_s=None)])
    with pytest.raises(BadCheckpoint, match="made before"):
        ledger.extend([TimeStatement(at_us=5, events=0, within_s=None)])


@given(st.binary(max_size=60) | st.text(max_size=30).map(str.encode))
def test_what_is_no_statement_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"statement|canonical"):
        read_statement(line)


@pytest.mark.parametrize(
    "line",
    [
        b'{"at_us":1,"events":2,"statement":"time"}',
        b'{"at_us":1,"events":2,"statement":"time","within_s":0}',
        b'{"at_us":1,"events":2,"statement":"time","within_s":null,"x":1}',
        b'{"at_us":1.0,"events":2,"statement":"time","within_s":null}',
        b'{"at_us": 1,"events":2,"statement":"time","within_s":null}',
        b'{"events":2,"at_us":1,"statement":"time","within_s":null}',
        b'{"at_us":1,"at_us":1,"events":2,"statement":"time","within_s":null}',
        b'{"statement":"tomorrow"}',
        b"[" * 5000,
    ],
)
def test_a_statement_has_one_form(line: bytes) -> None:
    assert read_statement(b'{"at_us":1,"events":2,"statement":"time","within_s":null}')
    with pytest.raises(ValueError, match=r"statement|canonical"):
        read_statement(line)


def test_every_mark_that_is_no_checkpoint_of_the_store_shows(honest: Honest) -> None:
    history, true = History(ORIGIN), list[Head]()
    for batch in honest.contents.batches:
        history.add(batch)
        assert history.last is not None
        true.append(Head(history.last.size, history.last.root))
    for mark in true:
        assert walk(honest.contents, marks=[Mark(mark, "a witness")]).ok
    assert walk(honest.contents, marks=[Mark(mark, "a witness") for mark in true[::-1]]).ok
    for size in range(1, 12):
        found = walk(honest.contents, marks=[Mark(Head(size, bytes(32)), "a witness")]).first_break
        assert found is not None
        assert found.kind == ("checkpoint_fork" if size <= true[-1].seq else "checkpoint_lost")


# Proofs.


@pytest.fixture(scope="module")
def proof(honest: Honest) -> Proof:
    log: Any = Memory(honest.contents)
    store: Any = Store(honest.contents)
    return prove(log, store, TABLE, [3, 6])


def test_every_byte_of_a_proof_counts(honest: Honest, proof: Proof) -> None:
    keys = [honest.signer.public_key]
    whole = proof.encode()
    shown = check(Proof.decode(whole), keys)
    assert (shown.stream, shown.numbers, shown.head.size) == (TABLE, (3, 6), 7)
    for place in range(len(whole)):
        try:
            other = Proof.decode(flipped(whole, place))
        except BadProof:
            continue
        if other != proof:  # white space between values is no part of a proof
            with pytest.raises((BadProof, BadNote)):
                check(other, keys)


def changed(proof: Proof, edit: str) -> Proof:
    """A proof in which one thing is replaced by another that is well formed."""
    content = json.loads(proof.encode())
    event, other = content["events"]
    match edit:
        case "another number":
            event["index"] += 1
        case "another stream":
            content["stream"] = "table/fu-09"
        case "no events":
            content["events"] = []
        case "paths changed":
            event["path"], other["path"] = other["path"], event["path"]
        case "a path cut":
            event["path"].pop()
        case "a path too long":
            event["path"].append(event["path"][0])
        case "head and time changed":
            content["head"], content["time"] = content["time"], content["head"]
        case "two heads":
            content["time"] = content["head"]
        case "two times":
            content["head"] = content["time"]
    return Proof.decode(json.dumps(content).encode())


@pytest.mark.parametrize(
    "edit",
    [
        "another number",
        "another stream",
        "no events",
        "paths changed",
        "a path cut",
        "a path too long",
        "head and time changed",
        "two heads",
        "two times",
    ],
)
def test_a_proof_put_together_otherwise_shows_nothing(honest: Honest, proof: Proof, edit: str) -> None:
    with pytest.raises(BadProof):
        check(changed(proof, edit), [honest.signer.public_key])


def test_a_leaf_that_says_that_it_stands_elsewhere_shows_nothing(honest: Honest) -> None:
    """Signed by the operator's key, and in the tree: but the bytes are those of another table's event."""
    contents = honest.contents.copy()
    datas = [event.data for event in contents.events[TABLE]]
    contents.rechain(TABLE, datas[0], datas[2], datas[1], *datas[3:])
    contents.resign(honest.signer)
    log: Any = Memory(contents)
    store: Any = Store(contents)
    keys = [honest.signer.public_key]
    assert check(prove(log, store, TABLE, [1]), keys).numbers == (1,)
    with pytest.raises(BadProof, match="its bytes say"):
        check(prove(log, store, TABLE, [2]), keys)


def test_no_proof_is_made_of_what_the_roots_do_not_bear_out(honest: Honest) -> None:
    contents = honest.contents.copy()
    contents.edit(TABLE, 5, b"2500", b"2600")
    log: Any = Memory(contents)
    store: Any = Store(contents)
    with pytest.raises(BadProof, match="run `rack verify`"):
        prove(log, store, TABLE, [3])
    contents.batches[0] = flipped(contents.batches[0], 20)
    with pytest.raises(IntegrityError):
        prove(log, store, PROPERTY_STREAM, [1])
    for numbers in ([], [0], [3, -1]):
        with pytest.raises(BadProof, match="numbers are from 1 on"):
            prove(log, store, TABLE, numbers)


@given(st.binary(max_size=200))
def test_what_is_no_proof_is_refused(data: bytes) -> None:
    with pytest.raises(BadProof):
        Proof.decode(data)


def test_what_is_too_large_for_a_proof_is_not_read() -> None:
    with pytest.raises(BadProof, match="bytes is no proof"):
        Proof.decode(b" " * (16 * 1024 * 1024 + 1))


def test_a_batch_keeps_its_lines() -> None:
    batch = CheckpointBatch((b'{"a":1}', b'{"b":2}'), b"note\n\n\xe2\x80\x94 x AAAA\n")
    assert CheckpointBatch.decode(batch.encode()) == batch
    with pytest.raises(ValueError, match="expected statements"):
        CheckpointBatch.decode(b"no empty line\n")
