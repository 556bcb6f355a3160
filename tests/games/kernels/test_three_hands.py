"""The kernels of Fortune Asia Poker equal `games.cards.four_card` and the house ways of three hands: on any cards."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.cards.cards import JOKER
from games.cards.four_card import rank_four, rank_one
from games.cards.ranking import Rank
from games.house_ways.house_way_asia import AsiaHouseWay, load_asia_house_way, packaged_asia_house_way
from games.kernels import three_hands as kernel
from games.kernels.ranking import two

pytestmark = pytest.mark.kernels

seven = st.lists(st.integers(0, JOKER), min_size=7, max_size=7, unique=True)
of_few_ranks = st.lists(st.sampled_from([*range(36, JOKER + 1), 0, 1, 2, 3]), min_size=7, max_size=7, unique=True)
of_few_suits = st.lists(
    st.sampled_from([*range(0, 52, 4), *range(1, 52, 4), JOKER]), min_size=7, max_size=7, unique=True
)
hands = seven | of_few_ranks | of_few_suits

ODD_WAY = """
name = "odd"
cite = "a table made up for a test"
hands = "4-2-1"
[[row]]
name = "high pairs"
hand = ["two_pair", "three_pair"]
ranks = "AKQJT"
play = [[{ medium = "low_pair", high = "pair" }, { medium = "unlike", medium_at_least = "K", low_at_least = "9" }]]
[[row]]
name = "complete"
hand = "any"
complete = true
play = [{ medium = "pair", high = "complete" }, [{ medium = "singles", high = "complete" }, { first = "low" }]]
[[row]]
name = "all others"
hand = "any"
play = [{ first = "low", high = "three_of_a_kind" }, {}]
"""
WAYS = {"asia": packaged_asia_house_way("asia"), "odd": load_asia_house_way(ODD_WAY, "odd.toml")}


def as_number(rank: Rank) -> int:
    """A rank as kernels write it: the class, then up to five ranks."""
    return rank[0] << 20 | sum(each << (16 - 4 * at) for at, each in enumerate(rank[1:]))


@given(hands)
def test_any_four_cards_and_any_one(cards: list[int]) -> None:
    assert kernel.four_of(*cards[:4]) == as_number(rank_four(cards[:4]))
    assert kernel.one_of(cards[4]) == as_number(rank_one(cards[4:5]))


@pytest.mark.parametrize("name", WAYS)
@settings(max_examples=150)
@given(cards=hands, as_set=st.booleans(), which=st.integers(0, 10))
def test_a_house_way_accepts_what_it_accepts(name: str, cards: list[int], as_set: bool, which: int) -> None:
    """Of the settings that the way accepts, and of cards parted in any way."""
    way: AsiaHouseWay = WAYS[name]
    high, medium, low = tuple(cards[:4]), tuple(cards[4:6]), tuple(cards[6:])
    if as_set:
        accepted = way.settings(cards)
        chosen = accepted[which % len(accepted)]
        high, medium, low = chosen.high, chosen.medium, chosen.low
    values = kernel.four_of(*high), two(*medium), kernel.one_of(*low)
    array, room = np.array(cards, dtype=np.uint8), kernel.room_for_settings()
    assert kernel.accepts_three(array, *values, *kernel.three_way_of(way), room) == way.accepts(high, medium, low)
