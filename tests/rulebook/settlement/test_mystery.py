"""Who wins the Must-Hit-By Mystery bonus and how much, worked out from 58 Pa. Code § 645c.3(c)(3), (7) and D21."""

from hashlib import sha256

import pytest

from rulebook.chapters.rulebook import chapter, parse_submission
from rulebook.chapters.submission import submission_from_words
from rulebook.layout import NO_HAND, BettingBox, Contribution, Cycle, Mystery, MysteryWinner, TableLayout
from rulebook.settlement.mystery import is_committed, mystery_bonuses, ruling

A_1 = chapter("pa", "645c").paytable("mystery", "A-1")
BOOK = parse_submission(submission_from_words(["pa-645c", "progressive=1", "mystery=A-1"]))

# Two wagers, of seat 3 and then of seat 5, lift the meter to 149.99 and to 150.01.
TWO = (Contribution(3, 1_499_700, 1_499_900), Contribution(5, 1_499_900, 1_500_100))
THREE = (*TWO, Contribution(2, 1_500_100, 1_500_300))


def hit(seat: int, reading: int, target: int | None = 1_500_000) -> MysteryWinner:
    return MysteryWinner(seat, reading, target)


@pytest.mark.parametrize(
    ("cycle", "winner", "at", "doubtful"),
    [
        (Cycle(TWO, hit(5, 1_500_100)), 5, None, False),
        (Cycle(TWO, hit(3, 1_499_900)), 5, 3, False),  # too early: 149.99 is not above 150.00
        (Cycle(TWO, hit(3, 1_500_100)), 5, 3, False),  # the wrong seat
        (Cycle(TWO, hit(5, 1_500_100, 1_500_100)), None, 5, False),  # 150.01 is not above 150.01
        (Cycle(TWO, hit(5, 1_500_100, 1_500_099)), 5, None, False),  # a hundredth of a cent above
        (Cycle(TWO, hit(5, 1_500_100, 1_499_900)), 5, None, False),  # 149.99 is not above 149.99
        (Cycle(TWO, hit(5, 1_500_100, 1_499_899)), 3, 5, False),  # seat 3 was above it already
        (Cycle(TWO, hit(5, 1_500_100, 1_499_600)), None, 5, False),  # it was passed before
        (Cycle(THREE, hit(2, 1_500_300)), 5, 2, False),  # too late
        (Cycle(THREE, hit(5, 1_500_100)), 5, None, False),  # recorded after the next contribution
        (Cycle(TWO, hit(5, 1_500_100, 999_999)), None, 5, False),  # no target is below 100.00
        (Cycle(TWO, hit(5, 1_500_100, 2_000_001)), None, 5, False),  # or above 200.00
        (Cycle(TWO, hit(5, 1_500_200)), 5, None, False),  # a wrong reading is not a wrong moment
        (Cycle((), hit(5, 1_500_100)), 5, None, True),
        (Cycle((), hit(5, 1_500_000)), None, 5, False),
        (Cycle(TWO, hit(5, 1_500_100, None)), 5, None, True),
        (Cycle(TWO, hit(3, 1_500_100, None)), 5, 3, True),  # whatever the target: seat 5's contribution made it 150.01
        (Cycle(TWO, hit(5, 1_500_200, None)), 5, None, True),
        (Cycle(TWO, hit(6, 1_500_200, None)), 6, None, True),  # of a contribution that is not on record (D401)
        (Cycle(TWO, hit(6, 1_500_100, None)), 5, 6, True),
        (Cycle(TWO, hit(6, 1_500_050, None)), None, 6, True),
        (Cycle((), hit(5, 1_500_100, None)), 5, None, True),
        (Cycle(TWO), None, None, False),
    ],
)
def test_645c_3_c_3_the_contribution_that_lifts_the_meter_above_the_target_wins(
    cycle: Cycle, winner: int | None, at: int | None, doubtful: bool
) -> None:
    said = ruling(cycle, A_1)
    assert (said.winner.seat if said.winner else None, said.at, bool(said.doubt)) == (winner, at, doubtful)


# The last wagers before the maximum of 200.00.
OVER = (Contribution(3, 1_999_700, 1_999_900), Contribution(5, 1_999_900, 2_000_100), Contribution(2, 2_000_100, 2_000_300))


@pytest.mark.parametrize(
    ("cycle", "unsure", "at"),
    [
        (Cycle(OVER[:1]), None, None),
        (Cycle((Contribution(3, 1_999_800, 2_000_000),)), None, None),  # 200.00 is not above 200.00
        (Cycle(OVER[:2]), 5, 5),
        (Cycle(OVER), 5, 5),
        (Cycle(OVER[2:]), None, 2),  # it was passed before the round: who won is not on record
        (Cycle(OVER, hit(2, 2_000_300, None)), 5, 2),
        (Cycle(OVER, hit(5, 2_000_100, None)), None, None),
        (Cycle(OVER, hit(3, 1_999_900, None)), None, None),
    ],
)
def test_645c_3_c_3_no_meter_goes_above_the_maximum_without_a_hit(cycle: Cycle, unsure: int | None, at: int | None) -> None:
    said = ruling(cycle, A_1)
    assert (said.unsure, said.at) == (unsure, at)


