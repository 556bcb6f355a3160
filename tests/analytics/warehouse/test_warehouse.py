"""The warehouse as a whole: grains, which revision counts, conservation, replacement of the file."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from analytics.errors import queue
from analytics.hold import hold
from analytics.warehouse import floor_data, round_data, warehouse
from analytics.warehouse.warehouse import MODELS, Warehouse, WarehouseError, build, grains, reading, stamp
from tests.dashboards import sample

ROOT = Path(__file__).resolve().parents[3]
MONEY = ("handle_cents", "payouts_cents", "house_win_cents", "from_meter_cents", "unsettled")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample.make(tmp_path_factory.mktemp("warehouse") / "warehouse.duckdb")


@pytest.fixture
def db(path: Path) -> Iterator[Warehouse]:
    with reading(path) as opened:
        yield opened


def one(db: Warehouse, statement: str) -> tuple[object, ...]:
    (row,) = db.sql(statement).fetchall()
    return tuple(row)


@pytest.mark.parametrize("model", MODELS)
def test_a_model_has_one_row_for_each_value_of_its_declared_grain(db: Warehouse, model: str) -> None:
    columns = grains()[model]
    listed = ", ".join(columns)
    assert one(db, f"SELECT count(*) FROM {model}") != (0,)
    assert db.sql(f"SELECT {listed}, count(*) FROM {model} GROUP BY {listed} HAVING count(*) > 1").fetchall() == []


def test_every_model_file_is_built_and_every_grain_column_is_there(db: Warehouse) -> None:
    files = {path.stem for path in (Path(warehouse.__file__).parent / "models").glob("*.sql")}
    assert files == set(MODELS) == set(grains())
    for model, columns in grains().items():
        assert set(columns) <= {row[0] for row in db.sql(f"DESCRIBE {model}").fetchall()}


@pytest.mark.parametrize("figure", MONEY)
def test_money_is_conserved_from_wagers_to_rounds_to_days_to_marts(db: Warehouse, figure: str) -> None:
    tables = ("fct_wagers", "fct_rounds", "fct_table_days", "mart_hold_table_day", "mart_hold_wager")
    sums = {table: one(db, f"SELECT coalesce(sum({figure}), 0)::BIGINT FROM {table}")[0] for table in tables}
    assert len(set(sums.values())) == 1, sums
    assert sums["fct_wagers"] != 0


@pytest.mark.parametrize("figure", ["overpaid_cents", "underpaid_cents"])
def test_money_over_and_under_is_conserved_from_findings_to_days(db: Warehouse, figure: str) -> None:
    sums = [one(db, f"SELECT sum({figure})::BIGINT FROM {t}")[0] for t in ("fct_findings", "fct_rounds", "fct_table_days")]
    assert sums[0] == sums[1] == sums[2] != 0


def test_what_is_staked_and_settled_is_paid_out_or_won(db: Warehouse) -> None:
    assert one(db, "SELECT count(*) FROM fct_wagers WHERE handle_cents - payouts_cents <> house_win_cents") == (0,)
    unsettled = "SELECT count(handle_cents), count(payouts_cents), count(house_win_cents) FROM fct_wagers WHERE NOT settled"
    assert one(db, unsettled) == (0, 0, 0)


def test_only_the_newest_revision_counts_in_whatever_order_they_come(tmp_path: Path) -> None:
    rows = sample.adjudications()
    first, second = (a for a in rows if a.stream == "table/fu-01" and a.round_no == 15)
    for name, given in {"a": [first, second], "b": [second, first], "c": [second, first, second, first]}.items():
        build(tmp_path / name, given, ())
        with reading(tmp_path / name) as db:
            assert one(db, "SELECT count(*), max(revision), sum(wagers)::BIGINT FROM fct_rounds") == (1, 2, 2)
            assert one(db, "SELECT count(*) FROM fct_findings") == (0,)


def test_a_withdrawn_finding_does_not_count_even_where_the_same_revision_states_it(tmp_path: Path) -> None:
    stated = sample.finding("table/a", 1, "PAY-UNDER", 1, "base", -100, "", "")
    build(tmp_path / "w", [sample.adjudication("table/a", 1, [], [stated], withdrawn=(stated.id,))], ())
    with reading(tmp_path / "w") as db:
        assert one(db, "SELECT count(*) FROM fct_findings") == (0,)


def test_a_finding_of_no_round_is_kept_and_one_stated_twice_is_counted_once(tmp_path: Path) -> None:
    gap = sample.finding("table/a", None, "LOG-SOURCE-GAP", None, None, None, "counter 8", "counter 9")
    build(tmp_path / "w", [sample.adjudication("table/a", 1, [])], (), stream_findings=[gap, gap])
    with reading(tmp_path / "w") as db:
        assert one(db, "SELECT count(*), any_value(table_id), any_value(round_no) FROM fct_findings") == (1, "a", None)
        assert queue.incidents_queue(db)["code"].to_list() == ["LOG-SOURCE-GAP"]


def test_an_empty_warehouse_can_be_asked_everything(tmp_path: Path) -> None:
    build(tmp_path / "w", (), ())
    with reading(tmp_path / "w") as db:
        frames = [
            floor_data.floor_overview(db),
            hold.hold_by_table_day(db),
            queue.incidents_queue(db),
            round_data.rounds_of(db),
            *(hold.hold_by(db, dimension) for dimension in hold.DIMENSIONS),
        ]
        assert all(frame.is_empty() for frame in frames)
        assert hold.hold_totals(db).row(0, named=True)["drop_cents"] is None
        assert queue.queue_totals(db).row(0, named=True)["findings"] == 0
        assert queue.queue_choices(db) == queue.QueueChoices(tables=[], codes=[], gaming_days=[], severities=[], dealers=[])
        assert floor_data.generation(db).rounds == 0


def test_each_build_is_one_generation_on_and_readers_of_the_old_one_keep_it(tmp_path: Path) -> None:
    path = sample.make(tmp_path / "w")
    before = stamp(path)
    with reading(path) as old:
        assert floor_data.generation(old).generation == 1
        build(path, (), ())
        with reading(path) as new:
            assert (floor_data.generation(new).generation, floor_data.generation(new).rounds) == (2, 0)
        assert (floor_data.generation(old).generation, floor_data.generation(old).rounds) == (1, 10)
    assert stamp(path) != before
    assert sorted(p.name for p in tmp_path.iterdir()) == [".w.seals", "w"]


def test_a_build_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = sample.make(tmp_path / "w")
    before = path.read_bytes()
    with pytest.raises(duckdb.Error):
        build(path, [sample.adjudication("table/a", 1, [], day="yesterday")], ())
    assert path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == [".w.seals", "w"]


def test_a_file_that_is_no_warehouse_is_replaced_and_until_then_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "w"
    with pytest.raises(WarehouseError, match="rack replay"), reading(path):
        pass
    path.write_bytes(b"not a database" * 1000)
    with pytest.raises(WarehouseError, match="rack replay"), reading(path):
        pass
    sample.make(path)
    with reading(path) as db:
        assert floor_data.generation(db).generation == 1


def test_a_file_of_another_version_says_what_to_do(tmp_path: Path) -> None:
    path = sample.make(tmp_path / "w")
    with duckdb.connect(str(path)) as db:
        db.execute("UPDATE generation SET models_digest = 'older'")
    with pytest.raises(WarehouseError, match="another version"), reading(path):
        pass


def test_a_reader_cannot_write(path: Path) -> None:
    with reading(path) as db, pytest.raises(duckdb.Error, match="read-only"):
        db.execute("CREATE TABLE warehouse.extra (a INTEGER)")


def test_the_tables_of_a_warehouse_are_its_models_and_facts(db: Warehouse) -> None:
    made = {row[0] for row in db.sql("SELECT table_name FROM duckdb_tables()").fetchall()}
    assert made == {*MODELS, "generation", "property", "sources", "digests"}


def test_duckdb_prints_no_progress_on_stdout() -> None:
    """A program that is not a file (`python -c`, the command) gets DuckDB's progress bar unless it is switched off."""
    asked = "SELECT value FROM duckdb_settings() WHERE name = 'enable_progress_bar'"
    script = f'from analytics.warehouse.warehouse import connect; print(connect(":memory:").sql("{asked}").fetchall())'
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert said.stdout == "[('false',)]\n"
