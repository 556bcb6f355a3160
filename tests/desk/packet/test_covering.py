"""A packet next to a process that signs: it waits for that one's checkpoint, and never takes the right to sign away."""

import threading
import time
from contextlib import AbstractContextManager, closing
from pathlib import Path

import pytest

from desk.packet import NotCovered, Packet, check_packet, packet_at
from desk.packet.covering import GRACE_S, beyond
from desk.packet.make import Statements
from desk.review.desk import Desk, desk_at
from events import open as opening
from events.errors import OwnerUnknown
from events.log.contract import CheckpointStore
from events.open import open_checkpoints, open_results
from events.proofs.verify import verify
from events.proofs.verify_results import StoredState
from replay.run.replayer import replay
from tests.desk.packet.signed_floor import NOW_US, Floor, floor_at, played


@pytest.fixture
def floor(tmp_path: Path) -> Floor:
    return floor_at(tmp_path, played())


def disputed(floor: Floor, round_no: int = 6) -> None:
    """Something about a round that no checkpoint covers yet."""
    with desk_at_floor(floor) as desk:
        desk.viewed("fu-01", round_no, what="round", by="m.ortiz", reason="patron asks")


def desk_at_floor(floor: Floor) -> AbstractContextManager[Desk]:
    from events.sqlite.results import SqliteResults

    SqliteResults(Path(floor.address.removeprefix("sqlite://") + ".verdicts")).close()
    return desk_at(floor.address, clock=lambda: NOW_US)


def made(floor: Floor, **options: object) -> Packet:
    return packet_at(
        floor.address, "fu-01", 6, key=floor.key, by="m.ortiz", reason="patron asks", clock=lambda: NOW_US, **options
    )


def checkpoints(floor: Floor) -> int:
    with closing(floor.log()) as log, closing(open_checkpoints(floor.address, log_id=log.log_id, read_only=True)) as store:
        return len(list(store.batches()))


def signer_at(floor: Floor) -> CheckpointStore:
    """The right to sign, as a running `rack checkpoint --follow` has it."""
    with closing(floor.log()) as log:
        return open_checkpoints(floor.address, log_id=log.log_id)


def test_what_is_covered_needs_neither_a_signer_nor_a_wait(floor: Floor) -> None:
    with closing(signer_at(floor)):
        packet = made(floor, wait_s=0.0)
    assert check_packet(packet.json, [floor.public]).reproduced
    assert checkpoints(floor) == 1


def test_only_what_is_about_the_round_counts(floor: Floor) -> None:
    disputed(floor, round_no=5)
    with closing(floor.log()) as log, closing(open_checkpoints(floor.address, log_id=log.log_id, read_only=True)) as store:
        statements = Statements(log, store)
        assert beyond(log, statements, "fu-01", 6) == {}
        assert beyond(log, statements, "fu-01", 5) == {"review/fu-01": log.head("review/fu-01").seq}


def test_where_nobody_signs_a_checkpoint_is_made(floor: Floor) -> None:
    disputed(floor)
    made(floor, wait_s=0.0)
    assert checkpoints(floor) == 2


def test_the_checkpoint_that_is_made_states_the_results_too(floor: Floor) -> None:
    with closing(floor.log()) as log, closing(open_results(floor.address)) as results:
        replay(log, results)
        stored = len(list(results.stored()))
    disputed(floor)
    made(floor, wait_s=0.0)
    with (
        closing(floor.log()) as log,
        closing(open_checkpoints(floor.address, log_id=log.log_id, read_only=True)) as store,
        closing(open_results(floor.address, read_only=True)) as results,
    ):
        check = verify(log, checkpoints=store, anchors=[floor.public], results=StoredState(results)).results
    assert check is not None
    assert (check.stated, check.results) == (stored, stored)
    assert stored > 0


