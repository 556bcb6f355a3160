"""Ranks of DJ Wild Stud Poker, natural hands, and the Progressive's (Annex A, § 687a.6, .11(f), .12; D2, D5, D6)."""

import random
from collections import Counter
from itertools import combinations, pairwise

import pytest
from hypothesis import given

from rulebook.cards.cards import DECK, JOKER, parse_cards, rank, show
from rulebook.cards.wild_ranking import WildClass, is_natural, progressive_class, rank_wild, wild_class
from tests.rulebook.cards.plain_ranking import HANDS_5, plain_wild

C = WildClass
WILD = [card for card in DECK if card == JOKER or rank(card) == 2]
NATURALS = [card for card in DECK if card not in WILD]


def wild(text):
    return rank_wild(parse_cards(text))


# Each hand ranks strictly above the next; five of a kind if the Blind paytable has it (D5).
IN_ORDER = [
    "2s 2h 2d 2c Jk",
    "As Ks Qs Js Ts",
    "As Ah Ad Ac 2s",  # five of a kind
    "Ks Kh 2d 2c Jk",
    "3s 3h 3d 3c Jk",
    "Kd Qd Jd Td 9d",
    "7c 6c 5c 4c 3c",
    "5h 4h 3h 2h Ah",  # the lowest straight flush (D2)
    "As Ah Ad Ac Ks",
    "As Ah Ad Ac 3s",
    "Ks Kh Kd Kc As",
    "3s 3h 3d 3c 4s",
    "As Ah Ad Ks Kh",
    "As Ah Ad 3s 3h",
    "Ks Kh Kd As Ah",
    "3s 3h 3d 4s 4h",
    "As Ks Qs Js 9s",
    "As Ks Qs Js 8s",
    "8s 6s 5s 4s 3s",
    "As Kh Qs Js Ts",
    "Ks Qh Js Ts 9s",
    "7s 6h 5s 4s 3s",
    "As 5h 4s 3s 2d",  # the lowest straight
    "As Ah Ad Ks Qs",
    "3s 3h 3d 5s 4s",
    "As Ah Ks Kh Qs",
    "4s 4h 3s 3h 5s",
    "As Ah Ks Qs Js",
    "3s 3h 6s 5s 4s",
    "As Kh Qs Js 9s",
    "8s 6h 5s 4s 3s",
]


@pytest.mark.parametrize(("higher", "lower"), list(pairwise(IN_ORDER)))
def test_687a_6_c_order(higher, lower):
    assert wild(higher) > wild(lower)


