"""Every hand that can be dealt, counted by rank, against counts worked out by combinations (§§ 688a.6, 659a.6, 687a.6).

The expected counts know nothing of how the code ranks: they add up ways to choose ranks and suits. Hands of five with
A-2-3-4-5 as second highest straight, and of two cards, are counted in test_ranking.py.
"""

from collections import Counter
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from math import comb, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulebook.cards.cards import DECK, JOKER
from rulebook.cards.four_card import FourCardClass, rank_four, rank_one
from rulebook.cards.ranking import LINES_BY_RANK, HandClass, rank_five, seven_card_lines
from rulebook.cards.wild_ranking import WildClass, is_natural, rank_wild
from tests.rulebook.cards.test_ranking import expected_five_card_classes

F = FourCardClass
W = WildClass


def totals(ranks):
    """How many hands there are of each class, and of each straight (the number is its highest card)."""
    classes, straights = Counter(), Counter()
    for rank_, hands in ranks.items():
        classes[rank_[0]] += hands
        if rank_[0].name in ("STRAIGHT", "STRAIGHT_FLUSH"):
            straights[rank_[0].name, rank_[1:3]] += hands
    return classes, straights


# ------------------------------------------------------------------------------------------------------- four and one


def test_659a_6_b_every_hand_of_four_counted():
    ranks = Counter(rank_four(hand) for hand in combinations(DECK, 4))
    classes, straights = totals(ranks)
    # Without the joker. Eleven straights of four; four ranks in one suit, or in any suits but one and the same.
    offsuit = 4**4 - 4
    natural = {
        F.FOUR_ACES: 1,
        F.STRAIGHT_FLUSH: 11 * 4,
        F.FOUR_OF_A_KIND: 12,
        F.FLUSH: (comb(13, 4) - 11) * 4,
        F.STRAIGHT: 11 * offsuit,
        F.THREE_OF_A_KIND: 13 * comb(4, 3) * 48,
        F.TWO_PAIR: comb(13, 2) * comb(4, 2) ** 2,
        F.PAIR: 13 * comb(4, 2) * comb(12, 2) * 4**2,
        F.HIGH_CARD: (comb(13, 4) - 11) * offsuit,
    }
    # With it: three natural cards. Three ranks of a straight: four of A-2-3-4, and each of the ten further straights
    # has three with its own highest card. Six of them have an ace: with two of K-Q-J, and with two of 2-3-4.
    run, run_with_ace = 4 + 10 * 3, 6
    offsuit = 4**3 - 4
    jokered = {
        F.FOUR_ACES: comb(4, 3),
        F.STRAIGHT_FLUSH: run * 4,
        F.FLUSH: (comb(13, 3) - run) * 4,
        F.STRAIGHT: run * offsuit,
        F.THREE_OF_A_KIND: 12 * comb(4, 3) + comb(4, 2) * 48,  # three of a kind with an ace; two aces and a card
        F.TWO_PAIR: 12 * comb(4, 2) * 4,  # a pair and an ace
        F.PAIR: 12 * comb(4, 2) * 44 + (comb(12, 2) - run_with_ace) * offsuit,  # a pair without; an ace and two ranks
        F.HIGH_CARD: (comb(12, 3) - (run - run_with_ace)) * offsuit,
    }
    assert sum(natural.values()) == comb(52, 4)
    assert sum(jokered.values()) == comb(52, 3)
    assert classes == Counter(natural) + Counter(jokered)
    assert classes.total() == 292_825

    # Of the 34 sets of three, four make A-K-Q-J and four A-2-3-4; each straight from K-Q-J-10 to 6-5-4-3 has three with
    # its own lowest card, which the straight above it has not; 5-4-3-2 too, less 4-3-2, of which A-2-3-4 is made.
    tops = [(14, 13), (14, 4)] + [(top, top - 1) for top in range(13, 4, -1)]
    sets = [4, 4, *[3] * 8, 2]
    assert sum(sets) == run
    assert straights == {("STRAIGHT", top): (4**4 - 4) + run_ * (4**3 - 4) for top, run_ in zip(tops, sets, strict=True)} | {
        ("STRAIGHT_FLUSH", top): 4 + run_ * 4 for top, run_ in zip(tops, sets, strict=True)
    }
    assert sorted({rank_[1:3] for rank_ in ranks if rank_[0] == F.STRAIGHT}, reverse=True) == tops

    # Equal hands have equal ranks: as many ranks as there are hands that compare otherwise.
    assert Counter(rank_[0] for rank_ in ranks) == {
        F.FOUR_ACES: 1,
        F.STRAIGHT_FLUSH: 11,
        F.FOUR_OF_A_KIND: 12,
        F.FLUSH: comb(13, 4) - 11,
        F.STRAIGHT: 11,
        F.THREE_OF_A_KIND: 13 * 12,
        F.TWO_PAIR: comb(13, 2),
        F.PAIR: 13 * comb(12, 2),
        F.HIGH_CARD: comb(13, 4) - 11,
    }


