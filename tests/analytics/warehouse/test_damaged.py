"""A warehouse that was cut short or altered is named as such, whatever is asked of it; and which DuckDB reads the file."""

import random
from pathlib import Path

import duckdb
import pytest

from analytics.warehouse.warehouse import STORAGE_VERSION, WarehouseError, attached, reading
from rack.cli import main
from tests.dashboards import sample

TIMES = 16
QUESTIONS = (("hold",), ("dealer-errors",), ("fairness",))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample.make(tmp_path_factory.mktemp("whole") / "w.duckdb")


@pytest.mark.slow
def test_a_file_that_was_cut_or_altered_anywhere_is_no_defect(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, rng, found = whole.read_bytes(), random.Random(29), 0
    for turn in range(TIMES):
        path, at = tmp_path / f"w{turn}.duckdb", rng.randrange(len(data))
        gap = bytes(min(4_096, len(data) - at))
        path.write_bytes(data[:at] if turn % 2 else data[:at] + gap + data[at + len(gap) :])
        for words in QUESTIONS:
            code = main([*words, "--warehouse", str(path)])
            said = capsys.readouterr().err
            assert "defect" not in said
            assert code in (0, 1, 3)
            found += code == 3
            assert code != 3 or "Run `rack replay --log ADDR --warehouse " in said or "rack warehouse build" in said
    assert found > TIMES // 2


def test_a_wrong_statement_is_still_a_defect(whole: Path) -> None:
    with pytest.raises(duckdb.BinderException), reading(whole) as db:
        db.sql("SELECT no_such_column FROM property").fetchall()


def test_a_file_that_cannot_be_read_says_so_while_it_is_read(whole: Path) -> None:
    with pytest.raises(WarehouseError, match="cannot be read as a warehouse"), reading(whole):
        raise duckdb.IOException("IO Error: Could not read enough bytes from file")


def test_the_file_has_the_form_of_the_last_two_minor_versions(whole: Path) -> None:
    """DuckDB 2.0 has no minor version before it; the last two are 1.4 and 1.5."""
    assert STORAGE_VERSION == "v1.4.0"
    with attached(whole) as db:
        (tags,) = db.execute("SELECT tags FROM duckdb_databases() WHERE database_name = 'warehouse'").fetchone() or ({},)
    assert tags["storage_version"].startswith("v1.4.0")
    assert f"DuckDB {STORAGE_VERSION[1:4]}" in (Path(__file__).parents[3] / "docs" / "warehouse.md").read_text()
