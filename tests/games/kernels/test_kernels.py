"""Kernels equal the pure functions beside which they stand: on hands of every kind, and on any seven cards."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.theory.enumeration.seven import seven_card_hands
from games.cards.cards import JOKER, parse_cards
from games.cards.ranking import LINES_BY_RANK, Rank, Wheel, highest_unpaired, rank_five, rank_two, seven_card_lines
from games.house_ways.house_way import HouseWay, load_house_way, packaged_house_way
from games.kernels import house_way, ranking, sevens

pytestmark = pytest.mark.kernels

ROOT = Path(__file__).resolve().parents[3]
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
    st.sampled_from([rank_ * 4 + suit for rank_ in range(13) for suit in (0, 1)] + [JOKER]),
    min_size=7,
    max_size=7,
    unique=True,
)
hands = sevens_of_cards | of_few_ranks | of_few_suits
EXAMPLES = 15 if INTERPRETED else 200

ODD_WAY = """
name = "odd"
cite = "a table made up for a test"
[[row]]
name = "three pair"
hand = "three_pair"
ranks = "AKQJT"
play = [[{ front = "low_pair", back = "two_pair" }, { front = "ace" }]]
[[row]]
name = "joker with an ace"
hand = ["one_pair", "two_pair"]
joker_with_ace = true
play = [{ front = "singles", back = "complete" }, { front = "unlike", at_least = "K" }]
[[row]]
name = "complete"
hand = "any"
complete = true
play = [{ front = "pair", back = "complete" }, [{ front = "singles", back = "complete" }, { front = "pair" }]]
[[row]]
name = "all others"
hand = "any"
play = [{ front = "highest" }]
"""


def value(rank_: Rank) -> int:
    """A rank as kernels write it: the class, then up to five ranks."""
    return int(rank_[0]) << 20 | sum(r << 16 - 4 * at for at, r in enumerate(rank_[1:]))


def bits(lines: frozenset[str]) -> int:
    return sum(1 << LINES_BY_RANK.index(line) for line in lines)


def array(cards: Sequence[int]) -> np.ndarray:
    return np.array(cards, dtype=np.uint8)


def of_every_kind(every: int) -> list[tuple[int, ...]]:
    """One of so many of the hands that no rule tells apart."""
    return [cards for at, (cards, _) in enumerate(seven_card_hands()) if at % every == 0]


def check_lines(cards: Sequence[int]) -> None:
    expected = tuple(bits(seven_card_lines(cards, mode)) for mode in ("completes", "wild"))
    assert ranking.seven_and_unpaired(array(cards)) == (*expected, highest_unpaired(cards))
    assert (ranking.seven_lines(array(cards), False), ranking.seven_lines(array(cards), True)) == expected


def check_ranks(cards: Sequence[int]) -> None:
    for wheel in WHEELS:
        fives = {five: value(rank_five(five, wheel)) for five in combinations(cards, 5)}
        for five, expected in list(fives.items())[::5]:
            assert ranking.five(array(five), wheel == "lowest") == expected
        assert sevens.rank_sevens(array(cards)[None, :], wheel == "lowest")[0] == max(fives.values())
    for a, b in combinations(cards, 2):
        assert ranking.two(np.int64(a), np.int64(b)) == value(rank_two((a, b)))


@cache
def odd(wheel: Wheel) -> HouseWay:
    return load_house_way(ODD_WAY, "odd.toml", wheel)


def check_setting(cards: Sequence[int], way: HouseWay) -> None:
    """Every way to set the cards is accepted by the kernel as by the house way, and what the kernel sets is."""
    rows, plays, lowest = house_way.way_of(way)
    found = {(value(rank_five(s.high, way.wheel)), value(rank_two(s.low))) for s in way.settings(cards)}
    for i, j in combinations(range(7), 2):
        behind = [card for at, card in enumerate(cards) if at not in (i, j)]
        high, low = value(rank_five(behind, way.wheel)), value(rank_two((cards[i], cards[j])))
        assert house_way.accepts(array(cards), high, low, rows, plays, lowest) == ((high, low) in found)
    i, j = house_way.front(array(cards), rows, plays, lowest)
    assert way.accepts([card for at, card in enumerate(cards) if at not in (i, j)], (cards[i], cards[j]))


@settings(max_examples=EXAMPLES)
@given(hands)
def test_any_seven_cards(cards: list[int]) -> None:
    check_lines(cards)
    check_ranks(cards)


@settings(max_examples=EXAMPLES)
@given(hands, st.sampled_from(WHEELS), st.booleans())
def test_any_seven_cards_set_by_a_house_way(cards: list[int], wheel: Wheel, packaged: bool) -> None:
    check_setting(cards, packaged_house_way("stones", wheel) if packaged else odd(wheel))


def test_hands_of_every_kind() -> None:
    """One of a hundred (interpreted: of 20,000) of the hands that no rule tells apart, with and without a joker."""
    for at, cards in enumerate(of_every_kind(20_000 if INTERPRETED else 100)):
        check_lines(cards)
        if at % 5 == 0:
            check_ranks(cards)
            check_setting(cards, packaged_house_way("stones", WHEELS[at // 5 % 2]))


@pytest.mark.parametrize(
    "text",
    [
        "Ks Qs Js Ts Jk Kd Qd",  # a royal that the joker completes, matched
        "As Ac Ad Ah Jk 2s 3s",  # five aces
        "9s 9c 9d 9h Jk 2s 3s",  # five of a kind only where the joker is wild
        "2s 3s 4s 5s 6s 7s Jk",
        "As 2s 3s 4s 5s 6s 7s",
        "As 2s 3s 4s Jk Kd Kh",
        "Ks Kd Kh Qs Qd Qh 2c",
        "Ks Kd Qs Qd Js Jd Jk",
        "As Ks Qs Js 9s 8s Jk",
    ],
)
def test_hands_that_are_easily_got_wrong(text: str) -> None:
    cards = parse_cards(text)
    check_lines(cards)
    check_ranks(cards)
    for wheel in WHEELS:
        check_setting(cards, packaged_house_way("stones", wheel))


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