# The hand, its rank, and its class with the deuces as twos, or None with the joker; it is natural if the two agree.
HANDS = [
    # One wild card.
    ("As Ks Qs Js 2d", (C.ROYAL_FLUSH, 14, 13, 12, 11, 10), C.HIGH_CARD),
    ("Ks Qs Js Ts 2s", (C.ROYAL_FLUSH, 14, 13, 12, 11, 10), C.FLUSH),
    ("Ks Kh Kd Kc 2d", (C.FIVE_OF_A_KIND, 13), C.FOUR_OF_A_KIND),
    ("Ks Kh Kd Kc Jk", (C.FIVE_OF_A_KIND, 13), None),
    ("Ks Qs Js 9s 2d", (C.STRAIGHT_FLUSH, 13, 12, 11, 10, 9), C.HIGH_CARD),
    ("Ks Kh Kd 9c 2d", (C.FOUR_OF_A_KIND, 13, 9), C.THREE_OF_A_KIND),
    ("Ks Kh 9d 9c 2d", (C.FULL_HOUSE, 13, 9), C.TWO_PAIR),
    ("As Ks 9s 4s Jk", (C.FLUSH, 14, 13, 12, 9, 4), None),
    ("Ks Qs 9s 4s Jk", (C.FLUSH, 14, 13, 12, 9, 4), None),
    ("9s 8h 7s 6d Jk", (C.STRAIGHT, 10, 9, 8, 7, 6), None),
    ("Ks Kh 9d 7c 2d", (C.THREE_OF_A_KIND, 13, 9, 7), C.PAIR),
    ("Ks Jh 9d 7c 2d", (C.PAIR, 13, 11, 9, 7), C.HIGH_CARD),
    ("As Qh 9d 7c Jk", (C.PAIR, 14, 12, 9, 7), None),
    # A deuce that is a two, or could be.
    ("6s 5s 4s 3s 2s", (C.STRAIGHT_FLUSH, 7, 6, 5, 4, 3), C.STRAIGHT_FLUSH),
    ("5s 4s 3s 2s As", (C.STRAIGHT_FLUSH, 5, 4, 3, 2, 1), C.STRAIGHT_FLUSH),
    ("6s 5h 4s 3s 2s", (C.STRAIGHT, 7, 6, 5, 4, 3), C.STRAIGHT),
    ("6s 5s 4s 3s 2h", (C.STRAIGHT_FLUSH, 7, 6, 5, 4, 3), C.STRAIGHT),  # a straight flush with it, not without
    ("5s 4h 3s 2s As", (C.STRAIGHT, 5, 4, 3, 2, 1), C.STRAIGHT),
    ("As Ks 9s 4s 2s", (C.FLUSH, 14, 13, 12, 9, 4), C.FLUSH),  # natural, though as the queen it makes a higher one
    ("As Ks 9s 4s 2h", (C.FLUSH, 14, 13, 12, 9, 4), C.HIGH_CARD),
    ("9s 8s 6s 5s 2s", (C.STRAIGHT_FLUSH, 9, 8, 7, 6, 5), C.FLUSH),
    # Two.
    ("As Qs Ts 2d 2c", (C.ROYAL_FLUSH, 14, 13, 12, 11, 10), C.PAIR),
    ("As Ah Ad 2d 2c", (C.FIVE_OF_A_KIND, 14), C.FULL_HOUSE),
    ("9s 7s 5s 2d Jk", (C.STRAIGHT_FLUSH, 9, 8, 7, 6, 5), None),
    ("As 4s 3s 2d Jk", (C.STRAIGHT_FLUSH, 5, 4, 3, 2, 1), None),
    ("4s 3s 5s 2d Jk", (C.STRAIGHT_FLUSH, 7, 6, 5, 4, 3), None),
    ("As Ah 9d 2d 2c", (C.FOUR_OF_A_KIND, 14, 9), C.TWO_PAIR),
    ("9s 9h Ad 2d 2c", (C.FOUR_OF_A_KIND, 9, 14), C.TWO_PAIR),
    ("As 9s 4s 2d 2c", (C.FLUSH, 14, 13, 12, 9, 4), C.PAIR),
    ("As Qh Td 2d 2c", (C.STRAIGHT, 14, 13, 12, 11, 10), C.PAIR),
    ("As 4h 3d 2d 2c", (C.STRAIGHT, 5, 4, 3, 2, 1), C.PAIR),
    ("As 9h 4d 2d 2c", (C.THREE_OF_A_KIND, 14, 9, 4), C.PAIR),
    # Three: at least four of a kind.
    ("As Ts 2d 2c 2h", (C.ROYAL_FLUSH, 14, 13, 12, 11, 10), C.THREE_OF_A_KIND),
    ("9s 9h 2d 2c 2h", (C.FIVE_OF_A_KIND, 9), C.FULL_HOUSE),
    ("9s 5s 2d 2c Jk", (C.STRAIGHT_FLUSH, 9, 8, 7, 6, 5), None),
    ("9s 5h 2d 2c 2h", (C.FOUR_OF_A_KIND, 9, 5), C.THREE_OF_A_KIND),
    ("As Th 2d 2c 2h", (C.FOUR_OF_A_KIND, 14, 10), C.THREE_OF_A_KIND),
    ("As 9s 2d 2c 2h", (C.FOUR_OF_A_KIND, 14, 9), C.THREE_OF_A_KIND),  # a flush ranks below
    # Four: a royal flush from the ten up, else five of a kind; and all five.
    ("Ts 2d 2c 2h 2s", (C.ROYAL_FLUSH, 14, 13, 12, 11, 10), C.FOUR_OF_A_KIND),
    ("9s 2d 2c 2h 2s", (C.FIVE_OF_A_KIND, 9), C.FOUR_OF_A_KIND),
    ("As 2d 2c 2h Jk", (C.ROYAL_FLUSH, 14, 13, 12, 11, 10), None),
    ("3s 2d 2c 2h Jk", (C.FIVE_OF_A_KIND, 3), None),
    ("2d 2c 2h 2s Jk", (C.FIVE_WILDS,), None),
    # None.
    ("Ks Kh Kd 9c 7d", (C.THREE_OF_A_KIND, 13, 9, 7), C.THREE_OF_A_KIND),
    ("As Kh 3d 4c 5d", (C.HIGH_CARD, 14, 13, 5, 4, 3), C.HIGH_CARD),  # no straight goes round the ace, § 687a.6(a)
    ("As Kh Qd 3c 2d", (C.PAIR, 14, 13, 12, 3), C.HIGH_CARD),
]


