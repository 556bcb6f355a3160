"""The file of cameras: which camera sees which seat, by which clock, under which address; what is refused, with its place."""

from pathlib import Path

import pytest

from desk.review.cameras import PLACES, Cameras, read_cameras
from desk.review.persons import ReviewRefused

AT_US = 1_772_399_645_000_000
"""2026-03-01 21:14:05 UTC: 16:14:05 in New York."""

WHOLE = """
form = "discard-rack cameras 1"

[system.clips]
link = "https://clips.example/{camera}?utc={utc}&local={local}&s={unix_s}&ms={unix_ms}"
lead_s = 5
time_zone = "America/New_York"

[[camera]]
id = "cam-1"
system = "clips"
sees = [{ table = "fu-01" }, { table = "fu-02" }]

[[camera]]
id = "cam-4"
name = "Pit 1/Seat 3 & 4"
system = "clips"
clock_offset_ms = 2300
sees = [{ table = "fu-01", seats = [3, 4] }]

[[camera]]
id = "cam-9"
sees = [{ table = "fu-01", seats = [5, 6] }]
"""


def written(folder: Path, text: str = WHOLE) -> Path:
    file = folder / "cameras.toml"
    file.touch(0o600)
    file.write_text(text)
    return file


@pytest.fixture
def cameras(tmp_path: Path) -> Cameras:
    return read_cameras(written(tmp_path))


@pytest.mark.parametrize(
    ("table", "seat", "seen"),
    [
        ("fu-01", 3, ["cam-4", "cam-1"]),
        ("fu-01", 5, ["cam-9", "cam-1"]),
        ("fu-01", 1, ["cam-1"]),
        ("fu-01", None, ["cam-1", "cam-4", "cam-9"]),
        ("fu-02", 3, ["cam-1"]),
        ("fu-03", None, []),
    ],
)
def test_the_camera_meant_for_the_seat_comes_first(cameras: Cameras, table: str, seat: int | None, seen: list[str]) -> None:
    assert [camera.id for camera in cameras.seeing(table, seat)] == seen


def test_a_link_asks_by_the_cameras_clock(cameras: Cameras) -> None:
    """Five seconds before 21:14:05, on a clock that is 2.3 s ahead: 21:14:02.3."""
    camera = cameras.find("cam-4")
    assert camera is not None
    assert cameras.link(camera, AT_US) == (
        "https://clips.example/Pit%201%2FSeat%203%20%26%204?utc=2026-03-01T21%3A14%3A02.300Z"
        "&local=2026-03-01T16%3A14%3A02.300-05%3A00&s=1772399642&ms=1772399642300"
    )
    assert camera.clock_us(AT_US) == AT_US + 2_300_000


def test_a_clock_that_is_behind_is_asked_earlier(tmp_path: Path) -> None:
    cameras = read_cameras(written(tmp_path, WHOLE.replace("= 2300", "= -2300")))
    camera = cameras.find("cam-4")
    assert camera is not None
    assert "utc=2026-03-01T21%3A13%3A57.700Z" in (cameras.link(camera, AT_US) or "")


def test_a_camera_without_a_system_has_no_link(cameras: Cameras) -> None:
    camera = cameras.find("cam-9")
    assert camera is not None
    assert cameras.link(camera, AT_US) is None


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ('id = "cam-9"', 'id = "cam-1"', "a camera is listed twice"),
        ('system = "clips"\nsees', 'system = "dvr"\nsees', r"cam-1: there is no system 'dvr'; write \[system.dvr\]"),
        ("https://clips.example", "javascript:alert", "system.clips: link: expected https://"),
        ("https://clips.example", "https://operator@clips.example", "it names a user"),
        ("https://clips.example", "https://operator:secret@clips.example", "it names a user"),
        ("https://clips.example", "https://clips.example@elsewhere.example", "it names a user"),
        ("https://clips.example", "https://{camera}@elsewhere.example", "it names a user"),
        ("https://clips.example", "https://clips.example\\\\@elsewhere.example", "printable ASCII"),
        ("/{camera}?", "/a\\u0000b?", "printable ASCII"),
        ("/{camera}?", "/a\\nb?", "printable ASCII"),
        ("/{camera}?", "/a\\rb?", "printable ASCII"),
        ("/{camera}?", "/a\\tb?", "printable ASCII"),
        ("/{camera}?", "/a b?", "printable ASCII"),
        ("/{camera}?", "/\\u202e?", "printable ASCII"),
        ("/{camera}?", '/\\"onclick=?', "printable ASCII"),
        ("https://clips.example", "https://clips.example:99999", "system.clips: link: "),
        ("https://clips.example", "https://[clips.example", "system.clips: link: "),
        ("{camera}?", "{channel}?", r"system.clips: link: \{channel\} is none of \{camera\}"),
        ("{camera}?", "{camera!r}?", r"link: \{camera\} is none of"),
        ("{camera}?", "{camera.id}?", r"link: \{camera.id\} is none of"),
        ("{camera}?", "{camera?", "system.clips: link: "),
        ('time_zone = "America/New_York"\n', "", r"link holds \{local\}: name its time_zone"),
        ("America/New_York", "America/Gotham", "time_zone 'America/Gotham'"),
        ("seats = [3, 4]", "seats = [0]", "Expected `int` >= 1"),
        ("seats = [3, 4]", "seats = [8]", "Expected `int` <= 7"),
        ("clock_offset_ms", "clock_ofset_ms", "unknown field `clock_ofset_ms`"),
        ("form =", "firm =", "missing required field `form`|unknown field `firm`"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, before: str, after: str, why: str) -> None:
    assert before in WHOLE
    with pytest.raises(ReviewRefused, match=why):
        read_cameras(written(tmp_path, WHOLE.replace(before, after)))


@pytest.mark.parametrize("place", ["/{camera}/@live?", "/a%20b/{camera}?", "/x;v=1,2/(a)?", ":8443/{camera}?"])
def test_an_at_sign_in_a_path_and_escapes_are_no_fault(tmp_path: Path, place: str) -> None:
    cameras = read_cameras(written(tmp_path, WHOLE.replace("/{camera}?", place)))
    assert all(cameras.link(camera, AT_US) for camera in cameras.seeing("fu-02"))


def test_a_file_that_others_can_change_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path)
    file.chmod(0o620)
    with pytest.raises(ReviewRefused, match="other users can change this file"):
        read_cameras(file)


def test_every_place_of_a_link_is_in_the_document() -> None:
    page = (Path(__file__).parents[3] / "docs" / "video.md").read_text("utf-8")
    assert all(f"`{{{name}}}`" in page for name in PLACES)


def test_the_file_shown_is_read(tmp_path: Path) -> None:
    shown = (Path(__file__).parents[3] / "docs" / "examples" / "cameras.toml").read_text("utf-8")
    cameras = read_cameras(written(tmp_path, shown))
    assert all(cameras.link(camera, AT_US) for camera in cameras.seeing("fu-01"))
