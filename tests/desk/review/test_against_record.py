"""A decision against the record needs a reason of its own and a second person; nothing is closed while money is owed."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from desk.report.letter import letter
from desk.review import cases
from desk.review.case_folder import CaseSettings
from desk.review.contradiction import AGAINST
from desk.review.desk import Desk, ReviewRefused
from desk.review.state import TableReview
from events.open import open_log
from events.vocabulary import model
from replay.narrative.reviews import OUTCOMES
from replay.run.replayer import MemoryResults, replay
from tests.desk.packet.signed_floor import NOW_US, floor_at
from tests.desk.people import PEOPLE
from tests.replay.tables import Table

SETTINGS = CaseSettings()
HANDS = """
deal    dealer=Kh Qd Js 9c 8d 4h 3s  seat3=As Ah 7c 7d 5s 4c 2h
set     dealer house_way
set     seat=3 high=As Ah 5s 4c 2h low=7c 7d
"""
STAKED = "covers settlement setting\nwager   seat=3 base 25.00\ndice    2 2 4 -> dealer\n"
UNPAID, PAID, OVERPAID = 1, 2, 3
ROUNDS = {
    UNPAID: f"{STAKED}{HANDS}close\n",
    PAID: f"{STAKED}{HANDS}pay     seat=3 base 25.00\nclose\n",
    OVERPAID: f"{STAKED}{HANDS}pay     seat=3 base 50.00\nclose\n",
}
"""Seat 3 wins $25.00 at even money (§ 688a.12(a)): nothing, $25.00 and $50.00 was paid."""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    table = Table(words="pa-688a")
    for number in (UNPAID, PAID, OVERPAID):
        table.play(number, ROUNDS[number])
    floor = floor_at(tmp_path, table)
    with closing(open_log(floor.address)) as log:
        results = MemoryResults()
        replay(log, results)
        yield Desk(log, results, persons=PEOPLE, clock=lambda: NOW_US)


def opened(desk: Desk, round_no: int, seat: int | None = 3) -> str:
    return cases.open_case(desk, "fu-01", round_no, by="m.ortiz", settings=SETTINGS, claim="x", seat=seat).name


def resolve(desk: Desk, disposition: str, amount_cents: int | None = None) -> str:
    found = next(each.finding.id for each in desk.cases() if each.finding.round_no == UNPAID)
    desk.resolve(found, disposition=disposition, amount_cents=amount_cents, by="m.ortiz", reason="seen")
    return found


def decide(desk: Desk, name: str, outcome: str, override: str | None = None, by: str = "m.ortiz") -> None:
    cases.decide(desk, name, outcome=outcome, by=by, reason="so it is", override=override)


# ------------------------------------------------------------------------------------------------- money that is owed


@pytest.mark.parametrize("seat", [3, None])
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_no_outcome_closes_a_case_while_money_is_owed(desk: Desk, outcome: str, seat: int | None) -> None:
    name = opened(desk, UNPAID, seat)
    for override in (None, "the video"):
        with pytest.raises(ReviewRefused, match=r"still owed \$25\.00"):
            decide(desk, name, outcome, override)
    assert cases.case(desk, name).case.decision is None
    with pytest.raises(ReviewRefused, match=r"still owed \$25\.00"):
        desk.close_dispute("fu-01", dispute="case-1", outcome=outcome, by="m.ortiz", reason="x")


def test_a_dispute_of_another_seat_or_round_can_be_closed(desk: Desk) -> None:
    decide(desk, opened(desk, UNPAID, seat=5), "withdrawn")
    decide(desk, opened(desk, PAID), "for_house")


@pytest.mark.parametrize(
    ("disposition", "amount", "signed", "closes"),
    [
        ("confirmed_paid_patron", 2500, False, False),
        ("confirmed_paid_patron", 2500, True, True),
        ("confirmed_held_for_patron", 2500, True, True),
        ("confirmed_coached", None, False, False),
        ("confirmed_referred", None, False, False),
        ("confirmed_no_action", None, False, False),
        ("false_alarm", None, False, True),
        ("record_wrong", None, False, True),
        ("cannot_tell", None, False, True),
    ],
)
def test_what_closes_money_that_is_owed(desk: Desk, disposition: str, amount: int | None, signed: bool, closes: bool) -> None:
    name = opened(desk, UNPAID)
    found = resolve(desk, disposition, amount)
    if signed:
        desk.sign(found, by="s.lee", reason="seen")
    if not closes:
        with pytest.raises(ReviewRefused, match="still owed"):
            decide(desk, name, "settled")
        return
    decide(desk, name, "settled")
    assert cases.case(desk, name).case.state == "decided"


# ------------------------------------------------------------------------------------------------- against the record


TABLE = [
    (UNPAID, "for_house", True),
    (UNPAID, "for_patron", False),
    (UNPAID, "cannot_tell", True),
    (PAID, "for_house", False),
    (PAID, "for_patron", True),
    (PAID, "cannot_tell", True),
    (OVERPAID, "for_house", False),
    (OVERPAID, "for_patron", True),
    (OVERPAID, "cannot_tell", True),
    *[(number, outcome, False) for number in ROUNDS for outcome in ("settled", "withdrawn", "referred")],
]


@pytest.mark.parametrize(("round_no", "outcome", "against"), TABLE)
def test_a_decision_against_the_record_needs_a_reason_of_its_own_and_a_second_person(
    desk: Desk, round_no: int, outcome: str, against: bool
) -> None:
    name = opened(desk, round_no)
    if round_no == UNPAID:
        resolve(desk, "false_alarm")
    if not against:
        with pytest.raises(ReviewRefused, match="does not contradict this decision"):
            decide(desk, name, outcome, "the video shows it")
        decide(desk, name, outcome)
        assert cases.case(desk, name).case.state == "decided"
        return
    with pytest.raises(ReviewRefused, match=r"against the record, which shows: .*; a second person signs it"):
        decide(desk, name, outcome)
    decide(desk, name, outcome, "the video shows it")
    waiting = cases.case(desk, name).case
    assert (waiting.decision, waiting.state) == (None, "needs a second signature")
    assert desk.review("fu-01").disputes[waiting.dispute].outcome is None
    with pytest.raises(ReviewRefused, match="needs a second signature first"):
        letter(desk.log, cases.case(desk, name), SETTINGS)
    for same in ("m.ortiz", "m.ortiz@bellwether.example"):
        with pytest.raises(ReviewRefused, match=r"m\.ortiz has signed already"):
            cases.sign(desk, name, by=same, reason="I looked again")
    cases.sign(desk, name, by="s.lee", reason="seen on video")
    decision = cases.case(desk, name).case.decision
    assert decision is not None
    assert (decision.by, decision.second_by, decision.outcome) == ("m.ortiz", "s.lee", outcome)
    said = letter(desk.log, cases.case(desk, name), SETTINGS)
    assert (said["reason"], said["override"]) == ("so it is", "the video shows it")


@pytest.mark.parametrize(("round_no", "outcome"), [(UNPAID, "for_house"), (PAID, "for_patron"), (OVERPAID, "cannot_tell")])
def test_no_letter_contradicts_itself_whatever_is_on_record(desk: Desk, round_no: int, outcome: str) -> None:
    """A decision written before this was asked, or at a desk that had no verdicts, is judged again with the letter."""
    unjudged = Desk(desk.log, MemoryResults(), persons=PEOPLE, clock=lambda: NOW_US)
    name = opened(unjudged, round_no)
    decide(unjudged, name, outcome)
    with pytest.raises(ReviewRefused, match=r"goes against the record, which shows: (Seat 3|Every)"):
        letter(desk.log, cases.case(desk, name), SETTINGS)


def test_every_outcome_says_what_it_goes_against() -> None:
    assert set(AGAINST) == set(OUTCOMES)


def test_a_decision_that_waits_can_be_replaced_and_an_appeal_opens_it_again(desk: Desk) -> None:
    name = opened(desk, PAID)
    decide(desk, name, "for_patron", "goodwill")
    decide(desk, name, "for_patron", "the video shows it", by="s.lee")
    with pytest.raises(ReviewRefused, match=r"s\.lee has signed already"):
        cases.sign(desk, name, by="s.lee", reason="x")
    cases.sign(desk, name, by="m.ortiz", reason="x")
    cases.appeal(desk, name, by="m.ortiz", reason="not enough", settings=SETTINGS)
    found = cases.case(desk, name).case
    assert (found.decision, found.pending, found.state) == (None, None, "appealed")
    with pytest.raises(ReviewRefused, match="does not wait"):
        cases.sign(desk, name, by="s.lee", reason="x")


def test_there_is_nothing_to_sign_twice_or_without_a_decision(desk: Desk) -> None:
    name = opened(desk, PAID)
    with pytest.raises(ReviewRefused, match="does not wait"):
        cases.sign(desk, name, by="s.lee", reason="x")
    decide(desk, name, "for_house")
    with pytest.raises(ReviewRefused, match="does not wait"):
        cases.sign(desk, name, by="s.lee", reason="x")


# --------------------------------------------------------------------------------------- the law of the stream itself

CLOSED: dict[str, Any] = {"dispute": "d", "outcome": "for_house", "reason": "x"}


def review(*payloads: model.Event) -> TableReview:
    made = TableReview("review/fu-01")
    made.apply(1, 0, 1, model.DisputeOpened(by="a", dispute="d", patron=None, reason="x", seat=3), "2026-03-01")
    for seq, payload in enumerate(payloads, 2):
        made.apply(seq, 0, 1, payload, "2026-03-01")
    return made


FIRST = model.DisputeClosed2(by="a", override="y", signs=None, **CLOSED)


@pytest.mark.parametrize(
    ("second", "objection"),
    [
        (model.DisputeClosed2(by="b", override="y", signs=2, **CLOSED), ""),
        (model.DisputeClosed2(by="a", override="y", signs=2, **CLOSED), "has signed already"),
        (model.DisputeClosed2(by="b", override="y", signs=3, **CLOSED), "is event 2, not event 3"),
        (model.DisputeClosed2(by="b", override="z", signs=2, **CLOSED), "another decision"),
        (model.DisputeClosed2(by="b", override="y", signs=2, **{**CLOSED, "outcome": "settled"}), "another decision"),
    ],
)
def test_a_second_signature_fits_the_first_or_changes_nothing(second: model.Event, objection: str) -> None:
    made = review(FIRST, second)
    assert [objection in each.objection for each in made.refused] == ([True] if objection else [])
    assert made.disputes["d"].outcome == (None if objection else "for_house")


def test_a_decision_of_before_was_one_person_s_and_stands() -> None:
    """Version 1 has no reason against the record and no signature: it is read as it was written."""
    assert review(model.DisputeClosed(by="a", **CLOSED)).disputes["d"].outcome == "for_house"