@pytest.mark.parametrize(("text", "rank_", "as_twos"), HANDS, ids=[text for text, _, _ in HANDS])
def test_687a_6_b_D5_D6_what_wild_cards_make(text, rank_, as_twos):
    hand = parse_cards(text)
    assert rank_wild(hand) == rank_
    assert wild_class(hand) is rank_[0]
    assert is_natural(hand) is (as_twos == rank_[0])
    if as_twos is not None:
        assert rank_wild(hand, "natural")[0] == as_twos


@given(HANDS_5)
def test_rank_wild_agrees_with_trying_every_card_for_each_wild_one(hand):
    if sum(card in WILD for card in hand) <= 3:
        assert rank_wild(hand) == plain_wild(hand)
    assert rank_wild(hand, "natural") == plain_wild(hand, wild_deuces=False)


@pytest.mark.nightly
@pytest.mark.slow
def test_rank_wild_agrees_on_many_hands_with_wild_cards():
    """Suited and unsuited, with one wild card to three; and every natural card with four."""
    dice = random.Random(687)
    suited = [card for card in NATURALS if card % 4 == 1]
    few_ranks = [card for card in NATURALS if rank(card) in (14, 9, 3)]
    seen = Counter()
    for wilds, how_many in ((1, 300), (2, 40), (3, 8)):
        for pool in (NATURALS, suited, few_ranks):
            for _ in range(how_many):
                hand = (*dice.sample(WILD, wilds), *dice.sample(pool, 5 - wilds))
                assert rank_wild(hand) == plain_wild(hand), show(hand)
                seen[rank_wild(hand)[0]] += 1
    for card in NATURALS[::4]:
        assert rank_wild((*WILD[:4], card)) == plain_wild((*WILD[:4], card))
    assert len(seen) >= 9


