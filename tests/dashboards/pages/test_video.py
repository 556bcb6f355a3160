"""Video on the pages: links next to each step by the camera's clock, and clips that are marked as evidence."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest

from dashboards.drawing.names import Formats
from dashboards.parts import clips
from dashboards.run import CAMERAS_VARIABLE
from desk.review.desk import desk_at
from events.vocabulary.codec import decode
from events.vocabulary.model import VideoMarked2
from tests.dashboards.living import Living
from tests.dashboards.running import log_in, press, run, said, start
from tests.desk.review.test_cameras import WHOLE

DIGEST = "5e" * 32


@pytest.fixture
def cameras(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "cameras.toml"
    file.touch(0o600)
    file.write_text(WHOLE)
    monkeypatch.setenv(CAMERAS_VARIABLE, str(file))
    return file


def test_a_step_leads_to_the_camera_of_its_seat_by_that_cameras_clock(
    warehouse: Path, cameras: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = said(run("round", warehouse, monkeypatch, table="fu-01", round="17", step="45"))
    now = page[page.index('class="rk-step"') :]
    (clock,) = {part.split("<")[0] for part in now.split("▶ Video at ")[1:2]}
    assert f'title="Video at {clock} · cam-4, its clock ' in now
    assert "(2.3 s ahead)" in now
    assert 'href="https://clips.example/Pit%201%2FSeat%203%20%26%204?utc=2026-03-' in now
    assert "cam-9" not in now  # which sees seats 5 and 6


def test_disputes_and_the_queue_lead_to_video_too(warehouse: Path, cameras: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = said(run("dispute", warehouse, monkeypatch, of="fu-01", round="17", seat="3"))
    assert 'aria-label="Video at 21:14:' in page
    page = said(run("queue", warehouse, monkeypatch))
    assert '<div class="rk-videos" role="group" aria-label="Video"><div><a class="rk-video"' in page
    assert "▶ Video at 21:15:06</a>" in page
    assert "cam-4, its clock 21:15:08 (2.3 s ahead)" in page


def test_without_cameras_nothing_points_to_video(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, query in (("round", {"table": "fu-01", "round": "17"}), ("dispute", {"of": "fu-01", "round": "17"}), ("queue", {})):
        assert "Video at" not in said(run(name, warehouse, monkeypatch, **query))


def test_a_file_that_cannot_be_read_is_named(warehouse: Path, cameras: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cameras.write_text(WHOLE.replace("[[camera]]", "[[camra]]"))
    page = said(run("round", warehouse, monkeypatch, table="fu-01", round="17"))
    assert "The cameras are not known" in page
    assert "cameras.toml: Object contains unknown field" in page


# --------------------------------------------------------------------------------------------------------------- clips


@pytest.fixture
def room(floor: Living, cameras: Path) -> Living:
    log_in("m.ortiz", "surveillance")
    return floor


def boxes(test: AppTest, **typed: str) -> AppTest:
    for name, value in typed.items():
        box = next(each for each in test.text_input if each.key and f" {name}" in each.key and each.key.startswith("clip "))
        box.set_value(value)
    press(test, "Mark clip")
    return test


def test_a_clip_is_marked_by_the_cameras_clock_and_is_in_the_log(room: Living) -> None:
    test = start("round", table="fu-01", round="1")
    box = next(each for each in test.text_input if each.label.startswith("From ("))
    about = box.value
    boxes(test, note="seat 3 points at the wager", digest=DIGEST.upper())
    assert "marked 30 s of video of camera cam-4 from " in said(test)
    assert "Video clips (1)" in [each.label for each in test.expander]
    with desk_at(room.log, read_only=True) as at:
        (event,) = (
            event for record in at.log.read("review/fu-01") if isinstance((event := decode(record.data).payload), VideoMarked2)
        )
    assert (event.by, event.digest, event.reason) == ("m.ortiz", DIGEST, "seat 3 points at the wager")
    assert event.ends_us - event.starts_us == 30_000_000
    assert event.clock_offset_ms == 2_300
    assert f"{datetime.fromtimestamp((event.starts_us - 2_300_000) / 1e6, UTC):%H:%M:%S}" == about  # its zone is not known
    room.rack("verify", code=0)


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ({"note": ""}, "Fill in: Note."),
        ({"note": "x", "from": "noon"}, "Write times as 21:14:05."),
        ({"note": "x", "digest": "5e5e"}, "A SHA-256 has 64 hex digits."),
    ],
)
def test_what_is_missing_is_said_and_nothing_is_written(room: Living, typed: dict[str, str], why: str) -> None:
    test = boxes(start("round", table="fu-01", round="1"), **typed)
    assert why in said(test)
    with desk_at(room.log, read_only=True) as at:
        assert at.review("fu-01").videos == []


NEW_YORK = Formats("USD", ZoneInfo("America/New_York"))


@pytest.mark.parametrize(
    ("typed", "about", "meant"),
    [
        ("21:14:05", "2026-03-02T02:14:00", "2026-03-02T02:14:05"),
        ("9:05", "2026-03-01T14:04:00", "2026-03-01T14:05:00"),
        ("23:59:50", "2026-03-02T05:00:10", "2026-03-02T04:59:50"),  # before midnight, for a step after it
        ("0:00:10", "2026-03-02T04:59:50", "2026-03-02T05:00:10"),
        ("1:30", "2026-11-01T05:29:00", "2026-11-01T05:30:00"),  # the hour that comes twice: the first time
        ("1:30", "2026-11-01T06:29:00", "2026-11-01T06:30:00"),  # and the second
    ],
)
def test_a_time_of_day_is_that_nearest_to_the_step(typed: str, about: str, meant: str) -> None:
    about_us, meant_us = (round(datetime.fromisoformat(each).replace(tzinfo=UTC).timestamp() * 1e6) for each in (about, meant))
    assert clips.near(typed, about_us, NEW_YORK) == meant_us


@pytest.mark.parametrize("typed", ["", "24:00", "12:60", "noon", "12", "12:00:61"])
def test_what_is_no_time_of_day_is_none(typed: str) -> None:
    assert clips.near(typed, 0, NEW_YORK) is None
