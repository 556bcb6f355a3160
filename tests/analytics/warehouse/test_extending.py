"""An incremental build comes to what a build from nothing comes to, whatever comes new."""

from __future__ import annotations

from pathlib import Path

import duckdb
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
    extend(
        path,
        known,
        rows,
        sample.ledger(),
        events,
        stream_findings=(),
        table_events=[each for each in sample.table_events() if each.stream not in known.read_to],
        reviews=sample.reviews(),
        facts=FACTS,
        inputs="2",
    )
    assert built(path) == everything
    with reading(path) as db:
        assert hold.generation(db).generation == 2


def test_one_stream_is_read_again_by_turns_and_the_rest_is_taken_over(tmp_path: Path) -> None:
    path = whole(tmp_path / "w")
    last = {each.stream: max(event["seq"] for event in each.events) for each in sample.rounds_events()}
    again = []
    for _ in range(2 * len(last)):
        known = earlier(path, FACTS)
        assert known is not None
        assert known.altered == ()
        (read_again,) = last.keys() - known.read_to.keys()
        again.append(read_again)
        new = [each for each in sample.rounds_events() if each.stream not in known.read_to]
        extend(
            path,
            known,
            sample.adjudications(),
            sample.ledger(),
            new,
            stream_findings=(),
            table_events=sample.table_events(),
            reviews=sample.reviews(),
            facts=FACTS,
            inputs="",
        )
    assert set(again) == set(last)


@pytest.mark.parametrize(
    ("change", "places"),
    [
        ("UPDATE fct_rounds SET verdict = 'UPHELD'", [("fct_rounds", "")]),
        ("DELETE FROM fct_findings WHERE true", [("fct_findings", "")]),
        ("INSERT INTO stg_ledger SELECT * FROM stg_ledger LIMIT 1", [("stg_ledger", "")]),
        ("UPDATE generation SET inputs = 'as now'", [("generation", "")]),
        ("UPDATE stg_settlements SET done_cents = due_cents", [("stg_settlements", "")]),
        ("UPDATE round_events SET payload = '{}' WHERE stream = 'table/fu-01'", [("round_events", "table/fu-01")]),
        ("DELETE FROM round_events WHERE stream = 'table/fu-01'", [("round_events", "table/fu-01")]),
        ("DROP TABLE mart_pace", [("mart_pace", "")]),
        ("CREATE TABLE more AS SELECT 1", [("more", "")]),
        ("DELETE FROM digests WHERE table_name = 'fct_rounds'", [("fct_rounds", "")]),
    ],
)
def test_rows_that_were_changed_are_named_and_not_taken_over(
    tmp_path: Path, change: str, places: list[tuple[str, str]]
) -> None:
    path = whole(tmp_path / "w")
    before = built(path)
    with duckdb.connect(str(path)) as db:
        db.execute(change)
    known = earlier(path, FACTS)
    assert known is not None
    assert list(known.altered) == places
    assert not {stream for _, stream in places} & known.read_to.keys()
    extend(
        path,
        known,
        sample.adjudications(),
        sample.ledger(),
        [each for each in sample.rounds_events() if each.stream not in known.read_to],
        stream_findings=(),
        table_events=sample.table_events(),
        reviews=sample.reviews(),
        facts=FACTS,
        inputs="",
    )
    assert built(path) == before
    again = earlier(path, FACTS)
    assert again is not None
    assert again.altered == ()


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
