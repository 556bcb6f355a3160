"""Ranks of four cards and of one, and legal settings in three hands (58 Pa. Code §§ 659a.6(a)-(c), 659a.11(b); D1, D4, D7)."""

import random
from itertools import combinations, pairwise

import pytest
from hypothesis import given

from rulebook.cards.cards import CODE, DECK, JOKER, parse_cards, show
from rulebook.cards.four_card import FourCardClass, is_legal_setting, rank_four, rank_one
from tests.rulebook.cards.plain_ranking import HANDS_4, HANDS_7, plain_four

C = FourCardClass


def four(text):
    return rank_four(parse_cards(text))


# Each hand ranks strictly above the next, in the order of § 659a.6(b).
IN_ORDER = [
    "As Ah Ad Ac",
    "As Ks Qs Js",  # the highest straight flush, (b)(2)
    "4h 3h 2h Ah",  # the second highest
    "Kd Qd Jd Td",
    "5c 4c 3c 2c",  # the lowest
    "Ks Kh Kd Kc",  # the highest four of a kind, (b)(3)
    "2s 2h 2d 2c",
    "As Ks Qs Ts",  # a flush ranks above a straight, (b)(4)
    "As Ks Qs 9s",
    "As 5s 4s 3s",
    "Ks Qs Js 9s",
    "6s 4s 3s 2s",
    "As Kh Qs Js",  # the highest straight, (b)(5)
    "As 4h 3s 2s",
    "Ks Qh Js Ts",
    "5s 4h 3s 2s",
    "As Ah Ad Ks",  # three of a kind ranks below a straight, (b)(6)
    "As Ah Ad 2s",
    "Ks Kh Kd As",
    "2s 2h 2d 3s",
    "As Ah Ks Kh",
    "As Ah 2s 2h",
    "Ks Kh Qs Qh",
    "3s 3h 2s 2h",
    "As Ah Ks Qs",
    "As Ah Ks Js",
    "As Ah 3s 2s",
    "Ks Kh As Qs",
    "2s 2h 4s 3s",
    "As Kh Qs Ts",
    "As Kh Qs 9s",
    "As 5h 3s 2s",
    "Ks Qh Js 9s",
    "6s 4h 3s 2s",
]


@pytest.mark.parametrize(("higher", "lower"), list(pairwise(IN_ORDER)))
def test_659a_6_b_order(higher, lower):
    assert four(higher) > four(lower)


@pytest.mark.parametrize(
    ("text", "rank_"),
    [
        ("As Ah Ad Jk", (C.FOUR_ACES, 14)),  # D4
        ("Ks Kh Kd Jk", (C.THREE_OF_A_KIND, 13, 14)),  # never four kings
        ("As Ah Ks Jk", (C.THREE_OF_A_KIND, 14, 13)),
        ("Ks Kh As Jk", (C.TWO_PAIR, 14, 13)),
        ("Ks Kh Qs Jk", (C.PAIR, 13, 14, 12)),  # never three kings
        ("As 9h 7s Jk", (C.PAIR, 14, 9, 7)),
        ("Ks 9h 7s Jk", (C.HIGH_CARD, 14, 13, 9, 7)),
        ("Ks Qs Js Jk", (C.STRAIGHT_FLUSH, 14, 13, 12, 11)),
        ("As Qs Js Jk", (C.STRAIGHT_FLUSH, 14, 13, 12, 11)),
        ("As Ks Qs Jk", (C.STRAIGHT_FLUSH, 14, 13, 12, 11)),
        ("4s 3s 2s Jk", (C.STRAIGHT_FLUSH, 14, 4, 3, 2)),  # as the ace: above five high
        ("As 3s 2s Jk", (C.STRAIGHT_FLUSH, 14, 4, 3, 2)),
        ("5s 4s 3s Jk", (C.STRAIGHT_FLUSH, 6, 5, 4, 3)),  # the joker at the upper end
        ("5s 4s 2s Jk", (C.STRAIGHT_FLUSH, 5, 4, 3, 2)),  # inside
        ("Qs Js Ts Jk", (C.STRAIGHT_FLUSH, 13, 12, 11, 10)),
        ("As Ks 7s Jk", (C.FLUSH, 14, 13, 12, 7)),  # the highest rank not there: the queen
        ("As 9s 7s Jk", (C.FLUSH, 14, 13, 9, 7)),
        ("Ks 9s 7s Jk", (C.FLUSH, 14, 13, 9, 7)),
        ("As Kh Qs Jk", (C.STRAIGHT, 14, 13, 12, 11)),  # not a pair of aces
        ("Ks Qh Js Jk", (C.STRAIGHT, 14, 13, 12, 11)),
        ("4s 3h 2s Jk", (C.STRAIGHT, 14, 4, 3, 2)),
        ("As 4h 2s Jk", (C.STRAIGHT, 14, 4, 3, 2)),
        ("9s 8h 6s Jk", (C.STRAIGHT, 9, 8, 7, 6)),
        ("As Kh 2s Jk", (C.PAIR, 14, 13, 2)),  # no straight goes round the ace, § 659a.6(a)
        ("As Kh Qs 2d", (C.HIGH_CARD, 14, 13, 12, 2)),
        ("As Kh 3s 2d", (C.HIGH_CARD, 14, 13, 3, 2)),
    ],
)
def test_659a_6_a_what_the_joker_makes(text, rank_):
    assert four(text) == rank_ == plain_four(parse_cards(text))


