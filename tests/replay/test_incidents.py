"""Incidents: what follows from one cause is one, what may have a cause of its own is another, and no finding is lost."""

from dataclasses import dataclass
from random import Random

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from replay.findings import Finding, finding_id
from replay.incidents import Incident, Money, incidents, incidents_in, money_of
from replay.rules.rule import SEVERITY

STREAM = "table/fu-01"


@dataclass
class Shorthand:
    """A finding in few words."""

    code: str
    seat: int | None = None
    wager: str | None = None
    cents: int | None = None
    evidence: tuple[int, ...] = (1,)
    cite: str = ""

    def finding(self) -> Finding:
        return Finding(
            id=finding_id(self.code, STREAM, 42, self.seat, self.wager, self.evidence, "digest"),
            code=self.code,
            stream=STREAM,
            round_no=42,
            seat=self.seat,
            wager=self.wager,
            expected="",
            observed="",
            difference_cents=self.cents,
            evidence=self.evidence,
            cite=self.cite,
            other_reading=None,
            severity=SEVERITY[self.code],
            assumed=False,
            rules_digest="digest",
        )


def grouped(*findings: Shorthand) -> list[list[tuple[str, int | None]]]:
    """The incidents of these findings, each as its codes and seats."""
    return [
        [(finding.code, finding.seat) for finding in incident.findings]
        for incident in incidents([each.finding() for each in findings])
    ]


def test_a_misdeal_that_was_played_on_is_one_incident_with_the_misdeal_first() -> None:
    """Two hands with a wrong count, not voided (§ 688a.13(g)): every wager of the round had to go back."""
    assert grouped(
        Shorthand("PAY-VOID", 1, "base", 2500),
        Shorthand("PAY-VOID", 4, "base", -1000),
        Shorthand("DEAL-ORDER"),
        Shorthand("DEAL-COUNT", 4),
        Shorthand("DEAL-COUNT", 6),
    ) == [[("DEAL-COUNT", 4), ("PAY-VOID", 1), ("PAY-VOID", 4), ("DEAL-ORDER", None), ("DEAL-COUNT", 6)]]


def test_wagers_that_a_properly_voided_round_kept_are_one_incident() -> None:
    assert grouped(Shorthand("PAY-VOID", 1, "base", -2500), Shorthand("PAY-VOID", 2, "base", -500)) == [
        [("PAY-VOID", 1), ("PAY-VOID", 2)]
    ]


def test_a_wrong_total_leads_to_the_wrong_start_and_that_to_the_wagers() -> None:
    assert grouped(Shorthand("PAY-VOID", 1, "base", 100), Shorthand("DEAL-START"), Shorthand("DEAL-TOTAL")) == [
        [("DEAL-TOTAL", None), ("PAY-VOID", 1), ("DEAL-START", None)]
    ]


def test_two_wagers_mispaid_at_two_seats_are_two_incidents() -> None:
    assert grouped(Shorthand("PAY-UNDER", 2, "base", -100), Shorthand("PAY-OVER", 3, "base", 100)) == [
        [("PAY-UNDER", 2)],
        [("PAY-OVER", 3)],
    ]


def test_two_wagers_of_one_seat_mispaid_are_two_incidents() -> None:
    assert len(grouped(Shorthand("PAY-UNDER", 2, "base"), Shorthand("PAY-UNDER", 2, "fortune_bonus"))) == 2


def test_what_is_wrong_with_one_payment_is_one_incident() -> None:
    assert grouped(
        Shorthand("PAY-ANNOUNCED", 3, "base"), Shorthand("PAY-LOSER", 3, "base", 5000), Shorthand("PAY-ANNOUNCED", 4, "base")
    ) == [[("PAY-LOSER", 3), ("PAY-ANNOUNCED", 3)], [("PAY-ANNOUNCED", 4)]]


def test_a_dealer_hand_set_wrongly_explains_what_is_played_against_it_and_no_bonus() -> None:
    """§ 688a.13(h): the base wagers hang on the dealer's hands; a Fortune Bonus is of the player's own cards."""
    assert grouped(
        Shorthand("PAY-OVER", 2, "base", 100), Shorthand("PAY-UNDER", 2, "fortune_bonus", -100), Shorthand("SET-DEALER")
    ) == [[("SET-DEALER", None), ("PAY-OVER", 2)], [("PAY-UNDER", 2)]]


