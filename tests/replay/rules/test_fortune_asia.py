"""What only Fortune Asia Poker has of procedure: who sets first, whose card was seen, who cuts (58 Pa. Code Chapter 659a)."""

import pytest

from events.vocabulary import model
from replay.rules.order import rules_in_order
from replay.run.adjudicate import Conclusion, rules_of
from replay.transcript.transcript import judge
from rulebook.chapters.rulebook import chapter
from tests.replay.tables import SECOND_US, START_US, Table, lines

PA_659A = chapter("pa", "659a")

DEALER = "Kh Kd Jc 9h 8c 5d 3c"
SEAT_3, SEAT_5 = "As Ac 6d 4s Qs 7c Th", "Qh Qd 6c 4h Tc 7d 5s"
SET_3 = "set seat=3 high=As Ac 6d 4s medium=Qs 7c low=Th\n"
SET_5 = "set seat=5 high=Qh Qd 6c 4h medium=Tc 7d low=5s\n"
SET_DEALER = "set dealer high=Kh Kd 5d 3c medium=Jc 9h low=8c\n"
PAY_3 = "pay seat=3 base 25.00\n"
ROUND = f"wager seat=3 base 25.00\ndeal dealer={DEALER} seat3={SEAT_3}\n"
TWO = f"wager seat=3 base 25.00\nwager seat=5 base 25.00\ndeal dealer={DEALER} seat3={SEAT_3} seat5={SEAT_5}\n"


def judged(text: str, words: str = "pa-659a") -> Conclusion:
    (only,) = judge(f"rules {words}\nround 1\n{text}", "asia.txt")
    return only.conclusion


# -------------------------------------------------------------------------------------------------------- the sections


def test_every_section_that_a_shared_rule_stands_on_has_its_own_number_or_none() -> None:
    shared = {section for each in rules_in_order() for section in each.on if "." not in section and section != "*"}
    assert sorted(shared - set(PA_659A.sections)) == []


def test_659a_has_no_rule_of_what_it_does_not_have() -> None:
    """No order of offering the cut, no exposed stack, no one sets before the dealer must: 688a.5(d), .11(b), .13(i)."""
    held = {each.evaluate.__name__ for each in rules_of(PA_659A)}
    assert "dealer_first" not in held
    assert {"players_first", "cut_by_the_dealer", "exposed_card_election", "house_way", "drawn_card_next"} <= held
    assert not PA_659A.has("13(i)")


@pytest.mark.parametrize(
    ("shared", "own"),
    [
        ("5(e)", "5(c)"),
        ("5(f)", "5(d)"),
        ("5(g)", "5(e)"),
        ("5(i)(1)(ii)", "5(g)(1)(ii)"),
        ("8(d)", "8(c)"),
        ("8(e)", "8(d)"),
        ("8(f)", "8(e)"),
        ("9(c)", "9(b)"),
        ("9(e)", "9(d)"),
        ("10(a)(2)", "10(a)"),
        ("10(a)(2)(i)", "10(a)(1)"),
        ("10(c)", "10(b)"),
        ("10(e)", "10(d)"),
        ("11(a)", "11(c)"),
        ("11(b)(3)", "11(a)(3)"),
        ("11(c)", "11(b)"),
        ("11(h)(2)(ii)", "11(h)(1)(ii)"),
        ("11(h)(3)(i)(B)(4)", "11(h)(3)(ii)(D)"),
        ("12(c)", "12(b)"),
        ("13(e)", "13(f)"),
        ("13(g)", "13(h)"),
        ("13(h)", "13(i)"),
        ("13(j)", "13(k)"),
        ("13(l)", "13(m)"),
        ("13(m)", "13(n)"),
    ],
)
def test_shared_rules_cite_this_chapters_own_numbers(shared: str, own: str) -> None:
    assert PA_659A.cite(shared) == f"58 Pa. Code § 659a.{own}"


# ---------------------------------------------------------------------------------------- who sets first, § 659a.11(c)


@pytest.mark.parametrize(
    ("order", "found"),
    [
        (SET_3 + SET_5 + "reveal dealer\n" + SET_DEALER, []),
        (SET_3 + SET_5 + SET_DEALER + "reveal seat=5\n", []),
        (SET_3 + "reveal dealer\n" + SET_5 + SET_DEALER, ["SET-EARLY seat=5"]),  # turned over, if not yet set
        (SET_3 + SET_DEALER + SET_5 + "reveal seat=5\n", ["SET-EARLY seat=5"]),
        (SET_DEALER + SET_5 + SET_3 + "reveal seat=5\n", ["SET-EARLY seat=3", "SET-EARLY seat=5"]),
        (SET_3 + SET_DEALER + SET_5, []),  # the transcript says nothing of the order
        ("examine seat=5\nexamine seat=3\n" + SET_3 + SET_5, []),
    ],
)
def test_659a_11_c_the_dealers_cards_are_turned_over_after_all_have_set(order: str, found: list[str]) -> None:
    conclusion = judged(TWO + order)
    assert sorted(lines(conclusion)) == found
    assert {each.cite for each in conclusion.findings} <= {"58 Pa. Code § 659a.11(c)"}
    assert all(settled.due_cents is not None for settled in conclusion.settlements)


