"""The reckoning of a wager and what is to be done, worked out by hand: odds only if the paytable gives what is due by them."""

import msgspec
import pytest

from replay.findings import Finding
from replay.incidents import Incident
from replay.narrative.findings import TITLES, TO_DO
from replay.narrative.reckoning import SettledWager, action, actions, reckoning, settled_wager
from rulebook.catalogue import finding_kinds
from tests.dashboards.sample import finding


def settled(wager: str, paytable: str, staked: int, due: int | None, done: int | None, line: str) -> SettledWager:
    return SettledWager(
        seat=3, wager=wager, number=None, paytable=paytable, staked_cents=staked, due_cents=due, done_cents=done, line=line,
        cite="",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("chapter", "one", "sentence"),
    [
        # § 688a.12(b), paytable 1: both the dealer and the player ace high, 20 to 1
        (
            "pa-688a",
            settled("ace_high_bonus", "1", 1_000, 20_000, 10_000, "both_ace_high"),
            "$10.00 at 20 to 1 pays $200.00 (both ace high, paytable 1); $100.00 was paid",
        ),
        # the same hand under paytable 2 pays 40 to 1: $200.00 on $10.00 is then no odds of that line
        (
            "pa-688a",
            settled("ace_high_bonus", "2", 1_000, 20_000, 10_000, "both_ace_high"),
            "$10.00 pays $200.00 (both ace high, paytable 2); $100.00 was paid",
        ),
        # § 688a.12(a): the base wager at even money, without vigorish
        (
            "pa-688a",
            settled("base", "", 2_500, 2_500, 0, "win"),
            "$25.00 at even money pays $25.00; nothing beyond the stake was paid",
        ),
        ("pa-688a", settled("base", "", 2_500, -2_500, 2_500, "lose"), "$25.00 is lost; $25.00 was paid"),
        ("pa-688a", settled("base", "", 2_500, -2_500, 0, "foul"), "$25.00 is lost (foul); it was not collected"),
        ("pa-688a", settled("base", "", 2_500, 0, -2_500, "tie"), "$25.00 goes back to the patron (tie); $25.00 was collected"),
        # § 645c without a commission-free submission: a vigorish of 5 %
        (
            "pa-645c",
            settled("base", "", 6_000, 5_700, 6_000, "win"),
            "$60.00 at even money less 5 % vigorish pays $57.00; $60.00 was paid",
        ),
        # California: the player-dealer covers $57.00 of a win of $60.00; no one takes a vigorish there
        (
            "ca-gegr-002138",
            settled("base", "", 6_000, 5_700, 6_000, "win"),
            "$60.00 wins, and the player-dealer's wager covers $57.00 of it; $60.00 was paid",
        ),
        (
            "ca-gegr-002138",
            settled("ace_high_bonus", "1", 500, -200, -500, "lose"),
            "$5.00 loses, and the player-dealer's wager covers $2.00 of it (paytable 1); $5.00 was collected",
        ),
        # a Progressive is collected before the deal: what it comes to is net, and one that was kept was not returned
        (
            "pa-688a",
            settled("progressive", "4", 500, 10_000, 4_000, "four_of_a_kind"),
            "$5.00 wins $100.00 net (four of a kind, paytable 4); the patron won $40.00 net",
        ),
        ("pa-688a", settled("progressive", "", 0, 0, -100, "late"), "nothing is due (late); $1.00 was not returned"),
        (
            "pa-688a",
            settled("progressive", "", 100, 0, -100, "void"),
            "$1.00 goes back to the patron (void); $1.00 was not returned",
        ),
        (
            "pa-688a",
            settled("progressive", "1", 100, 7_400, -100, "four_of_a_kind"),
            "$1.00 wins $74.00 net (four of a kind, paytable 1); the patron lost $1.00",
        ),
        ("pa-688a", settled("progressive", "1", 100, -100, -200, "lose"), "$1.00 is lost (paytable 1); the patron lost $2.00"),
        (
            "pa-688a",
            settled("progressive", "1", 100, -100, 0, "lose"),
            "$1.00 is lost (paytable 1); the patron got just the wager back",
        ),
        # an Envy Bonus has no stake
        (
            "pa-688a",
            settled("fortune_envy", "4", 0, 5_000, 5_500, "royal_flush@2"),
            "$50.00 is due (royal flush of seat 2, paytable 4); $55.00 was paid",
        ),
        ("pa-688a", settled("fortune_envy", "", 0, 0, 500, ""), "nothing is due; $5.00 was paid"),
        # what is not known is not reckoned
        ("pa-688a", settled("base", "", 2_500, None, 0, ""), ""),
        ("pa-688a", settled("base", "", 2_500, 2_500, None, "win"), ""),
        # a game from outside has no chapter here
        (
            "xx-outside",
            settled("base", "9", 100, 200, 0, "win"),
            "$1.00 pays $2.00 (paytable 9); nothing beyond the stake was paid",
        ),
    ],
)
def test_a_reckoning_gives_stake_odds_amount_and_pay_line(chapter: str, one: SettledWager, sentence: str) -> None:
    assert reckoning(one, chapter, "USD") == sentence