def test_a_late_wager_explains_how_it_was_settled_and_no_other() -> None:
    assert grouped(
        Shorthand("WAGER-LATE", 2, "base"), Shorthand("PAY-OVER", 2, "base", 100), Shorthand("PAY-OVER", 3, "base", 100)
    ) == [[("WAGER-LATE", 2), ("PAY-OVER", 2)], [("PAY-OVER", 3)]]


def test_a_card_of_one_hand_explains_no_late_wager_and_the_dealers_hand_does() -> None:
    """687a.11(c): a raise after the dealer's hand was turned over is late because of that; a player's card makes none late."""
    late = Shorthand("WAGER-LATE", 2, "base", 75)
    assert len(grouped(Shorthand("DEAL-EXPOSED", 2), late)) == 2
    assert grouped(Shorthand("DEAL-EXPOSED"), late) == [[("DEAL-EXPOSED", None), ("WAGER-LATE", 2)]]


def test_a_must_hit_by_bonus_hit_wrongly_explains_the_bonus_and_no_other_wager() -> None:
    assert grouped(
        Shorthand("PAY-MISSED", 2, "mystery", -100),
        Shorthand("PAY-MISSED", 2, "base", -5),
        Shorthand("MYST-TRIGGER", 3, "mystery"),
    ) == [[("MYST-TRIGGER", 3), ("PAY-MISSED", 2)], [("PAY-MISSED", 2)]]


def test_two_faults_of_the_log_are_one_incident_only_by_their_evidence() -> None:
    gap, same, other = (Shorthand("LOG-CLOCK", evidence=evidence) for evidence in ((1, 2), (2, 3), (4,)))
    assert len(grouped(gap, same)) == 1
    assert len(grouped(gap, other)) == 2


def test_d536_the_money_of_an_incident_is_settled_by_seat_and_never_netted_in_its_sums() -> None:
    (incident,) = incidents(
        [
            Shorthand(*each).finding()
            for each in (
                ("DEAL-COUNT", 1, None, None),
                ("PAY-VOID", 1, "base", 2500),
                ("PAY-VOID", 1, "fortune_bonus", -500),
                ("PAY-VOID", 2, "base", -1000),
            )
        ]
    )
    assert incident.difference_by_seat == {1: 2000, 2: -1000}
    assert (incident.overpaid_cents, incident.underpaid_cents) == (2500, 1500)
    assert incident.severity == "high"
    assert incident.id == incident.cause.id


def test_d536_the_money_of_incidents_is_netted_nowhere() -> None:
    """As the queue shows it: two rounds at seat 1, one of them $25.00 over and $5.00 short by one cause (D536)."""
    void = [Shorthand("DEAL-COUNT", 1), Shorthand("PAY-VOID", 1, "base", 2500), Shorthand("PAY-VOID", 1, "trips", -500)]
    short = msgspec.structs.replace(Shorthand("PAY-UNDER", 1, "base", -700).finding(), id="later", round_no=43)
    assert money_of(incidents_in([*(each.finding() for each in void), short])) == Money(2500, 1200)


def test_a_wager_settled_too_early_explains_the_order_at_its_hand_and_no_other() -> None:
    assert grouped(
        Shorthand("PAY-ORDER", 2, evidence=(7, 9)),
        Shorthand("PAY-ORDER", 5, evidence=(3, 4)),
        Shorthand("PAY-EARLY", 2, "base", evidence=(8, 9)),
    ) == [[("PAY-EARLY", 2), ("PAY-ORDER", 2), ("PAY-ORDER", 5)]]
    assert len(grouped(Shorthand("PAY-EARLY", 2, "base", evidence=(8,)), Shorthand("PAY-ORDER", 5, evidence=(3,)))) == 2