def test_659a_11_c_a_hand_set_again_after_the_dealer_was_set_in_time_and_changed() -> None:
    again = "set seat=3 high=As Ac 6d 4s medium=Qs Th low=7c\n"
    assert lines(judged(ROUND + SET_3 + SET_DEALER + again + "reveal seat=3\n")) == ["SET-CHANGED seat=3"]


# ------------------------------------------------------------------------------------ the dealer's card seen, § 659a.13(e), (j)


@pytest.mark.parametrize(
    ("text", "section"),
    [
        ("exposed dealer Kh by dealer\n" + SET_3 + SET_DEALER, "13(e)"),
        (SET_3 + "exposed dealer Kh by player\n" + SET_DEALER, "13(e)"),
        ("exposed dealer ?? by device\n", "13(e)"),
        (SET_3 + SET_DEALER + "exposed dealer Kh by dealer\n", None),
        (SET_3 + "reveal dealer\nexposed dealer Kh by dealer\n" + SET_DEALER, None),
    ],
)
def test_659a_13_e_a_card_of_the_dealer_seen_before_it_is_turned_over(text: str, section: str | None) -> None:
    conclusion = judged(ROUND + text)
    exposed = [found for found in conclusion.findings if found.code == "DEAL-EXPOSED"]
    assert [found.cite for found in exposed] == ([] if section is None else [f"58 Pa. Code § 659a.{section}"])
    assert [each.due_cents for each in conclusion.settlements] == [2500 if section is None else 0]


@pytest.mark.parametrize(
    ("deal", "section"),
    [
        (f"deal dealer={DEALER}\nexposed dealer Kh by dealer\ndeal seat3={SEAT_3}\n", "13(j)"),
        (f"exposed stack Kh by dealer\ndeal dealer={DEALER} seat3={SEAT_3}\n", "13(j)"),
        (f"deal dealer={DEALER} face_up\ndeal seat3={SEAT_3}\n", "13(j)"),
        (f"deal dealer={DEALER} face_down\ndeal seat3={SEAT_3}\n", None),
        (f"deal dealer={DEALER} seat3={SEAT_3}\n", None),  # in this game the dealer's cards lie face down
    ],
)
def test_659a_13_j_a_card_of_the_dealer_seen_while_dealing(deal: str, section: str | None) -> None:
    conclusion = judged("wager seat=3 base 25.00\n" + deal + SET_3 + SET_DEALER)
    assert [found.cite for found in conclusion.findings] == ([] if section is None else [f"58 Pa. Code § 659a.{section}"])


def test_659a_13_e_several_cards_are_one_ground() -> None:
    assert lines(judged(ROUND + "exposed dealer Kh by dealer\nexposed dealer Jc by dealer\n")) == ["DEAL-EXPOSED"]


@pytest.mark.parametrize("reason", ["exposed_dealer", "exposed_card"])
def test_659a_13_e_the_void_for_the_dealers_card_has_its_ground(reason: str) -> None:
    voided = f"covers deal\nexposed dealer Kh by dealer\nvoid round {reason}\nreturn seat=3 base 25.00 void\nclose"
    conclusion = judged("wager seat=3 base 25.00\n" + voided)
    assert (conclusion.verdict, conclusion.undetermined) == ("VOID", ())


def test_659a_13_e_the_void_for_the_dealers_card_without_one() -> None:
    voided = "covers deal\nvoid round exposed_dealer\nreturn seat=3 base 25.00 void\nclose"
    conclusion = judged("wager seat=3 base 25.00\n" + voided)
    assert conclusion.verdict == "UNDETERMINED"


# ------------------------------------------------------------------------- a card seen before it is delivered, § 659a.13(d)


@pytest.mark.parametrize(
    ("card", "election", "found", "doubts"),
    [
        ("Qs", "", ["DEAL-EXPOSED seat=3"], 0),
        ("Qs", "elect seat=3 play\n", [], 0),
        ("7s", "", [], 0),  # in neither hand that is wholly read: of a position without a wager (D515)
        ("??", "", [], 2),  # it may be the dealer's: what the base wager is due is open too
        ("2d", "", [], 0),  # of a position without a wager
    ],
)
def test_659a_13_d_a_card_seen_before_it_is_delivered_is_whose_it_becomes(
    card: str, election: str, found: list[str], doubts: int
) -> None:
    deal = f"exposed stack {card} by dealer\ndeal dealer={DEALER} seat3={SEAT_3} seat1=Ks Qh Td 9c 6s 4c 2d\n"
    conclusion = judged("wager seat=3 base 25.00\n" + deal + election + SET_3 + SET_DEALER + PAY_3)
    assert lines(conclusion) == found
    assert len(conclusion.undetermined) == doubts


