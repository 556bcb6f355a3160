"""The page that begins a house: whom it answers, what it refuses, and that nothing is written over or left behind."""

import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest

from dashboards.start.new_house import NewHouse, answers_of
from desk.house.health import look
from desk.review.persons import ReviewRefused
from tests.dashboards.conftest import free_port

ANSWERS = {
    "name": "Bell & <Wether>",
    "zone": "UTC",
    "first_day": "2026-11-29",
    "face_up_pai_gow": "2",
    "people": "Maria Ortiz, Sam Kane",
}


@pytest.fixture
def new(tmp_path: Path) -> Iterator[NewHouse]:
    (tmp_path / "house").mkdir()
    new = NewHouse(tmp_path / "house", free_port())
    serving = threading.Thread(target=new.serve)
    serving.start()
    yield new
    new.end().join()
    serving.join()


def ask(new: NewHouse, step: str = "", **changed: str) -> tuple[int, str]:
    """Send a form as the page does, with some of it changed; return the status and what was answered."""
    origin, host = changed.pop("origin", f"http://localhost:{new.port}"), changed.pop("host", f"localhost:{new.port}")
    given = {"seal": new.seal, "step": step, **ANSWERS, **changed}
    connection = HTTPConnection("127.0.0.1", new.port, timeout=60)
    connection.request("POST", changed.get("path", "/"), urlencode(given), {"Origin": origin, "Host": host})
    answer = connection.getresponse()
    told = answer.status, answer.read().decode()
    connection.close()
    return told


@pytest.mark.parametrize(
    "changed",
    [
        {"host": "rack.example"},
        {"origin": "http://localhost:1"},
        {"origin": "null"},
        {"seal": ""},
        {"seal": "guessed"},
        {"path": "/sign-in"},
        {"people": "a" * 70_000},
    ],
)
def test_it_answers_its_own_page_on_this_machine_alone(new: NewHouse, changed: dict[str, str]) -> None:
    assert ask(new, "apply", **changed)[0] == 403
    assert list(new.folder.iterdir()) == []


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"name": ""}, "Name of the property: not answered"),
        ({"face_up_pai_gow": "0"}, "Tables: not answered"),
        ({"face_up_pai_gow": "-1"}, "expected a number and a game"),
        ({"zone": "Nowhere/At_All"}, "Nowhere/At_All"),
        ({"people": "Maria Ortiz"}, "Name at least two people"),
        ({"people": "Maria Ortiz, maria ortiz"}, "with different names"),
    ],
)
def test_what_is_refused_is_said_with_what_was_typed_and_leaves_nothing(
    new: NewHouse, changed: dict[str, str], words: str
) -> None:
    for step in ("plan", "apply"):
        status, page = ask(new, step, **changed)
        assert status == 200
        assert words in page
        assert 'value="Sam Kane"' not in page
        assert "Bell &amp; &lt;Wether&gt;" in page or "name" in changed
        assert list(new.folder.rglob("*.*")) == []


@pytest.mark.parametrize(
    "name", ["property.toml", "rules/face_up_pai_gow.toml", "persons.toml", "floor.db", "log.key", "units/rack.env"]
)
def test_nothing_is_written_over(new: NewHouse, name: str) -> None:
    path = new.folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")
    status, page = ask(new, "apply")
    assert (status, "already" in page) == (200, True)
    assert [each for each in new.folder.rglob("*") if each.is_file()] == [path]
    assert path.read_text() == "mine"


def test_it_is_begun_once_and_then_answers_no_one(new: NewHouse) -> None:
    assert "pd-02" not in ask(new, "plan")[1]
    assert list(new.folder.iterdir()) == []
    page = ask(new, "apply")[1]
    assert page.count("/sign-in/invited#") == 2
    assert "maria.ortiz" in (new.folder / "persons.toml").read_text()
    assert (new.folder / "log.key").stat().st_mode & 0o077 == 0
    parts = {part.name: part for part in look(new.folder, time.time_ns() // 1_000)}
    assert parts["key"][:3] == ("key", True, "Published and in force.")
    with pytest.raises(ReviewRefused, match="made already"):
        new._apply(answers_of(ANSWERS, new.port))
    new.end().join()
    with pytest.raises((ConnectionRefusedError, ConnectionResetError)):
        ask(new, "apply")
