"""Ranks of five and of two cards (§ 688a.6; D1, D2, D7)."""

import random
from collections import Counter
from itertools import combinations, pairwise
from math import comb

import pytest
from hypothesis import given

from rulebook.cards.cards import DECK, JOKER, parse_cards, show
from rulebook.cards.ranking import HandClass, rank_five, rank_two, seven_card_lines
from tests.rulebook.cards.plain_ranking import HANDS_5, HANDS_7, plain_rank

C = HandClass


def five(text, wheel="second"):
    return rank_five(parse_cards(text), wheel)


# ------------------------------------------------------------------------------------------------------- counts


def expected_five_card_classes():
    """How many of the C(53,5) hands of five are of each class, worked out by combinations.

    Without the joker: the counts of a 52-card deck. With it, four natural cards and what the joker makes of them.
    """
    natural = {
        C.ROYAL_FLUSH: 4,
        C.STRAIGHT_FLUSH: 9 * 4,  # ten straights less the royal
        C.FOUR_OF_A_KIND: 13 * 48,
        C.FULL_HOUSE: 13 * comb(4, 3) * 12 * comb(4, 2),
        C.FLUSH: (comb(13, 5) - 10) * 4,
        C.STRAIGHT: 10 * (4**5 - 4),
        C.THREE_OF_A_KIND: 13 * comb(4, 3) * comb(12, 2) * 4**2,
        C.TWO_PAIR: comb(13, 2) * comb(4, 2) ** 2 * 11 * 4,
        C.PAIR: 13 * comb(4, 2) * comb(12, 3) * 4**3,
        C.HIGH_CARD: (comb(13, 5) - 10) * (4**5 - 4),
    }
    # Four different ranks that some card completes to a straight: for each straight the sets of four of its ranks; a set
    # of four in a row, of which two straights are made, would count twice. A-2-3-4 and J-Q-K-A have one end only.
    # 10 straights * 5 sets less the nine sets of four in a row that lie in two straights (2345 ... TJQK).
    straight_sets = 10 * 5 - 9
    royal_sets = 5
    ace_in = comb(12, 3)  # sets of four ranks with an ace
    # Of the sets that make a straight, those with an ace: four of A-K-Q-J-10 and four of A-2-3-4-5 with the ace kept.
    straight_with_ace = 2 * comb(4, 3)
    distinct = comb(13, 4)
    offsuit = 4**4 - 4
    jokered = Counter(
        {
            C.FIVE_ACES: 1,
            C.ROYAL_FLUSH: royal_sets * 4,
            C.STRAIGHT_FLUSH: (straight_sets - royal_sets) * 4,
            # Four of a rank (not aces) and the joker as the odd ace; three aces, the joker and another card.
            C.FOUR_OF_A_KIND: 12 + comb(4, 3) * 48,
            # Three of a kind with an ace for the pair; two aces and a pair.
            C.FULL_HOUSE: 12 * comb(4, 3) * 4 + comb(4, 2) * 12 * comb(4, 2),
            C.FLUSH: (distinct - straight_sets) * 4,
            C.STRAIGHT: straight_sets * offsuit,
            # Three of a kind and a card that is no ace; two aces and two other ranks.
            C.THREE_OF_A_KIND: 12 * comb(4, 3) * 11 * 4 + comb(4, 2) * comb(12, 2) * 4**2,
            # Two pairs without aces; a pair, an ace and another rank.
            C.TWO_PAIR: comb(12, 2) * comb(4, 2) ** 2 + 12 * comb(4, 2) * 4 * 11 * 4,
            # A pair and two ranks, none of them aces; or four ranks with an ace that make neither straight nor flush.
            C.PAIR: 12 * comb(4, 2) * comb(11, 2) * 4**2 + (ace_in - straight_with_ace) * offsuit,
            C.HIGH_CARD: ((distinct - ace_in) - (straight_sets - straight_with_ace)) * offsuit,
        }
    )
    assert sum(natural.values()) == comb(52, 5)
    assert sum(jokered.values()) == comb(52, 4)
    return Counter(natural) + jokered


@pytest.mark.slow
def test_688a_6_b_every_hand_of_five_counted():
    counted = Counter(rank_five(hand)[0] for hand in combinations(DECK, 5))
    assert counted == expected_five_card_classes()
    assert counted.total() == comb(53, 5) == 2_869_685


def test_688a_6_b_11_every_hand_of_two_counted():
    counted = Counter(rank_two(hand)[0] for hand in combinations(DECK, 2))
    # Thirteen pairs of six and the joker with each of four aces; everything else is two single cards.
    assert counted == {C.PAIR: 13 * 6 + 4, C.HIGH_CARD: comb(53, 2) - 13 * 6 - 4}
    assert len({rank_two(hand) for hand in combinations(DECK, 2)}) == 13 + comb(13, 2)


# ------------------------------------------------------------------------------------------------------- order


