"""A stream folded again from a rest point gives the bytes that folding it again from its first event gives.

So do rounds that stay at hand, once something came late of one that was not: the bytes are those of a fold for each late event.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.vocabulary import model
from replay.findings import Adjudication
from replay.fold.table_fold import TableFold
from replay.run import refold, rest_points
from replay.run.replayer import MemoryResults, replay
from replay.run.rest_points import BEGINNING, EVERY, RestPoint, RestPoints
from tests.replay.stored import Stored, stored
from tests.replay.streams import eventful, fill, paid
from tests.replay.tables import PAID, UNPAID, MemoryLog, Table, filed

STEPS: dict[str, str] = {"paid": PAID, "unpaid": UNPAID, "stub": PAID.replace("close\n", "stub 4\nclose\n")}


@contextmanager
def from_the_first_event() -> Iterator[None]:
    """A replay that folds again from the first event, whatever it came past, each time that the last rounds do not suffice."""
    with patch.object(RestPoints, "from_the_last", lambda self: [BEGINNING]), patch.object(refold, "MOST_AT_HAND", 0):
        yield


@contextmanager
def points_everywhere() -> Iterator[list[int]]:
    """A replay that has a rest point after every round; yields where its refolds began."""
    began: list[int] = []
    scout = refold._scout

    def noting(*given: Any) -> Any:
        found = scout(*given)
        began.append(found[0].seq)
        return found

    with patch.object(rest_points, "EVERY", 1), patch.object(refold, "_scout", noting):
        yield began


def results_of(table: Table, cuts: tuple[int, ...] = ()) -> Stored:
    """What a replay of a table stores, stopped and taken up again after these events."""
    log, results = MemoryLog([table]), MemoryResults()
    for cut in cuts:
        replay(log, results, as_of={table.stream: cut})
    replay(log, results)
    return stored(results)


def adjudications_of(results: Stored) -> list[Adjudication]:
    return [msgspec.json.decode(data, type=Adjudication) for _, data in results["adjudications"]]


# ------------------------------------------------------------------------------------------------ what reaches back


def late_slip(table: Table, back: int) -> None:
    table.say(paid(), max(1, rounds_of(table) - back))


def late_slip_that_is_wrong(table: Table, back: int) -> None:
    table.say(paid(cents=1), max(1, rounds_of(table) - back))


def correction(table: Table, back: int) -> None:
    seq = max(1, table.last - back * 5)
    payload = table.payload(seq)
    table.correct(seq, payload if isinstance(payload, model.RoundOpened | model.RoundClosed) else None)


def correction_of_a_payment(table: Table, back: int) -> None:
    payments = [seq for seq in range(1, table.last + 1) if isinstance(table.payload(seq), model.WagerPaid)]
    if payments:
        seq = payments[max(0, len(payments) - 1 - back)]
        table.correct(seq, paid(cents=100 * back), table.drafts[seq - 1].round_no)


def correction_of_a_correction(table: Table, back: int) -> None:
    made = [seq for seq in range(1, table.last + 1) if isinstance(table.payload(seq), model.EventCorrected)]
    if made:
        table.correct(made[max(0, len(made) - 1 - back % 3)], None)


def correction_by_a_wrong_id(table: Table, back: int) -> None:
    table.correct(max(1, table.last - back * 4), None, event_id="ab" * 16)


def opening_of_another_number(table: Table, back: int) -> None:
    openings = [seq for seq in range(1, table.last + 1) if isinstance(table.payload(seq), model.RoundOpened)]
    if openings:
        seq = openings[max(0, len(openings) - 1 - back)]
        table.correct(seq, table.payload(seq), 1 + back)


def opening_again(table: Table, back: int) -> None:
    last = rounds_of(table)
    opened = [seq for seq in range(1, table.last + 1) if table.drafts[seq - 1].round_no == last]
    if opened and isinstance(table.payload(opened[0]), model.RoundOpened):
        table.say(table.payload(opened[0]), last)


def gap(table: Table, back: int) -> None:
    table.say(model.LightSeen(seat=3), rounds_of(table) or None, source_seq=table.next() + 1 + back % 2)


def gap_filled(table: Table, back: int) -> None:
    said = {draft.source_seq for draft in table.drafts if draft.source == "table"}
    missing = sorted(set(range(1, table.next())) - said)
    if missing:
        table.say(model.LightSeen(seat=3), max(1, rounds_of(table) - back), source_seq=missing[back % len(missing)])


def other_rules(table: Table, back: int) -> None:
    table.say(filed(f"pa-688a max={20 + back}.00"), source="pit")


def correction_of_rules(table: Table, back: int) -> None:
    rules = [seq for seq in range(1, table.last + 1) if isinstance(table.payload(seq), model.RulesFiled)]
    table.correct(rules[-1 - back % len(rules)], filed(f"pa-688a max={25 + back % 2}.00"))


def accounting(table: Table, back: int) -> None:
    table.say(fill(1000 * (1 + back)), source="pit")


def late_stub_count(table: Table, back: int) -> None:
    table.say(model.StubCounted(count=4 + back % 2, exposed=0), max(1, rounds_of(table) - back))


def refusal(table: Table, back: int) -> None:
    table.say(model.IntakeRefused(sha256=f"{back:064x}", size=3, reason="not an event envelope"))


def change_by_a_slow_clock(table: Table, back: int) -> None:
    at_us = table.drafts[max(0, table.last - 1 - 9 * back)].occurred_at_us
    table.say(model.DealerTappedIn(dealer=f"d-{back}"), source=f"pad-{back % 2}", at_us=at_us)


REACHING: list[Callable[[Table, int], None]] = [
    late_slip,
    late_slip_that_is_wrong,
    correction,
    correction_of_a_payment,
    correction_of_a_correction,
    correction_by_a_wrong_id,
    opening_of_another_number,
    opening_again,
    gap,
    gap_filled,
    other_rules,
    correction_of_rules,
    accounting,
    late_stub_count,
    refusal,
    change_by_a_slow_clock,
]


def rounds_of(table: Table) -> int:
    return max((draft.round_no or 0 for draft in table.drafts), default=0)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """A table of some rounds; between them, and within, arrives what reaches back."""
    table = Table()
    for number, text in enumerate(draw(st.lists(st.sampled_from(sorted(STEPS)), min_size=4, max_size=12)), 1):
        cut = draw(st.booleans())
        table.play(number, STEPS[text].replace("close\n", "") if cut else STEPS[text])
        for reach in draw(st.lists(st.sampled_from(REACHING), max_size=2)):
            reach(table, draw(st.integers(0, 9)))
        if cut:
            table.say(model.RoundClosed(by="d-7"), number)
    return table


@pytest.mark.sampled(2)
@pytest.mark.slow
@settings(max_examples=20)
@given(tables(), st.lists(st.integers(1, 400), max_size=2))
def test_folded_again_from_a_rest_point_a_replay_stores_the_same_bytes(table: Table, cuts: list[int]) -> None:
    with from_the_first_event():
        whole = results_of(table)
    with points_everywhere():
        assert results_of(table) == whole
        assert results_of(table, tuple(sorted(min(cut, table.last) for cut in cuts))) == whole


def test_taken_up_with_a_correction_at_hand_that_does_not_count() -> None:
    table = Table()
    for number in range(1, 7):
        table.play(number, PAID)
    table.say(paid(), 6)
    cut = table.correct(table.last, None, event_id="ab" * 16)
    table.play(7, PAID)
    with from_the_first_event():
        whole = results_of(table)
    with points_everywhere():
        assert results_of(table, (cut,)) == whole


def test_taken_up_after_a_verdict_was_stored_under_a_number_that_is_yet_to_come() -> None:
    """Round 1 was called round 4 for a while; the real round 4 is played after a restart, and revises what is there."""
    table = Table()
    opened = table.play(1, PAID)["round_opened"]
    renumbered = table.correct(opened, table.payload(opened), 4)
    for number in (2, 3):
        table.play(number, PAID)
    cut = table.correct(renumbered, None)
    for number in range(4, 13):
        table.play(number, PAID)
    table.say(paid(), 8)
    with from_the_first_event():
        whole = results_of(table)
    assert [each.revision for each in adjudications_of(whole) if each.round_no == 4] == [1, 2, 3]
    with points_everywhere():
        assert results_of(table, (cut,)) == whole


def test_what_reaches_back_in_every_way_at_once() -> None:
    table = eventful()
    with from_the_first_event():
        whole = results_of(table)
    with points_everywhere() as began:
        assert results_of(table) == whole
    assert any(began), "some refold began at a rest point"


@pytest.mark.parametrize(("back", "events"), [(6, 14), (30, 14)])
def test_a_late_slip_costs_by_how_far_it_reaches_back(back: int, events: int) -> None:
    table = Table()
    for number in range(1, 61):
        table.play(number, UNPAID)
    table.say(paid(), 60 - back)
    with points_everywhere() as began:
        results_of(table)
    a_round = table.last / 60
    assert len(began) == 1
    assert a_round * back < table.last - began[0] <= 2 * a_round * (back + 1)


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("reach", [late_slip, correction_of_a_payment, gap_filled], ids=lambda reach: reach.__name__)
def test_what_comes_late_one_by_one_is_folded_again_once(reach: Callable[[Table, int], None]) -> None:
    """Each event is in a commit of its own; from the second on only the round that it is about is judged again."""
    table = Table()
    for number in range(1, 41):
        table.play(number, PAID)
        if reach is gap_filled:
            table.skip("table")
    for back in range(25, 5, -1):
        reach(table, 0 if reach is gap_filled else back)
    with from_the_first_event(), points_everywhere() as each_time:
        whole = results_of(table)
    with points_everywhere() as began:
        assert results_of(table) == whole
        once = len(began)
        assert results_of(table, (table.last - 7,)) == whole
    assert (once, len(each_time)) == (1, 20)
    assert len(began) - once <= 3, "again after an interruption, for nothing is at hand then"


def test_rounds_stay_at_hand_as_long_as_play_goes_on_and_no_more_than_a_bound() -> None:
    fold = TableFold("table/fu-01")
    fold.keeps = 40
    table = Table()
    for number in range(1, 61):
        table.play(number, UNPAID)
    assert max(len(list(fold.recent)) for _ in table.fold(fold)) <= 40
    assert list(fold.recent) == [57, 58, 59, 60]


@pytest.mark.nightly
def test_d1201_a_device_whose_clock_is_slow_all_day_costs_each_time_as_far_as_its_last_message() -> None:
    """Each time a dealer is reported, ten rounds may concern it: not those of all day, as the one before had its own ten."""
    table = Table()
    for number in range(1, 81):
        table.play(number, UNPAID)
        if number % 10 == 0:
            early = table.drafts[-1].occurred_at_us - 10**10
            table.say(model.DealerTappedIn(dealer=f"d-{number}"), source="pad", at_us=early)
    with from_the_first_event():
        whole = results_of(table)
    with points_everywhere() as began:
        assert results_of(table) == whole
    a_round = table.last / 80
    assert len(began) == 8
    for count, seq in enumerate(began[1:], 2):
        assert count * 10 * a_round - seq < 25 * a_round


def test_a_long_stream_has_few_points_and_one_before_every_event() -> None:
    points, count = RestPoints(), 1_000_000
    for seq in range(80, count, 80):
        points.add(seq, b"")
    kept = points.from_the_last()
    assert len(kept) < 25
    assert kept[-1] == BEGINNING
    for distance in (1, EVERY, 10_000, 300_000, 999_000):
        before = next(point.seq for point in kept if point.seq <= count - distance)
        assert count - before <= 2 * distance + 2 * EVERY


def test_points_of_a_fold_that_does_not_stand_are_forgotten() -> None:
    points = RestPoints()
    for seq in (EVERY, 2 * EVERY, 3 * EVERY):
        points.add(seq, b"state")
    points.forget_after(2 * EVERY - 1)
    assert points.from_the_last() == [RestPoint(EVERY, b"state"), BEGINNING]
