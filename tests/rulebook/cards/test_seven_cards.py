"""The bonus lines of seven cards, and Ace High Pai Gow (§ 688a.1, .6(e), (f); D1, D10, D16)."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulebook.cards.cards import DECK, JOKER, parse_cards, rank, show, suit
from rulebook.cards.ranking import LINES_BY_RANK, is_ace_high, seven_card_lines
from tests.rulebook.cards.plain_ranking import HANDS_7, plain_ace_high, plain_lines


def lines(text, joker="completes"):
    return set(seven_card_lines(parse_cards(text), joker))


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("mode", ["completes", "wild"])
def test_688a_6_e_f_lines_agree_with_trying_every_five_and_every_card_for_the_joker(mode):
    dice = random.Random(688)
    suited = [card for card in DECK if card == JOKER or suit(card) == 0 or rank(card) >= 12]
    few_ranks = [card for card in DECK if card == JOKER or rank(card) in (14, 13, 9, 2)]
    for pool, how_many in ((DECK, 900), (suited, 500), (few_ranks, 300)):
        for _ in range(how_many):
            hand = dice.sample(pool, 7)
            if pool is not DECK and JOKER not in hand and dice.random() < 0.5:
                hand[0] = JOKER
            assert seven_card_lines(hand, mode) == plain_lines(hand, mode), show(hand)


@given(HANDS_7, st.permutations(range(4)))
def test_a_better_hand_makes_the_worse_ones_too(hand, suits):
    for mode in ("completes", "wild"):
        made = seven_card_lines(hand, mode)
        assert made <= set(LINES_BY_RANK)
        for better, worse in (
            ("seven_card_straight_flush", "straight_flush"),
            ("seven_card_straight_flush_joker", "straight_flush"),
            ("royal_match", "royal_flush"),
            ("royal_flush", "straight_flush"),
            ("straight_flush", "straight"),
            ("straight_flush", "flush"),
            ("five_aces", "five_of_a_kind"),
            ("five_of_a_kind", "four_of_a_kind"),
            ("four_of_a_kind", "three_of_a_kind"),
            ("full_house", "three_of_a_kind"),
        ):
            assert better not in made or worse in made
        other = [card if card == JOKER else card // 4 * 4 + suits[card % 4] for card in hand]
        assert seven_card_lines(other, mode) == made
    assert seven_card_lines(hand, "completes") <= seven_card_lines(hand, "wild")
    if JOKER not in hand:
        assert seven_card_lines(hand, "completes") == seven_card_lines(hand, "wild")


STRAIGHT_FLUSH = {"straight_flush", "straight", "flush"}
ROYAL = STRAIGHT_FLUSH | {"royal_flush"}


@pytest.mark.parametrize(
    ("text", "made"),
    [
        # Seven-card straight flushes, (e)(1), (3): at either end, with the joker inside and outside, and one card off.
        ("9s 8s 7s 6s 5s 4s 3s", STRAIGHT_FLUSH | {"seven_card_straight_flush"}),
        ("As Ks Qs Js Ts 9s 8s", ROYAL | {"seven_card_straight_flush"}),
        ("As 2s 3s 4s 5s 6s 7s", STRAIGHT_FLUSH | {"seven_card_straight_flush"}),
        ("As 2s 3s 4s 5s 6s 8s", STRAIGHT_FLUSH),
        ("9s 8s 7s 6s 5s 4s 3h", STRAIGHT_FLUSH),
        ("9s 8s 7s 6s 5s 4s Jk", STRAIGHT_FLUSH | {"seven_card_straight_flush_joker"}),
        ("9s 8s 7s 5s 4s 3s Jk", STRAIGHT_FLUSH | {"seven_card_straight_flush_joker"}),
        ("2s 3s 4s 5s 6s 7s Jk", STRAIGHT_FLUSH | {"seven_card_straight_flush_joker"}),
        ("As Ks Qs Js Ts 9s Jk", ROYAL | {"seven_card_straight_flush_joker"}),
        ("As 2s 3s 4s 5s 7s Jk", STRAIGHT_FLUSH | {"seven_card_straight_flush_joker"}),
        ("As 2s 3s 4s 5s 8s Jk", STRAIGHT_FLUSH),
        # Royal Match, (e)(2): with and without the joker; the extra king and queen natural and of one suit (D16).
        ("As Ks Qs Js Ts Kh Qh", ROYAL | {"royal_match"}),
        ("Jk Ks Qs Js Ts Kh Qh", ROYAL | {"royal_match"}),
        ("As Jk Qs Js Ts Kh Qh", ROYAL | {"royal_match"}),
        ("As Ks Jk Js Ts Kh Qh", ROYAL | {"royal_match"}),
        ("As Ks Qs Js Ts Kh Qd", ROYAL),
        ("As Ks Qs Js Ts Kh Jk", ROYAL),  # the joker is not the extra queen
        ("As Ks Qs Js 9s Kh Qh", {"flush"}),
        # Five aces and five of a kind.
        ("As Ah Ad Ac Jk 9s 7h", {"five_aces", "five_of_a_kind", "four_of_a_kind", "three_of_a_kind"}),
        ("As Ah Ad Ac Jk 9s 9h", {"five_aces", "five_of_a_kind", "four_of_a_kind", "three_of_a_kind", "full_house"}),
        ("As Ah Ad Jk 9s 7h 2c", {"four_of_a_kind", "three_of_a_kind"}),
        ("As Ah Ad Ac 9s 7h 2c", {"four_of_a_kind", "three_of_a_kind"}),
        ("Ks Kh Kd Kc Jk 7h 2c", {"four_of_a_kind", "three_of_a_kind"}),
        # The joker pairs with aces only.
        ("As Ah Jk 9s 7h 4d 2c", {"three_of_a_kind"}),
        ("As Ah Jk 9s 9h 4d 2c", {"three_of_a_kind", "full_house"}),
        ("Ks Kh Kd As Jk 9d 2c", {"three_of_a_kind", "full_house"}),
        ("Ks Kh Jk 9s 7h 4d 2c", set()),
        ("Ks Kh 9s 9h Jk 4d 2c", set()),
        ("Ks Kh Kd Jk 9s 7h 2c", {"three_of_a_kind"}),
        # Three pair.
        ("Ks Kh 9s 9h 4s 4d 2c", {"three_pair"}),
        ("Ks Kh 9s 9h As Jk 2c", {"three_pair"}),
        ("Ks Kh 9s 9h 4s Jk 2c", set()),
        ("Ks Kh 9s 9h 4s 4d Jk", {"three_pair"}),
        ("Ks Kh Kd 9s 9h 4s 4d", {"three_pair", "full_house", "three_of_a_kind"}),
        # Two threes of a kind are a full house.
        ("Ks Kh Kd 9s 9h 9d 2c", {"full_house", "three_of_a_kind"}),
        # Straights: the joker at both ends and inside; none around the ace.
        ("7s 7d 7h 8c 9c Th Jd", {"straight", "three_of_a_kind"}),
        ("As Kd Qh Jc Jk 7h 2d", {"straight"}),
        ("As 2d 3h 4c Jk 9h Td", {"straight"}),
        ("9s 8d 6h 5c Jk 2h Kd", {"straight"}),
        ("Qs Kd Ah 2c Jk 7h 8d", set()),
        # A flush of four and the joker, and of four without it.
        ("Ks Js 8s 4s Jk 7h 2d", {"flush"}),
        ("Ks Js 8s 4s 9c 7h 2d", set()),
        ("Ks Js 8s Jk 9c 4h 2d", set()),
    ],
)
def test_lines_by_hand(text, made):
    assert lines(text) == made


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Ks Kh Jk 9s 7h 4d 2c", {"three_of_a_kind"}),
        ("Ks Kh 9s 9h Jk 4d 2c", {"three_of_a_kind", "full_house", "three_pair"}),
        ("Ks Kh Kd Jk 9s 7h 2c", {"three_of_a_kind", "full_house", "four_of_a_kind"}),
        ("Ks Kh Kd Kc Jk 7h 2c", {"three_of_a_kind", "four_of_a_kind", "five_of_a_kind", "full_house"}),
        ("As Ah Ad Ac Jk 7h 2c", {"three_of_a_kind", "four_of_a_kind", "five_of_a_kind", "five_aces", "full_house"}),
        ("Ks Qh Jk 9s 7h 4d 2c", set()),
        ("9s 8s 7s 6s 5s 4s Jk", STRAIGHT_FLUSH | {"seven_card_straight_flush_joker"}),
    ],
)
def test_688a_12_d_a_fully_wild_joker(text, made):
    assert lines(text, "wild") == made


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("As Qd Th 9h 7c 5s 2d", True),
        ("Jk Qd Th 9h 7c 5s 2d", True),  # the joker as the ace
        ("Kc Qd Th 9h 7c 5s 2d", False),  # king high
        ("As Jk Th 9h 7c 5s 2d", False),  # a pair of aces
        ("As Ad Th 9h 7c 5s 2d", False),
        ("As Qd Th 9h 7c 5s 5d", False),  # a pair
        ("Jk Qd Qh 9h 7c 5s 2d", False),
        ("As Kd Qh Jh Tc 5s 2d", False),  # straights
        ("As 2d 3h 4h 5c 9s Jd", False),
        ("As Kd Qh Jh 9c 5s 2d", True),
        ("Jk Kd Qh Jh 9c 5s 2d", False),  # the joker as the ten
        ("Jk Kd Qh 8h 7c 5s 2d", True),
        ("Jk Kd 9h 8h 7c 5s 2d", False),  # the joker as the six
        ("Jk 2d 3h 5h 8c Ts Qd", True),  # 2, 3 and 5 want both an ace and a four
        ("As Qs Ts 9s 7s 5d 2d", False),  # flushes
        ("As Qs Ts 9s 7d 5d 2d", True),
        ("Jk Qs Ts 9s 7s 5d 2d", False),  # four and the joker
        ("Jk Qs Ts 9s 7d 5d 2d", True),
    ],
)
def test_D10_ace_high_pai_gow(text, expected):
    hand = parse_cards(text)
    assert is_ace_high(hand) is plain_ace_high(hand) is expected


@given(HANDS_7)
def test_D10_ace_high_is_what_no_five_cards_beat(hand):
    assert is_ace_high(hand) is plain_ace_high(hand)


@pytest.mark.slow
def test_D10_ace_high_on_many_hands():
    """Hands without pairs, so that about every third is ace high; 400 of them."""
    dice = random.Random(10)
    seen = Counter()
    for _ in range(400):
        ranks = dice.sample(range(2, 15), 7)
        hand = [(r - 2) * 4 + dice.randrange(4) for r in ranks]
        if dice.random() < 0.5:
            hand[0] = JOKER
        expected = plain_ace_high(hand)
        assert is_ace_high(hand) is expected, show(hand)
        seen[expected] += 1
    assert min(seen.values()) > 50


@pytest.mark.parametrize("how_many", [6, 8])
def test_a_hand_of_another_size_is_refused(how_many):
    for question in (lambda hand: seven_card_lines(hand, "completes"), is_ace_high):
        with pytest.raises(ValueError, match="values to unpack"):
            question(DECK[:how_many])
