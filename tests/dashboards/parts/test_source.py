"""How a page asks the warehouse: it opens a generation once, sees the next one, and lets go of it when it is drawn."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from analytics.warehouse.floor_data import generation
from analytics.warehouse.warehouse import Warehouse, build, reading
from dashboards.parts import source
from dashboards.run import LOG_VARIABLE, WAREHOUSE_VARIABLE
from tests.dashboards import sample
from tests.dashboards.running import said, start


class Opened:
    """Which generations were opened, and how many of them are open still."""

    def __init__(self) -> None:
        self.generations: list[int] = []
        self.open = 0

    @contextmanager
    def reading(self, path: Path) -> Iterator[Warehouse]:
        with reading(path) as db:
            self.generations.append(generation(db).generation)
            self.open += 1
            try:
                yield db
            finally:
                self.open -= 1


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = sample.make(tmp_path / "warehouse.duckdb")
    monkeypatch.setenv(WAREHOUSE_VARIABLE, str(path))
    return path


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    opened = Opened()
    monkeypatch.setattr(source, "reading", opened.reading)
    return opened


def rounds() -> int:
    def counted(db: Warehouse) -> int:
        [(number,)] = db.sql("SELECT count(*) FROM fct_rounds").fetchall()
        return int(number)

    return source.ask(counted)


def drawing(page: threading.Thread) -> None:
    """Draw a page as Streamlit does: in a thread of its own."""
    page.start()
    page.join()


def test_a_page_opens_a_generation_once_and_sees_the_next_one(path: Path, opened: Opened) -> None:
    seen: list[int] = []

    def page() -> None:
        seen.extend([rounds(), rounds()])
        build(path, sample.adjudications()[:1], ())
        seen.extend([rounds(), rounds()])

    drawing(threading.Thread(target=page))
    assert seen == [10, 10, 1, 1]
    assert opened.generations == [1, 2]


def test_a_page_that_is_drawn_holds_nothing_open(path: Path, opened: Opened) -> None:
    held: list[int] = []

    def page() -> None:
        rounds()
        held.append(opened.open)

    drawing(threading.Thread(target=page))
    assert held == [1]
    assert opened.open == 0


def test_a_generation_that_is_gone_answers_nothing_more(path: Path, opened: Opened) -> None:
    asked: list[str] = []

    def stop() -> None:
        raise StopIteration

    def page() -> None:
        rounds()
        for leave in (path.unlink, lambda: path.write_bytes(b"no warehouse"), lambda: sample.make(path)):
            leave()
            try:
                asked.append(str(rounds()))
            except StopIteration:
                asked.append("said")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(source, "watch", stop)
        patched.setattr(source, "show", lambda html: None)
        drawing(threading.Thread(target=page))
    assert asked == ["said", "said", "10"]
    assert opened.open == 0


def test_where_nothing_was_replayed_nobody_is_sent_to_a_simulation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(WAREHOUSE_VARIABLE, str(tmp_path / "none.duckdb"))
    monkeypatch.setenv(LOG_VARIABLE, f"sqlite://{tmp_path}/floor.db")
    page = said(start("queue"))
    assert f"rack replay --log sqlite://{tmp_path}/floor.db --warehouse {tmp_path}/none.duckdb" in page
    assert "rack demo" not in page
    monkeypatch.delenv(LOG_VARIABLE)
    page = said(start("queue"))
    assert f"rack replay --log ADDR --warehouse {tmp_path}/none.duckdb" in page
    assert "rack demo" not in page
