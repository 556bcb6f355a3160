"""An incremental build comes to what a build from nothing comes to, whatever comes new."""

from __future__ import annotations

from pathlib import Path

import pytest

from analytics.hold import hold
from analytics.warehouse.extending import earlier, extend
from analytics.warehouse.loading import PropertyFacts
from analytics.warehouse.warehouse import MODELS, Warehouse, build, reading
from tests.dashboards import sample

FACTS = PropertyFacts(name="x", time_zone="America/New_York", currency="USD", log_id="ab" * 16)


def contents(db: Warehouse, table: str) -> list[tuple[object, ...]]:
    columns = [row[0] for row in db.sql(f"DESCRIBE {table}").fetchall() if row[0] != "load_no"]
    return sorted(db.sql(f"SELECT {', '.join(columns)} FROM {table}").fetchall(), key=repr)


def built(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with reading(path) as db:
        return {model: contents(db, model) for model in MODELS}


def whole(path: Path) -> Path:
    build(
        path,
        sample.adjudications(),
        sample.ledger(),
        sample.rounds_events(),
        table_events=sample.table_events(),
        reviews=sample.reviews(),
        facts=FACTS,
    )
    return path


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[object, ...]]]:
    return built(whole(tmp_path_factory.mktemp("whole") / "w"))


@pytest.mark.parametrize("cut", [0, 3, 7])
def test_what_is_added_later_comes_to_the_same(
    tmp_path: Path, cut: int, everything: dict[str, list[tuple[object, ...]]]
) -> None:
    """Cut 3 takes the first revision of round 15 in the first build, and the second, which withdraws its finding, later."""
    rows, events = sample.adjudications(), sample.rounds_events()
    path = tmp_path / "w"
    build(
        path, rows[:cut], sample.ledger()[:5], events[:1], table_events=sample.table_events(), facts=FACTS, inputs="1"
    )
    known = earlier(path, FACTS)
    assert known is not None
    assert known.inputs == "1"
    new = [row for row in rows if not known.has(row.stream, row.round_no, row.revision)]
    extend(
        path,
        known,
        new,
        sample.ledger(),
        events,
        stream_findings=(),
        table_events=(),
        reviews=sample.reviews(),
        facts=FACTS,
        inputs="2",
    )
    assert built(path) == everything
    with reading(path) as db:
        assert hold.generation(db).generation == 2


def test_only_what_is_not_known_is_new(tmp_path: Path) -> None:
    known = earlier(whole(tmp_path / "w"), FACTS)
    assert known is not None
    assert all(known.has(each.stream, each.round_no, each.revision) for each in sample.adjudications())
    assert not known.has("table/fu-01", 15, 3)
    assert not known.has("table/fu-01", 10_000, 1)
    assert not known.has("table/fu-09", 1, 1)
    assert known.read_to["table/fu-01"] == max(event["seq"] for each in sample.rounds_events() for event in each.events)


@pytest.mark.parametrize(
    "facts",
    [
        PropertyFacts(time_zone="America/New_York", log_id="cd" * 16),
        PropertyFacts(time_zone="Europe/Berlin", log_id="ab" * 16),
        PropertyFacts(time_zone="America/New_York"),
    ],
    ids=["another log", "another time zone", "no log"],
)
def test_a_file_of_another_log_or_time_zone_is_built_anew(tmp_path: Path, facts: PropertyFacts) -> None:
    assert earlier(whole(tmp_path / "w"), facts) is None


def test_a_file_that_is_none_or_of_another_program_is_built_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert earlier(tmp_path / "none", FACTS) is None
    (tmp_path / "bad").write_bytes(b"no database" * 999)
    assert earlier(tmp_path / "bad", FACTS) is None
    path = whole(tmp_path / "w")
    monkeypatch.setattr("analytics.warehouse.warehouse.models_digest", lambda: "another")
    assert earlier(path, FACTS) is None
