"""Ranks of five and two cards and the bonus lines of seven (§ 688a.6; D1, D2, D7, D10, D16)."""

import random
from collections import Counter
from itertools import combinations, pairwise
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.cards import DECK, JOKER, parse_cards, rank, show, suit
from games.ranking import LINES_BY_RANK, HandClass, is_ace_high, rank_five, rank_two, seven_card_lines

C = HandClass
HANDS_5 = st.lists(st.sampled_from(DECK), min_size=5, max_size=5, unique=True)
HANDS_7 = st.lists(st.sampled_from(DECK), min_size=7, max_size=7, unique=True)


def five(text, wheel="second"):
    return rank_five(parse_cards(text), wheel)


def lines(text, joker="completes"):
    return set(seven_card_lines(parse_cards(text), joker))


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


# ------------------------------------------------------------------------------- the oracle: the slow, plain way


STRAIGHTS = [{14, 5, 4, 3, 2}] + [set(range(low, low + 5)) for low in range(2, 11)]
SEVENS = [{14, 2, 3, 4, 5, 6, 7}] + [set(range(low, low + 7)) for low in range(2, 9)]


def plain_class(hand):
    """The class of five natural cards (rank, suit), and their ranks in the order that compares. Five may be of a rank."""
    counts = Counter(r for r, _ in hand)
    ordered = tuple(sorted(counts, key=lambda r: (-counts[r], -r)))
    straight = set(counts) in STRAIGHTS
    flush = len({s for _, s in hand}) == 1 and len(counts) == 5
    if straight and flush:
        return (C.ROYAL_FLUSH if ordered[-1] == 10 else C.STRAIGHT_FLUSH), ordered
    shape = sorted(counts.values(), reverse=True)
    by_shape = {
        (5,): C.FIVE_ACES, (4, 1): C.FOUR_OF_A_KIND, (3, 2): C.FULL_HOUSE, (3, 1, 1): C.THREE_OF_A_KIND,
        (2, 2, 1): C.TWO_PAIR, (2, 1, 1, 1): C.PAIR,
    }  # fmt: skip
    if tuple(shape) in by_shape:
        return by_shape[tuple(shape)], ordered
    return (C.FLUSH if flush else C.STRAIGHT if straight else C.HIGH_CARD), ordered


def substitutes(hand):
    """The five cards with the joker as every card (an ace may double one that is there); and whether as an ace."""
    natural = [(rank(card), suit(card)) for card in hand if card != JOKER]
    if JOKER not in hand:
        yield natural, False
        return
    for r in range(2, 15):
        for s in range(4):
            if r == 14 or (r, s) not in natural:
                yield [*natural, (r, s)], r == 14


def allowed(hand_class, as_ace):
    completes = hand_class in (C.STRAIGHT, C.FLUSH, C.STRAIGHT_FLUSH, C.ROYAL_FLUSH)
    return as_ace or completes


def plain_rank(hand):
    """The best rank that five cards make, trying every card for the joker (D1)."""
    best = None
    for cards, as_ace in substitutes(hand):
        hand_class, ordered = plain_class(cards)
        if JOKER in hand and not allowed(hand_class, as_ace):
            continue
        best = max(best or (-1,), (hand_class, *ordered))
    return best


@given(HANDS_5)
def test_rank_five_agrees_with_trying_every_card_for_the_joker(hand):
    assert rank_five(hand) == plain_rank(hand)


def test_rank_five_agrees_on_many_hands_with_the_joker():
    dice = random.Random(5)
    for _ in range(3000):
        hand = (*dice.sample(DECK[:52], 4), JOKER)
        assert rank_five(hand) == plain_rank(hand), show(hand)