@pytest.mark.slow
def test_D6_with_the_joker_no_hand_makes_its_rank_without_it():
    """Four cards by groups alone, which is all that they can make: never as much as with the joker next to them."""
    groups = {(4,): C.FOUR_OF_A_KIND, (3, 1): C.THREE_OF_A_KIND, (2, 2): C.TWO_PAIR, (2, 1, 1): C.PAIR, (1, 1, 1, 1): C.HIGH_CARD}
    for four in combinations(DECK[:52], 4):
        counts = sorted(Counter(card // 4 for card in four).values(), reverse=True)
        assert groups[tuple(counts)] < rank_wild((*four, JOKER))[0]


@pytest.mark.parametrize(
    ("hand", "side", "natural", "wild"),
    [
        # Without the joker the side card is not looked at, § 687a.11(f)(1).
        ("Ks Kh Kd 9c 7d", "9h", "three_of_a_kind", "three_of_a_kind"),
        ("Ks Kh Kd 9c 7d", "", "three_of_a_kind", "three_of_a_kind"),
        ("Ks Kh Kd 9c 7d", "Jk", "three_of_a_kind", "three_of_a_kind"),
        # In the joker's place, better or worse; a deuce there is a two as well.
        ("Ks Kh Kd 9c Jk", "9h", "full_house", "full_house"),
        ("Ks Kh Kd 9c Jk", "7h", "three_of_a_kind", "three_of_a_kind"),
        ("Ks Kh Kd 9c Jk", "2h", "three_of_a_kind", "four_of_a_kind"),
        ("Ks Qs Js Ts Jk", "As", "royal_flush", "royal_flush"),
        ("Ks Qs Js Ts Jk", "9s", "straight_flush", "straight_flush"),
        ("Ks Qs Js Ts Jk", "2s", "flush", "royal_flush"),
        ("Ks Qs Js Ts Jk", "2h", "high_card", "royal_flush"),
        ("6s 5s 4s 3s Jk", "2s", "straight_flush", "straight_flush"),
        ("As 5h 4s 3s Jk", "2s", "straight", "straight"),
        ("9s 9h 5d 5c 2d", "", "two_pair", "full_house"),
        ("Ks 9h 5d 4c 2d", "", "high_card", "pair"),
        # With wild deuces five of a kind is the highest of the ranks that § 687a.6(d) has.
        ("Ks Kh Kd Kc 2d", "", "four_of_a_kind", "four_of_a_kind"),
        ("Ks Kh Kd 2c 2d", "", "full_house", "four_of_a_kind"),
        ("9s 2h 2c 2d Jk", "2s", "four_of_a_kind", "straight_flush"),
        ("9s 9h 2c 2d Jk", "2s", "full_house", "four_of_a_kind"),
        ("Ts 2h 2c 2d Jk", "2s", "four_of_a_kind", "royal_flush"),
        ("2s 2h 2c 2d Jk", "9s", "four_of_a_kind", "straight_flush"),
    ],
)
def test_687a_6_d_687a_11_f_1_D6_what_the_progressive_sees(hand, side, natural, wild):
    cards, side_card = parse_cards(hand), next(iter(parse_cards(side)), None)
    assert progressive_class(cards, side_card).line == natural
    assert progressive_class(cards, side_card, deuces="wild").line == wild


@pytest.mark.parametrize("side", [None, JOKER])
def test_687a_11_f_1_the_joker_needs_its_side_card(side):
    with pytest.raises(ValueError, match="side card"):
        progressive_class(parse_cards("Ks Kh Kd 9c Jk"), side)


def test_687a_6_d_D6_the_progressive_takes_the_highest_of_its_own_ranks():
    """Every card tried for each wild deuce, without making five of a kind; many deuces and few other ranks."""
    dice = random.Random(6)
    suited = [card for card in NATURALS if card % 4 == 1]
    few_ranks = [card for card in NATURALS if rank(card) in (14, 9, 3)]
    seen = Counter()
    for wilds, how_many in ((1, 40), (2, 20), (3, 4)):
        for pool in (NATURALS, suited, few_ranks):
            for _ in range(how_many):
                hand = [*dice.sample(WILD, wilds), *dice.sample(pool, 5 - wilds)]
                side = dice.choice([card for card in pool if card not in hand])
                cards = [side if card == JOKER else card for card in hand]
                made = progressive_class(hand, side, "wild")
                assert made == plain_wild(cards, never=(C.FIVE_OF_A_KIND,))[0], show((*hand, side))
                assert progressive_class(hand, side) == plain_wild(cards, wild_deuces=False)[0]
                seen[made] += 1
    assert len(seen) >= 8


@pytest.mark.parametrize("how_many", [4, 6])
def test_a_hand_of_another_size_is_refused(how_many):
    with pytest.raises(ValueError, match="values to unpack"):
        rank_wild(DECK[:how_many])
