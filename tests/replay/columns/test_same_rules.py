"""Rules that event replay and a kernel each have a text of: both are named here and give the same answers.

What can be a pure function of integers stands once, in `games`, and is compiled as it stands
(`replay/columns/kernels/shared_rules.py`). What goes by lists of events, by cards or by arrays stands twice, side by side here:

| rule | event replay | columns |
| --- | --- | --- |
| sharing of Envy, D17 | `games.settlement.bonus.envy_bonuses` | `kernels.wagers.share_envy` |
| two hands against the dealer's, § 688a.11(f) | `games.settlement.pai_gow.high_and_low` | `kernels.seven_cards.two_hands` |
| three hands against the dealer's, § 659a.11(f) | `games.fortune_asia.two_of_three` | `kernels.fortune_asia.two_of_three` |
| a nine high, § 645c.1(h) | `games.pai_gow_poker.is_tiger_9` | `kernels.pai_gow_poker.is_tiger_9` |
"""

from __future__ import annotations

from itertools import combinations, product
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from games import fortune_asia as asia
from games import pai_gow_poker as pai_gow
from games.kernels.ranking import five, two
from games.layout import BettingBox, Hand
from games.rulebook.rulebook import parse_submission
from games.settlement.bonus import envy_bonuses
from games.settlement.pai_gow import high_and_low
from games.settlement.wagers import Outcome
from replay.columns.kernels import fortune_asia, pai_gow_poker, shared_rules
from replay.columns.kernels.settled_rows import FOUL, LOSE, TIE, WIN
from replay.columns.kernels.seven_cards import two_hands
from replay.columns.kernels.wagers import share_envy
from tests.replay.tables import rules_text

pytestmark = pytest.mark.kernels

DECK = range(53)


def as_python(kernel: Any) -> Any:
    """The Python text of a kernel; where nothing is compiled, the kernel."""
    return getattr(kernel, "py_func", kernel)


SHARED = [
    name for name, rule in vars(shared_rules).items() if hasattr(as_python(rule), "__code__") and name != "compiled"
]


@pytest.mark.parametrize("name", SHARED)
def test_a_shared_rule_is_compiled_as_it_stands_in_games(name: str) -> None:
    rule = getattr(shared_rules, name)
    text = as_python(rule)
    assert text.__module__.startswith("games.")
    for values in product((1, 2, 3, 8), repeat=text.__code__.co_argcount):
        assert rule(*values) == text(*values), (name, values)


# ------------------------------------------------------------------------------------------------------- the sharing of Envy


@pytest.mark.parametrize("must_wager", [False, True])
def test_d17_envy_is_shared_as_by_event_replay(must_wager: bool) -> None:
    filed = "yes" if must_wager else "no"
    book = parse_submission(
        rules_text(f"pa-688a fortune_bonus=3 progressive=4 meter=m-1 envy_holder_must_wager={filed}")
    )
    assert book.settings["envy_holder_must_wager"] is must_wager
    least, names = book.chapter.numbers["qualifying_wager_cents"], ("fortune_bonus", "progressive")
    lines = {wager: next(line for line in book.offers[wager].paytable.lines if line.envy_cents) for wager in names}
    chance, width = Random(17), 4
    for _ in range(300):
        bettors = [chance.choice(("a", "b", "c", "d")) for _ in range(6)]
        qualifying = [[chance.random() < 0.5 for _ in range(6)] for _ in names]
        staked = np.zeros(6 * width, dtype=np.int32)
        boxes = []
        for seat in range(6):
            stakes = {"base": 1000} | {
                wager: chance.choice((least - 1, least)) for wager in names if chance.random() < 0.7
            }
            for at, wager in enumerate(("base", "ace_high_bonus", *names)):
                staked[width * seat + at] = stakes.get(wager, 0)
            boxes.append(BettingBox(seat + 1, bettors[seat], Hand((seat,)), stakes))

        def made(paytable: Any, cards: Any, side: Any = None, qualifying: Any = qualifying) -> frozenset[str]:
            earned = qualifying[names.index(paytable.wager)][cards[0]]
            return frozenset((lines[paytable.wager].hand,)) if earned else frozenset()

        expected = {
            (("fortune_envy", "progressive_envy").index(due.wager), due.for_position, due.seat)
            for due in envy_bonuses(book, boxes, made)
        }
        envy_to = np.zeros(12, dtype=np.uint8)
        terms = SimpleNamespace(qualifying=least, envy_holder_must_wager=must_wager)
        firsts = np.array([bettors.index(bettor) + 1 for bettor in bettors])
        envy = np.array([each for which in qualifying for each in which], dtype=np.uint8)
        as_python(share_envy)(staked, firsts, 0x3F, terms, envy, envy_to, width)
        shared = {
            (place // 6, place % 6 + 1, seat + 1)
            for place in range(12)
            for seat in range(6)
            if envy_to[place] >> seat & 1
        }
        assert shared == expected


# ------------------------------------------------------------------------------------------- hands against the dealer's hands


OUTCOMES = {WIN: Outcome.WIN, LOSE: Outcome.LOSE, TIE: Outcome.TIE, FOUL: Outcome.FOUL}


def test_688a_11_f_two_hands_end_as_in_event_replay() -> None:
    chance, seen = Random(11), set()
    for _ in range(1_500):
        cards = chance.sample(DECK, 14)
        mine, bank = (
            Hand(high=tuple(cards[:5]), low=tuple(cards[5:7])),
            Hand(high=tuple(cards[7:12]), low=tuple(cards[12:])),
        )
        line = two_hands(
            np.array(cards[:7], dtype=np.uint8),
            five(np.array(cards[7:12], dtype=np.uint8), False),
            two(*cards[12:]),
            False,
        )
        assert OUTCOMES[line] == high_and_low(mine, bank)[0]
        seen.add(line)
    assert len(seen) == 4


def test_659a_11_f_three_hands_end_as_in_event_replay() -> None:
    chance, seen = Random(59), set()
    for _ in range(3_000):
        cards = chance.sample(DECK, 14)
        hands = [
            Hand(high=tuple(held[:4]), medium=tuple(held[4:6]), low=tuple(held[6:])) for held in (cards[:7], cards[7:])
        ]
        mine, bank = (np.array(held, dtype=np.uint8) for held in (cards[:7], cards[7:]))
        line = fortune_asia.two_of_three(mine, *fortune_asia.parts(bank))
        assert OUTCOMES[line] == asia.two_of_three(*hands)[0]
        seen.add(line)
    assert len(seen) == 3


def test_645c_1_h_a_nine_high_is_that_of_event_replay() -> None:
    for low in combinations(DECK, 2):
        assert pai_gow_poker.is_tiger_9(*low) == pai_gow.is_tiger_9(low), low