def test_a_loser_who_is_paid_is_not_why_hands_are_settled_out_of_turn() -> None:
    """A forfeited wager has no turn in the settlement (D529), and any other that is paid is settled in the turn it has."""
    order, paid = Shorthand("PAY-ORDER", 2, evidence=(7, 9)), Shorthand("PAY-LOSER", 2, "ante", 6000, evidence=(1, 4))
    assert grouped(order, paid) == [[("PAY-LOSER", 2)], [("PAY-ORDER", 2)]]


def test_cards_not_all_collected_are_no_reason_for_cards_collected_too_early() -> None:
    """Both are DEAL-RACK, of two sections: 5 of 53 cards collected (.11(j)), and some before the settlement (.11(g))."""
    too_few, too_early = Shorthand("DEAL-RACK", evidence=(9,), cite="11(j)"), Shorthand("DEAL-RACK", 3, cite="11(g)")
    assert grouped(too_few, too_early) == [[("DEAL-RACK", None)], [("DEAL-RACK", 3)]]
    another = Shorthand("DEAL-RACK", 5, evidence=(2,), cite="11(g)")
    assert grouped(too_early, another) == [[("DEAL-RACK", 3), ("DEAL-RACK", 5)]]


def test_rounds_share_no_incident_and_findings_between_rounds_stand_alone() -> None:
    spread = Shorthand("OPEN-SPREAD").finding()
    between = [msgspec.structs.replace(spread, id=identity, round_no=None) for identity in ("a", "b")]
    rounds = [msgspec.structs.replace(spread, id=str(number), round_no=number) for number in (7, 8)]
    assert [incident.id for incident in incidents_in([*rounds, *between])] == ["7", "8", "a", "b"]
    again = msgspec.structs.replace(spread, id="7 again", round_no=7)
    assert [len(incident.findings) for incident in incidents_in([*rounds, again])] == [2, 1]


FINDINGS = st.lists(
    st.builds(
        Shorthand,
        st.sampled_from(sorted(SEVERITY)),
        st.sampled_from([None, 1, 2]),
        st.sampled_from([None, "base", "fortune_bonus", "mystery"]),
        st.sampled_from([None, -100, 0, 250]),
        st.sets(st.integers(1, 6), min_size=1, max_size=3).map(lambda seqs: tuple(sorted(seqs))),
    ).map(Shorthand.finding),
    max_size=12,
    unique_by=lambda finding: finding.id,
)


def members(incident: Incident) -> frozenset[str]:
    return frozenset(finding.id for finding in incident.findings)


@given(FINDINGS)
def test_every_finding_is_in_exactly_one_incident_and_all_money_is_kept(findings: list[Finding]) -> None:
    made = incidents(findings)
    assert sorted(finding.id for incident in made for finding in incident.findings) == sorted(each.id for each in findings)
    assert sum(sum(incident.difference_by_seat.values()) for incident in made) == sum(
        each.difference_cents or 0 for each in findings
    )


@given(FINDINGS, st.randoms())
def test_the_order_of_the_findings_decides_nothing_but_the_order_of_the_same_codes(
    findings: list[Finding], random: Random
) -> None:
    shuffled = list(findings)
    random.shuffle(shuffled)
    assert {members(incident) for incident in incidents(findings)} == {members(incident) for incident in incidents(shuffled)}


def test_steps_of_a_payout_that_were_left_out_do_not_follow_from_one_another() -> None:
    """The light, the validation and the slip are three persons' work (§ 688a.11(h)(3)(i)(B)(2)-(4))."""
    left_out = [Shorthand(code, 5, "progressive", evidence=(9,)) for code in ("PAY-LIGHT", "PAY-VALIDATED", "PAY-SOURCE")]
    assert sorted(grouped(*left_out)) == [[("PAY-LIGHT", 5)], [("PAY-SOURCE", 5)], [("PAY-VALIDATED", 5)]]


def test_what_was_wrong_with_a_payment_of_a_wrong_amount_follows_from_the_payment() -> None:
    paid = Shorthand("PAY-METER", 5, "progressive", 500)
    assert grouped(Shorthand("PAY-DOCUMENTED", 5, "progressive"), paid) == [[("PAY-METER", 5), ("PAY-DOCUMENTED", 5)]]