def test_where_somebody_signs_its_checkpoint_is_waited_for(floor: Floor) -> None:
    disputed(floor)
    told: list[float] = []
    holder = signer_at(floor)

    def sign_later() -> None:
        while not told:
            time.sleep(0.01)
        holder.close()  # one process cannot have the right twice: what follows is the same signer's
        floor.checkpoint()

    signer = threading.Thread(target=sign_later)
    signer.start()
    packet = made(floor, wait_s=60.0, waiting=told.append)
    signer.join()
    assert len(told) == 1
    assert 0 < told[0] <= 60
    assert check_packet(packet.json, [floor.public]).reproduced
    assert checkpoints(floor) == 2


def test_in_vain_it_says_what_is_not_covered_and_nothing_leaves(floor: Floor) -> None:
    disputed(floor)
    with closing(floor.log()) as log:
        before = log.head("review/fu-01").seq
    with closing(signer_at(floor)), pytest.raises(NotCovered, match=r"review/fu-01 up to event \d+ in 0 s, though another"):
        made(floor, wait_s=0.0)
    with closing(floor.log()) as log:
        assert log.head("review/fu-01").seq == before
    assert checkpoints(floor) == 1


def test_what_is_said_later_is_not_waited_for(floor: Floor, monkeypatch: pytest.MonkeyPatch) -> None:
    """A round that people keep looking at would otherwise never be covered."""
    disputed(floor)
    holder = signer_at(floor)

    def sign_and_look_again(left: float) -> None:
        holder.close()
        floor.checkpoint()
        disputed(floor)
        nonlocal again
        again = signer_at(floor)

    again: CheckpointStore | None = None
    made(floor, wait_s=60.0, waiting=sign_and_look_again)
    assert again is not None
    again.close()
    assert checkpoints(floor) == 2


class Elsewhere:
    """A store of which no one can say who signs it, as on Kafka; it promised the next checkpoint for `due_s` after `NOW_US`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, due_s: float | None) -> None:
        real = opening.open_checkpoints

        def open_(address: str, *, if_free: bool = False, **options: object) -> CheckpointStore:
            if if_free:
                raise OwnerUnknown("whether another process signs cannot be known")
            return real(address, **options)

        monkeypatch.setattr("desk.packet.covering.open_checkpoints", open_)
        promised = None if due_s is None else NOW_US + int(due_s * 1e6)
        monkeypatch.setattr("desk.packet.make._promise", lambda time: promised)


@pytest.mark.parametrize(("due_s", "why"), [(None, "none was promised"), (-GRACE_S, "promised one and did not make it")])
def test_where_nobody_can_be_known_to_sign_it_does_not_wait(
    floor: Floor, monkeypatch: pytest.MonkeyPatch, due_s: float | None, why: str
) -> None:
    disputed(floor)
    Elsewhere(monkeypatch, due_s)
    told: list[float] = []
    with pytest.raises(NotCovered, match=f"{why}.*cannot be known"):
        made(floor, wait_s=60.0, waiting=told.append)
    assert (told, checkpoints(floor)) == ([], 1)


def test_a_promise_is_waited_for_and_no_right_is_taken(floor: Floor, monkeypatch: pytest.MonkeyPatch) -> None:
    disputed(floor)
    Elsewhere(monkeypatch, 5.0)
    told: list[float] = []

    def sign(left: float) -> None:
        told.append(left)
        floor.checkpoint()

    made(floor, wait_s=60.0, waiting=sign)
    assert told == [pytest.approx(5.0 + GRACE_S)]
    assert checkpoints(floor) == 2


def test_a_reader_sees_a_file_of_checkpoints_that_is_made_later(tmp_path: Path) -> None:
    floor = floor_at(tmp_path, played(1))
    moved = tmp_path / "floor.db.checkpoints"
    aside = moved.rename(tmp_path / "aside")
    with closing(floor.log()) as log, closing(open_checkpoints(floor.address, log_id=log.log_id, read_only=True)) as store:
        assert list(store.batches()) == []
        aside.rename(moved)
        assert len(list(store.batches())) == 1