@pytest.mark.parametrize(
    ("cents", "seat", "doubtful", "sentence"),
    [
        (-9_800, 3, False, "Pay $98.00 to the patron at seat 3."),
        (500, 1, False, "Overpaid by $5.00 at seat 1: note it, and take nothing back without the shift manager."),
        (-210, None, False, "Pay $2.10 to the patron."),
        (0, 1, False, ""),
        (
            9_000,
            4,
            True,
            "Decide which reading of the text applies: by the one followed here, the patron at seat 4 was paid $90.00 too much.",
        ),
    ],
)
def test_what_is_to_be_done_about_an_amount(cents: int, seat: int | None, doubtful: bool, sentence: str) -> None:
    assert action(cents, seat, doubtful=doubtful, currency="USD") == sentence


def test_what_is_to_be_done_about_an_incident_names_whom_to_pay_first_and_what_was_overpaid_once() -> None:
    def voided(seat: int, cents: int, other_reading: str | None = None) -> Finding:
        one = finding("table/fu-01", 1, "PAY-VOID", seat, "base", cents, "", "", evidence=(seat,))
        return msgspec.structs.replace(one, other_reading=other_reading)

    mixed = Incident(findings=(voided(1, 500), voided(4, -61_000), voided(2, 14_000), voided(4, 1_000)))
    assert actions(mixed, "USD") == [
        "Pay $600.00 to the patron at seat 4.",
        "Overpaid by $5.00 at seat 1 and $140.00 at seat 2: note it, and take nothing back without the shift manager.",
    ]
    assert actions(Incident(findings=(voided(1, 500),)), "USD") == [
        "Overpaid by $5.00 at seat 1: note it, and take nothing back without the shift manager."
    ]
    assert [words.partition(":")[0] for words in actions(Incident(findings=(voided(1, 5, "D1"), voided(2, 5))))] == [
        "Decide which reading of the text applies"
    ] * 2
    assert actions(Incident(findings=(voided(1, 500), voided(1, -500)))) == []


def test_a_finding_is_reckoned_by_the_settlement_of_its_seat_and_difference_its_wager_first() -> None:
    base, bonus = settled("base", "", 100, 100, 0, "win"), settled("fortune_bonus", "1", 100, 100, 0, "straight")
    assert settled_wager([base, bonus], 3, "fortune_bonus", -100) == bonus
    assert settled_wager([base, bonus], 3, "base", -100) == base
    assert settled_wager([base, bonus], 4, "base", -100) is None
    assert settled_wager([base, bonus], 3, "base", 100) is None
    assert settled_wager([base, bonus], 3, "base", None) is None


def test_645c_3_c_3_a_trigger_error_without_a_winner_says_what_to_read_and_whose_the_meter_is() -> None:
    open_winner = finding("table/t-1", 7, "MYST-TRIGGER", 4, "mystery", None, "a hit", "none")
    (words,) = actions(Incident(findings=(open_winner,)))
    assert "progressive controller" in words
    assert "belongs to the player" in words
    overpaid = finding("table/t-1", 7, "MYST-TRIGGER", 4, "mystery", 15_001, "a hit", "none")
    assert actions(Incident(findings=(overpaid,)), "USD") == [
        "Overpaid by $150.01 at seat 4: note it, and take nothing back without the shift manager."
    ]


def test_a_finding_of_every_code_without_money_says_what_to_do() -> None:
    """A code that only one game declares without a sentence of its own is decided by the video."""
    told = {}
    for code in {*TITLES, *finding_kinds()}:
        (told[code],) = actions(Incident(findings=(finding("table/t-1", 7, code, None, None, None, "a", "b"),)))
    named = [code for codes in TO_DO.values() for code in codes.split()]
    assert sorted(named) == sorted({*named}), "a code has two sentences"
    assert {*named} <= told.keys(), "no such code"
    assert {code for code in TITLES if code not in named} == set(), "a code says nothing of its own"
    assert told["CA-BUTTON"] != told["DEAL-START"] != told["MYST-RESET"]


def test_an_incident_without_money_says_what_its_cause_asks_for() -> None:
    cause, more = (finding("table/t-1", 7, code, None, None, None, "a", "b") for code in ("EQUIP-DICE", "DEAL-SHAKE"))
    assert actions(Incident(findings=(cause, more))) == ["Take the dice from the table, and replace them."]
