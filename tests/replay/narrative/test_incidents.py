"""An incident in one sentence, written by hand: its cause, the money of all of it, the larger amount first, and its seats."""

import pytest

from replay.findings import Finding
from replay.incidents import Incident
from replay.narrative.incidents import finding_sentence, incident_sentence
from replay.narrative.verdicts import RoundVerdict, SentenceOutcome, narrate
from replay.transcript.transcript import judge
from tests.dashboards.sample import finding

STREAM = "table/fu-01"


def void(seat: int, cents: int) -> Finding:
    return finding(STREAM, 1, "PAY-VOID", seat, "base", cents, "returned", "kept")


COUNT = finding(STREAM, 1, "DEAL-COUNT", 4, None, None, "7 cards", "6 cards")


@pytest.mark.parametrize(
    ("findings", "sentence"),
    [
        ((COUNT,), "Misdeal: wrong card count · Seat 4"),
        ((COUNT, void(3, -2_500)), "Misdeal: wrong card count · Seat 4 · underpaid by $25.00 at seat 3 · 1 consequence"),
        # $6.00 owed next to $3,825.00 paid too much: the larger is said first
        (
            (COUNT, void(3, -600), void(5, 382_500)),
            "Misdeal: wrong card count · Seat 4 · overpaid by $3,825.00 at seat 5, underpaid by $6.00 at seat 3 · 2 consequences",
        ),
        # at one seat what was paid too much and too little is one sum: 20.00 - 5.00
        (
            (COUNT, void(3, -2_000), void(3, 500)),
            "Misdeal: wrong card count · Seat 4 · underpaid by $20.00 at seat 3, overpaid by $5.00 at seat 3 · 2 consequences",
        ),
        # the seat of the cause is the seat of the money: it is said once
        ((COUNT, void(4, -2_500)), "Misdeal: wrong card count · Seat 4 · underpaid by $25.00 · 1 consequence"),
        # no one may read that seat 4 alone is owed $41.00
        (
            (COUNT, void(4, -2_500), void(1, -600), void(2, -1_000)),
            "Misdeal: wrong card count · Seat 4 · underpaid by $41.00 at seats 1, 2 and 4 · 3 consequences",
        ),
        # a cause without a seat says nothing of whose money it is
        (
            (finding(STREAM, 1, "DEAL-STUB", None, None, None, "4 cards", "3 cards"), void(3, -2_500)),
            "Stub count error · underpaid by $25.00 · 1 consequence",
        ),
        (
            (finding(STREAM, 1, "PAY-UNDER", 3, "ace_high_bonus", -9_800, "200.00 paid", "102.00 paid"),),
            "Wager underpaid · Seat 3 · Ace High Bonus · underpaid by $98.00",
        ),
        (
            (finding(STREAM, 1, "PAY-OVER", 3, "base", 49_000, "at most 10.00 paid", "500.00 paid"),),
            "Wager overpaid · Seat 3 · Base wager · overpaid by at least $490.00",
        ),
    ],
)
def test_the_sentence_of_an_incident(findings: tuple[Finding, ...], sentence: str) -> None:
    assert incident_sentence(Incident(findings=findings), "USD") == sentence


def test_a_small_debt_is_not_the_headline_beside_a_large_overpayment() -> None:
    told = narrate(
        RoundVerdict.of(
            {"verdict": "VARIANCE", "undetermined": (), "settlements": [], "findings": [void(3, -600), void(5, 382_500)]}
        ),
        currency="USD",
    )
    assert told.outcome == SentenceOutcome.OVERPAID
    assert told.sentence == (
        "The round's patrons were paid $3,825.00 too much (Base wager of seat 5) and are owed $6.00 (Base wager of seat 3)."
    )


def test_many_findings_are_told_by_seat() -> None:
    found = [void(1, -2_500), void(1, -500), void(2, -1_000), void(4, -100)]
    told = narrate(
        RoundVerdict.of({"verdict": "VARIANCE", "undetermined": (), "settlements": [], "findings": found}), currency="USD"
    )
    assert told.sentence == "The round's patrons are owed $41.00 (seat 1 $30.00, seat 2 $10.00 and seat 4 $1.00)."


@pytest.mark.parametrize(
    ("text", "observed"),
    [
        ("rules pa-645c beat_it=A\nwager seat=3 base 25.00\ndice 6 2 1 colours=red,red,blue\n", "red, red, blue"),
        (
            "rules pa-688a\nat 10:00:00\ndice_set s1 received\nat +86460s\nround 1\nwager seat=3 base 25.00\ndice 2 2 4\n",
            "on the table for 24 h 1 min 1 s",
        ),
    ],
    ids=["wrong colors", "overdue"],
)
def test_one_heading_fits_both_faults_of_dice(text: str, observed: str) -> None:
    (found,) = judge(text, "dice.txt")[0].conclusion.findings
    assert (found.code, found.observed) == ("EQUIP-DICE", observed)
    assert finding_sentence(found, "USD") == "Dice not as required"
