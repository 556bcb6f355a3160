"""Seven-card ranking next to four libraries, on the same hands of the 52-card deck; and all hands of the 53-card deck counted.

A-2-3-4-5 is the lowest straight, as the libraries have it. The results are compared first: the hands must come out in the same
order by each. A library is asked as its users ask it: one call in Python for each hand, cards made ready beforehand.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import eval7
import numpy as np
import numpy.typing as npt
from phevaluator import evaluate_cards
from pokerkit import Card, StandardHighHand
from treys import Card as TreysCard
from treys import Evaluator

from analytics.theory.kernels.sevens import HANDS, count_lines, rank_sevens
from benchmarks.measuring import REPEATS, Measured, Timing, best, once
from rulebook.cards.cards import TEXT

Array = npt.NDArray[Any]

OURS = 4_000_000
"""Hands that are ranked at once."""
THEIRS = {"eval7": 200_000, "phevaluator": 100_000, "treys": 20_000, "pokerkit": 500}
"""Hands that a library ranks: as many as take it about as long."""
WORKERS = 2

Prepared = tuple[Callable[[Any], Any], list[Any], bool]
"""A library's call, its hands, and whether more is better."""


def hands(count: int, seed: int) -> Array:
    """Return hands of seven natural cards, dealt at random."""
    rng = np.random.default_rng(seed)
    dealt = np.empty((count, 7), dtype=np.uint8)
    for at in range(0, count, 100_000):
        size = min(100_000, count - at)
        dealt[at : at + size] = rng.random((size, 52), dtype=np.float32).argpartition(7, axis=1)[:, :7]
    return dealt


def prepared(library: str, cards: Array) -> Prepared:
    """Return how a library is called, on its own cards."""
    names = [[TEXT[card] for card in hand] for hand in cards.tolist()]
    match library:
        case "eval7":
            return eval7.evaluate, [[eval7.Card(name) for name in hand] for hand in names], True
        case "phevaluator":
            return (lambda hand: evaluate_cards(*hand)), names, False
        case "treys":
            evaluate = Evaluator().evaluate
            made = [[TreysCard.new(name) for name in hand] for hand in names]
            return (lambda hand: evaluate(hand[:2], hand[2:])), made, False
        case _:
            parsed = [list(Card.parse("".join(hand))) for hand in names]
            return (lambda hand: StandardHighHand.from_game(hand[:2], hand[2:])), parsed, True


def same_order(ours: Array, theirs: Sequence[Any], more_is_better: bool) -> bool:
    """Say whether hands come out in the same order, equal if equal."""
    order = np.argsort(ours, kind="stable")
    in_order = [theirs[at] for at in order]
    for at in range(1, len(in_order)):
        low, high = (in_order[at - 1], in_order[at]) if more_is_better else (in_order[at], in_order[at - 1])
        same = ours[order[at]] == ours[order[at - 1]]
        if (same and low != high) or (not same and not low < high):
            return False
    return True


def measure(seed: int) -> list[Measured]:
    """Measure ranking against each library, and the count of the whole deck."""
    cards = hands(OURS, seed)
    rank_sevens(cards[:1000], lowest=True, workers=WORKERS)  # compiled before anything is timed
    measured = []
    for library, count in THEIRS.items():
        call, held, more_is_better = prepared(library, cards[:count])
        sample = [call(hand) for hand in held[:5_000]]
        ours_ranked = rank_sevens(cards[: len(sample)], lowest=True)
        if not same_order(ours_ranked, sample, more_is_better):
            raise RuntimeError(f"{library} ranks the same hands in another order")
        mine, theirs = [], []
        for _ in range(REPEATS):
            mine.append(_per(once(lambda: rank_sevens(cards, lowest=True, workers=WORKERS))[0], OURS))
            theirs.append(_per(once(partial(_all, call, held))[0], count))
        ours, peer = best(mine), best(theirs)
        with_goal = library == "eval7"
        measured.append(
            Measured(
                key=f"ranking-{library}",
                title=f"Seven cards ranked, two threads, beside {library}",
                unit="hands",
                count=1_000_000,
                ours=ours,
                peer_name=f"{library}, a call in Python for each hand",
                peer=peer,
                notes={"hands_ours": OURS, "hands_theirs": count, "hands_compared": len(sample)},
                goal="≥ 20 × on two cores" if with_goal else "",
                met=peer.wall_s / ours.wall_s >= 20 if with_goal else None,
            )
        )
    count_lines(1, [(45, 46)])
    counted = best([once(lambda: count_lines(WORKERS))[0] for _ in range(REPEATS)])
    measured.append(
        Measured(
            key="enumeration",
            title="All hands of the 53-card deck, both joker modes",
            unit="hands",
            count=HANDS,
            ours=counted,
            goal="≤ 5 s on two cores",
            met=counted.wall_s <= 5,
            notes={"seconds": round(counted.wall_s, 2)},
        )
    )
    return measured


def _all(call: Callable[[Any], Any], held: list[Any]) -> None:
    for hand in held:
        call(hand)


def _per(timing: Timing, count: int) -> Timing:
    """Return the timing of a million hands."""
    return Timing(timing.wall_s * 1e6 / count, timing.cpu_s * 1e6 / count)
