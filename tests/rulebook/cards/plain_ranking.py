"""Ranks the slow and plain way: every card tried for the joker, every five of seven cards. The oracle of the fast one."""

from collections import Counter
from itertools import combinations, combinations_with_replacement, product

from hypothesis import strategies as st

from rulebook.cards.cards import DECK, JOKER, rank, suit
from rulebook.cards.four_card import FourCardClass
from rulebook.cards.ranking import HandClass
from rulebook.cards.wild_ranking import WildClass

C = HandClass
F = FourCardClass
HANDS_4 = st.lists(st.sampled_from(DECK), min_size=4, max_size=4, unique=True)
HANDS_5 = st.lists(st.sampled_from(DECK), min_size=5, max_size=5, unique=True)
HANDS_7 = st.lists(st.sampled_from(DECK), min_size=7, max_size=7, unique=True)

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
        (5,): C.FIVE_ACES,
        (4, 1): C.FOUR_OF_A_KIND,
        (3, 2): C.FULL_HOUSE,
        (3, 1, 1): C.THREE_OF_A_KIND,
        (2, 2, 1): C.TWO_PAIR,
        (2, 1, 1, 1): C.PAIR,
    }
    if tuple(shape) in by_shape:
        return by_shape[tuple(shape)], ordered
    return (C.FLUSH if flush else C.STRAIGHT if straight else C.HIGH_CARD), ordered


def substitutes(hand):
    """The cards with the joker as every card (an ace may double one that is there); and whether as an ace."""
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


def plain_rank(hand, wheel="second"):
    """The best rank that five cards make, trying every card for the joker (D1)."""
    best = None
    for cards, as_ace in substitutes(hand):
        hand_class, ordered = plain_class(cards)
        if JOKER in hand and not allowed(hand_class, as_ace):
            continue
        best = max(best or (-1,), (hand_class, *(ordered if wheel == "second" else wheel_last(ordered))))
    return best


def wheel_last(ordered):
    """A-2-3-4-5 as it compares if it is the lowest straight (D2)."""
    return (5, 4, 3, 2, 1) if ordered == (14, 5, 4, 3, 2) else ordered


STRAIGHTS_OF_FOUR = [{14, 4, 3, 2}] + [set(range(low, low + 4)) for low in range(2, 12)]


def plain_four_class(hand):
    """The class of four natural cards (rank, suit), and their ranks in the order that compares."""
    counts = Counter(r for r, _ in hand)
    ordered = tuple(sorted(counts, key=lambda r: (-counts[r], -r)))
    straight = set(counts) in STRAIGHTS_OF_FOUR
    flush = len({s for _, s in hand}) == 1 and len(counts) == 4
    if ordered == (14,):
        return F.FOUR_ACES, ordered
    if straight and flush:
        return F.STRAIGHT_FLUSH, ordered
    by_shape = {(4,): F.FOUR_OF_A_KIND, (3, 1): F.THREE_OF_A_KIND, (2, 2): F.TWO_PAIR, (2, 1, 1): F.PAIR}
    shape = tuple(sorted(counts.values(), reverse=True))
    return by_shape.get(shape, F.FLUSH if flush else F.STRAIGHT if straight else F.HIGH_CARD), ordered


def plain_four(hand):
    """The best rank that four cards make, trying every card for the joker (D1, D4)."""
    ranks = []
    for cards, as_ace in substitutes(hand):
        hand_class, ordered = plain_four_class(cards)
        if JOKER not in hand or as_ace or hand_class in (F.STRAIGHT, F.FLUSH, F.STRAIGHT_FLUSH):
            ranks.append((hand_class, *ordered))
    return max(ranks)


AS_WILD = {C.FIVE_ACES: WildClass.FIVE_OF_A_KIND} | {c: WildClass[c.name] for c in C if c is not C.FIVE_ACES}


def plain_wild(hand, wild_deuces=True, never=()):
    """The best rank that five cards make, trying every card for each wild one, cards that are there included (D5).

    What is `never` to be made does not count.

    From three wild cards on they are only tried in the suit of a natural card and in another: a third never matters.
    """
    wild = [card for card in hand if card == JOKER or (wild_deuces and rank(card) == 2)]
    natural = [(rank(card), suit(card)) for card in hand if card not in wild]
    if not natural:
        return (WildClass.FIVE_WILDS,)
    suits = range(4) if len(wild) < 3 else (natural[0][1], (natural[0][1] + 1) % 4)
    return max(
        made
        for tried in combinations_with_replacement(list(product(range(2, 15), suits)), len(wild))
        if (made := ranked_as_wild([*natural, *tried]))[0] not in never
    )


def ranked_as_wild(cards):
    hand_class, ordered = plain_class(cards)
    return (AS_WILD[hand_class], *wheel_last(ordered))


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
    # With a wild joker a card may are twice: four of a rank are all there are, so it is the fifth.
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


def plain_ace_high(hand):
    """No five of the seven cards make more than ace high, and one of them makes that."""
    best = max(plain_rank(five_) for five_ in combinations(hand, 5))
    return best[0] == C.HIGH_CARD and best[1] == 14
