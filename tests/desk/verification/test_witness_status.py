"""What a witness vouches for: only what its key verifies and the log still holds; how far behind; what it refused."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from desk.verification.witness_status import LATEST, SIGNATURE_TIMEOUT_S, Witnessed, look, witnessed_at
from events.errors import LogUnavailable
from events.proofs.checkpointer import Checkpointer
from events.proofs.keys import KeyRefused, new_key
from events.proofs.signed_note import KeyKind
from events.proofs.signing_memory import SigningMemory
from events.proofs.witness import Witness, WitnessFolder
from events.sqlite.checkpoints import SqliteCheckpoints
from events.sqlite.log import SqliteLog
from tests.contract.backends import PROPERTY
from tests.contract.drafts import TABLE, Drafts, fill
from tests.contract.sealed import LOG_ID, ORIGIN, Clock, publish


class House:
    """A log that is signed, and a witness that looks at it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.clock, drafts = folder, Clock(), Drafts()
        self.address = f"sqlite://{folder}/floor.db"
        signer = new_key(folder / "key", ORIGIN, KeyKind.LOG)
        self.log = SqliteLog(folder / "floor.db", property_id=PROPERTY, create=True, log_id=LOG_ID, clock=self.clock)
        publish(self.log, drafts, signer)
        fill(self.log, drafts, TABLE, rounds=1)
        self.drafts = drafts
        self.store = SqliteCheckpoints(folder / "floor.db.checkpoints", log_id=LOG_ID)
        memory = SigningMemory(folder / "key", LOG_ID)
        self.checkpointer = Checkpointer(self.log, self.store, signer, memory, clock=self.clock, within_s=60)
        self.north = new_key(folder / "w", "north", KeyKind.WITNESS)
        self.seen = WitnessFolder(folder / "north", self.north.public_key)

    def sign(self, rounds: int = 0) -> None:
        for _ in range(rounds):
            self.log.append(TABLE, self.log.head(TABLE).seq + 1, self.drafts.round())
        self.checkpointer.read()
        self.checkpointer.sign()

    def cosign(self) -> None:
        assert Witness(self.log, self.store, self.north, self.seen, clock=self.clock).look() is not None

    def told(self) -> Witnessed:
        return look(self.store, self.seen, ORIGIN)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    with closing(made.log), closing(made.store):
        yield made


def test_a_log_without_checkpoints_has_nothing_to_cosign(house: House) -> None:
    told = house.told()
    assert (told.checkpoints, told.behind, told.waiting_since_us, told.disagrees) == ((), 0, None, False)
    assert not told.silent(2**52)


def test_before_the_first_signature_everything_waits(house: House) -> None:
    house.sign()
    house.sign(rounds=1)
    told = house.told()
    assert (told.newest_size, told.newest_s, told.cosigned, told.behind) == (None, None, 0, 2)
    assert told.events_behind == house.log.head(TABLE).seq + house.log.head("property/main").seq
    assert [each.covered for each in told.checkpoints] == [False, False]
    first = told.checkpoints[-1].at_us
    assert told.waiting_since_us == first
    assert [told.silent(first + SIGNATURE_TIMEOUT_S * 1_000_000 + more) for more in (0, 1)] == [False, True]


def test_which_checkpoints_were_cosigned_and_how_far_behind_it_is(house: House) -> None:
    """Four checkpoints: the second and the third cosigned at once by the third, the first by itself, the fourth not yet."""
    house.sign()
    house.cosign()
    house.sign(rounds=1)
    house.sign(rounds=1)
    house.cosign()
    house.sign(rounds=2)
    told = house.told()
    fourth, third, second, first = told.checkpoints
    assert [each.covered for each in told.checkpoints] == [False, True, True, True]
    assert (fourth.cosigned_s, second.cosigned_s) == (None, None)
    assert third.cosigned_s == told.newest_s
    assert first.cosigned_s is not None
    assert third.cosigned_s is not None
    assert third.cosigned_s > first.cosigned_s
    assert (told.witness, told.cosigned, told.newest_size, told.behind) == ("north", 2, third.size, 1)
    assert told.events_behind == fourth.events - third.events == 2 * len(house.drafts.round())
    assert told.waiting_since_us == fourth.at_us
    assert not told.disagrees