def test_659a_6_a_every_hand_of_one_counted():
    counted = Counter(rank_one((card,)) for card in DECK)
    assert counted == {(HandClass.HIGH_CARD, r): 5 if r == 14 else 4 for r in range(2, 15)}


# ----------------------------------------------------------------------------------------- five, A-2-3-4-5 the lowest


def test_D2_every_hand_of_five_counted_with_the_wheel_lowest():
    ranks = Counter(rank_five(hand, "lowest") for hand in combinations(DECK, 5))
    classes, straights = totals(ranks)
    assert classes == expected_five_card_classes()  # if the wheel ranks changes no class
    # With the joker four ranks of a straight: five sets for A-K-Q-J-10; for each of K-Q-J-10-9 to 6-5-4-3-2 the four with
    # its own lowest card, which the straight above has not; for 5-4-3-2-A, made only where no six can be, those with the
    # ace. A-2-3-4-5 as second highest takes 2-3-4-5 from the six as well.
    tops = [(14, 13)] + [(top, top - 1) for top in range(13, 4, -1)]
    sets = [5, *[4] * 9]
    assert straights == {("STRAIGHT", top): (4**5 - 4) + run * (4**4 - 4) for top, run in zip(tops, sets, strict=True)} | {
        ("STRAIGHT_FLUSH", top): 4 + run * 4 for top, run in zip(tops[1:], sets[1:], strict=True)
    }


# ------------------------------------------------------------------------------------------------------------ DJ Wild


def runs_for_wilds(naturals):
    """Sets of this many ranks among 3 to ace that lie in one straight, so that wild cards fill it; by its highest card.

    A-K-Q-J-10 takes all sets of its ranks; of K-Q-J-10-9 to 7-6-5-4-3 each takes those with its own lowest rank. Of
    6-5-4-3-2 four ranks are left without the two, which all lie in 7-6-5-4-3. A-2-3-4-5 takes those with the ace, but for
    the ace alone.
    """
    sets = {14: comb(5, naturals), 5: comb(3, naturals - 1) if naturals > 1 else 0}
    return sets | {top: comb(4, naturals - 1) for top in range(13, 6, -1)}


def expected_wild():
    """DJ Wild by class, straight, and natural class: w of five wild cards and 5 - w of the 48 others, 12 ranks.

    With a wild card there is always a pair; with two, three of a kind; with three, four of a kind. Five of a kind takes
    natural cards of one rank; four of a kind comes before full house and flush, and the royal flush before five of a
    kind, which only meet where one natural card is left.
    """
    classes, straights = Counter({W.FIVE_WILDS: 1}), Counter()
    for wilds in range(5):
        n = 5 - wilds
        ways = comb(5, wilds)
        runs, sets, offsuit = runs_for_wilds(n), comb(12, n), 4**n - 4
        run = sum(runs.values())
        one_rank = 12 * comb(4, n) if n <= 4 else 0
        made = Counter({W.ROYAL_FLUSH: runs[14] * 4, W.STRAIGHT_FLUSH: (run - runs[14]) * 4, W.FIVE_OF_A_KIND: one_rank})
        flush, straight, rest = (sets - run) * 4, run * offsuit, (sets - run) * offsuit
        match wilds:
            case 0:
                made += {
                    W.FOUR_OF_A_KIND: 12 * 44,
                    W.FULL_HOUSE: 12 * comb(4, 3) * 11 * comb(4, 2),
                    W.THREE_OF_A_KIND: 12 * comb(4, 3) * comb(11, 2) * 4**2,
                    W.TWO_PAIR: comb(12, 2) * comb(4, 2) ** 2 * 40,
                    W.PAIR: 12 * comb(4, 2) * comb(11, 3) * 4**3,
                    W.FLUSH: flush,
                    W.STRAIGHT: straight,
                    W.HIGH_CARD: rest,
                }
            case 1:
                made += {
                    W.FOUR_OF_A_KIND: 12 * comb(4, 3) * 44,
                    W.FULL_HOUSE: comb(12, 2) * comb(4, 2) ** 2,
                    W.THREE_OF_A_KIND: 12 * comb(4, 2) * comb(11, 2) * 4**2,
                    W.FLUSH: flush,
                    W.STRAIGHT: straight,
                    W.PAIR: rest,
                }
            case 2:
                made += {W.FOUR_OF_A_KIND: 12 * comb(4, 2) * 44}
                made += {W.FLUSH: flush, W.STRAIGHT: straight, W.THREE_OF_A_KIND: rest}
            case 3:
                made += {W.FOUR_OF_A_KIND: flush + straight + rest}
            case 4:
                made[W.FIVE_OF_A_KIND] -= runs[14] * 4  # 10 to ace: a royal flush
                made[W.STRAIGHT_FLUSH] = 0  # five of a kind ranks above
        assert made.total() == comb(48, n)
        classes += Counter({class_: hands * ways for class_, hands in made.items()})
        for top in runs:
            straights["STRAIGHT", top] += runs[top] * offsuit * ways if wilds < 3 else 0
            straights["STRAIGHT_FLUSH", top] += runs[top] * 4 * ways if wilds < 4 and top < 14 else 0
    return classes, +straights


