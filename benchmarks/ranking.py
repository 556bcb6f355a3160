"""Seven-card ranking next to eval7, on the same hands of the 52-card deck; and all hands of the 53-card deck counted.

A-2-3-4-5 is the lowest straight, as in the libraries. First the results are compared: every library must rank the hands in the
same order. Each is called as its users call it: one Python call for each hand, with cards prepared beforehand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import eval7
import numpy as np
import numpy.typing as npt

from analytics.theory.kernels.sevens import HANDS, count_lines, rank_sevens
from benchmarks.measuring import REPEATS, Measured, Timing, best, once
from rulebook.cards.cards import TEXT

Array = npt.NDArray[Any]

OURS, THEIRS, COMPARED = 4_000_000, 200_000, 5_000
"""Hands that we rank at once, that eval7 ranks (as many as take it about as long), and that are compared first."""
WORKERS = 2


def hands(count: int, seed: int) -> Array:
    """Return hands of seven natural cards, dealt at random."""
    rng = np.random.default_rng(seed)
    dealt = np.empty((count, 7), dtype=np.uint8)
    for at in range(0, count, 100_000):
        size = min(100_000, count - at)
        dealt[at : at + size] = rng.random((size, 52), dtype=np.float32).argpartition(7, axis=1)[:, :7]
    return dealt


def same_order(ours: Array, theirs: Sequence[int]) -> bool:
    """Return whether hands are in the same order, with the same ties."""
    order = np.argsort(ours, kind="stable")
    steps, their_steps = np.diff(ours[order].astype(np.int64)), np.diff(np.array(theirs, dtype=np.int64)[order])
    return bool(((steps > 0) == (their_steps > 0)).all() and (their_steps >= 0).all())


def measure(seed: int) -> list[Measured]:
    """Measure ranking against eval7, and the count of the whole deck."""
    cards = hands(OURS, seed)
    held = [[eval7.Card(TEXT[card]) for card in hand] for hand in cards[:THEIRS].tolist()]
    if not same_order(rank_sevens(cards[:COMPARED], lowest=True), [eval7.evaluate(hand) for hand in held[:COMPARED]]):
        raise RuntimeError("eval7 ranks the same hands in another order")

    def call_each() -> None:
        for hand in held:
            eval7.evaluate(hand)

    mine, theirs = [], []
    for _ in range(REPEATS):
        mine.append(_per(once(lambda: rank_sevens(cards, lowest=True, workers=WORKERS))[0], OURS))
        theirs.append(_per(once(call_each)[0], THEIRS))
    ours, peer = best(mine), best(theirs)
    ranked = Measured(
        key="ranking-eval7",
        title="Seven cards ranked, two threads, beside eval7",
        unit="hands",
        count=1_000_000,
        ours=ours,
        peer_name="eval7, a call in Python for each hand",
        peer=peer,
        notes={"hands_ours": OURS, "hands_theirs": THEIRS, "hands_compared": COMPARED},
        goal="≥ 20 × on two cores",
        met=peer.wall_s / ours.wall_s >= 20,
    )
    count_lines(1, [(45, 46)])
    counted = best([once(lambda: count_lines(WORKERS))[0] for _ in range(REPEATS)])
    return [
        ranked,
        Measured(
            key="enumeration",
            title="All hands of the 53-card deck, both joker modes",
            unit="hands",
            count=HANDS,
            ours=counted,
            goal="≤ 5 s on two cores",
            met=counted.wall_s <= 5,
            notes={"seconds": round(counted.wall_s, 2)},
        ),
    ]


def _per(timing: Timing, count: int) -> Timing:
    """Return the timing of a million hands."""
    return Timing(timing.wall_s * 1e6 / count, timing.cpu_s * 1e6 / count)
