"""`rack replay --workers`: several processes store what one stores, and say the same."""

import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from events.sqlite.results import SqliteResults
from rack.cli import main
from rack.errors import UsageError
from rack.settings import dask_tls

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("demo")]


def test_two_workers_judge_a_history_as_one_does(demo: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    for file in demo.glob("floor.db*"):
        shutil.copy(file, tmp_path)
    log, file = f"sqlite://{tmp_path}/floor.db", tmp_path / "two.verdicts"
    capsys.readouterr()
    assert main(["replay", "--log", log, "--verdicts", str(file), "--workers", "2", "--json"]) == 1
    two = json.loads(capsys.readouterr().out)
    assert main(["replay", "--log", log, "--verdicts", str(tmp_path / "one.verdicts"), "--json"]) == 1
    assert two == json.loads(capsys.readouterr().out)
    stored = []
    for name in ("one.verdicts", "two.verdicts", "floor.db.verdicts"):
        with closing(SqliteResults(tmp_path / name, read_only=True)) as results:
            stored.append({stream: list(results.stored(stream)) for stream in results.chain_heads()})
    assert stored[0] == stored[1] == stored[2] != {}
    assert main(["replay", "--log", log, "--verdicts", str(file), "--workers", "2", "--again", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["changed"] == 0


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (["--engine", "dask", "--follow"], "leave out --follow"),
        (["--scheduler", "tls://there:8786"], "needs --engine dask"),
        (["--engine", "dask", "--scheduler", "tcp://there:8786"], "by tls:// only"),
        (["--engine", "dask", "--scheduler", "tls://there:8786"], "needs RACK_DASK_CA"),
        (["--workers", "2", "--follow"], "leave out --follow"),
        (["--workers", "2", "--as-of", "table/fu-01=3"], "leave out --follow, --as-of"),
    ],
)
def test_what_does_not_go_together(
    words: list[str], wrong: str, demo: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("RACK_DASK_CA", "RACK_DASK_CERTIFICATE", "RACK_DASK_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert main(["replay", "--log", f"sqlite://{demo}/floor.db", *words]) == 2
    assert wrong in capsys.readouterr().err


def test_some_of_the_files_for_tls_are_not_enough() -> None:
    with pytest.raises(UsageError, match="needs all of"):
        dask_tls({"RACK_DASK_CA": "ca.pem"})