def expected_natural():
    """Natural hands by class: those without wild cards, and those whose deuce is as good as a two.

    A deuce lifts a hand by a rank unless it lies in a straight, straight flush or flush, and then it is the only one. Two
    straights have a two: A-2-3-4-5 and 6-5-4-3-2; if only the deuce is of another suit, it makes a straight flush. A
    flush with a deuce stays a flush if the four others, of the 495 sets among 3 to ace, lie in no straight.
    """
    flushes = comb(12, 5) - 8 + comb(12, 4) - sum(runs_for_wilds(4).values())
    return {
        W.ROYAL_FLUSH: 4,
        W.STRAIGHT_FLUSH: (8 - 1 + 2) * 4,
        W.FOUR_OF_A_KIND: 12 * 44,
        W.FULL_HOUSE: 12 * comb(4, 3) * 11 * comb(4, 2),
        W.FLUSH: flushes * 4,
        W.STRAIGHT: 8 * (4**5 - 4) + 2 * (4**4 - 4) * 4,
        W.THREE_OF_A_KIND: 12 * comb(4, 3) * comb(11, 2) * 4**2,
        W.TWO_PAIR: comb(12, 2) * comb(4, 2) ** 2 * 40,
        W.PAIR: 12 * comb(4, 2) * comb(11, 3) * 4**3,
        W.HIGH_CARD: (comb(12, 5) - 8) * (4**5 - 4),
    }


@pytest.mark.nightly
def test_687a_6_c_every_hand_of_dj_wild_counted():
    ranks, natural = Counter(), Counter()
    for hand in combinations(DECK, 5):
        rank_ = rank_wild(hand)
        ranks[rank_] += 1
        if is_natural(hand):
            natural[rank_[0]] += 1
    classes, straights = totals(ranks)
    expected_classes, expected_straights = expected_wild()
    assert classes == expected_classes
    assert classes.total() == comb(53, 5) == 2_869_685
    assert {(name, top[0]): hands for (name, top), hands in straights.items()} == expected_straights
    assert natural == expected_natural()

    # Equal hands have equal ranks: as many ranks as there are hands that compare otherwise. No wild card is left over to
    # be a two, and 6-5-4-3-2 is 7-6-5-4-3.
    assert Counter(rank_[0] for rank_ in ranks) == {
        W.FIVE_WILDS: 1,
        W.ROYAL_FLUSH: 1,
        W.FIVE_OF_A_KIND: 12,
        W.STRAIGHT_FLUSH: 8,
        W.FOUR_OF_A_KIND: 12 * 11,
        W.FULL_HOUSE: 12 * 11,
        W.FLUSH: comb(12, 5) - 8,
        W.STRAIGHT: 9,
        W.THREE_OF_A_KIND: 12 * comb(11, 2),
        W.TWO_PAIR: comb(12, 2) * 10,
        W.PAIR: 12 * comb(11, 3),
        W.HIGH_CARD: comb(12, 5) - 8,
    }


