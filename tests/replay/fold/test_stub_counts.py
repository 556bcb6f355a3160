"""The stub of Chapter 687a is counted once in five rounds of play: over rounds, shufflers, late facts and corrections."""

import pytest

from events.vocabulary import model
from replay.fold.table_fold import TableFold
from tests.replay.tables import Table, said

WAGERS = "wager seat=2 ante 10.00 blind 10.00\nwager seat=4 ante 10.00 blind 10.00\n"
DEAL = "deal_order seat2=Kd Qc 9h 7s 4d seat4=Kh Qs 9c 7d 4h dealer=Ks Qh 9d 7c 4s\n"
"""The same hand three times: all pushes."""
RAISED = "wager seat=2 raise 20.00\nwager seat=4 raise 20.00\n"


def returned(seats: tuple[int, ...], reason: str, *wagers: str) -> str:
    return "".join(f"return seat={seat} {wager} {reason}\n" for seat in seats for wager in wagers)


PUSHED = returned((2, 4), "push", "ante 10.00", "blind 10.00", "raise 20.00")
UNCOUNTED = "covers stub\n" + WAGERS + DEAL + RAISED + PUSHED + "close\n"
COUNTED = UNCOUNTED.replace("wager seat=2 raise", "stub 38\nwager seat=2 raise")
UNCOVERED = UNCOUNTED.replace("covers stub\n", "")
UNDEALT = (
    "covers stub\n" + WAGERS + "void round floor_decision\n" + returned((2, 4), "void", "ante 10.00", "blind 10.00") + "close\n"
)


def due_in(*rounds: str, words: str = "pa-687a") -> list[int]:
    """Return the rounds in which the stub is found not to have been counted."""
    table = Table(words=words)
    for number, text in enumerate(rounds, 1):
        table.play(number, text)
    return [number for number, _, found in said(table) if found == ["DEAL-STUBDUE"]]


@pytest.mark.parametrize(
    ("rounds", "due"),
    [
        ([UNCOUNTED] * 4 + [COUNTED], []),
        ([UNCOUNTED] * 5, [5]),
        ([UNCOUNTED] * 11, [5, 10]),
        ([COUNTED, *[UNCOUNTED] * 4, COUNTED], []),
        ([COUNTED, *[UNCOUNTED] * 5], [6]),
        ([UNCOUNTED] * 4 + [UNDEALT, UNCOUNTED], [6]),  # a round that was not played counts for nothing
        ([UNCOUNTED] * 4 + [UNCOVERED] + [UNCOUNTED] * 5, [10]),  # it may have been counted there
    ],
)
def test_687a_8_e_the_stub_is_counted_once_in_five_rounds(rounds: list[str], due: list[int]) -> None:
    assert due_in(*rounds) == due


@pytest.mark.parametrize("shuffler", ["automated_counting", "continuous"])
def test_687a_8_e_a_shuffler_that_counts_makes_it_unnecessary(shuffler: str) -> None:
    assert due_in(*[UNCOUNTED] * 6, words=f"pa-687a shuffler={shuffler}") == []


def test_687a_8_e_a_shuffler_that_counts_and_is_out_of_order_does_not_count() -> None:
    by_hand = "shuffle manual\ncut dealer 20\n" + UNCOUNTED
    by_machine = "shuffle automated count=53\n" + UNCOUNTED
    words = "pa-687a deal_method=manual_shoe shuffler=automated_counting"
    assert due_in(*[by_machine] * 5, *[by_hand] * 5, words=words) == [10]
    assert due_in(*[by_hand] * 4, by_machine, *[by_hand] * 4, words=words) == []


def test_687a_8_e_opening_the_table_begins_afresh() -> None:
    table = Table(words="pa-687a")
    for number in range(1, 9):
        if number == 4:
            table.say(model.TableOpened(game="dj_wild", deal_method="automated_shoe", shuffler="automated", seats=6))
        table.play(number, UNCOUNTED)
    assert [number for number, _, found in said(table) if found] == [8]


def late_count(of: int, after: int) -> tuple[Table, TableFold]:
    table = Table(words="pa-687a")
    for number in range(1, after + 1):
        table.play(number, UNCOUNTED)
    table.say(model.StubCounted(count=38, exposed=0), of)
    return table, TableFold(table.stream)


def test_687a_8_e_a_count_that_comes_late_is_taken_into_the_rounds_after_it() -> None:
    table, fold = late_count(of=2, after=5)
    handed_out = [round_.round_no for round_ in table.fold(fold)]
    assert handed_out[-4:] == [2, 3, 4, 5]
    assert fold.state.rounds_uncounted == 3
    last = {number: found for number, _, found in said(table)}
    assert last[5] == []


def test_687a_8_e_a_late_count_of_the_last_round() -> None:
    table, fold = late_count(of=5, after=5)
    assert [round_.round_no for round_ in table.fold(fold)][-1] == 5
    assert fold.state.rounds_uncounted == 0


def test_687a_8_e_a_count_that_comes_while_the_next_round_is_open() -> None:
    table, _ = late_count(of=4, after=4)
    late = table.drafts.pop()
    table.say(model.RoundOpened(deck="d-1", observed=["stub", "deal"]), 5)
    table.say(late.payload, 4)
    fold = TableFold(table.stream)
    list(table.fold(fold))
    assert fold.open is not None
    assert fold.open.before.rounds_uncounted == 0


def test_687a_8_e_a_count_later_than_the_rounds_at_hand_keeps_all_since_at_hand() -> None:
    table, fold = late_count(of=1, after=7)
    list(table.fold(fold))
    assert (fold.needs_refold, fold.missed_rounds) == (True, {1, 2, 3, 4, 5, 6, 7})
    again = TableFold(table.stream)
    again.replacements, again.rounds_to_keep = {}, fold.missed_rounds
    list(table.fold(again))
    assert again.recent[5].before.rounds_uncounted == 3


def test_687a_8_e_a_count_that_a_correction_takes_back_folds_the_stream_again() -> None:
    table = Table(words="pa-687a")
    counted = table.play(1, COUNTED)["stub_counted"]
    table.play(2, UNCOUNTED)
    table.correct(counted, None)
    fold = TableFold(table.stream)
    list(table.fold(fold))
    assert fold.needs_refold