# Each hand ranks strictly above the next, in the order of § 688a.6(b).
FIVE_IN_ORDER = [
    "As Ah Ad Ac Jk",  # five aces
    "As Ks Qs Js Ts",  # royal flush
    "5h 4h 3h 2h Ah",  # A-2-3-4-5 is the highest straight flush, (b)(3)
    "Kd Qd Jd Td 9d",
    "6c 5c 4c 3c 2c",  # the lowest
    "As Ah Ad Ac Ks",
    "As Ah Ad Ac Qs",
    "Ks Kh Kd Kc As",
    "2s 2h 2d 2c As",
    "2s 2h 2d 2c 3s",
    "As Ah Ad Ks Kh",
    "As Ah Ad 2s 2h",
    "Ks Kh Kd As Ah",
    "2s 2h 2d 3s 3h",
    "As Ks Qs Js 9s",
    "As Ks Qs Js 8s",
    "As Ks Qs Js 2s",
    "7s 5s 4s 3s 2s",
    "As Kh Qs Js Ts",  # the highest straight, (b)(7)
    "As 5h 4s 3s 2s",  # the second highest
    "Ks Qh Js Ts 9s",
    "6s 5h 4s 3s 2s",  # the lowest
    "As Ah Ad Ks Qs",
    "As Ah Ad Ks Js",
    "Ks Kh Kd As Qs",
    "2s 2h 2d 4s 3s",
    "As Ah Ks Kh Qs",
    "As Ah Ks Kh 2s",
    "As Ah Qs Qh Ks",
    "Ks Kh Qs Qh As",
    "3s 3h 2s 2h 4s",
    "As Ah Ks Qs Js",
    "As Ah Ks Qs Ts",
    "As Ah 4s 3s 2s",
    "Ks Kh As Qs Js",
    "2s 2h 5s 4s 3s",
    "As Kh Qs Js 9s",
    "As Kh Qs Js 8s",
    "As 6h 4s 3s 2s",
    "Ks Qh Js Ts 8s",
    "7s 5h 4s 3s 2s",
]


@pytest.mark.parametrize(("higher", "lower"), list(pairwise(FIVE_IN_ORDER)))
def test_688a_6_b_order(higher, lower):
    assert five(higher) > five(lower)


@pytest.mark.parametrize(
    ("text", "rank_"),
    [
        ("As Ah Ad Ac Jk", (C.FIVE_ACES, 14)),
        ("Ks Qs Js Ts Jk", (C.ROYAL_FLUSH, 14, 13, 12, 11, 10)),
        ("As Ks Qs Jk Ts", (C.ROYAL_FLUSH, 14, 13, 12, 11, 10)),
        ("As Ks Qs Js Jk", (C.ROYAL_FLUSH, 14, 13, 12, 11, 10)),
        ("5s 4s 3s 2s Jk", (C.STRAIGHT_FLUSH, 14, 5, 4, 3, 2)),  # as the ace: above six high
        ("6s 5s 4s 3s Jk", (C.STRAIGHT_FLUSH, 7, 6, 5, 4, 3)),  # the joker at the upper end
        ("Qs Js Ts 9s Jk", (C.STRAIGHT_FLUSH, 13, 12, 11, 10, 9)),
        ("Qs Js 9s 8s Jk", (C.STRAIGHT_FLUSH, 12, 11, 10, 9, 8)),  # inside
        ("As 2s 3s 5s Jk", (C.STRAIGHT_FLUSH, 14, 5, 4, 3, 2)),
        ("As Ah Ad Ks Jk", (C.FOUR_OF_A_KIND, 14, 13)),
        ("Ks Kh Kd Kc Jk", (C.FOUR_OF_A_KIND, 13, 14)),  # never five kings
        ("Ks Kh Kd As Jk", (C.FULL_HOUSE, 13, 14)),
        ("As Ah Ks Kh Jk", (C.FULL_HOUSE, 14, 13)),
        ("Ks Kh Kd Qs Jk", (C.THREE_OF_A_KIND, 13, 14, 12)),  # never four kings
        ("Ks Kh Qs Qh Jk", (C.TWO_PAIR, 13, 12, 14)),  # never a full house
        ("Ks Kh Qs Jh Jk", (C.PAIR, 13, 14, 12, 11)),  # never three kings
        ("As Ks Qs 2s Jk", (C.FLUSH, 14, 13, 12, 11, 2)),  # the highest rank not there: the jack
        ("Ks Qs 7s 2s Jk", (C.FLUSH, 14, 13, 12, 7, 2)),
        ("As Ks Qs 9s Jk", (C.FLUSH, 14, 13, 12, 11, 9)),
        ("As Kh Qs Js Jk", (C.STRAIGHT, 14, 13, 12, 11, 10)),  # not a pair of aces
        ("Ks Qh Js Ts Jk", (C.STRAIGHT, 14, 13, 12, 11, 10)),
        ("5s 4h 3s 2s Jk", (C.STRAIGHT, 14, 5, 4, 3, 2)),
        ("As 5h 3s 2s Jk", (C.STRAIGHT, 14, 5, 4, 3, 2)),
        ("As 4h 3s 2s Jk", (C.STRAIGHT, 14, 5, 4, 3, 2)),
        ("9s 8h 7s 6s Jk", (C.STRAIGHT, 10, 9, 8, 7, 6)),
        ("9s 8h 6s 5s Jk", (C.STRAIGHT, 9, 8, 7, 6, 5)),
        ("Qs Kh As 2s 3s", (C.HIGH_CARD, 14, 13, 12, 3, 2)),  # no straight goes round the ace, § 688a.6(a)
        ("Kh As 2s 3s Jk", (C.PAIR, 14, 13, 3, 2)),
        ("As 9h 7s 5s Jk", (C.PAIR, 14, 9, 7, 5)),
        ("Ks 9h 7s 5s Jk", (C.HIGH_CARD, 14, 13, 9, 7, 5)),
        ("As Ah 9s 7s Jk", (C.THREE_OF_A_KIND, 14, 9, 7)),
    ],
)
def test_688a_6_a_what_the_joker_makes(text, rank_):
    assert five(text) == rank_