def test_687a_11_f_1_what_the_progressive_ranks_is_a_hand_of_52_cards():
    """The side card in the joker's place and deuces as twos: the counts of a deck without wild cards."""
    counted = Counter(rank_wild(hand, "natural")[0] for hand in combinations(DECK[:52], 5))
    assert counted == {
        W.ROYAL_FLUSH: 4,
        W.STRAIGHT_FLUSH: 9 * 4,
        W.FOUR_OF_A_KIND: 13 * 48,
        W.FULL_HOUSE: 13 * comb(4, 3) * 12 * comb(4, 2),
        W.FLUSH: (comb(13, 5) - 10) * 4,
        W.STRAIGHT: 10 * (4**5 - 4),
        W.THREE_OF_A_KIND: 13 * comb(4, 3) * comb(12, 2) * 4**2,
        W.TWO_PAIR: comb(13, 2) * comb(4, 2) ** 2 * 44,
        W.PAIR: 13 * comb(4, 2) * comb(12, 3) * 4**3,
        W.HIGH_CARD: (comb(13, 5) - 10) * (4**5 - 4),
    }


# ------------------------------------------------------------------------------------------------------------- seven

pytestmark = pytest.mark.slow  # every hand of a deck, counted

BY_PAY = (*LINES_BY_RANK[:-3], "three_of_a_kind", "straight", "three_pair")  # D15


@cache
def ways_without_flush(multiplicities, needed):
    """How many ways suits can be dealt to ranks that are there so often, with no suit `needed` times; one by one."""
    return sum(
        max(Counter(s for suits in dealt for s in suits).values()) < needed
        for dealt in product(*(list(combinations(range(4), count)) for count in multiplicities))
    )


def dealt_otherwise(ranks, start=0):
    """Cards of these ranks (0 to 12, in order), suits in turn: no suit comes up more than twice."""
    return [r * 4 + (start + i) % 4 for i, r in enumerate(ranks)]


def seven_cards():
    """Every hand of seven, hands that are the same by ranks or but for the names of suits only once; and how many it is.

    Without a flush only ranks matter (see the test below). With one, in suit 0 for each of four, the ranks of that suit
    and the one or two cards next to it do, these by rank and by whether they are of one suit.
    """
    for jokers in ([], [JOKER]):
        naturals, needed = 7 - len(jokers), 5 - len(jokers)
        for ranks in combinations_with_replacement(range(13), naturals):
            multiplicities = tuple(sorted(Counter(ranks).values()))
            if multiplicities[-1] <= 4:
                yield [*dealt_otherwise(ranks), *jokers], ways_without_flush(multiplicities, needed)
        beside = {
            0: [((), 1)],
            1: [((r * 4 + 1,), 3) for r in range(13)],
            2: [((r * 4 + 1, r * 4 + 2), 3) for r in range(13)]
            + [((a * 4 + 1, b * 4 + 1), 3) for a, b in combinations(range(13), 2)]
            + [((a * 4 + 1, b * 4 + 2), 6) for a, b in combinations(range(13), 2)],
        }
        for suited in range(needed, naturals + 1):
            for ranks in combinations(range(13), suited):
                flush = [r * 4 for r in ranks] + jokers
                for others, ways in beside[naturals - suited]:
                    yield [*flush, *others], 4 * ways


