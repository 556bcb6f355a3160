"""What is still to be done and what was done: page 1 of a packet as the review is at its checkpoint."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from desk.packet import Packet, make_packet
from desk.packet.story import tell
from desk.packet.withholding import NotWithheld
from desk.packet.words import Story
from desk.review.desk import Desk
from desk.review.state import Resolution
from events.open import open_checkpoints, open_log
from replay.incidents import Incident
from replay.narrative.ruling import work_on
from replay.run.replayer import MemoryResults, replay
from tests.desk.packet.signed_floor import NOW_US, Floor, floor_at
from tests.desk.packet.test_decision import ROUND, words
from tests.desk.people import PEOPLE
from tests.replay.tables import SECOND_US, Table

PAY = "Pay $25.00 to the patron at seat 3."
FIRST = {"by": "m.ortiz", "reason": "paid at the cage"}
SECOND = {"by": "s.lee", "reason": "seen"}


@pytest.fixture
def floor(tmp_path: Path) -> Floor:
    table = Table(words="pa-688a")
    table.play(1, ROUND)
    return floor_at(tmp_path, table)


@contextmanager
def desk(floor: Floor) -> Iterator[tuple[Desk, str]]:
    """The desk, and the finding by which seat 3 is short."""
    ticks = count(NOW_US, SECOND_US)
    with closing(open_log(floor.address)) as log:
        results = MemoryResults()
        replay(log, results)
        at = Desk(log, results, persons=PEOPLE, clock=lambda: next(ticks))
        yield at, next(each.finding.id for each in at.cases() if each.finding.code == "PAY-MISSED")
    floor.checkpoint()


def packet(floor: Floor, **options: Any) -> Packet:
    with closing(floor.log()) as log, closing(open_checkpoints(floor.address, log_id=log.log_id, read_only=True)) as store:
        return make_packet(log, "fu-01", 1, 3, checkpoints=store, signer=floor.signer, clock=lambda: NOW_US, **options)


def pay(at: Desk, found: str) -> None:
    at.resolve(found, disposition="confirmed_paid_patron", amount_cents=2500, **FIRST)


def pay_and_sign(at: Desk, found: str) -> None:
    pay(at, found)
    at.sign(found, **SECOND)


def coach(at: Desk, found: str) -> None:
    at.resolve(found, disposition="confirmed_coached", **FIRST)


def clear(at: Desk, found: str) -> None:
    at.resolve(found, disposition="false_alarm", **FIRST)


def pay_and_reopen(at: Desk, found: str) -> None:
    pay_and_sign(at, found)
    at.reopen(found, by="r.haas", reason="the wrong patron")


PAID = "Fault confirmed, the patron was paid; $25.00; signed by m.ortiz"
CASES: list[tuple[str, Callable[[Desk, str], None], str, str, str]] = [
    ("nothing was done", lambda at, found: None, "is owed", PAY, ""),
    ("one signature", pay, "is owed", "", f"{PAID}; needs a second signature"),
    ("both signatures", pay_and_sign, "was owed", "", f"{PAID} and s.lee"),
    (
        "the dealer was coached, nobody was paid",
        coach,
        "is owed",
        PAY,
        "Fault confirmed, the dealer was coached; signed by m.ortiz",
    ),
    ("no fault", clear, "was owed", "", "No fault: what was done was right; signed by m.ortiz"),
    ("reopened", pay_and_reopen, "is owed", PAY, ""),
]


@pytest.mark.parametrize("withhold", [False, True])
@pytest.mark.parametrize(("what", "do", "owed", "to_do", "done"), CASES, ids=[each[0] for each in CASES])
def test_page_1_says_what_is_to_do_and_what_was_done(
    floor: Floor, what: str, do: Callable[[Desk, str], None], owed: str, to_do: str, done: str, withhold: bool
) -> None:
    with desk(floor) as (at, found):
        do(at, found)
    made = packet(floor, withhold=withhold)
    assert f"Seat 3 {owed} $25.00" in made.sentence
    for shown in (made.html.decode(), words(made.pdf, 1)):
        assert (PAY in shown) == bool(to_do)
        assert done in shown
        assert ("needs a second signature" in shown) == ("needs a second" in done)
        assert "Sun 1 Mar 2026" in shown


def test_decisions_are_in_the_order_of_time(floor: Floor) -> None:
    with desk(floor) as (at, found):
        at.open_dispute("fu-01", 1, dispute="d-1", claim="my aces won", by="m.ortiz", seat=3)
        pay_and_sign(at, found)
        at.close_dispute("fu-01", dispute="d-1", outcome="for_patron", by="k.may", reason="the aces won")
    story = story_of(floor)["decision"]["signatures"]
    assert [each["by"] for each in story] == ["m.ortiz", "m.ortiz", "s.lee", "k.may"]
    assert [each["at"] for each in story] == sorted(each["at"] for each in story)


def story_of(floor: Floor) -> Story:
    from desk.packet import check_packet

    checked = check_packet(packet(floor).json, [floor.public])
    assert checked.judged is not None
    return tell(checked.bundle, checked.judged)


def test_a_decision_that_names_another_patron_is_never_left_out_in_silence(floor: Floor) -> None:
    """Without it the packet would say that the money is still to be paid."""
    with desk(floor) as (at, found):
        at.resolve(found, disposition="confirmed_paid_patron", amount_cents=2500, by="m.ortiz", reason="as p-5 says")
    with pytest.raises(NotWithheld, match="p-5"):
        packet(floor, withhold=True)
    assert PAY not in packet(floor).html.decode()


def test_decisions_about_other_seats_are_left_out(floor: Floor) -> None:
    with desk(floor) as (at, found):
        pay_and_sign(at, found)
        other = next(each.finding.id for each in at.cases() if each.finding.seat == 5)
        at.resolve(other, disposition="confirmed_coached", by="k.may", reason="paid twice")
        at.open_dispute("fu-01", 1, dispute="d-5", claim="mine", by="k.may", seat=5, patron="p-5")
    made = packet(floor, withhold=True)
    assert b"confirmed_paid_patron" in made.json
    for hidden in (b"confirmed_coached", b"paid twice", b"d-5", b"k.may"):
        assert hidden not in made.json


def test_of_an_incident_in_part_disposed_of_the_rest_is_to_do(floor: Floor) -> None:
    with desk(floor) as (at, _):
        findings = tuple(each.finding for each in at.cases())
    done = Resolution(seq=1, by="a", disposition="record_wrong", amount_cents=None, duplicate_of=None, reason="x", second_by=None)
    over = next(each for each in findings if each.seat == 5)
    work = work_on(Incident(findings=findings), {over.id: done}, "USD")
    assert work.to_do == [PAY]
    assert work.done == ["No fault at the table: the record was wrong; signed by a"]
