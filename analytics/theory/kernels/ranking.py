"""Lines and values of seven cards as numbers: `rulebook.cards.ranking`, compiled.

Four masks of thirteen bits (bit 0 a two, bit 12 an ace) count the ranks of some cards: the ranks that occur at least once, twice,
three times and four times. The joker is counted apart.

The value of a hand of five is its class and then up to five ranks, four bits each; values compare as the tuples of `rank_five`
do.
"""

from typing import Final

from analytics.theory.kernels.compiling import compiled

JOKER: Final = 52
ACE_BIT: Final = 1 << 12
WHEEL: Final = ACE_BIT | 0b1111
ROYAL: Final = 0b11111 << 8
CLASS_SHIFT: Final = 20

HIGH_CARD, PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH, ROYAL_FLUSH, FIVE_ACES = range(11)
"""As `rulebook.cards.ranking.HandClass`."""

(
    L_SEVEN,
    L_MATCH,
    L_SEVEN_JOKER,
    L_FIVE_ACES,
    L_FIVE,
    L_ROYAL,
    L_STRAIGHT_FLUSH,
    L_FOUR,
    L_FULL,
    L_FLUSH,
    L_STRAIGHT,
    L_THREE,
    L_THREE_PAIR,
) = [1 << place for place in range(13)]
"""The bits of lines: that of a line is its place in `rulebook.cards.ranking.LINES_BY_RANK`."""
LINE_SETS: Final = 1 << 13
"""How many sets of lines there are."""


@compiled
def ones(mask: int) -> int:
    """Return how many of thirteen bits are set."""
    mask = mask - ((mask >> 1) & 0x5555)
    mask = (mask & 0x3333) + ((mask >> 2) & 0x3333)
    mask = (mask + (mask >> 4)) & 0x0F0F
    return (mask + (mask >> 8)) & 0x1F


@compiled
def top(mask: int) -> int:
    """Return the highest rank (2 to 14) in a mask that has one."""
    rank = 2
    if mask >= 256:
        mask >>= 8
        rank += 8
    if mask >= 16:
        mask >>= 4
        rank += 4
    if mask >= 4:
        mask >>= 2
        rank += 2
    return rank + (mask >> 1)


@compiled
def ranks_down(mask: int, places: int) -> int:
    """Return the ranks of a mask from the highest down, four bits each, in this many places."""
    value = 0
    for _ in range(places):
        value <<= 4
        if mask:
            rank = top(mask)
            value |= rank
            mask ^= 1 << (rank - 2)
    return value


@compiled
def straight_value(mask: int, lowest: bool) -> int:
    """Return the comparable ranks of five cards in a straight; 0 if none exists."""
    if mask == WHEEL:
        return 0x54321 if lowest else 0xE5432
    low = mask & -mask
    return ranks_down(mask, 5) if mask == low * 31 else 0


@compiled
def has_straight(mask: int, joker: int) -> bool:
    """Return whether ranks, with or without a joker, make a straight."""
    with_low = mask << 1 | mask >> 12  # the ace below the two
    if not joker:
        return (with_low & with_low >> 1 & with_low >> 2 & with_low >> 3 & with_low >> 4) != 0
    two_run, two_more = with_low & with_low >> 1, with_low >> 3 & with_low >> 4
    four = two_run & with_low >> 2 & (with_low >> 3 | with_low >> 4)
    return (four | (two_more & (two_run | with_low & with_low >> 2 | with_low >> 1 & with_low >> 2))) != 0


@compiled
def suit_lines(mask: int, joker: int) -> int:
    """Return the lines of the cards of a flush's suit."""
    lines = L_FLUSH
    if has_straight(mask, joker):
        lines |= L_STRAIGHT_FLUSH | L_STRAIGHT
        if ones(mask & ROYAL) + joker >= 5:
            lines |= L_ROYAL
        if ones(mask) + joker == 7:
            with_low = mask << 1 | mask >> 12
            for low in range(8):
                if ones(with_low >> low & 0x7F) + joker == 7:
                    lines |= L_SEVEN_JOKER if joker else L_SEVEN
    return lines


@compiled
def natural_rank_lines(twice: int, thrice: int, four: int) -> int:
    """Return the bonus lines of ranks without the joker: pairs, threes and fours of a kind."""
    lines, pairs = 0, ones(twice)
    if thrice:
        lines |= L_THREE
        if pairs >= 2:
            lines |= L_FULL
        if four:
            lines |= L_FOUR
    if pairs >= 3:
        lines |= L_THREE_PAIR
    return lines


@compiled
def wild_rank_lines(once: int, twice: int, thrice: int, four: int) -> int:
    """Return the bonus lines of ranks with a joker that represents any card."""
    lines, pairs = 0, ones(twice)
    if twice:
        lines |= L_THREE
    if thrice or pairs >= 2:
        lines |= L_FULL
    if thrice:
        lines |= L_FOUR
    if four:
        lines |= L_FIVE
    if pairs >= 3 or (pairs == 2 and ones(once) > 2):
        lines |= L_THREE_PAIR
    return lines


@compiled
def completing_rank_lines(once: int, twice: int, thrice: int, four: int) -> int:
    """Return the bonus lines of ranks with a joker that counts as an ace if it completes nothing."""
    lines = 0
    ace_twice, ace_thrice = twice | once & ACE_BIT, thrice | twice & ACE_BIT
    ace_pairs = ones(ace_twice)
    if ace_thrice:
        lines |= L_THREE
        if ace_pairs >= 2:
            lines |= L_FULL
    if four or thrice & ACE_BIT:
        lines |= L_FOUR
    if four & ACE_BIT:
        lines |= L_FIVE
    if ace_pairs >= 3:
        lines |= L_THREE_PAIR
    return lines


@compiled
def flush_lines(suits: int, joker: int) -> int:
    """Return the bonus lines of each suit's ranks, 16 bits apart; a royal match takes king and queen of another suit."""
    lines, needed = 0, 5 - joker
    for suit in range(4):
        mask = suits >> 16 * suit & 0x1FFF
        if ones(mask) >= needed:
            lines |= suit_lines(mask, joker)
            if lines & L_ROYAL:
                for other in range(4):
                    if other != suit and (suits >> 16 * other & 0x1FFF) & (3 << 10) == 3 << 10:
                        lines |= L_MATCH
    return lines


@compiled
def lines_of(once: int, twice: int, thrice: int, four: int, joker: int, suits: int, wild: bool) -> int:
    """Return the bonus lines of seven cards by their masks; `suits` has those of the ranks of each suit, 16 bits apart."""
    if not joker:
        lines = natural_rank_lines(twice, thrice, four)
    elif wild:
        lines = wild_rank_lines(once, twice, thrice, four)
    else:
        lines = completing_rank_lines(once, twice, thrice, four)
    if joker and four & ACE_BIT:
        lines |= L_FIVE_ACES
    if has_straight(once, joker):
        lines |= L_STRAIGHT
    return lines | flush_lines(suits, joker)