@given(st.lists(st.sampled_from(DECK), min_size=7, max_size=7, unique=True))
def test_without_a_flush_only_ranks_matter(hand):
    jokers = [card for card in hand if card == JOKER]
    naturals = sorted(card for card in hand if card != JOKER)
    if max(Counter(card % 4 for card in naturals).values()) >= 5 - len(jokers):
        return
    for start in range(4):
        other = [*dealt_otherwise([card // 4 for card in naturals], start), *jokers]
        for mode in ("completes", "wild"):
            assert seven_card_lines(other, mode) == seven_card_lines(hand, mode)


WINDOWS = [{0, 1, 2, 3, 12}] + [set(range(low, low + 5)) for low in range(9)]


@cache
def runs(size, short=0, ace=None):
    """Sets of this many of 13 ranks, all, with or without an ace (12), that hold a straight but for `short` cards."""
    return sum(
        any(len(window.intersection(ranks)) >= 5 - short for window in WINDOWS)
        for ranks in combinations(range(13), size)
        if ace is None or (12 in ranks) is ace
    )


def suits_of(multiplicities, needed):
    """Ways to deal suits with no suit `needed` times: all, less four times the ways with this many in one suit.

    A rank that is there m times of four has a given suit in C(3, m - 1) of its C(4, m) ways.
    """
    polynomial = [1]  # its coefficient k: the ways with k of the suit
    for m in multiplicities:
        without, with_ = comb(3, m), comb(3, m - 1)
        polynomial = [without * low + with_ * high for low, high in zip([*polynomial, 0], [0, *polynomial], strict=True)]
    return prod(comb(4, m) for m in multiplicities) - 4 * sum(polynomial[needed:])


TRIPS_AND_STRAIGHT = "both three of a kind and straight, and nothing better"


def without_joker():
    """Seven natural cards."""
    classes = Counter()
    classes["seven_card_straight_flush"] = 8 * 4
    classes["royal_match"] = 4 * 3
    # A royal flush and any two cards, less the runs from the eight up and the extra king and queen.
    classes["royal_flush"] = 4 * comb(47, 2) - 4 - classes["royal_match"]
    # The nine lower straight flushes and any two cards but the next higher one, less the other runs of seven.
    classes["straight_flush"] = 9 * 4 * comb(46, 2) - 7 * 4
    classes["four_of_a_kind"] = 13 * comb(48, 3)
    classes["full_house"] = (
        13 * 4 * comb(12, 2) * 6**2  # 3-2-2
        + comb(13, 2) * 4**2 * 44  # 3-3-1
        + 13 * 4 * 12 * 6 * comb(11, 2) * 4**2  # 3-2-1-1
    )
    straight_flushes = 4 * comb(47, 2) + 9 * 4 * comb(46, 2)
    classes["flush"] = 4 * sum(comb(13, k) * comb(39, 7 - k) for k in (5, 6, 7)) - straight_flushes
    trips = 5 * suits_of((3, 1, 1, 1, 1), 5)
    classes["three_of_a_kind"] = (comb(13, 5) - runs(5)) * trips
    classes[TRIPS_AND_STRAIGHT] = runs(5) * trips
    classes["straight"] = (
        runs(7) * suits_of((1,) * 7, 5)
        + runs(6) * 6 * suits_of((2, 1, 1, 1, 1, 1), 5)
        + runs(5) * comb(5, 2) * suits_of((2, 2, 1, 1, 1), 5)
    )
    classes["three_pair"] = comb(13, 3) * 6**3 * 40
    return classes


def flushes_with_joker():
    """Six natural cards and the joker: what four of a suit make."""
    classes = Counter()
    # Six of seven in a row: seven sets of A to 7, and for each further run the six with its own highest card.
    classes["seven_card_straight_flush_joker"] = (7 + 7 * 6) * 4
    classes["royal_match"] = comb(5, 4) * 4 * 3
    # Four or five of a royal flush. Nine of the sets above are royal: the seven of 8 to A, and 7-8 or 7-9 with K-Q-J-10.
    classes["royal_flush"] = 4 * (47 + 5 * comb(47, 2)) - 9 * 4 - classes["royal_match"]
    straight_flushes = 4 * sum(runs(k, short=1) * comb(39, 6 - k) for k in (4, 5, 6))
    classes["straight_flush"] = straight_flushes - classes.total()
    classes["flush"] = 4 * sum(comb(13, k) * comb(39, 6 - k) for k in (4, 5, 6)) - straight_flushes
    return classes


def grouped_in_suit(classes, line, rank_sets, run_sets, ways):
    """Hands of a line of which four cards are of one suit: a straight flush comes before them, a flush after them."""
    classes[line] -= run_sets * ways
    classes["flush"] -= (rank_sets - run_sets) * ways


def with_joker_that_completes():
    """Six natural cards and the joker as an ace, or completing."""
    classes = flushes_with_joker()
    with_ace, run_with_ace = comb(12, 3), runs(4, short=1, ace=True)  # sets of four ranks, one of them the ace
    classes["five_aces"] = comb(48, 2)
    classes["four_of_a_kind"] = 12 * comb(48, 2) + comb(4, 3) * comb(48, 3)  # four lower ones; three aces
    # Of three aces and three others, an ace and the others in one suit.
    grouped_in_suit(classes, "four_of_a_kind", with_ace, run_with_ace, 4 * comb(3, 2))
    classes["full_house"] = (
        comb(12, 2) * 4**2
        + 12 * 4 * 11 * 6 * 40  # no ace: 3-3, 3-2-1
        + 4 * (12 * 4 * 11 * 6 + 12 * 4 * comb(11, 2) * 4**2)  # an ace, with the joker the pair: 3-2, 3-1-1
        + 6 * (comb(12, 2) * 6**2 + 12 * 6 * comb(11, 2) * 4**2 + 12 * 4 * 44)  # two aces: 2-2, 2-1-1, 3-1
    )
    # Four ranks in one suit: an ace with 3-1-1, two aces with 2-1-1; one of three ranks is there more than once.
    grouped_in_suit(classes, "full_house", with_ace * 3, run_with_ace * 3, 4 * comb(3, 2) + 4 * 3 * 3)
    # Two aces and four others; or three lower ones and three others, none of them an ace.
    for multiplicities, ace, options in (((2, 1, 1, 1, 1), True, 1), ((3, 1, 1, 1), False, 4)):
        size = len(multiplicities)
        all_sets, ways = comb(12, size - ace), options * suits_of(multiplicities, 4)
        run_sets = runs(size, short=1, ace=ace)
        classes["three_of_a_kind"] += (all_sets - run_sets) * ways
        classes[TRIPS_AND_STRAIGHT] += run_sets * ways
    # No pair, one, or two, none of them aces; a single ace may be there.
    for multiplicities, pairs in (((1,) * 6, 0), ((2, 1, 1, 1, 1), 1), ((2, 2, 1, 1), 2)):
        size = len(multiplicities)
        ways = suits_of(multiplicities, 4)
        for ace in (False, True):
            sets, run_sets = comb(12, size - ace), runs(size, short=1, ace=ace)
            classes["straight"] += run_sets * comb(size - ace, pairs) * ways
            if ace and pairs == 2:  # ace and joker are the third
                classes["three_pair"] += (sets - run_sets) * comb(size - ace, pairs) * ways
    classes["three_pair"] += comb(12, 3) * 6**3  # the joker a single ace
    return classes


def with_wild_joker():
    """Six natural cards and the joker as any card: a pair is three of a kind, and so on."""
    classes = flushes_with_joker()
    classes["five_aces"] = comb(48, 2)
    classes["five_of_a_kind"] = 12 * comb(48, 2)
    four, run = comb(13, 4), runs(4, short=1)
    classes["four_of_a_kind"] = comb(13, 2) * 4**2 + 13 * 4 * 12 * 6 * 44 + 13 * 4 * comb(12, 3) * 4**3
    grouped_in_suit(classes, "four_of_a_kind", four * 4, run * 4, 4 * 3)  # 3-1-1-1
    classes["full_house"] = comb(13, 3) * 6**3 + comb(13, 2) * 6**2 * comb(11, 2) * 4**2
    grouped_in_suit(classes, "full_house", four * comb(4, 2), run * comb(4, 2), 4 * 3**2)  # 2-2-1-1
    pair = 5 * suits_of((2, 1, 1, 1, 1), 4)
    classes["three_of_a_kind"] = (comb(13, 5) - runs(5, short=1)) * pair
    classes[TRIPS_AND_STRAIGHT] = runs(5, short=1) * pair
    classes["straight"] = runs(6, short=1) * suits_of((1,) * 6, 4)
    return classes


FORTUNE = (32, 72, 196, 1128, 26_020, 184_644, 307_472, 4_188_528, 6_172_088, 7_672_500, 11_034_204)
"""With the joker completing and best paid line first, from the seven-card straight flush to the straight."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("mode", ["completes", "wild"])
def test_688a_6_e_f_every_hand_of_seven_counted(mode):
    by_pay, by_rank, hands = Counter(), Counter(), 0
    for hand, ways in seven_cards():
        made = seven_card_lines(hand, mode)
        hands += ways
        if made:
            by_pay[next(line for line in BY_PAY if line in made)] += ways
            by_rank[next(line for line in LINES_BY_RANK if line in made)] += ways
    assert hands == comb(53, 7) == 154_143_080
    expected = without_joker() + (with_joker_that_completes() if mode == "completes" else with_wild_joker())
    both = expected.pop(TRIPS_AND_STRAIGHT)
    assert by_pay == expected + Counter({"three_of_a_kind": both})
    assert by_rank == expected + Counter({"straight": both})
    if mode == "completes":
        assert tuple(by_pay[line] for line in BY_PAY if line not in ("five_of_a_kind", "three_pair")) == FORTUNE
