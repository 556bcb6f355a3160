"""Files for other programs: all rows, nothing that a spreadsheet would reckon; and plain DuckDB reads the file."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import duckdb
import polars as pl
import pytest

from analytics.exporting import export, tables
from analytics.warehouse import MODELS, build, reading
from tests.dashboards import sample

HARMFUL = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample.make(tmp_path_factory.mktemp("export") / "w")


def test_every_table_with_every_row_as_parquet(path: Path, tmp_path: Path) -> None:
    with reading(path) as db:
        written = export(db, tmp_path / "out", "parquet")
        assert {file.stem for file in written} == {*MODELS, "generation", "property"} == set(tables(db))
        for file, rows in written.items():
            assert pl.read_parquet(file).height == rows
        assert pl.read_parquet(tmp_path / "out" / "fct_hands.parquet")["cards"].dtype == pl.List(pl.String)


def test_csv_holds_no_formula(tmp_path: Path) -> None:
    found = [
        sample.finding("table/a", n, "PAY-UNDER", 1, "base", -100, text, 'say "hi", then = 5', evidence=(n,))
        for n, text in enumerate(HARMFUL, start=1)
    ]
    build(tmp_path / "w", [sample.adjudication("table/a", f.round_no or 0, [], [f]) for f in found], ())
    with reading(tmp_path / "w") as db:
        export(db, tmp_path, "csv", ["fct_findings"])
    with (tmp_path / "fct_findings.csv").open(newline="", encoding="utf-8") as file:
        rows = {int(row["round_no"]): row for row in csv.DictReader(file)}
    for n, text in enumerate(HARMFUL, start=1):
        assert rows[n]["expected"] == f"'{text}"
        assert rows[n]["observed"] == 'say "hi", then = 5'
        assert rows[n]["difference_cents"] == "-100", "numbers stay numbers"
        assert rows[n]["evidence"] == f"[{n}]"


def test_a_table_that_is_not_there_and_leftovers(path: Path, tmp_path: Path) -> None:
    with reading(path) as db:
        with pytest.raises(ValueError, match=r"no table 'x'; the warehouse has fct_cards_seen, "):
            export(db, tmp_path, "csv", ["x"])
        export(db, tmp_path, "csv", ["property"])
        export(db, tmp_path, "csv", ["property"])
    assert [file.name for file in tmp_path.iterdir()] == ["property.csv"]


def test_plain_duckdb_reads_the_file(path: Path) -> None:
    """In a process that knows nothing of this project."""
    ask = "sql('SELECT sum(rounds) FROM mart_pace').fetchall()[0][0]"
    code = f"import duckdb; print(duckdb.connect({str(path)!r}, read_only=True).{ask})"
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "10"
    with duckdb.connect(str(path), read_only=True) as db:
        assert db.sql("SELECT count(*) FROM duckdb_functions() WHERE NOT internal").fetchall() == [(0,)]
