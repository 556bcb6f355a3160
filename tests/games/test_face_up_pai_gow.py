"""Face Up Pai Gow Poker, wager by wager, worked out by hand from 58 Pa. Code Chapter 688a."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product

import pytest

from games.face_up_pai_gow import settle as face_up_pai_gow
from rulebook.cards.cards import parse_cards
from rulebook.chapters.rulebook import Rulebook, parse_submission
from rulebook.chapters.submission import submission_from_words
from rulebook.layout import BettingBox, Hand, MeterAtSettlement, TableLayout
from rulebook.settlement.ace_high import ace_high_line
from rulebook.settlement.pai_gow import Position, clockwise_from, is_foul, starting_position
from rulebook.settlement.wagers import Due, Outcome

# ------------------------------------------------------------------------------------------- the start, § 688a.5(i), D3

# The dealer is counted as one, then counterclockwise: seat 6, 5, 4, 3, 2, 1, and the dealer again.
BY_TOTAL: dict[int, Position] = {
    3: 5, 4: 4, 5: 3, 6: 2, 7: 1, 8: "dealer", 9: 6, 10: 5, 11: 4, 12: 3, 13: 2, 14: 1, 15: "dealer", 16: 6, 17: 5, 18: 4,
}  # fmt: skip
BY_NUMBER: dict[int, Position] = {1: "dealer", 2: 6, 3: 5, 4: 4, 5: 3, 6: 2, 7: 1}


@pytest.mark.parametrize("total", BY_TOTAL)
def test_688a_5_i_1_the_total_of_three_dice_points_at_a_position(total: int) -> None:
    assert starting_position(total) == BY_TOTAL[total]


@pytest.mark.parametrize("number", BY_NUMBER)
def test_688a_5_i_2_a_number_drawn_points_at_a_position(number: int) -> None:
    assert starting_position(number) == BY_NUMBER[number]


def test_688a_5_i_of_216_rolls_the_position_counted_seventh_gets_30_and_each_other_31() -> None:
    """D3: the seventh from the dealer counterclockwise is seat 1."""
    pointed = Counter(starting_position(sum(dice)) for dice in product(range(1, 7), repeat=3))
    assert pointed == {1: 30, 2: 31, 3: 31, 4: 31, 5: 31, 6: 31, "dealer": 31}


# § 688a.8(d): clockwise; seat 1 sits at the dealer's left.
DEAL_ORDERS: dict[Position, tuple[Position, ...]] = {
    1: (1, 2, 3, 4, 5, 6, "dealer"),
    2: (2, 3, 4, 5, 6, "dealer", 1),
    3: (3, 4, 5, 6, "dealer", 1, 2),
    4: (4, 5, 6, "dealer", 1, 2, 3),
    5: (5, 6, "dealer", 1, 2, 3, 4),
    6: (6, "dealer", 1, 2, 3, 4, 5),
    "dealer": ("dealer", 1, 2, 3, 4, 5, 6),
}


@pytest.mark.parametrize("start", DEAL_ORDERS)
def test_688a_8_d_the_deal_goes_clockwise(start: Position) -> None:
    assert clockwise_from(start) == DEAL_ORDERS[start]


# ------------------------------------------------------------------------------------------------------- fouls, .11(c), (f)


@pytest.mark.parametrize(
    ("high", "low", "foul"),
    [
        ("7s 7h Kd 4c 3s", "6d 6h", False),
        ("7s 7h Kd 4c 3s", "7d 7c", False),  # equal is not foul
        ("7s 7h Kd 4c 3s", "8d 8h", True),
        ("As Kh 9d 4c 3s", "2d 2h", True),  # any pair ranks above ace high
        ("As Kh 9d 4c 3s", "Kd Qh", False),
        ("Ks Qh 9d 4c 3s", "Ad 2h", True),
        ("As Kh 9d 4c 3s", "Ad Kc", False),  # compared as far as the two cards go: equal, and the high hand has more
        ("As Qh 9d 4c 3s", "Ad Kc", True),
        ("As 2h 3d 4c 5s", "Ad Ah", False),  # the wheel is a straight
        ("Ks Kh Jk 9c 8d", "As Kd", False),
        ("Ks Qh Jd 9c 8d", "Jk 2c", True),  # the joker is an ace in the low hand
        ("7s 7h Kd 4c", "6d 6h", True),
        ("7s 7h Kd 4c 3s", "6d", True),
        ("7s 7h Kd 4c 3s 2s", "6d", True),
        ("", "", True),
    ],
)
def test_688a_11_c_foul_hands(high: str, low: str, foul: bool) -> None:
    assert is_foul(parse_cards(high), parse_cards(low)) is foul


# ------------------------------------------------------------------------------------------------- ace high, .12(b), D10


@pytest.mark.parametrize(
    ("dealer", "player", "line"),
    [
        ("Ah Qd Js 9c 8d 4h 3s", "Ks Kd 9s 7h 5c 4d 2c", "dealer_ace_high_no_joker"),
        ("Jk Kd Jc 9s 8h 4d 3c", "Ks Kd 9s 7h 5c 4d 2c", "dealer_ace_high_joker"),
        ("Ah Qd Js 9c 8d 4h 3s", "As Qc Th 9h 7c 5s 2d", "both_ace_high"),
        ("Jk Kd Jc 9s 8h 4d 3c", "As Qc Th 9h 7c 5s 2d", "both_ace_high"),
        ("Ah Qd Js 9c 8d 4h 3s", "Jk Qc Th 9h 7c 5s 2d", "both_ace_high"),
        ("Kh Qd Js 9c 8d 4h 3s", "As Qc Th 9h 7c 5s 2d", None),  # king high
        ("Jk Qd Js 9c 8d 4h 3s", "As Qc Th 9h 7c 5s 2d", None),  # the joker is a ten: a straight
        ("Ah Ad Js 9c 8d 4h 3s", "As Qc Th 9h 7c 5s 2d", None),  # a pair
        ("Ah Jk Js 9c 8d 4h 3s", "As Qc Th 9h 7c 5s 2d", None),  # the joker pairs the ace
        ("Ah Kd Qs Jc Td 4h 3s", "As Qc Th 9h 7c 5s 2d", None),  # a straight
        ("Ah 2d 3s 4c 5d Kh Qs", "As Qc Th 9h 7c 5s 2d", None),  # the wheel
        ("Ah Qh 9h 5h 3h Ks Jc", "As Qc Th 9h 7c 5s 2d", None),  # a flush
    ],
)
def test_688a_12_b_who_has_ace_high(dealer: str, player: str, line: str | None) -> None:
    assert ace_high_line(parse_cards(dealer), parse_cards(player)) == line


def test_688a_12_b_without_the_players_cards_the_line_is_open() -> None:
    assert ace_high_line(parse_cards("Ah Qd Js 9c 8d 4h 3s"), None) == "?"
    assert ace_high_line(parse_cards("Kh Qd Js 9c 8d 4h 3s"), None) is None


# ------------------------------------------------------------------------------------------------------ the whole round

KING_HIGH = ("Kh Qd Js 9c 8d 4h 3s", "Kh 9c 8d 4h 3s", "Qd Js")
ACE_HIGH = ("Ah Qd Js 9c 8d 4h 3s", "Ah 9c 8d 4h 3s", "Qd Js")
WINS = ("As Ac 7c 7d 5s 4c 2h", "As Ac 5s 4c 2h", "7c 7d")
QUADS = ("Ts Th Td Tc 7s 5d 2c", "Ts Th Td Tc 7s", "5d 2c")
STRAIGHT_FLUSH = ("9s 8s 7s 6s 5s Kd 2c", "9s 8s 7s 6s 5s", "Kd 2c")
SEVEN_STRAIGHT_FLUSH = ("9s 8s 7s 6s 5s 4s 3s", "9s 8s 7s 6s 5s", "4s 3s")
FIVE_ACES = ("As Ah Ad Ac Jk Kd 2c", "As Ah Ad Jk Kd", "Ac 2c")
NOTHING = ("Th 9d 7h 6c 4d 3c 2c", "Th 7h 6c 4d 3c", "9d 2c")

Hands = tuple[str, str, str]


def book(words: str = "") -> Rulebook:
    return parse_submission(submission_from_words(["pa-688a", *words.split()]))


def dealer(hands: Hands = KING_HIGH) -> Hand:
    cards, high, low = (parse_cards(text) for text in hands)
    return Hand(cards, high, low)


def box(
    seat: int,
    hands: Hands | None,
    bettor: str = "",
    *,
    surrendered: bool = False,
    voided: bool = False,
    abandoned: bool = False,
    **stakes: int,
) -> BettingBox:
    cards, high, low = (parse_cards(text) for text in hands) if hands is not None else (None, None, None)
    return BettingBox(
        seat, bettor or f"p-{seat}", Hand(cards, high, low), stakes, surrendered=surrendered, voided=voided, abandoned=abandoned
    )


def settle(
    rules: Rulebook,
    dealer: Hand,
    boxes: Sequence[BettingBox],
    meter_centicents: int | None = None,
    by_turn: dict[int, int] | None = None,
) -> list[Due]:
    return face_up_pai_gow.settle(
        rules, TableLayout(boxes=boxes, dealer=dealer, meter=MeterAtSettlement(meter_centicents, by_turn))
    )


def due_by(dues: Sequence[Due]) -> dict[tuple[int, str], Due]:
    return {(due.seat, due.wager): due for due in dues if due.for_position is None}


def one(rules: Rulebook, player: BettingBox, wager: str = "base", dealers: Hand | None = None, **known: object) -> Due:
    dues = settle(rules, dealers if dealers is not None else dealer(), [player], **known)
    return due_by(dues)[player.seat, wager]


@pytest.mark.parametrize(
    ("player", "dealer_hands", "outcome", "net", "returned", "section"),
    [
        (box(3, WINS, base=2500), KING_HIGH, Outcome.WIN, 2500, 2500, "12(a)"),
        (box(3, NOTHING, base=2500), KING_HIGH, Outcome.LOSE, -2500, 0, "11(f)(1)"),
        (box(3, QUADS, base=2500), KING_HIGH, Outcome.TIE, 0, 2500, "11(f)(2)"),
        (
            box(3, ("Ks Qh 9d 4c 3c 2h 2d", "Ks Qh 9d 4c 3c", "2h 2d"), base=2500),
            KING_HIGH,
            Outcome.FOUL,
            -2500,
            0,
            "11(f)(1)(iii)",
        ),
        (
            box(3, ("Ks Qh 9d 4c 3c 2h 2d", "Ks Qh 9d 4c", "3c 2h 2d"), base=2500),
            KING_HIGH,
            Outcome.FOUL,
            -2500,
            0,
            "11(f)(1)(iv)",
        ),
        (box(3, WINS, base=2500, surrendered=True), KING_HIGH, Outcome.SURRENDERED, -2500, 0, "11(d)"),
        (box(3, WINS, base=2500, abandoned=True), KING_HIGH, Outcome.ABANDONED, -2500, 0, "7(b)"),
        (box(3, WINS, base=2500, voided=True), KING_HIGH, Outcome.VOID, 0, 2500, "13(d)"),
        # The dealer's ace high returns every base wager: before a foul, a surrender, an abandoned box (D9).
        (box(3, NOTHING, base=2500), ACE_HIGH, Outcome.ACE_HIGH_PUSH, 0, 2500, "11(f)(2)(iii)"),
        (box(3, WINS, base=2500), ACE_HIGH, Outcome.ACE_HIGH_PUSH, 0, 2500, "11(f)(2)(iii)"),
        (box(3, NOTHING, base=2500, surrendered=True), ACE_HIGH, Outcome.ACE_HIGH_PUSH, 0, 2500, "11(f)(2)(iii)"),
        (box(3, NOTHING, base=2500, abandoned=True), ACE_HIGH, Outcome.ACE_HIGH_PUSH, 0, 2500, "11(f)(2)(iii)"),
        (box(3, None, base=2500), ACE_HIGH, Outcome.ACE_HIGH_PUSH, 0, 2500, "11(f)(2)(iii)"),
        (box(3, WINS, base=2500, voided=True), ACE_HIGH, Outcome.VOID, 0, 2500, "13(d)"),
    ],
)
def test_688a_11_f_the_base_wager(
    player: BettingBox, dealer_hands: Hands, outcome: Outcome, net: int, returned: int, section: str
) -> None:
    due = one(book(), player, dealers=dealer(dealer_hands))
    assert (due.outcome, due.net_cents, due.returned_cents) == (outcome, net, returned)
    assert str(due.cite) == f"58 Pa. Code § 688a.{section}"


def test_d26_what_is_not_known_of_the_base_wager_is_not_guessed() -> None:
    unknown_dealer = Hand(None, None, None)
    unset_dealer = Hand(parse_cards(KING_HIGH[0]), None, None)
    unset = BettingBox(3, "p-3", Hand(parse_cards(WINS[0])), {"base": 2500})
    half_set = BettingBox(3, "p-3", Hand(parse_cards(WINS[0]), parse_cards(WINS[1])), {"base": 2500})
    for player, dealers in (
        (box(3, WINS, base=2500), unknown_dealer),
        (box(3, WINS, base=2500), unset_dealer),
        (unset, dealer()),
        (half_set, dealer()),
        (box(3, None, base=2500), dealer()),
        (box(3, WINS, base=2500, surrendered=True), unknown_dealer),  # ace high would return even that
    ):
        due = one(book(), player, dealers=dealers)
        assert (due.outcome, due.net_cents, due.winnings_cents) == (Outcome.UNKNOWN, None, 0)


def test_d26_a_foul_is_a_foul_whatever_the_dealer_set() -> None:
    foul = box(3, ("Ks Qh 9d 4c 3c 2h 2d", "Ks Qh 9d 4c 3c", "2h 2d"), base=2500)
    unset = Hand(parse_cards(KING_HIGH[0]), None, None)
    assert one(book(), foul, dealers=unset).outcome is Outcome.FOUL


# ------------------------------------------------------------------------------------------- bonuses, .11(h), .12(b)-(d)

ACE_BOOK, FORTUNE_BOOK = book("ace_high_bonus=1"), book("fortune_bonus=1")
PROGRESSIVE_BOOK = book("progressive=1")


def test_d26_without_the_meter_a_share_cannot_be_told_but_its_line_can() -> None:
    due = one(PROGRESSIVE_BOOK, box(3, FIVE_ACES, base=100, progressive=100), "progressive")
    assert (due.outcome, due.net_cents, due.line, due.share_bp) == (Outcome.UNKNOWN, None, "five_aces", 1000)


def test_d26_a_hand_not_read_leaves_the_meter_of_the_next_winners_unknown() -> None:
    """Seat 6 may have taken a share before seat 2's turn; a fixed amount does not depend on that."""
    boxes = [
        box(6, None, base=100, progressive=100),
        box(4, STRAIGHT_FLUSH, base=100, progressive=100),
        box(2, FIVE_ACES, base=100, progressive=100),
    ]
    dues = due_by(settle(PROGRESSIVE_BOOK, dealer(), boxes, 120_000_000))
    nets = {seat: due.net_cents for (seat, wager), due in dues.items() if wager == "progressive"}
    assert nets == {6: None, 4: 9_900, 2: None}


