"""Three hands as numbers: hands of four ranked, and a house way of three hands (`games.cards.four_card`, `house_way_asia`).

A house way's rows and plays are arguments. All 105 ways to divide seven cards are tried to find the settings that it accepts.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from games.house_ways.house_way import ANY
from games.house_ways.house_way_asia import KINDS, AsiaHouseWay, High, Medium
from games.kernels.compiling import compiled, wide
from games.kernels.ranking import ACE_BIT, CLASS_SHIFT, JOKER, PAIR, one_more, ones, ranks_down, top, two

Ints = npt.NDArray[Any]

HIGH_CARD, ONE_PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH, FOUR, STRAIGHT_FLUSH, FOUR_ACES = range(9)
"""As `games.cards.four_card.FourCardClass`."""
ACE_LOW: Final = ACE_BIT | 0b111

_KINDS: Final = tuple(dict.fromkeys(KINDS.values()))
_COUNTS: Final = tuple(KINDS)
_EVERY_KIND: Final = (1 << len(_KINDS)) - 1
ANY_MEDIUM, IN_PAIR, IN_LOW_PAIR, SINGLES, UNLIKE = range(5)
COMPLETE: Final = -1
_MEDIUMS: Final = {"any": ANY_MEDIUM, "pair": IN_PAIR, "low_pair": IN_LOW_PAIR, "singles": SINGLES, "unlike": UNLIKE}
_HIGHS: Final = {
    "any": HIGH_CARD,
    "pair": ONE_PAIR,
    "two_pair": TWO_PAIR,
    "three_of_a_kind": THREE,
    "complete": COMPLETE,
    "four_of_a_kind": FOUR,
}
assert set(_MEDIUMS) == set(get_args(Medium))
assert set(_HIGHS) == set(get_args(High))


class ThreeWay(NamedTuple):
    """A house way of three hands in arrays.

    `rows`: kinds (bits), ranks (bits, a two is bit 0), complete (1, 0, or -1: whatever), first and last play (beyond it).
    `plays`: group, what the high hand must at least be, the medium hand, least ranks of medium and low, low filled first.
    `kinds`: the kind of seven cards by how many ranks are there once, twice, thrice, four and five times (`kind_of`).
    """

    rows: Ints
    plays: Ints
    kinds: Ints


def three_way_of(way: AsiaHouseWay) -> ThreeWay:
    """Return a filed house way of three hands in arrays."""
    rows: list[list[int]] = []
    plays: list[list[int]] = []
    for row in way.rows:
        first = len(plays)
        for group, alike in enumerate(row.plays):
            plays += [
                [
                    group,
                    _HIGHS[each.high],
                    _MEDIUMS[each.medium],
                    each.medium_at_least,
                    each.low_at_least,
                    each.first == "low",
                ]
                for each in alike
            ]
        kinds = _EVERY_KIND if ANY in row.kinds else sum(1 << _KINDS.index(kind) for kind in row.kinds)
        ranks = 0x1FFF if row.ranks is None else sum(1 << (rank - 2) for rank in row.ranks)
        complete = -1 if row.complete is None else int(row.complete)
        rows.append([kinds, ranks, complete, first, len(plays)])
    kind_of = np.full(8**4, -1, dtype=np.int64)
    for counts in _COUNTS:
        at_least = [sum(count >= times for count in counts) for times in range(2, 6)]
        kind_of[at_least[0] << 9 | at_least[1] << 6 | at_least[2] << 3 | at_least[3]] = _KINDS.index(KINDS[counts])
    return ThreeWay(np.array(rows, dtype=np.int64), np.array(plays, dtype=np.int64), kind_of)


def room_for_settings() -> Ints:
    """Return room for the three values of each of the 105 ways to part seven cards."""
    return np.zeros((105, 3), dtype=np.int64)


@compiled
def four_of(a: int, b: int, c: int, d: int) -> int:
    """Return the value of a hand of four (`rank_four`): its class, then up to four ranks, four bits each."""
    once = twice = thrice = all_four = wide(0)
    joker = False
    suit, suited = -1, True
    for card in (a, b, c, d):
        if card == JOKER:
            joker = True
            continue
        bit = wide(1) << (card >> 2)
        once, twice, thrice, all_four = one_more(bit, once, twice, thrice, all_four)
        if suit >= 0 and suit != card & 3:
            suited = False
        suit = card & 3
    if not joker:
        return naturals(once, twice, thrice, all_four, suited)
    best = wide(0)
    if ones(once) == 3:  # what the joker can complete; without a straight or flush it counts as an ace
        for rank in range(13):
            bit = wide(1) << rank
            if not once & bit:
                value = naturals(once | bit, 0, 0, 0, suited)
                if suited or value >> CLASS_SHIFT == STRAIGHT:
                    best = max(best, value)
        if suited:
            return best
    once, twice, thrice, all_four = one_more(ACE_BIT, once, twice, thrice, all_four)
    return max(best, naturals(once, twice, thrice, all_four, False))


@compiled
def naturals(once: int, twice: int, thrice: int, all_four: int, suited: bool) -> int:
    """Return the value of four cards by the masks of their ranks."""
    if all_four:
        return (FOUR_ACES if all_four == ACE_BIT else FOUR) << CLASS_SHIFT | top(all_four) << 16
    if thrice:
        return THREE << CLASS_SHIFT | top(thrice) << 16 | top(once ^ thrice) << 12
    if twice:
        if once == twice:
            return TWO_PAIR << CLASS_SHIFT | ranks_down(twice, 2) << 12
        return ONE_PAIR << CLASS_SHIFT | top(twice) << 16 | ranks_down(once ^ twice, 2) << 8
    low = once & -once
    if once == ACE_LOW:
        ranks, straight = wide(0xE432), True
    else:
        ranks, straight = wide(ranks_down(once, 4)), once == low * 15
    if straight:
        return (STRAIGHT_FLUSH if suited else STRAIGHT) << CLASS_SHIFT | ranks << 4
    return (FLUSH if suited else HIGH_CARD) << CLASS_SHIFT | ranks << 4


@compiled
def one_of(card: int) -> int:
    """Return the value of a hand of one (`rank_one`), in which the joker is an ace."""
    return 14 << 16 if card == JOKER else ((card >> 2) + 2) << 16


@compiled
def is_complete(high: int) -> bool:
    """Say whether a hand of four is a straight or a flush."""
    hand_class = high >> CLASS_SHIFT
    return hand_class in (STRAIGHT, FLUSH, STRAIGHT_FLUSH)


@compiled
def accepts_three(
    cards: Ints, high: int, medium: int, low: int, rows: Ints, plays: Ints, kinds: Ints, settings: Ints
) -> bool:
    """Say whether hands of these values, set of these seven cards, are set by the house way (`AsiaHouseWay.accepts`).

    `settings` is room for the values of all settings: `room_for_settings`.
    """
    kind, leading, once, twice = ranks_folded(cards, kinds)
    complete, count = legal_settings(cards, settings)
    for row in range(rows.shape[0]):
        if not rows[row, 0] >> kind & 1 or not rows[row, 1] & leading:
            continue
        if rows[row, 2] >= 0 and rows[row, 2] != complete:
            continue
        answer = accepted_by_row(rows[row], plays, settings, count, once & ~twice, twice, high, medium, low)
        if answer >= 0:
            return answer == 1
    return False


@compiled
def ranks_folded(cards: Ints, kinds: Ints) -> tuple[int, int, int, int]:
    """Return the kind of seven cards by how their ranks repeat, the bit of the leading rank, and the ranks once and twice."""
    once = twice = thrice = four = five = wide(0)
    for at in range(7):
        card = wide(cards[at])
        bit = wide(ACE_BIT) if card == JOKER else wide(1) << (card >> 2)
        five |= four & bit
        once, twice, thrice, four = one_more(bit, once, twice, thrice, four)
    kind = kinds[ones(twice) << 9 | ones(thrice) << 6 | ones(four) << 3 | ones(five)]
    most = five if five else four if four else thrice if thrice else twice if twice else once
    return kind, wide(1) << (top(most) - 2), once, twice


@compiled
def legal_settings(cards: Ints, settings: Ints) -> tuple[bool, int]:
    """Put the legal settings of seven cards into `settings`; return whether four can be a straight or flush, and how many
    settings there are.
    """
    complete, count = False, 0
    for a in range(4):
        for b in range(a + 1, 5):
            for c in range(b + 1, 6):
                for d in range(c + 1, 7):
                    behind = four_of(wide(cards[a]), wide(cards[b]), wide(cards[c]), wide(cards[d]))
                    complete = complete or is_complete(behind)
                    for one in range(7):
                        if one in (a, b, c, d):
                            continue
                        x = y = -1
                        for other in range(7):
                            if other not in (a, b, c, d, one):
                                x, y = y, other
                        middle, front = two(wide(cards[x]), wide(cards[y])), one_of(wide(cards[one]))
                        if behind > middle > front:
                            settings[count, 0], settings[count, 1], settings[count, 2] = behind, middle, front
                            count += 1
    return complete, count


@compiled
def accepted_by_row(
    row: Ints, plays: Ints, settings: Ints, count: int, singles: int, twice: int, high: int, medium: int, low: int
) -> int:
    """Return 1 where the first group of a row's plays that can be made accepts hands of these values, 0 where it does not, and
    -1 where none can be made.
    """
    first = row[3]
    while first < row[4]:
        past, possible, accepted = first, False, False
        while past < row[4] and plays[past, 0] == plays[first, 0]:
            best = best_by(plays[past], settings, count, singles, twice)
            if best >= 0:
                possible = True
                setting = settings[best]
                accepted = accepted or (setting[0] == high and setting[1] == medium and setting[2] == low)
            past += 1
        if possible:
            return 1 if accepted else 0
        first = past
    return -1


@compiled
def best_by(play: Ints, settings: Ints, count: int, singles: int, twice: int) -> int:
    """Return which of so many legal settings a play makes, -1 where it makes none."""
    best = -1
    for at in range(count):
        high, medium, low = settings[at, 0], settings[at, 1], settings[at, 2]
        if not fits(play, high, medium, low, singles, twice):
            continue
        if best < 0:
            best = at
            continue
        one, other = (low, medium) if play[5] else (medium, low)
        first, second = (settings[best, 2], settings[best, 1]) if play[5] else (settings[best, 1], settings[best, 2])
        if one > first or (one == first and (other > second or (other == second and high > settings[best, 0]))):
            best = at
    return best


@compiled
def fits(play: Ints, high: int, medium: int, low: int, singles: int, twice: int) -> bool:
    """Say whether a setting is one that a play allows."""
    rank, next_rank = medium >> 16 & 15, medium >> 12 & 15
    if rank < play[3] or low >> 16 & 15 < play[4]:
        return False
    if not (is_complete(high) if play[1] == COMPLETE else high >> CLASS_SHIFT >= play[1]):
        return False
    is_pair = medium >> CLASS_SHIFT == PAIR
    bit = wide(1) << (rank - 2)
    if play[2] == IN_PAIR:
        return is_pair
    if play[2] == IN_LOW_PAIR:
        return is_pair and bit == twice & -twice
    if play[2] == UNLIKE:
        return not is_pair
    if play[2] == SINGLES:
        return not is_pair and singles & bit != 0 and singles & wide(1) << (next_rank - 2) != 0
    return True
