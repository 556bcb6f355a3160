"""D26: what the record leaves open is said to be open, and the rest is judged."""

from collections.abc import Iterator

import pytest

from events.vocabulary import model
from replay.findings import Finding
from replay.fold.round import Round
from replay.rules.order import rules_in_order
from replay.rules.rule import SEVERITY, Indeterminate, rule
from replay.run.adjudicate import Conclusion
from replay.transcript.transcript import judge
from rulebook.chapters.rulebook import Rulebook
from tests.replay.tables import DEALER, SECOND_US, START_US, Table

SET_3 = "set seat=3 high=As Ah 5s 4c 2h low=7c 7d\n"


def judged(text: str, words: str = "pa-688a") -> Conclusion:
    (only,) = judge(f"rules {words}\nround 1\n{text}", "doubt.txt")
    return only.conclusion


# ------------------------------------------------------------------------------------- two clocks, two orders


def two_clocks(observed: list[str], first: model.Event, second: model.Event, *, contradicting: bool) -> Conclusion:
    """A round in which one device reports the first event and another the second, by clocks that agree or do not."""
    table = Table()
    table.say(model.RoundOpened(deck="d-1", observed=observed), 1)
    at_us = START_US + 100 * SECOND_US
    table.say(first, 1, source="camera", at_us=at_us)
    table.say(second, 1, source="shoe", at_us=at_us - SECOND_US if contradicting else at_us + SECOND_US)
    table.say(model.RoundClosed(by="d-7"), 1, at_us=at_us + 2 * SECOND_US)
    ((_, conclusion),) = table.verdicts()
    return conclusion


DEALT = model.CardsDealt(to=5, cards=["As"], face_up=False)
DEALT_WHOLE = model.CardsDealt(to=5, cards=["As", "Kd", "9h", "7c", "5s", "4d", "2c"], face_up=False)
LOOKED = model.HandExamined(seat=3)
ELECTED = model.HandElected(seat=3, election="play")
LOCKED = model.ProgressiveLocked(accepted=1, collected=1)
ACCEPTED = model.ProgressiveAccepted(seat=3, meter="m-1", amount_cents=500, reading_centicents=5_000_000, meter_seq=2)
DEALER_SET = model.HandSet(position="dealer", high=["Kh"], medium=[], low=["Qd"], by="dealer")


@pytest.mark.parametrize(
    ("aspect", "first", "second", "code", "doubt"),
    [
        (
            "wagering",
            DEALT,
            model.NoMoreBets(announced_by="dealer"),
            "DEAL-NOBETS",
            'the clocks contradict the order of "no more bets" and the first card',
        ),
        ("deal", LOOKED, ELECTED, "DEAL-ELECTION", "seat 3: the clocks contradict the order of looking and electing"),
        (
            "setting",
            LOOKED,
            DEALER_SET,
            "SET-EARLY",
            "seat 3: the clocks contradict the order of the player's look and the dealer's setting",
        ),
        ("setting", LOOKED, DEALT_WHOLE, "SET-EARLY", "SET-EARLY seat=3: not in the order of the devices' clocks"),
        ("setting", DEALER_SET, DEALT_WHOLE, "SET-EARLY", "SET-EARLY: not in the order of the devices' clocks"),
        (
            "progressive",
            LOCKED,
            ACCEPTED,
            "WAGER-LOCKOUT",
            "seat 3: the clocks contradict the order of the lock and a wager accepted",
        ),
    ],
    ids=["DEAL-NOBETS", "DEAL-ELECTION", "SET-EARLY", "looked before the deal", "set before the deal", "WAGER-LOCKOUT"],
)
def test_a_finding_that_rests_on_two_clocks(aspect: str, first: model.Event, second: model.Event, code: str, doubt: str) -> None:
    certain = two_clocks([aspect], first, second, contradicting=False)
    assert code in [found.code for found in certain.findings]
    open_ = two_clocks([aspect], first, second, contradicting=True)
    assert code not in [found.code for found in open_.findings]
    assert doubt in open_.undetermined


# --------------------------------------------------------------------------------------------- what was not read


def test_688a_5_i_a_die_that_was_not_read_points_nowhere() -> None:
    conclusion = judged("dice 2 ? 4\ndeal_order seat5=As Ah 7c 7d 5s 4c 2h")
    assert not {found.code for found in conclusion.findings} & {"DEAL-START", "DEAL-TOTAL", "DEAL-NOROLL"}