@pytest.mark.parametrize(
    ("flags", "net", "outcome"), [({"voided": True}, 0, Outcome.VOID), ({"abandoned": True}, -500, Outcome.ABANDONED)]
)
@pytest.mark.parametrize("wager", ["ace_high_bonus", "fortune_bonus", "progressive"])
def test_688a_13_d_and_7_b_void_and_abandoned_boxes(wager: str, flags: Mapping[str, bool], net: int, outcome: Outcome) -> None:
    rules = book("ace_high_bonus=1 fortune_bonus=1 progressive=3")
    player = box(3, SEVEN_STRAIGHT_FLUSH, base=2500, voided="voided" in flags, abandoned="abandoned" in flags, **{wager: 500})
    due = one(rules, player, wager, dealer(ACE_HIGH), meter_centicents=120_000_000)
    assert (due.net_cents, due.outcome) == (net, outcome)


@pytest.mark.parametrize("wager", ["ace_high_bonus", "fortune_bonus", "progressive", "insurance"])
def test_688a_7_e_a_wager_that_is_not_offered_has_no_odds(wager: str) -> None:
    due = one(book(), box(3, WINS, base=2500, **{wager: 500}), wager)
    assert (due.outcome, due.net_cents) == (Outcome.UNKNOWN, None)


@pytest.mark.parametrize("wager", ["ace_high_bonus", "fortune_bonus", "progressive"])
def test_d26_bonuses_of_cards_that_are_not_known(wager: str) -> None:
    rules = book("ace_high_bonus=1 fortune_bonus=1 progressive=3")
    due = one(rules, box(3, None, base=2500, **{wager: 500}), wager, dealer(ACE_HIGH))
    assert (due.outcome, due.net_cents) == (Outcome.UNKNOWN, None)


def test_d26_the_ace_high_bonus_without_the_dealers_cards() -> None:
    due = one(ACE_BOOK, box(3, WINS, base=2500, ace_high_bonus=500), "ace_high_bonus", Hand(None, None, None))
    assert (due.outcome, due.net_cents) == (Outcome.UNKNOWN, None)


# ---------------------------------------------------------------------------------------------------------- envy, D17


def envies(rules: Rulebook, *boxes: BettingBox) -> list[tuple[int, str, int | None, int | None]]:
    """Return (to seat, wager, for the hand of, cents), sorted."""
    dues = settle(rules, dealer(), boxes, 120_000_000)
    return sorted((due.seat, due.wager, due.for_position, due.net_cents) for due in dues if due.for_position is not None)


def test_d26_a_hand_not_read_leaves_its_envy_bonus_unknown() -> None:
    holder = box(1, WINS, base=500, fortune_bonus=500)
    assert envies(FORTUNE_BOOK, holder, box(3, None, base=500)) == [(1, "fortune_envy", 3, None)]
    assert envies(FORTUNE_BOOK, holder, box(3, None, base=500, voided=True)) == []
