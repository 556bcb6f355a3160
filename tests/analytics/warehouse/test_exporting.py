"""Files for other programs: all rows, nothing that a spreadsheet would reckon; and plain DuckDB reads the file."""

import csv
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import duckdb
import polars as pl
import pytest

from analytics.warehouse.exporting import SUMS, Leaving, export, tables
from analytics.warehouse.warehouse import MODELS, build, reading
from desk.report.csv_tables import defused
from tests.dashboards import sample

HARMFUL = {
    "=1+1": "'=1+1",
    "+1": "'+1",
    "-1": "'-1",
    "@SUM(A1)": "'@SUM(A1)",
    "\t=1": "'\t'=1",
    "\r=1": "'\r'=1",
    "\n=1": "'\n'=1",
    "\tx": "'\tx",
    "＝1": "'＝1",
    " =1": "' =1",
    "\u00a0=1": "'\u00a0=1",
    "x;=1+1": "x;'=1+1",
    "x;@SUM(A1);+2": "x;'@SUM(A1);'+2",
    "x\t-1": "x\t'-1",
    "x\n=1": "x\n'=1",
    'x; "=1': "x;' \"=1",
    "x;y": "x;y",
    "1 = 1; so": "1 = 1; so",
}
"""Text → as it is in a file: no cell begins as a formula does, whether a reader divides at commas, semicolons or tabs."""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample.make(tmp_path_factory.mktemp("export") / "w")


def unheard(leaving: Leaving) -> None:
    """For tests of other things than the record of exports."""


def test_every_table_with_every_row_as_parquet(path: Path, tmp_path: Path) -> None:
    told: list[Leaving] = []
    with reading(path) as db:
        written = export(db, tmp_path / "out", "parquet", on_record=told.append)
        assert told[0].tables
        assert {file.stem for file in written} == {*MODELS, "digests", "generation", "property", "sources"} == set(tables(db))
        for file, rows in written.items():
            assert pl.read_parquet(file).height == rows
        assert pl.read_parquet(tmp_path / "out" / "fct_hands.parquet")["cards"].dtype == pl.List(pl.String)


@pytest.mark.slow
def test_each_csv_file_begins_with_a_byte_order_mark_and_no_text_of_it_is_a_formula(path: Path, tmp_path: Path) -> None:
    """Every table of the warehouse, as it leaves: excel reads § right, and what begins like a formula is a number."""
    with reading(path) as db:
        written = export(db, tmp_path, "csv", on_record=unheard)
    assert len(written) == len(MODELS) + 4
    for file, height in written.items():
        data = file.read_bytes()
        assert data.startswith(b"\xef\xbb\xbf"), file
        assert data.count(b"\xef\xbb\xbf") == 1, file
        rows = list(csv.reader(data.decode("utf-8-sig").splitlines(keepends=True)))
        assert len(rows) == height + 1, file
        with reading(path) as db:
            assert rows[0] == db.sql(f"SELECT * FROM {file.stem}").columns
        for cell in (cell for row in rows[1:] for cell in row if cell[:1] in ("=", "+", "-", "@")):
            float(cell)


def test_csv_holds_no_formula(tmp_path: Path) -> None:
    found = [
        sample.finding("table/a", n, "PAY-UNDER", 1, "base", -100, text, 'say "hi", then = 5', evidence=(n,))
        for n, text in enumerate(HARMFUL, start=1)
    ]
    build(tmp_path / "w", [sample.adjudication("table/a", f.round_no or 0, [], [f]) for f in found], ())
    with reading(tmp_path / "w") as db:
        export(db, tmp_path, "csv", ["fct_findings"], on_record=unheard)
    with (tmp_path / "fct_findings.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = {int(row["round_no"]): row for row in csv.DictReader(file)}
    for n, text in enumerate(HARMFUL, start=1):
        assert rows[n]["expected"] == HARMFUL[text] == defused(text)
        assert rows[n]["observed"] == 'say "hi", then = 5'
        assert rows[n]["difference_cents"] == "-100", "numbers stay numbers"
        assert rows[n]["evidence"] == f"[{n}]"


def test_a_table_that_is_not_there_and_leftovers(path: Path, tmp_path: Path) -> None:
    with reading(path) as db:
        with pytest.raises(ValueError, match=r"no table 'x'; the warehouse has digests, fct_cards_seen, "):
            export(db, tmp_path, "csv", ["x"], on_record=unheard)
        export(db, tmp_path, "csv", ["property"], on_record=unheard)
        export(db, tmp_path, "csv", ["property"], on_record=unheard)
    assert sorted(file.name for file in tmp_path.iterdir()) == [SUMS, "property.csv"]


def test_nothing_appears_before_it_is_on_record(path: Path, tmp_path: Path) -> None:
    def refuses(leaving: Leaving) -> None:
        assert not [file for file in tmp_path.iterdir() if not file.name.startswith(".")]
        raise PermissionError("nobody may")

    with reading(path) as db, pytest.raises(PermissionError):
        export(db, tmp_path, "csv", on_record=refuses)
    assert list(tmp_path.iterdir()) == []


def test_what_is_put_on_record_is_what_left(path: Path, tmp_path: Path) -> None:
    """The tables of the floor that the files tell of; the digest of the list of files, and in it the digest of each file."""
    told: list[Leaving] = []
    with reading(path) as db:
        export(db, tmp_path, "csv", ["mart_pace", "fct_rounds"], on_record=told.append)
        floor = {str(name) for (name,) in db.sql("SELECT DISTINCT table_id FROM fct_rounds").fetchall()}
    sums = (tmp_path / SUMS).read_bytes()
    assert told == [Leaving(sorted(floor), sha256(sums).hexdigest())]
    lines = [f"{sha256((tmp_path / name).read_bytes()).hexdigest()}  {name}" for name in ("fct_rounds.csv", "mart_pace.csv")]
    assert sums.decode().splitlines() == lines
    with reading(path) as db:
        export(db, tmp_path, "csv", ["property"], on_record=told.append)
    assert told[1].tables == [], "the property's name tells of no table"


def test_plain_duckdb_reads_the_file(path: Path) -> None:
    """In a process that knows nothing of this project."""
    ask = "sql('SELECT sum(rounds) FROM mart_pace').fetchall()[0][0]"
    code = f"import duckdb; print(duckdb.connect({str(path)!r}, read_only=True).{ask})"
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "10"
    with duckdb.connect(str(path), read_only=True) as db:
        assert db.sql("SELECT count(*) FROM duckdb_functions() WHERE NOT internal").fetchall() == [(0,)]
