"""Judging a round costs a bounded time, whatever it leaves open (D782)."""

import sys
import tracemalloc
from collections.abc import Sequence
from itertools import combinations

import pytest

from replay.transcript.transcript import JudgedRound, judge

RULES = "rules pa-688a ace_high_bonus=1 fortune_bonus=3 progressive=4"
SEATS = range(1, 7)
CARDS = [rank + suit for rank in "AKQJT98765432" for suit in "shdc"] + ["Jk"]
SIZE = 60_000
CALLS, MEMORY = 6_000_000, 100 * 2**20
"""Calls and returns, of Python and C; bytes. `make bench` has the seconds."""


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
    "refusals": round_of({}, *filled("wager seat=1 base 1.00\nrefuse seat=1 base 0.37")),
    "returns without order": round_of({}, *filled("return seat=1 base 0.01 other")) + " unordered",
    "settings": round_of({}, *filled("set seat1 high=As Ah 5s 4c 2h low=7c 7d")),
}


def counted(text: str) -> tuple[int, list[JudgedRound]]:
    """Return how many calls and returns it takes to judge a round, and the judgment."""
    count = 0

    def note(*_: object) -> None:
        nonlocal count
        count += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        judged = judge(text, "played")
    finally:
        sys.setprofile(before)
    return count, judged


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", ROUNDS.values(), ids=ROUNDS)
def test_the_work_on_a_round_is_bounded(text: str) -> None:
    count, (judged,) = counted(text)
    assert judged.conclusion.verdict in ("VARIANCE", "UNDETERMINED")
    assert count < CALLS


@pytest.mark.slow
@pytest.mark.sampled(8)
@pytest.mark.parametrize("text", list(ROUNDS.values())[:8], ids=list(ROUNDS)[:8])
def test_a_round_takes_less_than_100_mb(text: str) -> None:
    tracemalloc.start()
    try:
        judge(text, "played")
        assert tracemalloc.get_traced_memory()[1] < MEMORY
    finally:
        tracemalloc.stop()


IN_TURN = [
    ("return seat=1 base 1.00 void",),
    ("wager seat=1 bettor=p-1 base 10.00", "withdraw seat=1 base 5.00"),
    ("elect seat=2 void", "left seat=3 p-3"),
    ("exposed seat=1 Kd by dealer", "return seat=1 base 1.00 void"),
    ("envy seat=1 for=5 fortune_bonus 10.00", "collect all 53"),
    ("lock accepted=2 collected=2", "accepted seat=3 5.00 meter=10432.1750"),
]
"""Statements of which thousands, in turn, were compared with each other one by one."""
KINDS = """
abandon seat=1; wager seat=1 bettor=p-1 base 10.00; wager seat=1 bettor=p-1 fortune_bonus 5.00; wager seat=2 bettor=p-9 base 10.00
withdraw seat=1 base 5.00; refuse seat=1 base 5.00; no_more_bets; lock accepted=2 collected=2; lammer seat=3 fortune_bonus
accepted seat=3 5.00 meter=10432.1750; shake 3; dice 2 2 4 -> dealer; total 8; deal burn=4c; drawn_in_error 4c; found_face_up 4c
found_boxed 4c used; exposed seat=2 Kd by dealer; elect seat=2 void; shaker_covered; stub 4; examine seat=2; set dealer house_way
set seat1 high=As Ah 5s 4c 2h low=7c 7d; reset dealer high=As Ks Qs Js 9s low=Ts 8s house_way; surrender seat=4; reveal seat=6
reveal dealer; announce seat=6 base tie; acknowledge seat=5; light seat=3; validate seat=3 progressive floorperson
document seat=3 progressive 10432.17; won seat=3 meter=10432.17 share=100% after=10000.00; take seat=3 base 5.00
take seat=1 base 10.00; pay seat=1 base 10.00; pay seat=3 fortune_bonus 100.00 slip; return seat=1 base 10.00 push
return seat=1 base 1.00 void; envy seat=1 for=5 fortune_bonus 10.00; vigorish seat=3 1.25; collect all 53
collect seat=4 7 counted=7
seated seat=3 p-3; left seat=3 p-3; seated seat=1 p-1; left seat=1 p-1; dealer d-07; dealer d-08; shift s-1; device shuffler jam
device shuffler restored; device shuffler alarm red_light; foreign seat=3 6c back=blue; deck d1 in_play; deck d2 in_play
deck d1 removed incorrect_count; shuffle manual; offer_cut seat=6 refused; cut seat=5 22; recut_ordered by=f-1; at +90s
"""


def filled_with(lines: Sequence[str], size: int) -> str:
    """A round with these lines in turn, up to this many bytes."""
    return round_of({}, *list(lines) * (size // sum(len(line) + 1 for line in lines)))


def growth(lines: Sequence[str], size: int = 2_000) -> float:
    """Return by how much more the second doubling of a round costs than the first: 2 is linear, 4 the square."""
    small, middle, large = (counted(filled_with(lines, size * times))[0] for times in (1, 2, 4))
    return (large - middle) / max(1, middle - small)


@pytest.mark.parametrize("lines", IN_TURN, ids=" / ".join)
def test_statements_in_turn_cost_no_more_than_their_number(lines: Sequence[str]) -> None:
    judge(round_of({}), "played")
    assert growth(lines) < 2.5


@pytest.mark.nightly
def test_no_two_kinds_of_statements_in_turn_cost_more_than_their_number() -> None:
    judge(round_of({}), "played")
    kinds = [kind.strip() for line in KINDS.strip().splitlines() for kind in line.split(";")]
    pairs = [(kind,) for kind in kinds] + list(combinations(kinds, 2))
    found = {pair: grown for pair in pairs if (grown := growth(pair, 2_000)) > 2.6 and growth(pair, 8_000) > 2.6}
    assert not found


def test_what_was_not_tried_is_in_doubt_and_accuses_nobody() -> None:
    (judged,) = judge(ROUNDS["six questions, three hands"], "played")
    open_ = [each for each in judged.conclusion.settlements if each.due_cents is None]
    assert open_
    assert judged.conclusion.undetermined
