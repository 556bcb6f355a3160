"""Times in transcripts: the property's zone and gaming day decide; what means no moment, or two, is said."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.transcript.clock import Clock, UnreadableTime
from replay.transcript.transcript import parse
from replay.transcript.words import TranscriptError

NEW_YORK = Clock(ZoneInfo("America/New_York"), time(6))
DAY = "2026-03-14"
"""Daylight saving time: UTC-4."""
BACK = "2026-10-31"
"""The gaming day within which, on 1 November at 02:00 EDT, New York goes back to 01:00 EST."""
FORWARD = "2026-03-07"
"""The gaming day within which, on 8 March at 02:00 EST, New York goes forward to 03:00 EDT."""


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("21:14:05", "2026-03-15T01:14:05"),
        ("21:14", "2026-03-15T01:14:00"),
        ("9:14pm", "2026-03-15T01:14:00"),
        ("9:14 PM", "2026-03-15T01:14:00"),
        ("9:14:05 p.m.", "2026-03-15T01:14:05"),
        ("12:05am", "2026-03-15T04:05:00"),
        ("12:05pm", "2026-03-14T16:05:00"),
        ("9:14am", "2026-03-14T13:14:00"),
        ("02:14", "2026-03-15T06:14:00"),
        ("05:59:59", "2026-03-15T09:59:59"),
        ("06:00", "2026-03-14T10:00:00"),
        ("2026-03-14T21:14:05-04:00", "2026-03-15T01:14:05"),
        ("2026-03-14T21:14:05-0700", "2026-03-15T04:14:05"),
        ("2026-03-15T01:14:05Z", "2026-03-15T01:14:05"),
        ("2026-03-14 21:14", "2026-03-15T01:14:00"),
        ("2026-03-14T21:14:05.250-04:00", "2026-03-15T01:14:05.250000"),
        ("21:14 EDT", "2026-03-15T01:14:00"),
        ("21:14-04:00", "2026-03-15T01:14:00"),
    ],
)
def test_a_time_of_the_gaming_day(text: str, moment: str) -> None:
    assert NEW_YORK.read(text, DAY, None)[0] == datetime.fromisoformat(moment).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "text", ["24:00", "21:60", "13:00pm", "0:30am", "noon", "9pm", "21:14:05:06", "2026-02-30T10:00", "21:14 EST", "21:14Z"]
)
def test_what_is_no_time_there_is_said(text: str) -> None:
    with pytest.raises(UnreadableTime, match="expected a time like"):
        NEW_YORK.read(text, DAY, None)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("01:30 EDT", "2026-11-01T05:30:00"),
        ("01:30 EST", "2026-11-01T06:30:00"),
        ("1:30 am est", "2026-11-01T06:30:00"),
        ("01:30-04:00", "2026-11-01T05:30:00"),
        ("2026-11-01T01:30:00-05:00", "2026-11-01T06:30:00"),
        ("00:59:59", "2026-11-01T04:59:59"),
        ("02:00", "2026-11-01T07:00:00"),
    ],
)
def test_the_hour_that_comes_twice_is_told_apart(text: str, moment: str) -> None:
    assert NEW_YORK.read(text, BACK, None)[0] == datetime.fromisoformat(moment).replace(tzinfo=UTC)


def test_a_time_that_comes_twice_needs_its_offset_unless_one_is_over() -> None:
    both = "2026-11-01T01:30:00-04:00 or 2026-11-01T01:30:00-05:00"
    for now in (None, datetime(2026, 11, 1, 4, tzinfo=UTC), datetime(2026, 11, 1, 5, 30, tzinfo=UTC)):
        with pytest.raises(UnreadableTime, match=both):
            NEW_YORK.read("01:30", BACK, now)
    after = datetime(2026, 11, 1, 5, 30, 1, tzinfo=UTC)
    assert NEW_YORK.read("01:30", BACK, after)[0] == datetime(2026, 11, 1, 6, 30, tzinfo=UTC)


def test_a_time_that_clocks_leave_out_never_was() -> None:
    with pytest.raises(UnreadableTime, match="clocks went forward"):
        NEW_YORK.read("02:30", FORWARD, None)
    assert NEW_YORK.read("03:00", FORWARD, None)[0] == datetime(2026, 3, 8, 7, tzinfo=UTC)


@pytest.mark.parametrize("day", [DAY, BACK, FORWARD, "2026-01-01", "2026-12-31"])
@given(seconds=st.lists(st.integers(0, 25 * 3600), min_size=1, max_size=6))
def test_what_is_written_reads_back(day: str, seconds: list[int]) -> None:
    """Also out of order, in both hours that clocks show alike, and beyond the gaming day."""
    begin = datetime.combine(datetime.fromisoformat(day), time(6), NEW_YORK.zone).astimezone(UTC)
    now: datetime | None = None
    for each in seconds:
        moment = begin + timedelta(seconds=each)
        text = NEW_YORK.written(moment, day, now)
        assert NEW_YORK.read(text, day, now)[0] == moment
        now = moment


def test_the_clock_of_a_transcript_is_the_property_s() -> None:
    text = f"rules pa-688a\nday {DAY}\nround 1\nat 9:14 pm\nexamine seat=1\nat 02:14\nexamine seat=2\n"
    (script,) = parse(text, "t", clock=NEW_YORK)
    moments = [datetime.fromtimestamp(each.at_us / 1e6, UTC).isoformat() for each in script.events[-2:]]
    assert moments == ["2026-03-15T01:14:00+00:00", "2026-03-15T06:14:00+00:00"]


def test_a_transcript_names_the_line_of_a_time_that_comes_twice() -> None:
    with pytest.raises(TranscriptError, match=r"t:3: at: '01:30' comes twice"):
        parse(f"rules pa-688a\nday {BACK}\nat 01:30\nexamine seat=1\n", "t", clock=NEW_YORK)
