"""Sum, Match and Beat It on every roll, worked out from 58 Pa. Code § 645c.2(e), (g)."""

from collections import Counter
from itertools import product

import pytest

from rulebook.chapters.rulebook import Rulebook, parse_submission
from rulebook.chapters.submission import submission_from_words
from rulebook.layout import NO_HAND, BettingBox, Dice, FurtherWager, TableLayout
from rulebook.settlement.dice_wagers import beat_it_lines, dice_wager, match_lines, match_wagers, sum_lines
from rulebook.settlement.wagers import Outcome

ROLLS = list(product(range(1, 7), repeat=3))
RED_FIRST = ("red", "blue", "blue")


def book_of(words: str) -> Rulebook:
    return parse_submission(submission_from_words(["pa-645c", *words.split()]))


def net(book: Rulebook, wager: str, dice: Dice | None, stake: int = 100, number: int | None = None) -> int | None:
    box = BettingBox(3, "p-3", NO_HAND, {wager: stake})
    return dice_wager(book, box, wager, dice, number).net_cents


def nets(book: Rulebook, wager: str, colours: tuple[str, str, str] | None = None, number: int | None = None) -> Counter:
    return Counter(net(book, wager, Dice(roll, colours), number=number) for roll in ROLLS)


# How many of the 216 rolls pay what, counted by hand: 3 dice total 17 in 3 ways, 16 in 6, 8 in 21, 3 in 1, 9 in 25.
@pytest.mark.parametrize(
    ("paytable", "counted"),
    [
        ("A", {2500: 3, 600: 6, 300: 21, -100: 186}),
        ("B", {2500: 1, 400: 21, 200: 25, -100: 169}),
        ("C", {300: 6, 100: 90, -100: 120}),  # 6 triples, 6 x 5 x 3 pairs
        ("D", {750: 24, -100: 192}),  # four series in six orders
    ],
)
def test_645c_2_g_1_sum(paytable: str, counted: dict[int, int]) -> None:
    assert nets(book_of(f"sum={paytable}"), "sum") == counted


def test_645c_2_g_2_match() -> None:
    """Of 216 rolls a number comes three times in 1, twice in 15."""
    for number in range(1, 7):
        assert nets(book_of("match=yes"), "match", number=number) == {10_000: 1, 600: 15, -100: 200}


# Red ahead of the blue sum: by 4 in 1 roll (6, 1-1), by 3 in 3, by 2 in 6, by 1 in 10, not at all in 15.
@pytest.mark.parametrize(("paytable", "most"), [("A", 5000), ("B", 6000)])
def test_645c_2_g_3_beat_it_by_the_red_die(paytable: str, most: int) -> None:
    assert nets(book_of(f"beat_it={paytable}"), "beat_it", RED_FIRST) == {most: 1, 1000: 9, 100: 25, -100: 181}


def test_645c_2_g_3_beat_it_by_any_die() -> None:
    """One die above the sum of the two others: 20 rolls for each die, and never for two dice at once."""
    assert nets(book_of("beat_it=C"), "beat_it") == {250: 60, -100: 156}
    assert nets(book_of("beat_it=C"), "beat_it", RED_FIRST) == {250: 60, -100: 156}


@pytest.mark.parametrize(
    ("roll", "made"),
    [
        ((1, 2, 3), "series_of_three total_6"),
        ((3, 1, 2), "series_of_three total_6"),
        ((4, 6, 5), "series_of_three total_15"),
        ((6, 1, 2), "total_9"),
        ((1, 3, 5), "total_9"),
        ((2, 2, 3), "total_7 two_match"),
        ((5, 5, 5), "three_match total_15 two_match"),
    ],
)
def test_645c_2_e_1_lines_of_sum(roll: tuple[int, int, int], made: str) -> None:
    assert sorted(sum_lines(roll)) == made.split()


@pytest.mark.parametrize(
    ("roll", "number", "made"),
    [((1, 1, 5), 1, "double_match"), ((1, 1, 1), 1, "double_match triple_match"), ((1, 2, 3), 1, ""), ((2, 2, 2), 1, "")],
)
def test_645c_2_e_2_lines_of_match(roll: tuple[int, int, int], number: int, made: str) -> None:
    assert sorted(match_lines(roll, number)) == made.split()