def test_659a_13_d_an_exposed_stack_voids_nothing_by_itself() -> None:
    conclusion = judged(ROUND + "exposed stack ?? by player\n" + SET_3 + SET_DEALER + PAY_3, "pa-659a deal_method=automated_shoe")
    assert (conclusion.verdict, conclusion.settlements[0].due_cents) == ("UPHELD", 2500)


# ------------------------------------------------------------------------------------------------------------ two clocks


def two_clocks(first: model.Event, second: model.Event, contradicting: bool) -> Conclusion:
    table = Table(words="pa-659a")
    table.say(model.RoundOpened(deck="d-1", observed=["setting", "deal"]), 1)
    at_us = START_US + 100 * SECOND_US
    table.say(first, 1, source="camera", at_us=at_us)
    table.say(second, 1, source="shoe", at_us=at_us - SECOND_US if contradicting else at_us + SECOND_US)
    table.say(model.RoundClosed(by="d-7"), 1, at_us=at_us + 2 * SECOND_US)
    ((_, conclusion),) = table.verdicts()
    return conclusion


DEALER_SET = model.HandSet(position="dealer", high=["Kh"], medium=[], low=["Qd"], by="dealer")
SEAT_SET = model.HandSet(position=3, high=["As"], medium=[], low=["Ac"], by="player")
EXPOSED = model.CardExposed(whose="dealer", by="dealer", card="Kh")


@pytest.mark.parametrize(
    ("first", "second", "code"), [(DEALER_SET, SEAT_SET, "SET-EARLY"), (EXPOSED, DEALER_SET, "DEAL-EXPOSED")]
)
def test_d26_a_finding_that_rests_on_two_clocks(first: model.Event, second: model.Event, code: str) -> None:
    assert code in [found.code for found in two_clocks(first, second, False).findings]
    open_ = two_clocks(first, second, True)
    assert code not in [found.code for found in open_.findings]
    assert any("the clocks contradict" in each for each in open_.undetermined)


# -------------------------------------------------------------------------------------------- the cut, the return to play


PREPARED = "equipment manual_shoe none\ndeck d1 received jokers=1 preshuffled\ndeck d1 in_play\n"


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ("", ["DEAL-CUT"]),  # .5(b)(2): a preshuffled deck is cut too
        ("cut dealer 22\n", []),
        ("cut seat=3 22\n", ["DEAL-CUT"]),
        ("shuffle automated\n", []),
        ("shuffle manual\ncut dealer 9\n", ["DEAL-CUT"]),
        ("shuffle manual\ncut dealer 44\n", []),
        ("shuffle manual\ncut dealer 44 from_bottom\n", ["DEAL-CUT"]),
    ],
)
def test_659a_5_b_2_c_the_cut(steps: str, found: list[str]) -> None:
    text = f"rules pa-659a deal_method=manual_shoe\n{PREPARED}round 1 deck=d1\ncovers shuffle\n{steps}{ROUND}"
    (only,) = judge(text, "asia.txt")
    assert lines(only.conclusion) == found


@pytest.mark.parametrize(("shuffler", "found"), [("automated", ["OPEN-IDLE"]), ("continuous", [])])
def test_659a_5_f_a_device_that_reshuffles_by_itself_needs_no_spread(shuffler: str, found: list[str]) -> None:
    text = f"""
rules pa-659a deal_method=manual_shoe shuffler={shuffler}
equipment manual_shoe {shuffler}
deck d1 received jokers=1 preshuffled
deck d1 in_play
seated seat=3 p-3
round 1 deck=d1
wager seat=3 base 25.00
deal dealer={DEALER} seat3={SEAT_3}
close
left seat=3 p-3
seated seat=3 p-4
round 2 deck=d1
covers equipment
wager seat=3 base 25.00
deal dealer={DEALER} seat3={SEAT_3}
"""
    *_, last = judge(text, "asia.txt")
    assert lines(last.conclusion) == found


# ---------------------------------------------------------------------------------------------------- the notation


def test_a_transcript_sets_three_hands_by_the_house_way() -> None:
    """A-8-4-3, K-J and 9 against K-K-5-3, J-9 and 8: two of three."""
    deal = f"wager seat=3 base 25.00\ndeal dealer={DEALER} seat3=As Ks Jd 9s 8h 4d 3d\n"
    conclusion = judged(deal + "set seat=3 house_way\nset dealer house_way\npay seat=3 base 25.00\nclose")
    assert (conclusion.verdict, conclusion.settlements[0].due_cents) == ("UPHELD", 2500)


def test_659a_13_i_the_finding_shows_all_three_hands() -> None:
    wrong = "set dealer high=Kh Kd 8c 3c medium=Jc 9h low=5d\n"
    (found,) = judged(ROUND + SET_3 + wrong).findings
    assert (found.code, found.expected) == ("SET-DEALER", "asia: Kh Kd 5d 3c / Jc 9h / 8c")
    assert found.observed == "Kh Kd 8c 3c / Jc 9h / 5d"
