"""What `games` says is the best decision is what `rack theory` counts by: DJ Wild's raise and the side at Over/Under."""

from itertools import combinations

import pytest

from analytics.theory.returns import counts
from games.dj_wild.settle import is_best_raised
from games.over_under.settle import best_decision, points
from rulebook.cards.cards import CODE, JOKER

KICKERS_IN_SUITS = 6 * 4**3
"""This many hands have one pair of a rank and three kickers of certain ranks."""


def test_dj_wild_raises_as_many_hands_as_theory() -> None:
    """Natural pairs are all that theory raises in part (687a.11(b)); their ranks alone decide."""
    rows = {(row["hand"], row["natural"]): row for row in counts("dj_wild")["rows"]}
    raised = held = 0
    for pair in range(3, 15):
        for kickers in combinations([r for r in range(3, 15) if r != pair], 3):
            cards = [(pair - 2) * 4, (pair - 2) * 4 + 1, *((kicker - 2) * 4 + 2 for kicker in kickers)]
            held += KICKERS_IN_SUITS
            raised += KICKERS_IN_SUITS * is_best_raised(cards)
    assert (held, raised) == (rows["pair", True]["hands"], rows["pair", True]["raised"])
    assert {key for key, row in rows.items() if row["raised"] not in (0, row["hands"])} == {("pair", True)}


@pytest.mark.parametrize(
    ("cards", "raised"),
    [
        ("As Kh Qd 9c 7s", False),
        ("Jk Kh Qd 9c 7s", True),  # a pair with a wild card
        ("2s Kh Qd 9c 7s", True),
        ("3s 3h Qd 9c 7s", False),
        ("4s 4h Qd 9c 7s", True),
        ("4s 4h Qd 9c 3s", False),
        ("5s 5h Qd 9c 3s", True),
        ("4s 4h 3d 3c 9s", True),  # two pair
    ],
)
def test_dj_wild_hand_by_hand(cards: str, raised: bool) -> None:
    assert is_best_raised([JOKER if card == "Jk" else CODE[card] for card in cards.split()]) is raised


@pytest.mark.parametrize("wrong_side", [-2, 0])
def test_over_under_decides_by_what_pays_more(wrong_side: int) -> None:
    """Ante and side are one unit each; 18 to 23 lose both, the other side both or neither (D12); a surrender costs the ante."""
    rows: dict[int, list[tuple[int, int]]] = {}
    for row in counts("over_under")["rows"]:
        rows.setdefault(row["first"], []).append((row["total"], row["hands"]))
    firsts = {points(card): card for card in range(52)}
    assert rows.keys() == firsts.keys()
    for value, totals in rows.items():
        over = sum(hands for total, hands in totals if total >= 24)
        under = sum(hands for total, hands in totals if total <= 17)
        neither = sum(hands for _, hands in totals) - over - under
        net = {
            "over": 2 * over + wrong_side * under - 2 * neither,
            "under": 2 * under + wrong_side * over - 2 * neither,
            "surrender": -(over + under + neither),
        }
        assert best_decision(firsts[value]) == max(net, key=lambda choice: net[choice]), value