@pytest.mark.parametrize(
    ("before", "reading", "is_possible"),
    [
        (999_800, 1_000_000, False),  # 100.00 is not above the least target, 100.00
        (999_900, 1_000_100, True),  # 100.00 is passed
        (1_000_000, 1_000_200, True),
        (900_000, 900_200, False),
        (1_999_900, 2_000_100, True),
        (2_000_000, 2_000_200, True),  # 200.00, the greatest target, is passed
        (2_000_001, 2_000_201, False),  # every target was passed before
    ],
)
def test_645c_3_c_3_a_hit_passes_a_target_from_the_minimum_to_the_maximum(before: int, reading: int, is_possible: bool) -> None:
    said = ruling(Cycle((Contribution(5, before, reading),), hit(5, reading, None)), A_1)
    assert (said.at, said.unsure, bool(said.doubt)) == ((None, None, True) if is_possible else (5, 5, False))


@pytest.mark.parametrize(
    ("reading", "added", "target", "at"),
    [
        (2_000_200, 200, None, None),  # from 200.00
        (2_000_201, 200, None, 5),  # from above it: a hit came too late
        (2_000_201, None, None, None),  # how much the wager added is not on record
        (1_000_000, None, None, 5),  # no target is below 100.00, whatever was added
        (1_500_100, 200, 1_499_900, None),
        (1_500_100, 200, 1_499_899, 5),  # the target was passed before
        (1_500_100, None, 1_499_899, None),
    ],
)
def test_645c_3_c_3_a_hit_without_its_contribution_follows_from_the_wager(
    reading: int, added: int | None, target: int | None, at: int | None
) -> None:
    assert ruling(Cycle((), MysteryWinner(5, reading, target, added)), A_1).at == at


def nets(*cycles: Cycle, paid: tuple[int, ...] = (), complete: bool = True) -> dict[int, int | None]:
    layout = TableLayout(boxes=[BettingBox(5, "p-5", NO_HAND, {"base": 2500})], mystery=Mystery(cycles, paid, complete))
    dues = list(mystery_bonuses(BOOK, layout))
    assert all((due.staked_cents, due.wager, due.paytable) == (0, "mystery", "A-1") for due in dues)
    return {due.seat: due.net_cents for due in dues}


def test_645c_3_c_7_the_whole_meter_is_paid_with_the_overshoot() -> None:
    assert nets(Cycle(TWO, hit(5, 1_500_100))) == {5: 15_001}
    fractions = (Contribution(5, 3_000_000, 3_000_250),)
    assert nets(Cycle(fractions, hit(5, 3_000_250, 1_999_999))) == {5: 0}  # passed before this round
    assert nets(Cycle((Contribution(5, 1_500_000, 1_500_075),), hit(5, 1_500_075))) == {5: 15_000}  # down to the cent


def test_645c_3_c_3_who_was_given_it_wrongly_is_due_nothing() -> None:
    assert nets(Cycle(TWO, hit(3, 1_500_100))) == {3: 0, 5: 15_001}
    assert nets(Cycle(THREE, hit(2, 1_500_300))) == {2: 0, 5: 15_001}
    assert nets(Cycle(TWO, hit(5, 1_500_100)), paid=(3, 5)) == {5: 15_001, 3: 0}
    assert nets(Cycle(TWO), paid=(3,)) == {3: 0}
    assert nets(Cycle(TWO), paid=(3,), complete=False) == {3: None}
    assert nets(Cycle(OVER[:2])) == {5: None}


def test_645c_3_c_5_two_cycles_can_end_in_one_round() -> None:
    second = (Contribution(2, 1_000_000, 1_000_200),)
    assert nets(Cycle(TWO, hit(5, 1_500_100)), Cycle(second, hit(2, 1_000_200, 1_000_100))) == {5: 15_001, 2: 10_002}


@pytest.mark.parametrize(
    ("target", "nonce", "kept"), [(1_000_100, "abc", True), (1_000_100, "abd", False), (1_000_101, "abc", False)]
)
def test_d21_a_commitment_is_to_target_and_nonce(target: int, nonce: str, kept: bool) -> None:
    commitment = sha256(b"1000100:abc").hexdigest()
    assert is_committed(commitment, target, nonce) is kept


def test_645c_3_without_the_bonus_filed_nothing_is_due() -> None:
    book = parse_submission(submission_from_words(["pa-645c", "progressive=1"]))
    layout = TableLayout(boxes=[], mystery=Mystery((Cycle(TWO, hit(5, 1_500_100)),)))
    assert list(mystery_bonuses(book, layout)) == []
    assert list(mystery_bonuses(BOOK, TableLayout(boxes=[]))) == []
