"""Hands made to order are what they were ordered to be."""

from random import Random

import pytest

from floor.round.seven_cards import TARGETS, is_target, make_hand
from rulebook.cards.cards import JOKER
from rulebook.cards.ranking import is_ace_high, seven_card_lines


@pytest.mark.parametrize("target", TARGETS)
def test_a_hand_is_seven_cards_of_its_line(target: str) -> None:
    random = Random(target)
    for _ in range(20):
        hand = make_hand(random, target, excluded={0, 5})
        assert hand is not None
        assert len(set(hand)) == 7
        assert not {0, 5} & set(hand)
        assert is_target(hand, target)
        if target in ("ace_high", "ace_high_joker"):
            assert is_ace_high(hand)
        elif target == "five_of_a_kind":
            assert target in seven_card_lines(hand, "wild")
        elif target != "nothing":
            assert target in seven_card_lines(hand, "completes")


def test_says_so_where_the_cards_are_gone() -> None:
    assert make_hand(Random(1), "five_aces", excluded={JOKER}) is None
