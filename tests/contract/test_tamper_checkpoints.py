"""The table of tampering with a log that has checkpoints: what was done, and what `verify` names. On both backends.

Whoever does it rules over the storage, high-water files included. What is found is found from the events, the statements and
the signatures alone; if more is needed (an auditor's key, a witness), the row says so.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from events.log.contract import Head
from events.proofs.history import Mark
from events.proofs.signed_note import KeyKind
from events.proofs.statements import CHECKPOINTS, CheckpointBatch
from tests.contract.drafts import TABLE
from tests.contract.gardens import Garden, named, walk
from tests.contract.sealed import (
    ORIGIN,
    OTHER,
    Contents,
    Honest,
    StoredEvent,
    chain_of,
    flipped,
    note_of,
    renumbered,
    rewrite_an_event,
)


def test_the_honest_log_is_whole(garden: Garden, contents: Contents, honest: Honest, tmp_path: Path) -> None:
    report = walk(garden, tmp_path, contents, anchors=[honest.signer.public_key])
    assert (report.ok, report.breaks, report.events, report.tables) == (True, (), 40, 2)
    assert report.signed is not None
    assert (report.signed.checkpoints, report.signed.statements, report.signed.events) == (4, 9, 34)
    assert report.signed.keys == (str(honest.signer.public_key),)


# What is done to records: the chain names it if it is broken, the roots if it is mended.


def flip_a_bit(contents: Contents) -> None:
    event = contents.events[TABLE][4]
    contents.events[TABLE][4] = StoredEvent(5, flipped(event.data, 40), event.hash)


def remove_a_record(contents: Contents) -> None:
    del contents.events[TABLE][4]


def insert_a_record(contents: Contents) -> None:
    """The next ones keep their bytes and hashes, and get the next numbers."""
    events = contents.events[TABLE]
    inserted = [*events[:5], events[4], *events[5:]]
    contents.events[TABLE] = [StoredEvent(seq, each.data, each.hash) for seq, each in enumerate(inserted, 1)]


def swap_two_records(contents: Contents) -> None:
    events = contents.events[TABLE]
    events[4], events[8] = (StoredEvent(5, events[8].data, events[8].hash), StoredEvent(9, events[4].data, events[4].hash))


def cut_what_is_covered(contents: Contents) -> None:
    del contents.events[TABLE][10:]


def remove_a_table(contents: Contents) -> None:
    del contents.events[OTHER]


def insert_and_mend_the_chain(contents: Contents) -> None:
    datas = [event.data for event in contents.events[TABLE]]
    contents.rechain(TABLE, *datas[:5], datas[4], *datas[5:])


def insert_renumber_and_mend(contents: Contents) -> None:
    datas = [event.data for event in contents.events[TABLE]]
    again = [*datas[:5], datas[4], *datas[5:]]
    contents.rechain(TABLE, *(renumbered(data, seq) for seq, data in enumerate(again, 1)))


def remove_renumber_and_mend(contents: Contents) -> None:
    datas = [event.data for event in contents.events[TABLE]]
    contents.rechain(TABLE, *(renumbered(data, seq) for seq, data in enumerate(datas[:8] + datas[9:], 1)))


def swap_renumber_and_mend(contents: Contents) -> None:
    datas = [event.data for event in contents.events[TABLE]]
    datas[3], datas[4] = renumbered(datas[4], 4), renumbered(datas[3], 5)
    contents.rechain(TABLE, *datas)


def rewrite_a_later_event(contents: Contents) -> None:
    rewrite_an_event(contents, 10)


class TamperCase(NamedTuple):
    """What is done, and the place and kind of the first break."""

    do: Callable[[Contents], None]
    stream: str
    seq: int
    kind: str


RECORDS = [
    TamperCase(flip_a_bit, TABLE, 5, "changed"),
    TamperCase(remove_a_record, TABLE, 5, "removed"),
    TamperCase(insert_a_record, TABLE, 6, "moved"),
    TamperCase(swap_two_records, TABLE, 5, "swapped"),
    TamperCase(cut_what_is_covered, TABLE, 11, "tail_cut"),
    TamperCase(remove_a_table, OTHER, 1, "tail_cut"),
    TamperCase(insert_and_mend_the_chain, TABLE, 6, "envelope"),
    TamperCase(insert_renumber_and_mend, TABLE, 1, "changed"),
    TamperCase(remove_renumber_and_mend, TABLE, 8, "changed"),
    TamperCase(swap_renumber_and_mend, TABLE, 1, "changed"),
    TamperCase(rewrite_an_event, TABLE, 1, "changed"),
    TamperCase(rewrite_a_later_event, TABLE, 8, "changed"),
]
"""A mended chain is named from the last event on that a checkpoint bears out: 7 in the first one, 13 in the second."""


# What is done to statements, which lie open, under a signature that stays.


def restate(number: int, edit: Callable[[list[bytes]], list[bytes]]) -> Callable[[Contents], None]:
    def do(contents: Contents) -> None:
        contents.restate(number, edit(contents.lines(number)))

    do.__name__ = f"{edit.__name__}_in_checkpoint_{number}"
    return do


def flip_a_bit_of_a_statement(lines: list[bytes]) -> list[bytes]:
    return [flipped(lines[0], 20), *lines[1:]]


def another_size(lines: list[bytes]) -> list[bytes]:
    assert b'"size":7' in lines[1]
    return [lines[0], lines[1].replace(b'"size":7', b'"size":6'), *lines[2:]]


def remove_a_statement(lines: list[bytes]) -> list[bytes]:
    return lines[1:]


def remove_the_time(lines: list[bytes]) -> list[bytes]:
    return lines[:-1]


def insert_a_statement(lines: list[bytes]) -> list[bytes]:
    return [lines[0].replace(b"property/main", b"table/none"), *lines]


def swap_two_statements(lines: list[bytes]) -> list[bytes]:
    return [lines[1], lines[0], *lines[2:]]


def another_time(lines: list[bytes]) -> list[bytes]:
    assert b'"within_s":60' in lines[-1]
    return [*lines[:-1], lines[-1].replace(b'"within_s":60', b'"within_s":99')]


def rewrite_events_and_statements(contents: Contents) -> None:
    """All fits, but for the signature: the notes are those of before."""
    rewrite_an_event(contents)
    notes = [CheckpointBatch.decode(batch).note for batch in contents.batches]
    contents.resign(_Nobody())
    contents.batches = [
        CheckpointBatch(CheckpointBatch.decode(batch).lines, note).encode()
        for batch, note in zip(contents.batches, notes, strict=True)
    ]


class _Nobody:
    """Signs with nothing."""

    def __init__(self) -> None:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        from events.proofs.signed_note import PublicKey

        private = Ed25519PrivateKey.generate()
        self.public_key = PublicKey(ORIGIN, KeyKind.LOG, private.public_key().public_bytes_raw())

    def sign(self, message: bytes) -> bytes:
        return bytes(64)


STATEMENTS = [
    TamperCase(restate(0, flip_a_bit_of_a_statement), CHECKPOINTS, 1, "statement_changed"),
    TamperCase(restate(1, flip_a_bit_of_a_statement), CHECKPOINTS, 4, "statement_changed"),
    TamperCase(restate(0, another_size), CHECKPOINTS, 1, "statement_changed"),
    TamperCase(restate(0, remove_a_statement), CHECKPOINTS, 1, "statement_changed"),
    TamperCase(restate(1, remove_the_time), CHECKPOINTS, 4, "statement_changed"),
    TamperCase(restate(2, remove_the_time), CHECKPOINTS, 7, "statement_changed"),
    TamperCase(restate(0, insert_a_statement), CHECKPOINTS, 1, "statement_changed"),
    TamperCase(restate(1, swap_two_statements), CHECKPOINTS, 4, "statement_changed"),
    TamperCase(restate(0, another_time), CHECKPOINTS, 1, "statement_changed"),
    TamperCase(rewrite_events_and_statements, CHECKPOINTS, 1, "statement_changed"),
]


# What is done to checkpoints as they lie in their store.


def flip_a_bit_of_a_signature(contents: Contents) -> None:
    batch = contents.batches[1]
    contents.batches[1] = batch[:-20] + (b"B" if batch[-20:-19] == b"A" else b"A") + batch[-19:]


def sign_another_root(contents: Contents) -> None:
    batch = CheckpointBatch.decode(contents.batches[1])
    contents.batches[1] = CheckpointBatch(batch.lines, batch.note.replace(b"\n6\n", b"\n5\n")).encode()


def remove_the_first(contents: Contents) -> None:
    del contents.batches[0]


def remove_one_between(contents: Contents) -> None:
    del contents.batches[1]


def remove_an_idle_one(contents: Contents) -> None:
    del contents.batches[2]


def insert_one_again(contents: Contents) -> None:
    contents.batches.insert(3, contents.batches[0])


def swap_two(contents: Contents) -> None:
    contents.batches[1], contents.batches[2] = contents.batches[2], contents.batches[1]


def cut_in_the_middle(contents: Contents) -> None:
    contents.batches[3] = contents.batches[3][:-30]


def put_something_else(contents: Contents) -> None:
    contents.batches[1] = b"\xff\xfe"


STORED = [
    TamperCase(flip_a_bit_of_a_signature, CHECKPOINTS, 4, "checkpoint_forged"),
    TamperCase(sign_another_root, CHECKPOINTS, 4, "statement_changed"),
    TamperCase(remove_the_first, CHECKPOINTS, 1, "statement_changed"),
    TamperCase(remove_one_between, CHECKPOINTS, 4, "statement_changed"),
    TamperCase(remove_an_idle_one, CHECKPOINTS, 7, "statement_changed"),
    TamperCase(insert_one_again, CHECKPOINTS, 8, "statement_changed"),
    TamperCase(swap_two, CHECKPOINTS, 4, "statement_changed"),
    TamperCase(cut_in_the_middle, CHECKPOINTS, 8, "checkpoint_forged"),
    TamperCase(put_something_else, CHECKPOINTS, 4, "statement_changed"),
]


@pytest.mark.sampled(4, of="kafka")
@pytest.mark.parametrize("row", [*RECORDS, *STATEMENTS, *STORED], ids=lambda row: row.do.__name__)
def test_tampering_without_the_key_is_named(garden: Garden, contents: Contents, row: TamperCase, tmp_path: Path) -> None:
    row.do(contents)
    assert named(walk(garden, tmp_path, contents)) == (row.stream, row.seq, row.kind)


# What the storage alone does not show.


def test_what_no_checkpoint_covers_is_kept_by_the_high_water_mark_alone(
    garden: Garden, contents: Contents, tmp_path: Path
) -> None:
    del contents.events[TABLE][13:]
    assert walk(garden, tmp_path, contents).ok


def test_the_last_checkpoint_removed_shows_to_whoever_remembers_it(garden: Garden, contents: Contents, tmp_path: Path) -> None:
    last = note_of(contents.batches[3]).text.split("\n")
    size = int(last[1])
    del contents.batches[3]
    assert walk(garden, tmp_path, contents).ok
    mark = Mark(Head(size, bytes(32)), "somebody")
    assert named(walk(garden, tmp_path / "again", contents, marks=[mark])) == (CHECKPOINTS, 8, "checkpoint_lost")


def test_the_oracle_agrees_with_the_log(contents: Contents) -> None:
    """Chain and roots of the honest log, number by number, against the definitions."""
    for stream, events in contents.events.items():
        datas = [event.data for event in events]
        assert [event.hash for event in events] == chain_of(stream, datas)[1:]