@given(HANDS_4)
def test_rank_four_agrees_with_trying_every_card_for_the_joker(hand):
    assert rank_four(hand) == plain_four(hand)


@pytest.mark.slow
def test_rank_four_agrees_on_every_hand_with_the_joker_and_one_of_two_suits():
    """All three suits of two, so that suited and unsuited hands are there, and many others."""
    dice = random.Random(4)
    two_suits = [card for card in DECK if card != JOKER and card % 4 < 2]
    for naturals in (*combinations(two_suits, 3), *(dice.sample(DECK[:52], 3) for _ in range(1500))):
        assert rank_four((*naturals, JOKER)) == plain_four((*naturals, JOKER)), show(naturals)


@pytest.mark.parametrize(
    ("high", "medium", "low", "legal"),
    [
        # The text's example: a pair of sevens in the medium takes a pair of sevens and the two remaining cards.
        ("7s 7h 3d 2c", "7d 7c", "As", True),
        ("6s 6h Ad Kc", "7d 7c", "Qs", False),
        ("8s 8h 3d 2c", "7d 7c", "As", True),
        ("As Kh Qd 9c", "7d 7c", "Js", False),
        ("3s 3h 2d 2c", "7d 7c", "As", True),  # two pair
        # High cards one by one; if the medium hand runs out equal, the high hand is longer.
        ("As Kh 3d 2c", "Ad Kc", "Qs", True),
        ("As Qh 3d 2c", "Ad Kc", "Js", False),
        ("As Kh 3d 2c", "Ad Qc", "Js", True),
        ("Ks Qh 9d 2c", "Ad 3c", "2s", False),
        ("2s 2h 4d 3c", "Ad Kc", "Qs", True),
        # A-K above A is legal, K-Q above A is foul.
        ("As Ah 4d 2c", "Ad Kc", "Ac", True),
        ("As Ah 4d 2c", "Kd Qc", "Ac", False),
        ("As Ah 4d 3c", "Ad 2c", "Ac", True),
        ("As Ah 4d 3c", "2d 2c", "Ac", True),  # a pair above an ace
        ("Ks Kh 4d 3c", "Qd 2c", "Js", True),
        ("Ks Kh 4d 3c", "Jd 2c", "Qs", False),
        # The joker is an ace in the medium and the low hand.
        ("Ks Kh 4d 3c", "Jk 2c", "As", True),
        ("Ks Kh 4d 3c", "Ad 2c", "Jk", True),
        ("Ks Kh 4d 3c", "Qd Jc", "Jk", False),
        ("Ks Kh 4d 3c", "Jk Ac", "2s", False),
        ("Ks Qh Jd Jk", "As Ac", "2s", True),  # a straight
        # Wrong sizes are foul.
        ("7s 7h 3d 2c 5s", "7d 7c", "", False),
        ("7s 7h 3d", "7d 7c", "As 5s", False),
        ("7s 7h 3d 2c", "7d 7c", "", False),
        ("7s 7h 3d 2c", "", "As", False),
    ],
)
def test_659a_11_b_D7_each_hand_ranks_higher_than_the_next(high, medium, low, legal):
    for order in (1, -1):
        assert is_legal_setting(*(parse_cards(text)[::order] for text in (high, medium, low))) is legal


def settings(hand):
    for low in hand:
        for medium in combinations([card for card in hand if card != low], 2):
            yield tuple(card for card in hand if card != low and card not in medium), medium, (low,)


@given(HANDS_7)
def test_no_legal_setting_has_a_higher_high_hand_than_the_best_four_of_seven_which_can_always_be_set(hand):
    best = max(plain_four(cards) for cards in combinations(hand, 4))
    assert max(rank_four(setting[0]) for setting in settings(hand) if is_legal_setting(*setting)) == best


def test_659a_6_a_a_hand_of_one():
    assert rank_one([CODE["Jk"]]) == rank_one([CODE["As"]]) > rank_one([CODE["Ks"]]) > rank_one([CODE["2h"]])


@pytest.mark.parametrize("how_many", [3, 5])
def test_a_hand_of_another_size_is_refused(how_many):
    with pytest.raises(ValueError, match="values to unpack"):
        rank_four(DECK[:how_many])
    with pytest.raises(ValueError, match="values to unpack"):
        rank_one(DECK[:how_many])