@pytest.mark.parametrize(
    ("text", "rank_"),
    [
        ("5h 4h 3h 2h Ah", (C.STRAIGHT_FLUSH, 5, 4, 3, 2, 1)),
        ("5s 4h 3s 2s As", (C.STRAIGHT, 5, 4, 3, 2, 1)),
        ("5s 4h 3s 2s Jk", (C.STRAIGHT, 6, 5, 4, 3, 2)),  # here the six is worth more than the ace
        ("As 4h 3s 2s Jk", (C.STRAIGHT, 5, 4, 3, 2, 1)),
        ("As Kh Qs Js Ts", (C.STRAIGHT, 14, 13, 12, 11, 10)),
        ("As Ks Qs Js Ts", (C.ROYAL_FLUSH, 14, 13, 12, 11, 10)),
    ],
)
def test_D2_california_and_687a_have_the_wheel_lowest(text, rank_):
    assert five(text, "lowest") == rank_
    if rank_[0] in (C.STRAIGHT, C.STRAIGHT_FLUSH) and rank_[1] == 5:
        assert rank_ < five("6c 5c 4c 3c 2c" if rank_[0] == C.STRAIGHT_FLUSH else "6c 5h 4c 3c 2c", "lowest")


@given(HANDS_5)
def test_rank_five_agrees_with_trying_every_card_for_the_joker(hand):
    assert rank_five(hand) == plain_rank(hand)
    assert rank_five(hand, "lowest") == plain_rank(hand, "lowest")


@pytest.mark.slow
def test_rank_five_agrees_on_many_hands_with_the_joker():
    dice = random.Random(5)
    for _ in range(3000):
        hand = (*dice.sample(DECK[:52], 4), JOKER)
        assert rank_five(hand) == plain_rank(hand), show(hand)
        assert rank_five(hand, "lowest") == plain_rank(hand, "lowest"), show(hand)


@given(HANDS_7)
def test_no_legal_setting_has_a_higher_high_hand_than_the_best_five_of_seven_which_can_always_be_set(hand):
    parted = [(tuple(card for card in hand if card not in low), low) for low in combinations(hand, 2)]
    best = max(plain_rank(high) for high, _ in parted)
    assert max(rank_five(high) for high, low in parted if rank_five(high) >= rank_two(low)) == best
    made = seven_card_lines(hand, "completes")
    if best[0] >= C.THREE_OF_A_KIND:
        assert C(best[0]).name.lower() in made
        assert best[0] == C.FIVE_ACES or made.isdisjoint(line.name.lower() for line in C if line > best[0])


@pytest.mark.parametrize(
    ("high", "low", "high_is_higher"),
    [
        ("7s 7h 4s 3s 2s", "7d 7c", True),  # a pair of sevens behind a pair of sevens: § 688a.11(c)
        ("6s 6h As Ks Qs", "7d 7c", False),
        ("As 9h 4s 3s 2s", "Ad 9c", True),
        ("As 8h 4s 3s 2s", "Ad 9c", False),
        ("2s 2h 5s 4s 3s", "Ad Kc", True),
        ("As Kh 5s 4s 3s", "Jk Kc", True),
        ("As Qh 5s 4s 3s", "Jk Kc", False),
        ("As Ah 5s 4s 3s", "Jk Ac", True),
        ("Ks Kh As 4s 3s", "Jk Ac", False),
    ],
)
def test_D7_high_hand_against_low_hand(high, low, high_is_higher):
    assert (five(high) > rank_two(parse_cards(low))) is high_is_higher
    assert rank_two(parse_cards(low)) == rank_two(parse_cards(low)[::-1])


@pytest.mark.parametrize("how_many", [4, 6])
def test_a_hand_of_another_size_is_refused(how_many):
    with pytest.raises(ValueError, match="values to unpack"):
        rank_five(DECK[:how_many])
    with pytest.raises(ValueError, match="values to unpack"):
        rank_two(DECK[:how_many])