@pytest.mark.parametrize(
    ("roll", "red", "made"),
    [
        ((6, 1, 1), 0, "a_die_by_one_or_more red_by_four"),
        ((6, 2, 1), 0, "a_die_by_one_or_more red_by_two_or_three"),
        ((6, 2, 2), 0, "a_die_by_one_or_more red_by_two_or_three"),
        ((6, 3, 2), 0, "a_die_by_one_or_more red_ties_or_by_one"),
        ((6, 3, 3), 0, "red_ties_or_by_one"),
        ((5, 3, 3), 0, ""),
        ((6, 1, 1), 1, "a_die_by_one_or_more"),
        ((1, 1, 2), 2, "red_ties_or_by_one"),
        ((1, 1, 1), 0, ""),
    ],
)
def test_645c_2_e_3_lines_of_beat_it(roll: tuple[int, int, int], red: int, made: str) -> None:
    assert sorted(beat_it_lines(roll, red)) == made.split()


@pytest.mark.parametrize(
    ("words", "wager", "values", "colours", "number", "due"),
    [
        ("sum=A", "sum", (6, 6, None), None, None, None),
        ("sum=A", "sum", (4, None, 4), None, None, -100),  # 9 to 14
        ("sum=D", "sum", (1, None, 5), None, None, -100),
        ("sum=D", "sum", (3, None, 5), None, None, None),
        ("sum=C", "sum", (4, 4, None), None, None, None),  # 1 to 1 or 3 to 1
        ("match=yes", "match", (4, None, 2), None, 4, None),
        ("match=yes", "match", (3, None, 2), None, 4, -100),
        ("match=yes", "match", (None, None, None), None, 4, None),
        ("beat_it=A", "beat_it", (6, 2, 1), None, None, None),  # which is red?
        ("beat_it=A", "beat_it", (5, 5, 5), None, None, -100),
        ("beat_it=A", "beat_it", (6, 2, 1), ("red", "red", "blue"), None, None),
        ("beat_it=A", "beat_it", (6, 2, 1), ("blue", "blue", "red"), None, -100),
        ("beat_it=A", "beat_it", (None, 1, 2), RED_FIRST, None, None),
        ("beat_it=A", "beat_it", (None, 4, 3), RED_FIRST, None, -100),
        ("beat_it=A", "beat_it", (6, 1, None), RED_FIRST, None, None),
        ("beat_it=C", "beat_it", (6, 2, 1), None, None, 250),
        ("beat_it=C", "beat_it", (6, 1, None), None, None, None),
    ],
)
def test_645c_2_g_an_unread_die_or_colour_decides_or_not(
    words: str,
    wager: str,
    values: tuple[int, int, int],
    colours: tuple[str, str, str] | None,
    number: int | None,
    due: int | None,
) -> None:
    assert net(book_of(words), wager, Dice(values, colours), number=number) == due


def test_645c_2_g_without_a_roll_nothing_can_be_told() -> None:
    assert net(book_of("sum=A"), "sum", None) is None
    assert net(book_of("match=yes"), "sum", Dice((2, 2, 4), None)) is None  # not offered


@pytest.mark.parametrize(
    ("paytable", "stake", "winnings", "exact"), [("D", 101, 757, False), ("D", 100, 750, True), ("A", 101, 2525, True)]
)
def test_d25_a_fraction_of_a_cent_is_not_paid_and_said(paytable: str, stake: int, winnings: int, exact: bool) -> None:
    roll = Dice((4, 5, 6) if paytable == "D" else (5, 6, 6), None)
    due = dice_wager(book_of(f"sum={paytable}"), BettingBox(3, "p-3", NO_HAND, {"sum": stake}), "sum", roll)
    assert (due.winnings_cents, due.returned_cents, due.other_reading is None) == (winnings, stake, exact)


def test_645c_2_g_dice_wagers_are_settled_whatever_becomes_of_the_hand() -> None:
    book, roll = book_of("sum=A"), Dice((2, 2, 4), None)
    for box in (
        BettingBox(3, "p", NO_HAND, {"sum": 500}, voided=True),
        BettingBox(3, "p", NO_HAND, {"sum": 500}, abandoned=True),
    ):
        assert dice_wager(book, box, "sum", roll).net_cents == 1500


def test_645c_2_g_2_each_number_of_a_box_is_a_wager_of_its_own() -> None:
    others = (FurtherWager("match", "p-3", 4, 500), FurtherWager("match", "p-3", 1, 200))
    box = BettingBox(3, "p-3", NO_HAND, {"base": 2500}, others)
    dues = list(match_wagers(book_of("match=yes"), TableLayout(boxes=[box], dice=Dice((4, 4, 1), None))))
    assert [(due.number, due.staked_cents, due.net_cents, due.outcome) for due in dues] == [
        (4, 500, 3000, Outcome.WIN),
        (1, 200, -200, Outcome.LOSE),
    ]
