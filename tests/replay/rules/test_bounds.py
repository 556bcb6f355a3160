"""Judging a round costs a bounded time, whatever it leaves open (D782)."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from replay.transcript.transcript import judge

RULES = "rules pa-688a ace_high_bonus=1 fortune_bonus=3 progressive=4"
SEATS = range(1, 7)
CARDS = [rank + suit for rank in "AKQJT98765432" for suit in "shdc"] + ["Jk"]
SIZE = 60_000
CPU_S, MEMORY = 1.0, 100 * 2**20


def round_of(unread: dict[str, int], *more: str, chapter: str = RULES) -> str:
    """A full table at which this many cards of some hands were not read."""
    hands = []
    for number, position in enumerate(("dealer", *(f"seat{seat}" for seat in SEATS))):
        missing = unread.get(position, 0)
        cards = CARDS[number * 7 : number * 7 + 7 - missing] + ["??"] * missing
        hands.append(f"{position}={' '.join(cards)}")
    return "\n".join(
        [
            chapter,
            *(f"seated seat={seat} p-{seat}" for seat in SEATS),
            "round 1",
            "covers settlement",
            *(f"wager seat={s} bettor=p-{s} base 10.00 ace_high_bonus 5.00 fortune_bonus 5.00" for s in SEATS),
            f"deal {'  '.join(hands)}",
            *more,
            "close",
        ]
    )


def abandoned(seats: int) -> list[str]:
    """Wagers said to be abandoned of patrons who never left: a question for each."""
    return [f"abandon seat={seat}" for seat in range(1, seats + 1)]


def filled(line: str) -> list[str]:
    return [line] * (SIZE // (len(line) + 1))


ROUNDS = {
    "six questions": round_of({}, *abandoned(6)),
    "six questions, three hands": round_of({"seat1": 5, "seat2": 5, "seat3": 5}, *abandoned(6)),
    "six questions, the dealer": round_of({"dealer": 4}, *abandoned(6)),
    "three hands, one card each": round_of({"seat1": 1, "seat2": 1, "seat3": 1}),
    "three hands, three cards each": round_of({"seat1": 3, "seat2": 3, "seat3": 3}),
    "all hands, one card each": round_of({**{f"seat{seat}": 1 for seat in SEATS}, "dealer": 1}),
    "one hand": round_of({"seat1": 7}),
    "the dealer and a hand": round_of({"dealer": 2, "seat1": 2}),
    "wagers": round_of({}, *filled("wager seat=1 bettor=p-1 base 10.00")),
    "wagers said to be abandoned": round_of({}, *filled("abandon seat=1")),
    "payments": round_of({}, *filled("pay seat=1 base 10.00")),
    "settings": round_of({}, *filled("set seat1 high=As Ah 5s 4c 2h low=7c 7d")),
}


@pytest.mark.parametrize("text", ROUNDS.values(), ids=ROUNDS)
def test_a_round_takes_less_than_a_second_of_processor_time(text: str) -> None:
    judge(round_of({}), "played")  # what is loaded once is not of this round
    before = time.process_time()
    (judged,) = judge(text, "played")
    assert time.process_time() - before < CPU_S
    assert judged.conclusion.verdict in ("VARIANCE", "UNDETERMINED")


@pytest.mark.parametrize("text", list(ROUNDS.values())[:8], ids=list(ROUNDS)[:8])
def test_a_round_takes_less_than_100_mb(text: str) -> None:
    tracemalloc.start()
    try:
        judge(text, "played")
        assert tracemalloc.get_traced_memory()[1] < MEMORY
    finally:
        tracemalloc.stop()


def test_what_was_not_tried_is_in_doubt_and_accuses_nobody() -> None:
    (judged,) = judge(ROUNDS["six questions, three hands"], "played")
    open_ = [each for each in judged.conclusion.settlements if each.due_cents is None]
    assert open_
    assert judged.conclusion.undetermined