@pytest.mark.parametrize("text", ["drawn_in_error ??\ndeal seat1=As", "drawn_in_error 4c\ndeal seat1=??"], ids=["drawn", "dealt"])
def test_688a_13_f_a_card_drawn_in_error_that_was_not_read(text: str) -> None:
    conclusion = judged(text)
    assert "DEAL-DRAWN" not in [found.code for found in conclusion.findings]
    assert "a card drawn in error, or the card dealt after it, was not read" in conclusion.undetermined


@pytest.mark.parametrize(("covered", "found"), [("", []), ("covers deal\n", ["DEAL-DRAWN"])])
def test_688a_13_f_no_card_was_dealt_after_it(covered: str, found: list[str]) -> None:
    conclusion = judged(f"{covered}drawn_in_error 4c")
    assert [each.code for each in conclusion.findings] == found


def test_688a_13_h_the_dealers_setting_where_a_card_decides_it() -> None:
    """With a seventh card unread the house way may want another setting: nothing is said of it."""
    conclusion = judged("deal dealer=Kh Qd Js 9c 8d 4h ??\nset dealer high=Kh 9c 8d 4h ?? low=Qd Js\nclose")
    assert "SET-DEALER" not in [found.code for found in conclusion.findings]
    assert "whether the dealer's hands follow the house way depends on a card that was not read" in (conclusion.undetermined)


ROUND = f"wager seat=3 base 25.00\ndeal dealer={DEALER} seat3=As Ah 7c 7d 5s 4c 2h\n"


@pytest.mark.parametrize(
    ("hands", "due"),
    [
        ("set seat=3 high=As Ah 5s 4c ?? low=7c 7d", 2500),  # the one card left is known from the deal
        ("set seat=3 high=As Ah ?? ?? 2h low=7c 7d", None),  # which of two goes where is not
        ("set seat=3 high=As Ah 5s 4c 2h low=7c ??", 2500),
        ("set seat=3 high=As Ah 5s 4c 2h 7c low=??", -2500),  # six and one: foul, whatever the one is
        ("", None),
    ],
)
def test_cards_not_read_when_the_hands_were_set(hands: str, due: int | None) -> None:
    conclusion = judged(ROUND + hands)
    (base,) = conclusion.settlements
    assert base.due_cents == due


def test_why_a_result_cannot_be_told() -> None:
    for text, why in (
        ("wager seat=3 base 25.00", "the dealer's cards are not on record"),
        ("wager seat=3 base 25.00\ndeal dealer=As Kd Jc 9s 8h 4d", "the dealer holds 6 cards, by the record"),
        (f"wager seat=3 base 25.00\ndeal dealer={DEALER}", "the cards of seat 3 are not on record"),
        (ROUND, "how seat 3 set the hands is not on record"),
        ("wager seat=3 insurance 5.00\n" + ROUND + SET_3, "the rules submission does not offer it"),
    ):
        assert why in judged(text).undetermined[-1]


def test_a_void_without_a_ground_in_the_record_and_a_hand_without_an_exposed_card() -> None:
    no_ground = judged("covers start deal\nwager seat=3 base 25.00\nvoid round wrong_start\nclose")
    assert any("shows no ground for it" in each for each in no_ground.undetermined)
    no_card = judged("covers deal\nwager seat=3 base 25.00\nvoid seat=3 exposed_card")
    assert any("the hand of seat 3 was voided" in each for each in no_card.undetermined)


def test_a_doubt_is_said_once() -> None:
    conclusion = judged("drawn_in_error ??\ndrawn_in_error ??\ndeal seat1=As")
    assert len(set(conclusion.undetermined)) == len(conclusion.undetermined)


# ---------------------------------------------------------------------------------------------- the register of rules


def never(round_: Round, book: Rulebook) -> Iterator[Finding | Indeterminate]:
    yield from ()


@pytest.mark.parametrize(("codes", "on"), [(("deal-nothing",), ("13(a)",)), (("DEAL-START",), ())])
def test_a_rule_needs_a_known_code_and_a_section(codes: tuple[str, ...], on: tuple[str, ...]) -> None:
    make = rule(*codes, on=on)
    with pytest.raises(ValueError, match="never: unknown code"):
        make(never)


def test_every_code_has_a_rule_or_a_stream() -> None:
    """Each code of the register can be found by a rule of 688a; the meters' own streams find PAY-METER too.

    What is found of an observed round apart from its play needs other streams: `replay/run/observed_entries.py`.
    """
    of_observed = {"LOG-PINNED-RULES", "LOG-OBSERVED-DIFFERS"}
    assert {code for each in rules_in_order() for code in each.codes} == set(SEVERITY) - of_observed
