"""A round number comes once: a second opening of it is found, names both records, and withdraws nothing (D780)."""

from functools import cache

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from events.errors import EventError
from events.vocabulary import model
from events.vocabulary.model import Event
from replay.findings import Adjudication, Finding
from replay.fold.device_reports import RECENT_ROUNDS
from replay.run.replayer import MemoryResults, adjudications, findings, replay
from tests.events.strategies import AT_A_TABLE
from tests.replay.fold.test_corrections import in_all_ways
from tests.replay.tables import PAID, UNPAID, MemoryLog, Table

MISSED = "PAY-MISSED seat=3 wager=base -25.00"
REPEAT = "LOG-ROUND-REPEAT"
FRAME = (model.RoundOpened, model.RoundClosed)


def opening(deck: str = "d-2", observed: tuple[str, ...] = ()) -> model.RoundOpened:
    return model.RoundOpened(deck=deck, observed=list(observed))


def closing() -> model.RoundClosed:
    return model.RoundClosed(by="d-7")


def opened(table: Table, round_no: int) -> int:
    """The number of the first opening of a round."""
    return next(
        seq
        for seq, draft in enumerate(table.drafts, 1)
        if isinstance(draft.payload, model.RoundOpened) and draft.round_no == round_no
    )


def verdict(results: MemoryResults, round_no: int) -> Adjudication:
    return {each.round_no: each for each in adjudications(results)}[round_no]


def lines(adjudication: Adjudication) -> list[str]:
    return [each.line() for each in adjudication.findings]


@pytest.mark.slow
@pytest.mark.sampled(6)
@pytest.mark.parametrize("further", [0, 1, RECENT_ROUNDS, RECENT_ROUNDS + 3], ids=lambda n: f"{n} rounds later")
@pytest.mark.parametrize("text", [PAID, UNPAID], ids=["upheld", "variance"])
def test_a_number_that_was_played_withdraws_nothing(text: str, further: int) -> None:
    table = Table()
    for number in range(1, 2 + further):
        table.play(number, text if number == 1 else PAID)
    before = verdict(replayed(table), 1)
    again = table.say(opening(), 1)
    table.say(closing(), 1)
    results = in_all_ways(table)
    after = verdict(results, 1)
    assert (after.verdict, after.settlements, after.withdrawn) == (before.verdict, before.settlements, ())
    assert lines(after) == [REPEAT, *lines(before)]
    (found,) = [each for each in findings(results) if each.code == REPEAT]
    assert found.evidence == (opened(table, 1), again)
    assert found.observed == f"round 1 was opened by event {opened(table, 1)} and again by event {again}"
    assert found.severity == "high"


def replayed(table: Table) -> MemoryResults:
    results = MemoryResults()
    replay(MemoryLog([table]), results)
    return results


@pytest.mark.slow
@pytest.mark.parametrize("further", [0, RECENT_ROUNDS + 1])
def test_a_whole_second_record_changes_no_verdict(further: int) -> None:
    """Nor does what comes late after it: which of the two records it is about cannot be told."""
    table = Table()
    for number in range(1, 2 + further):
        table.play(number, UNPAID if number == 1 else PAID)
    table.say(opening("d-9", ("settlement",)), 1)
    paid = model.WagerPaid(
        seat=3, bettor="seat-3", wager="base", number=None, stake_cents=2500, winnings_cents=2500, source="inventory"
    )
    table.say(paid, 1)
    table.say(closing(), 1)
    table.say(paid, 1)
    table.play(further + 2, PAID)
    results = in_all_ways(table)
    assert lines(verdict(results, 1)) == [REPEAT, MISSED]
    assert (verdict(results, further + 2).verdict, lines(verdict(results, further + 2))) == ("UPHELD", [])


def test_an_open_round_whose_number_is_opened_again_breaks_off() -> None:
    """What it does not show proves nothing any more, and what it shows is no verdict."""
    table = Table()
    table.play(1, UNPAID.replace("close\n", ""))
    table.say(opening(), 1)
    table.say(closing(), 1)
    found = verdict(in_all_ways(table), 1)
    assert (found.verdict, lines(found)) == ("UNDETERMINED", [REPEAT])


def test_in_the_same_words_after_its_closing_it_is_found_and_begins_no_second_record() -> None:
    table = Table()
    table.play(1, UNPAID)
    table.say(table.payload(opened(table, 1)), 1)
    found = verdict(in_all_ways(table), 1)
    assert (found.verdict, lines(found)) == ("VARIANCE", [REPEAT, MISSED])


@pytest.mark.slow
def test_a_number_that_was_left_out_comes_for_the_first_time() -> None:
    table = Table()
    for number in (1, 3, *range(5, 6 + RECENT_ROUNDS)):
        table.play(number, PAID)
    for number in (2, 4):
        table.play(number, UNPAID)
    results = in_all_ways(table)
    assert [lines(verdict(results, number)) for number in (2, 4)] == [[MISSED], [MISSED]]


def test_a_round_whose_opening_was_taken_back_may_be_opened() -> None:
    table = Table()
    wrong = table.play(1, PAID)["round_opened"]
    table.correct(wrong, None)
    table.play(2, PAID)
    table.say(opening("d-1", ("settlement",)), 1)
    table.say(closing(), 1)
    assert REPEAT not in {each.code for each in findings(in_all_ways(table))}


def test_a_correction_that_gives_the_second_record_a_number_of_its_own_takes_the_finding_back() -> None:
    table = Table()
    table.play(1, UNPAID)
    again = table.say(opening(), 1)
    table.say(closing())
    table.correct(again, opening(), round_no=2)
    results = in_all_ways(table)
    assert lines(verdict(results, 1)) == [MISSED]
    assert verdict(results, 2).first_seq == again


# ------------------------------------------------------------- nothing withdraws a finding without an author and a reason


UNPLAYED = 3


def floor() -> Table:
    """Two rounds played, with a finding in each."""
    table = Table()
    for number in range(1, UNPLAYED):
        table.play(number, UNPAID)
    return table


@cache
def unplayed_findings() -> list[Finding]:
    return findings(replayed(floor()))


@given(
    AT_A_TABLE.filter(lambda payload: not isinstance(payload, model.EventCorrected)),
    st.none() | st.integers(1, UNPLAYED),
    st.booleans(),
)
def test_no_event_withdraws_a_finding_without_an_author_and_a_reason(
    payload: Event, round_no: int | None, closed_after: bool
) -> None:
    """What a device reports late of a round that it names is evidence of that round, of that device, and its verdict says so.

    Nothing else may take a finding back, whatever it states. Corrections have an author and a reason of their own.
    """
    table, before = floor(), unplayed_findings()
    seq = table.say(payload, round_no, source="another")
    if closed_after:
        table.say(closing(), round_no, source="another")
    try:
        results = replayed(table)
    except EventError:
        reject()
    after = {each.id for each in findings(results)}
    assert before
    for found in before:
        if found.id in after:
            continue
        judged = verdict(results, found.round_no)
        assert found.round_no == round_no, found.line()
        assert not isinstance(payload, FRAME), found.line()
        assert judged.last_seq >= seq
        assert found.id in judged.withdrawn
