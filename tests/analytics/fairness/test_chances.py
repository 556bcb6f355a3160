"""What chance gives, against counts by hand and by listing."""

from collections import Counter
from itertools import combinations
from math import comb

import pytest

from analytics.fairness.chances import Pack, pack_of, patterns, starts_by_dice, totals

POKER = Pack(copies=1, jokers=0)


def test_totals_of_three_dice() -> None:
    ways = {int(total): round(216 * chance) for total, chance in totals().items()}
    assert [ways[total] for total in range(3, 11)] == [1, 3, 6, 10, 15, 21, 25, 27]
    assert all(ways[total] == ways[21 - total] for total in range(3, 19))


def test_starting_positions_have_unlike_odds() -> None:
    """D3: count the dealer as one. Dealer: 8 and 15; position 1, counted last: 7 and 14."""
    ways = {position: round(216 * chance) for position, chance in starts_by_dice().items()}
    assert sum(ways.values()) == 216
    assert ways["dealer"] == 21 + 10
    assert ways["1"] == 15 + 15


@pytest.mark.parametrize(
    ("pattern", "number"),
    [("4+1", 624), ("3+2", 3_744), ("3+1+1", 54_912), ("2+2+1", 123_552), ("2+1+1+1", 1_098_240), ("1+1+1+1+1", 1_317_888)],
)
def test_patterns_of_five_cards_are_those_of_every_book_on_poker(pattern: str, number: int) -> None:
    """1,317,888: high cards with straights and flushes among them (1,302,540 + 10,200 + 5,108 + 40)."""
    assert round(patterns(POKER, 5)[pattern, False] * comb(52, 5)) == number


@pytest.mark.slow
def test_a_small_pack_listed_out() -> None:
    """Three cards of two packs with two jokers, every hand of the 106 cards listed by rank."""
    ranks = [rank for rank in range(13) for _ in range(8)] + [-1, -1]
    listed: Counter[tuple[str, bool]] = Counter()
    for hand in combinations(range(106), 3):
        held = [ranks[card] for card in hand]
        parts = sorted(Counter(rank for rank in held if rank >= 0).values(), reverse=True)
        listed["+".join(map(str, parts)), -1 in held] += 1
    found = patterns(Pack(copies=2, jokers=2), 3)
    assert {key: round(chance * comb(106, 3)) for key, chance in found.items()} == dict(listed)


def test_packs_are_those_of_the_chapters() -> None:
    assert pack_of("over_under") == Pack(copies=6, jokers=0)
    assert {pack_of(game) for game in ("face_up_pai_gow", "dj_wild", "fortune_asia")} == {Pack(copies=1, jokers=1)}
    assert pack_of("roulette") is None
