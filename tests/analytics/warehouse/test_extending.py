"""An incremental build comes to what a build from nothing comes to; and by what it knows that a file was changed."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import duckdb
import pytest

from analytics.warehouse import extending, floor_data, loading
from analytics.warehouse.extending import Earlier, build_news, earlier, extend
from analytics.warehouse.generations import is_sealed, reserved
from analytics.warehouse.loading import News, PropertyFacts, StreamMark
from analytics.warehouse.renewing import SCOPES, WHOLE, renewals
from analytics.warehouse.warehouse import MODELS, Warehouse, build, grains, reading
from replay.findings import Adjudication, LedgerEntry
from tests.dashboards import sample

pytestmark = pytest.mark.slow  # a warehouse is built for each

FACTS = PropertyFacts(name="x", time_zone="America/New_York", currency="USD", log_id="ab" * 16)


def contents(db: Warehouse, table: str) -> list[tuple[object, ...]]:
    return sorted(db.sql(f"SELECT * FROM {table}").fetchall(), key=repr)


def built(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with reading(path) as db:
        return {model: contents(db, model) for model in MODELS}


def event_rows(last: int = 2) -> list[tuple[object, ...]]:
    rounds = sample.rounds_events()[:last]
    return [(each.stream, each.round_no, *event.values()) for each in rounds for event in each.events]


def whole(path: Path) -> Path:
    """Build everything at once, by no other way than the models over all rows."""
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


def news(
    verdicts: list[Adjudication], entries: list[LedgerEntry], events: list[tuple[object, ...]], *, first: bool
) -> Iterator[News]:
    """Yield so much of the sample: table events come with the first part, reviews with the last."""
    numbers = count()
    columns = ["stream", "round_no", "seq", "event_id", "type", "occurred_at_us", "source", "payload", "hash"]
    assert columns == list(loading.ROUND_EVENTS)
    yield News(rows=[loading.event_frame(events), loading.table_event_frame(sample.table_events() if first else [])])
    yield News(rows=list(loading.adjudication_frames(verdicts, numbers, FACTS.time_zone)))
    yield News(
        rows=[loading.ledger_frame(entries, numbers), loading.review_frame([] if first else sample.reviews())],
        marks={"table/fu-01": StreamMark(events=1 if first else 2, head="00" * 32)},
    )


def in_parts(path: Path, cut: int, again: int = 0) -> Path:
    """Build the first part of the sample, then the rest; `again` adjudications before the cut are given once more."""
    rows, entries = sample.adjudications(), sample.ledger()
    build_news(path, lambda _: news(rows[:cut], entries[:5], event_rows(1), first=True), FACTS)
    rest = event_rows()[len(event_rows(1)) :]
    extend(path, lambda _: news(rows[max(0, cut - again) :], entries[5:], rest, first=False), FACTS)
    return path


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[object, ...]]]:
    return built(whole(tmp_path_factory.mktemp("whole") / "w"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("cut", "again"), [(0, 0), (3, 0), (7, 5)])
def test_what_is_added_later_comes_to_the_same(
    tmp_path: Path, cut: int, again: int, everything: dict[str, list[tuple[object, ...]]]
) -> None:
    """Cut 3 takes the first revision of round 15 in the first build, and the second, which withdraws its finding, later."""
    path = in_parts(tmp_path / "w", cut, again)
    assert built(path) == everything
    with reading(path) as db:
        assert floor_data.generation(db).generation == 2
    known = earlier(path, FACTS.log_id)
    assert known is not None
    assert known.marks == {"table/fu-01": StreamMark(events=2, head="00" * 32)}


def test_the_digests_that_are_kept_up_are_those_of_the_rows(tmp_path: Path) -> None:
    path = in_parts(tmp_path / "w", 4)
    (tmp_path / ".w.seals").unlink()
    known = earlier(path, FACTS.log_id)
    assert known is not None
    assert known.altered == ()


def test_a_model_says_by_what_it_is_renewed_and_has_the_columns_for_it(tmp_path: Path) -> None:
    with reading(whole(tmp_path / "w")) as db:
        for model, renewal in renewals().items():
            assert renewal.scope in {*SCOPES, "all", "adding", "appending"}
            assert renewal.scope != "all" or model in WHOLE
            if renewal.scope in SCOPES:
                for table in (model, *renewal.of):
                    own = extending_columns(table, renewal.scope)
                    assert own <= {row[0] for row in db.sql(f"DESCRIBE {table}").fetchall()}, (model, table)
    assert set(renewals()) == set(grains())


def extending_columns(table: str, scope: str) -> set[str]:
    own = {"stg_stated": "stated_in", "stg_once_stated": "stated_in"}
    return {own.get(table, name) if (scope, name) == ("verdict", "round_no") else name for name in SCOPES[scope]}


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that was built in three pieces."""
    return in_parts(tmp_path_factory.mktemp("parts") / "w", 3)


