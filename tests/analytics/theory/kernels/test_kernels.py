"""Kernels equal the pure functions beside which they stand: on hands of every kind, and on any seven cards."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.theory.enumeration.seven import seven_card_hands
from analytics.theory.kernels import sevens
from rulebook.cards.cards import JOKER, parse_cards
from rulebook.cards.ranking import LINES_BY_RANK, Rank, Wheel, rank_five, seven_card_lines

pytestmark = pytest.mark.kernels

ROOT = Path(__file__).resolve().parents[4]
INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT") == "1"
WHEELS: tuple[Wheel, ...] = ("second", "lowest")
sevens_of_cards = st.lists(st.integers(0, JOKER), min_size=7, max_size=7, unique=True)
of_few_ranks = st.lists(
    st.sampled_from([rank_ * 4 + suit for rank_ in (0, 1, 2, 3, 12) for suit in range(4)] + [JOKER]),
    min_size=7,
    max_size=7,
    unique=True,
)
of_few_suits = st.lists(
    st.sampled_from([rank_ * 4 + suit for rank_ in range(13) for suit in (0, 1)] + [JOKER]), min_size=7, max_size=7, unique=True
)
hands = sevens_of_cards | of_few_ranks | of_few_suits
EXAMPLES = 15 if INTERPRETED else 200


def value(rank_: Rank) -> int:
    """A rank as kernels write it: the class, then up to five ranks."""
    return int(rank_[0]) << 20 | sum(r << 16 - 4 * at for at, r in enumerate(rank_[1:]))


def bits(lines: frozenset[str]) -> int:
    return sum(1 << LINES_BY_RANK.index(line) for line in lines)


def of_every_kind(every: int) -> list[tuple[int, ...]]:
    """One of this many of the hands that no rule tells apart."""
    return [cards for at, (cards, _) in enumerate(seven_card_hands()) if at % every == 0]


def check_ranks(cards: Sequence[int]) -> None:
    for wheel in WHEELS:
        best = max(value(rank_five(five, wheel)) for five in combinations(cards, 5))
        assert sevens.rank_sevens(np.array([cards], dtype=np.uint8), wheel == "lowest")[0] == best


@pytest.mark.slow
@settings(max_examples=EXAMPLES)
@given(hands)
def test_any_seven_cards(cards: list[int]) -> None:
    check_ranks(cards)


@pytest.mark.slow
def test_hands_of_every_kind() -> None:
    """One of 500 (interpreted: of 20,000) of the hands that no rule tells apart, with and without a joker."""
    for cards in of_every_kind(20_000 if INTERPRETED else 500):
        check_ranks(cards)


@pytest.mark.parametrize(
    "text",
    [
        "Ks Qs Js Ts Jk Kd Qd",  # a royal that the joker completes, matched
        "As Ac Ad Ah Jk 2s 3s",  # five aces
        "9s 9c 9d 9h Jk 2s 3s",
        "2s 3s 4s 5s 6s 7s Jk",
        "As 2s 3s 4s 5s 6s 7s",
        "As 2s 3s 4s Jk Kd Kh",
        "Ks Kd Kh Qs Qd Qh 2c",
        "Ks Kd Qs Qd Js Jd Jk",
        "As Ks Qs Js 9s 8s Jk",
    ],
)
def test_hands_that_are_easily_got_wrong(text: str) -> None:
    check_ranks(parse_cards(text))


@pytest.mark.slow
@pytest.mark.compiled
def test_counts_of_the_53_card_deck() -> None:
    """The published counts of the Fortune lines (§ 688a.12), each hand counted by its best line; 154,143,080 in all."""
    completes, wild = sevens.count_lines(workers=2)
    best: Counter[str] = Counter()
    for lines in np.flatnonzero(completes):
        best[fortune_line(int(lines))] += int(completes[lines])
    assert completes.sum() == wild.sum() == sevens.HANDS == 154_143_080
    assert best == {
        "seven_card_straight_flush": 32,
        "royal_match": 72,
        "seven_card_straight_flush_joker": 196,
        "five_aces": 1_128,
        "royal_flush": 26_020,
        "straight_flush": 184_644,
        "four_of_a_kind": 307_472,
        "full_house": 4_188_528,
        "flush": 6_172_088,
        "three_of_a_kind": 7_672_500,
        "straight": 11_034_204,
        "nothing": 154_143_080 - 29_586_884,
    }
    five = 1 << LINES_BY_RANK.index("five_of_a_kind")
    ways = 13 * 48 * 47 // 2  # four of a rank, the joker and two others
    assert sum(int(wild[lines]) for lines in np.flatnonzero(wild) if lines & five) == ways
    assert sum(int(completes[lines]) for lines in np.flatnonzero(completes) if lines & five) == best["five_aces"]


def fortune_line(lines: int) -> str:
    """The best paid of the lines: trips before a straight (D15); three pair are paid by few paytables."""
    made = [name for at, name in enumerate(LINES_BY_RANK) if lines >> at & 1 and name != "three_pair"]
    if "three_of_a_kind" in made and made[0] == "straight":
        return "three_of_a_kind"
    return made[0] if made else "nothing"


def test_part_of_the_deck_counted_as_one_by_one() -> None:
    completes, wild = sevens.count_lines(1, [(45, 46)])
    one_by_one = [Counter[int](), Counter[int]()]
    for rest in combinations(range(47, 53), 5):
        for counts, mode in zip(one_by_one, ("completes", "wild"), strict=True):
            counts[bits(seven_card_lines((45, 46, *rest), mode))] += 1
    for counts, expected in zip((completes, wild), one_by_one, strict=True):
        assert {int(lines): int(counts[lines]) for lines in np.flatnonzero(counts)} == expected


def test_blocks_ranked_by_two_workers_are_the_rows_in_order() -> None:
    rng = np.random.default_rng(688)
    cards = np.stack([rng.permutation(53)[:7] for _ in range(50)]).astype(np.uint8)
    many = np.tile(cards, (3_000 if not INTERPRETED else 2, 1))
    expected = np.tile(sevens.rank_sevens(cards), len(many) // 50)
    assert (sevens.rank_sevens(many, workers=2) == expected).all()


@pytest.mark.slow
@pytest.mark.compiled
def test_the_same_with_the_compiler_off() -> None:
    """So that coverage, and a debugger, see the kernels; what is compiled and what is written are the same."""
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not compiled", __file__],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-3_000:] + ran.stderr[-1_000:]
