"""`rack warehouse`: a build reads what is new only, and again changes nothing; export; columns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analytics.warehouse import MODELS, reading, stamp
from rack.cli import main
from rack.opening import desk, log_at, results_at
from rack.warehouse_feed import build_warehouse, revisions
from replay.replayer import findings
from tests.analytics.test_extending import contents


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("demo")
    assert main(["demo", "--rounds", "60", "--out", str(out), "--quiet"]) in (0, 1)
    return out


def log_of(folder: Path) -> str:
    return f"sqlite://{folder}/floor.db"


def test_building_again_without_anything_new_leaves_the_file_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "warehouse.duckdb"
    before = stamp(path)
    assert main(["warehouse", "build", "--log", log_of(folder), "--warehouse", str(path)]) == 0
    assert "nothing is new; generation 1: 60 rounds" in capsys.readouterr().out
    assert stamp(path) == before
    assert main(["warehouse", "build", "--log", log_of(folder), "--warehouse", str(path), "--anew", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["built"], said["generation"], said["rounds"]) == (True, 2, 60)
    assert stamp(path) != before


def test_what_was_reviewed_since_comes_in_and_only_that_is_read(folder: Path, tmp_path: Path) -> None:
    """A build that extends, after a note on a finding, holds what a build from nothing holds, and reads no verdict again."""
    path, anew = tmp_path / "w", tmp_path / "anew"
    log, results = log_at(log_of(folder), read_only=True, check_heads=False), results_at(log_of(folder), read_only=True)
    assert build_warehouse(path, log, results)
    first = findings(results)[0]
    log.close()
    with desk(log_of(folder)) as open_desk:
        open_desk.note(first.id, note="seen on camera 4", by="s.lee")
    log = log_at(log_of(folder), read_only=True, check_heads=False)
    from analytics.extending import earlier
    from rack.warehouse_feed import property_facts

    known = earlier(path, property_facts(log))
    assert known is not None
    assert list(revisions(results, known)) == []
    assert build_warehouse(path, log, results)
    assert build_warehouse(anew, log, results)
    assert not build_warehouse(path, log, results)
    log.close()
    results.close()
    with reading(path) as one, reading(anew) as other:
        assert contents(one, "stg_reviews")[0][0] == first.id
        for model in MODELS:
            assert contents(one, model) == contents(other, model), model


def test_export_and_columns(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    at = ["--warehouse", str(folder / "warehouse.duckdb")]
    assert (
        main(
            ["warehouse", "export", *at, "--out", str(tmp_path), "--format", "csv", "--tables", "fct_rounds", "--json"]
        )
        == 0
    )
    assert json.loads(capsys.readouterr().out) == {str(tmp_path / "fct_rounds.csv"): 60}
    assert main(["warehouse", "columns", *at]) == 0
    assert "fct_rounds" in capsys.readouterr().out
    assert main(["warehouse", "columns", *at, "--markdown"]) == 0
    root = Path(__file__).parents[2]
    assert capsys.readouterr().out == (root / "docs" / "warehouse.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("given", "said"), [([], "needs --out"), (["--out", "x", "--tables", "no"], "no table 'no'; the warehouse has")]
)
def test_what_cannot_be_exported(
    folder: Path,
    given: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["warehouse", "export", "--warehouse", str(folder / "warehouse.duckdb"), *given]) == 2
    assert said in capsys.readouterr().err
