"""What a witness promises on every backend: it cosigns what only grows, and refuses and keeps everything else."""

from pathlib import Path

import pytest

from events.proofs.keys import FileSigner, new_key, vouch_for
from events.proofs.signed_note import KeyKind
from events.proofs.statements import BadCheckpoint
from events.proofs.witness import Witness, WitnessFolder
from tests.contract.operator import ON_SQLITE, Losing, Operator, forged
from tests.contract.sealed import ORIGIN, publish


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
    signer = FileSigner(seen.signed.key, witness._signer._private)
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


def test_a_key_that_is_published_while_the_witness_looks_is_known(operator: Operator, witness: Witness, tmp_path: Path) -> None:
    operator.begin().sign()
    assert witness.look()
    new = new_key(tmp_path / "key-2", ORIGIN, KeyKind.LOG)
    publish(operator.log, operator.drafts, new, vouch_for(new.public_key, operator.signer))
    operator.begin(new).sign()
    assert witness.look()


@ON_SQLITE
def test_a_witness_that_looks_on_sees_a_checkpoint_of_a_stranger(operator: Operator, witness: Witness, tmp_path: Path) -> None:
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
    witness = Witness(operator.log, store, signer, folder, clock=operator.clock)
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