@given(HANDS_5, st.permutations(range(4)), st.randoms(use_true_random=False))
def test_order_and_names_of_suits_never_matter(hand, suits, dice):
    other = [card if card == JOKER else card // 4 * 4 + suits[card % 4] for card in hand]
    dice.shuffle(other)
    assert rank_five(other) == rank_five(hand)
    assert rank_five(other, "lowest") == rank_five(hand, "lowest")
    assert rank_two(other[:2]) == rank_two(list(reversed(other[:2])))


@given(HANDS_5, HANDS_5, HANDS_5)
def test_ranks_are_a_total_order(one, two, three):
    a, b, c = rank_five(one), rank_five(two), rank_five(three)
    assert (a < b) + (a == b) + (a > b) == 1
    if a <= b <= c:
        assert a <= c


@given(HANDS_7)
def test_between_five_and_two_cards_the_shorter_that_runs_out_equal_is_lower(hand):
    high, low = rank_five(hand[:5]), rank_two(hand[5:])
    assert high != low
    if high[: len(low)] == low:
        assert high > low


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


# ------------------------------------------------------------------------------------------------- seven cards


def plain_lines(hand, mode):
    """Every line that seven cards make: all fives of them, with every card for the joker."""
    made = set()
    natural = [(rank(card), suit(card)) for card in hand if card != JOKER]
    for five_ in combinations(hand, 5):
        for cards, as_ace in substitutes(five_):
            counts = Counter(r for r, _ in cards)
            straight = set(counts) in STRAIGHTS
            flush = len({s for _, s in cards}) == 1 and len(counts) == 5
            if straight:
                made.add("straight")
            if flush:
                made.add("flush")
            if straight and flush:
                made.add("straight_flush")
                if set(counts) == {14, 13, 12, 11, 10}:
                    made.add("royal_flush")
                    rest = [(rank(card), suit(card)) for card in hand if card not in five_ and card != JOKER]
                    if any({(13, s), (12, s)} <= set(rest) for s in range(4)):
                        made.add("royal_match")
            if JOKER in five_ and mode == "completes" and not as_ace:
                continue
            most = sorted(counts.values(), reverse=True)
            if most[0] >= 3:
                made.add("three_of_a_kind")
            if most[0] >= 4:
                made.add("four_of_a_kind")
            if most[0] == 3 and most[1] == 2:
                made.add("full_house")
            if most[0] == 5:
                made |= {"five_aces", "five_of_a_kind"} if 14 in counts else {"five_of_a_kind"}
    # With a wild joker a card may stand twice: four of a rank are all there are, so it is the fifth.
    for r in range(2, 15):
        if JOKER in hand and (mode == "wild" or r == 14) and sum(rank_ == r for rank_, _ in natural) == 4:
            made.add("five_of_a_kind")
    for r in range(2, 15) if mode == "wild" else (14,):
        counts = Counter(rank_ for rank_, _ in natural) + Counter([r] if JOKER in hand else [])
        if sum(count >= 2 for count in counts.values()) >= 3:
            made.add("three_pair")
    suits = {s for _, s in natural}
    ranks = {rank_ for rank_, _ in natural}
    if len(suits) == 1 and any(len(ranks) == len(natural) and ranks <= seven for seven in SEVENS):
        made.add("seven_card_straight_flush" if len(natural) == 7 else "seven_card_straight_flush_joker")
    return made


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
            ("seven_card_straight_flush", "straight_flush"), ("seven_card_straight_flush_joker", "straight_flush"),
            ("royal_match", "royal_flush"), ("royal_flush", "straight_flush"), ("straight_flush", "straight"),
            ("straight_flush", "flush"), ("five_aces", "five_of_a_kind"), ("five_of_a_kind", "four_of_a_kind"),
            ("four_of_a_kind", "three_of_a_kind"), ("full_house", "three_of_a_kind"),
        ):  # fmt: skip
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
        ("As Ah Ad Ac Jk 9s 9h",
         {"five_aces", "five_of_a_kind", "four_of_a_kind", "three_of_a_kind", "full_house"}),
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
)  # fmt: skip
def test_lines_by_hand(text, made):
    assert lines(text) == made


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Ks Kh Jk 9s 7h 4d 2c", {"three_of_a_kind"}),
        ("Ks Kh 9s 9h Jk 4d 2c", {"three_of_a_kind", "full_house", "three_pair"}),
        ("Ks Kh Kd Jk 9s 7h 2c", {"three_of_a_kind", "full_house", "four_of_a_kind"}),
        ("Ks Kh Kd Kc Jk 7h 2c", {"three_of_a_kind", "four_of_a_kind", "five_of_a_kind", "full_house"}),
        ("As Ah Ad Ac Jk 7h 2c",
         {"three_of_a_kind", "four_of_a_kind", "five_of_a_kind", "five_aces", "full_house"}),
        ("Ks Qh Jk 9s 7h 4d 2c", set()),
        ("9s 8s 7s 6s 5s 4s Jk", STRAIGHT_FLUSH | {"seven_card_straight_flush_joker"}),
    ],
)  # fmt: skip
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


def plain_ace_high(hand):
    """No five of the seven cards make more than ace high, and one of them makes that."""
    best = max(plain_rank(five_) for five_ in combinations(hand, 5))
    return best[0] == C.HIGH_CARD and best[1] == 14


@given(HANDS_7)
def test_D10_ace_high_is_what_no_five_cards_beat(hand):
    assert is_ace_high(hand) is plain_ace_high(hand)


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


@pytest.mark.parametrize("how_many", [4, 6])
def test_a_hand_of_another_size_is_refused(how_many):
    with pytest.raises(ValueError, match="values to unpack"):
        rank_five(DECK[:how_many])
    with pytest.raises(ValueError, match="values to unpack"):
        seven_card_lines(DECK[:how_many], "completes")
