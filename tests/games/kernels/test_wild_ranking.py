"""The kernels of DJ Wild equal `games.cards.wild_ranking`: on any five cards, and on many wild ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.cards.cards import JOKER, parse_cards
from games.cards.ranking import Rank
from games.cards.wild_ranking import Deuces, WildClass, progressive_class, rank_wild
from games.kernels import wild_ranking as kernel

pytestmark = pytest.mark.kernels

ALL = list(range(JOKER + 1))
of_many_wilds = st.lists(st.sampled_from([0, 1, 2, 3, *range(32, 53)]), min_size=6, max_size=6, unique=True)
of_few_ranks = st.lists(st.sampled_from([*range(4, 16), *range(44, 53), 0]), min_size=6, max_size=6, unique=True)
of_one_suit = st.lists(st.sampled_from([*range(0, 52, 4), 1, 2, JOKER]), min_size=6, max_size=6, unique=True)
six = st.lists(st.sampled_from(ALL), min_size=6, max_size=6, unique=True) | of_many_wilds | of_few_ranks | of_one_suit


def as_number(rank: Rank) -> int:
    """A rank as kernels write it: the class, then up to five ranks."""
    return rank[0] << kernel.CLASS_SHIFT | sum(each << (16 - 4 * at) for at, each in enumerate(rank[1:]))


@pytest.mark.parametrize("deuces", ["wild", "natural"])
@given(cards=six)
def test_any_five_cards_and_a_side_card(deuces: Deuces, cards: list[int]) -> None:
    *five, side = cards
    array, wild = np.array(five, dtype=np.uint8), deuces == "wild"
    assert kernel.wild_value(array, wild) == as_number(rank_wild(five, deuces))
    if side != JOKER:
        assert kernel.progressive_rank(array, side, wild) == progressive_class(five, side, deuces)


@pytest.mark.parametrize(
    ("hand", "made"),
    [
        ("2s 2h 2d 2c Jk", WildClass.FIVE_WILDS),
        ("Ks Kd Kh 2d Jk", WildClass.FIVE_OF_A_KIND),
        ("As Ks 2d 2c Jk", WildClass.ROYAL_FLUSH),
        ("As 3s 4s 2d Jk", WildClass.STRAIGHT_FLUSH),
        ("Ks Kd 9h 9c 2d", WildClass.FULL_HOUSE),
        ("Ks 9s 4s 2d Jk", WildClass.FLUSH),
        ("As 3d 4s 5c Jk", WildClass.STRAIGHT),
        ("Ks 9d 4s 3c Jk", WildClass.PAIR),
    ],
)
def test_hands_of_the_text(hand: str, made: WildClass) -> None:
    assert kernel.wild_value(np.array(parse_cards(hand), dtype=np.uint8), True) >> kernel.CLASS_SHIFT == made