@pytest.mark.parametrize(
    "changes",
    [
        {
            "UPDATE fct_rounds SET verdict = 'UPHELD'": ("fct_rounds", ""),
            "DELETE FROM fct_findings WHERE true": ("fct_findings", ""),
            "INSERT INTO stg_ledger SELECT * FROM stg_ledger LIMIT 1": ("stg_ledger", ""),
            "UPDATE generation SET engines = 'as now'": ("generation", ""),
            "UPDATE stg_settlements SET done_cents = due_cents": ("stg_settlements", ""),
            "UPDATE round_events SET payload = '{}' WHERE stream = 'table/fu-01'": ("round_events", "table/fu-01"),
            "DROP TABLE mart_pace": ("mart_pace", ""),
            "CREATE TABLE more AS SELECT 1": ("more", ""),
            "UPDATE sources SET events = 1": ("sources", ""),
        },
        {
            "DELETE FROM round_events WHERE stream = 'table/fu-01'": ("round_events", "table/fu-01"),
            "DELETE FROM digests WHERE table_name = 'fct_rounds'": ("fct_rounds", ""),
            "UPDATE digests SET digest = 'none' WHERE table_name = 'fct_findings'": ("fct_findings", ""),
        },
    ],
)
def test_rows_that_were_changed_are_named(tmp_path: Path, parts: Path, changes: dict[str, tuple[str, str]]) -> None:
    path = shutil.copy(parts, tmp_path / "w")
    with duckdb.connect(str(path)) as db:
        for change in changes:
            db.execute(change)
    assert not is_sealed(path)
    known = earlier(path, FACTS.log_id)
    assert known is not None
    assert sorted(known.altered) == sorted(changes.values())


def test_a_file_that_nobody_wrote_to_is_not_read_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = in_parts(tmp_path / "w", 3)
    assert is_sealed(path)

    def read_through(*_: object) -> None:
        raise AssertionError("every row is read")

    monkeypatch.setattr(extending, "differing", read_through)
    assert earlier(path, FACTS.log_id) is not None
    os.utime(path)
    assert not is_sealed(path)
    with pytest.raises(AssertionError, match="every row is read"):
        earlier(path, FACTS.log_id)


def same(path: Path) -> list[int]:
    """Extend by nothing; return the inodes of the file in place and of the spare."""
    extend(path, lambda _: iter(()), FACTS)
    return [path.stat().st_ino, path.with_name(".w.spare").stat().st_ino]


def test_two_files_trade_places_and_a_spare_that_somebody_reads_is_left_to_him(
    tmp_path: Path, everything: dict[str, list[tuple[object, ...]]]
) -> None:
    path = whole(tmp_path / "w")
    first = path.stat().st_ino
    second, spare = same(path)
    assert spare == first
    assert same(path) == [first, second]
    with reading(path) as old:
        before = floor_data.generation(old).generation
        assert same(path) == [second, first]
        third, spare = same(path)
        assert (third not in (first, second), spare) == (True, second)
        assert floor_data.generation(old).generation == before
    assert built(path) == everything


def test_a_spare_that_was_written_to_or_that_another_program_has_open_is_not_used(
    tmp_path: Path, everything: dict[str, list[tuple[object, ...]]]
) -> None:
    path = whole(tmp_path / "w")
    spare = tmp_path / ".w.spare"
    same(path)
    with duckdb.connect(str(spare)) as db:
        db.execute("UPDATE fct_rounds SET verdict = 'UPHELD'")
    written = spare.stat().st_ino
    assert written not in same(path)
    script = "import duckdb, sys; duckdb.connect(sys.argv[1], read_only=True); print('open', flush=True); sys.stdin.read()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", script, str(spare)], **pipes) as other:
        assert other.stdout.readline() == b"open\n"
        same(path)
        other.communicate(b"")
    assert built(path) == everything


def test_an_extension_that_fails_leaves_the_file_as_it_was(
    tmp_path: Path, everything: dict[str, list[tuple[object, ...]]]
) -> None:
    path = whole(tmp_path / "w")
    same(path)
    before = path.read_bytes()

    def fails(_: Earlier) -> Iterator[News]:
        yield from news(sample.adjudications(), [], [], first=True)
        raise OSError("the log is gone")

    with pytest.raises(OSError, match="the log is gone"):
        extend(path, fails, FACTS)
    assert path.read_bytes() == before
    assert same(path)
    assert built(path) == everything


def test_what_is_reserved_says_when_it_left_its_place(tmp_path: Path) -> None:
    path = whole(tmp_path / "w")
    with reserved(path) as is_in_place:
        assert is_in_place()
        same(path)
        assert not is_in_place()


def test_a_file_of_another_log_is_built_anew(tmp_path: Path) -> None:
    assert earlier(whole(tmp_path / "w"), "cd" * 16) is None
    assert earlier(tmp_path / "w", "") is None


def test_a_file_that_is_none_or_of_another_program_is_built_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert earlier(tmp_path / "none", FACTS.log_id) is None
    (tmp_path / "bad").write_bytes(b"no database" * 999)
    assert earlier(tmp_path / "bad", FACTS.log_id) is None
    path = whole(tmp_path / "w")
    monkeypatch.setattr("analytics.warehouse.warehouse.models_digest", lambda: "another")
    assert earlier(path, FACTS.log_id) is None
