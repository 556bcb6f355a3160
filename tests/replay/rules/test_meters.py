"""The meters' own streams: every advance and reset adds up, to the hundredth of a cent (§ 688a.12(d), D18)."""

from unittest.mock import patch

import pytest

from events.vocabulary import model
from replay.findings import Finding
from replay.run.replayer import MemoryResults, findings, replay
from tests.replay.streams import METER, advanced, meter, reset
from tests.replay.tables import PAID, MemoryLog, Table


def meter_set(rate_bp: int = 2800, reserve_rate_bp: int = 0, value: int = 100_000_000) -> model.MeterSet:
    return model.MeterSet(
        chapter="pa-688a",
        paytable="1",
        seed_cents=1_000_000,
        rate_bp=rate_bp,
        reserve_rate_bp=reserve_rate_bp,
        value_centicents=value,
        reserve_centicents=0,
        reason="put into service",
    )


def found(*payloads: model.Event) -> list[Finding]:
    table = Table(METER)
    for payload in payloads:
        table.say(payload)
    results = MemoryResults()
    replay(MemoryLog([table]), results)
    return findings(results)


# 28 % of a $1.00 wager is 28 cents, 2,800 hundredths. The meter is at 10,000.00.
@pytest.mark.parametrize(("value", "right"), [(100_002_800, True), (100_002_801, False), (100_002_799, False)])
def test_688a_12_d_an_advance(value: int, right: bool) -> None:
    assert (found(meter_set(), advanced(value)) == []) is right


# Beside 28 % to the meter 2.5 % to the reserve: 250 hundredths.
@pytest.mark.parametrize(("reserve", "right"), [(250, True), (249, False), (0, False)])
def test_688a_12_d_an_advance_of_the_reserve(reserve: int, right: bool) -> None:
    assert (found(meter_set(reserve_rate_bp=250), advanced(100_002_800, reserve=reserve)) == []) is right


# At 12,345.6789 a 100 % winner gets 12,345.67 and leaves the seed; a 10 % winner gets 1,234.56 and leaves the rest.
@pytest.mark.parametrize(
    ("share_bp", "paid", "value", "right"),
    [
        (10_000, 123_456_700, 100_000_000, True),
        (10_000, 123_456_789, 100_000_000, False),
        (10_000, 123_456_700, 0, False),
        (1_000, 12_345_600, 111_111_189, True),
        (1_000, 12_345_600, 100_000_000, False),
        (1_000, 12_345_700, 111_111_089, False),
    ],
)
def test_688a_12_d_a_winner(share_bp: int, paid: int, value: int, right: bool) -> None:
    assert (found(meter_set(value=123_456_789), reset(share_bp, paid, value)) == []) is right


def test_a_wrong_reading_is_found_once_and_says_what_was_right() -> None:
    """What follows is judged from the reading as it is."""
    (wrong,) = found(meter_set(), advanced(100_003_000), advanced(100_005_800))
    assert (wrong.code, wrong.seat, wrong.wager, wrong.round_no) == ("PAY-METER", 3, "progressive", 1)
    assert (wrong.expected, wrong.observed) == ("10000.28, reserve 0.00", "10000.30, reserve 0.00")
    assert (wrong.evidence, wrong.cite) == ((3,), "58 Pa. Code § 688a.12(d)")
    assert wrong.stream == METER


def test_a_wrong_payout_says_what_was_right() -> None:
    (wrong,) = found(meter_set(value=123_456_789), reset(10_000, 123_456_789, 100_000_000))
    assert wrong.expected == "12345.67 paid, 10000.00 after it"
    assert wrong.observed == "12345.6789 paid, 10000.00 after it"


def test_a_meter_that_was_never_put_into_service_cannot_be_judged() -> None:
    assert found(advanced(1), reset(1_000, 1, 1)) == []


def test_a_meter_set_anew_counts_from_there() -> None:
    assert found(meter_set(), advanced(100_002_800), meter_set(700, value=5_000_000), advanced(5_000_700)) == []


def test_a_meter_is_taken_up_where_it_stood() -> None:
    table = meter()
    for cut in range(1, table.last):
        log, results = MemoryLog([table]), MemoryResults()
        replay(log, results, as_of={table.stream: cut})
        assert replay(log, results).events == table.last - cut
        assert [each.evidence for each in findings(results)] == [(4,)]


def test_a_corrected_reading_withdraws_its_finding_and_may_move_it() -> None:
    table = meter()
    log, results = MemoryLog([table]), MemoryResults()
    assert replay(log, results).findings == {"PAY-METER": 1}
    table.correct(4, advanced(100_005_600, seat=4))
    log = MemoryLog([table])
    replay(log, results)
    assert [each.evidence for each in findings(results)] == [(5,)]
    table.correct(5, advanced(100_008_400, seat=5))
    results_at_once = MemoryResults()
    for each in (results, results_at_once):
        assert replay(MemoryLog([table]), each).findings == {}


def test_an_advance_that_never_was() -> None:
    table = meter()
    table.correct(4, None)
    table.correct(5, advanced(100_005_600, seat=5))
    results = MemoryResults()
    assert replay(MemoryLog([table]), results).findings == {}


def test_a_meter_taken_up_by_another_engine() -> None:
    table, other = meter(), Table()
    other.play(1, PAID)
    table.correct(4, advanced(100_005_600, seat=4))
    log, results = MemoryLog([table, other]), MemoryResults()
    replay(log, results)
    before = list(results.results("findings"))
    results.reset()
    replay(log, results)
    assert list(results.results("findings")) == before


def test_events_of_tables_in_a_meters_stream_say_nothing() -> None:
    """A log of an earlier version may hold them; the appender refuses them now."""
    with patch("events.log.appender.check_place"):
        assert found(meter_set(), model.LightSeen(seat=3), advanced(100_002_800)) == []