def test_a_witness_that_has_seen_the_newest_waits_for_nothing(house: House) -> None:
    house.sign()
    house.cosign()
    told = house.told()
    assert (told.behind, told.events_behind, told.waiting_since_us) == (0, 0, None)
    assert not told.silent(2**52)


def test_only_the_newest_are_told(house: House) -> None:
    for _ in range(LATEST + 1):
        house.sign()
        house.cosign()
    told = house.told()
    assert (len(told.checkpoints), told.cosigned) == (LATEST, LATEST + 1)
    assert all(each.cosigned_s is not None for each in told.checkpoints)


def test_a_signature_that_does_not_verify_counts_for_nothing(house: House) -> None:
    """The folder is copied over a network, or by somebody: what is in it is held against the key that was given."""
    house.sign()
    house.cosign()
    (note,) = (house.folder / "north").glob("*.note")
    lines = note.read_text().splitlines(keepends=True)
    mine = next(place for place, line in enumerate(lines) if line.startswith("— north "))
    body = bytearray(lines[mine].encode())
    body[-10] = ord("A") if body[-10] != ord("A") else ord("B")
    lines[mine] = body.decode()
    note.write_text("".join(lines))
    told = house.told()
    assert told.newest_size is None
    assert (told.behind, told.disagrees) == (1, True)
    assert str(note) in told.trouble
    assert not any(each.covered or each.cosigned_s for each in told.checkpoints)


def test_the_signature_of_another_witness_counts_for_nothing(house: House, tmp_path: Path) -> None:
    house.sign()
    house.cosign()
    other = new_key(tmp_path / "w2", "north", KeyKind.WITNESS).public_key
    told = look(house.store, WitnessFolder(house.seen.path, other), ORIGIN)
    assert (told.newest_size, told.disagrees) == (None, True)


def test_another_story_signed_by_the_log_itself(house: House, tmp_path: Path) -> None:
    """The operator makes a second log of the same identity with the same key: the witness has seen the first."""
    house.sign()
    house.cosign()
    (tmp_path / "again").mkdir()
    other = House(tmp_path / "again")
    with closing(other.log), closing(other.store):
        other.sign()
        told = look(other.store, house.seen, ORIGIN)
    assert "cosigned a checkpoint over 3 statements with root" in told.trouble
    assert (told.newest_size, told.behind) == (None, 1)


def test_a_log_that_no_longer_holds_what_was_cosigned(house: House, tmp_path: Path) -> None:
    house.sign()
    house.sign()
    house.cosign()
    with closing(SqliteCheckpoints(tmp_path / "empty.checkpoints", log_id=LOG_ID)) as store:
        told = look(store, house.seen, ORIGIN)
    assert "which the log no longer holds" in told.trouble
    assert "saw the log" in look(house.store, house.seen, ORIGIN.replace(LOG_ID, "f" * 32)).trouble


def test_what_was_refused_is_told_with_whether_the_log_still_holds_it(house: House) -> None:
    house.sign()
    house.cosign()
    house.sign(rounds=1)
    *_, newest = house.store.batches()
    house.seen.keep_refused(newest)
    house.seen.keep_refused(b"rubbish")
    told = house.told()
    assert told.disagrees
    assert sorted((each.size, each.stored) for each in told.refused if each.size) == [(told.checkpoints[0].size, True)]
    (unread,) = [each for each in told.refused if each.size is None]
    assert (unread.at_us, unread.stored) == (None, False)
    house.seen.keep_refused(newest.replace(b"fu-", b"fx-"))
    assert sorted(each.stored for each in house.told().refused) == [False, False, True]


def test_it_is_read_by_address_folder_and_public_key(house: House) -> None:
    house.sign()
    house.cosign()
    assert witnessed_at(house.address, house.seen.path, house.folder / "w.pub") == house.told()
    with pytest.raises(LogUnavailable, match="no such folder"):
        witnessed_at(house.address, house.folder / "nowhere", house.folder / "w.pub")
    with pytest.raises(KeyRefused, match="expected that of a witness"):
        witnessed_at(house.address, house.seen.path, house.folder / "key.pub")
