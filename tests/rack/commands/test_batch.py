"""`rack rounds`, `rack verify --rounds` and `rack replay --batch` on a simulated day."""

from __future__ import annotations

import json
import shutil
import sqlite3
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from events.sqlite.results import SqliteResults
from games.rulebook.submission import submission_from_words
from rack.cli import main
from rack.errors import UsageError
from rack.settings import dask_tls

pytestmark = pytest.mark.kernels


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("demo")
    main(["demo", "--rounds", "120", "--out", str(out), "--quiet"])
    return out


@pytest.fixture
def log(demo: Path, tmp_path: Path) -> str:
    for file in demo.glob("floor.db*"):
        shutil.copy(file, tmp_path)
    return f"sqlite://{tmp_path}/floor.db"


def said(capsys) -> Any:
    return json.loads(capsys.readouterr().out)


def verdicts(folder: Path) -> dict[str, list[tuple[str, bytes]]]:
    store = SqliteResults(folder / "floor.db.verdicts", read_only=True)
    found = {kind: sorted(store.results(kind)) for kind in ("adjudications", "findings", "ledger")}
    store.close()
    return found


def test_a_batch_stores_what_the_replay_of_the_demo_stored(log: str, tmp_path: Path, capsys) -> None:
    expected = verdicts(tmp_path)
    for file in tmp_path.glob("floor.db.verdicts*"):
        file.unlink()
    assert main(["rounds", "--log", log, "--out", str(tmp_path / "rounds"), "--json"]) == 0
    made = said(capsys)
    assert main(["replay", "--batch", "--log", log, "--rounds", str(tmp_path / "rounds"), "--json"]) == 1
    done = said(capsys)
    assert verdicts(tmp_path) == expected
    assert (done["rounds"], done["upheld_in_columns"] + done["event_replayed"]) == (120, made["rounds"])
    assert main(["replay", "--log", log, "--json"]) == 1
    assert said(capsys)["changed"] == 0
    assert main(["replay", "--batch", "--log", log]) == 2
    assert "hold verdicts already" in capsys.readouterr().err


def test_a_batch_makes_a_table_where_none_is_named(log: str, tmp_path: Path, capsys) -> None:
    expected = verdicts(tmp_path)
    for file in tmp_path.glob("floor.db.verdicts*"):
        file.unlink()
    assert main(["replay", "--batch", "--log", log, "--workers", "1"]) == 1
    assert "rounds upheld in columns" in capsys.readouterr().err
    assert verdicts(tmp_path) == expected


def test_a_table_made_from_an_archive_is_that_of_the_log(log: str, tmp_path: Path, capsys) -> None:
    archive, rounds, stored = (
        f"archive://{tmp_path}/archive",
        tmp_path / "rounds",
        tmp_path / "again" / "floor.db.verdicts",
    )
    stored.parent.mkdir()
    assert main(["archive", "--log", log, "--out", str(tmp_path / "archive"), "--running"]) == 0
    assert main(["rounds", "--log", archive, "--out", str(rounds)]) == 0
    assert main(["verify", "--log", log, "--rounds", str(rounds)]) == 0
    assert main(["replay", "--batch", "--log", archive, "--rounds", str(rounds), "--verdicts", str(stored)]) == 1
    assert verdicts(stored.parent) == verdicts(tmp_path)


def test_what_other_rules_would_have_cost(log: str, tmp_path: Path, capsys) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(submission_from_words(["pa-688a", "ace_high_bonus=2", "fortune_bonus=3"]))
    words = ["replay", "--batch", "--log", log, "--rules", str(rules)]
    assert main([*words, "--json"]) == 0
    answer = said(capsys)
    assert answer["rounds"] == 120
    assert answer["difference_cents"] == sum(each["difference_cents"] for each in answer["by_wager"].values())
    assert answer["by_wager"]["base"]["difference_cents"] == 0
    assert main(words) == 0
    assert "rounds, " in capsys.readouterr().out
    assert main(["round", "fu-01", "2", "--log", log, "--rules", str(rules), "--json"]) in (0, 1)
    assert said(capsys)["rules_digest"] == sha256(rules.read_bytes()).hexdigest()


def test_a_table_is_compared_with_its_log(log: str, tmp_path: Path, capsys) -> None:
    rounds = tmp_path / "rounds"
    assert main(["rounds", "--log", log, "--out", str(rounds)]) == 0
    assert main(["verify", "--log", log, "--rounds", str(rounds), "--json"]) == 0
    capsys.readouterr()
    (file,) = rounds.glob("rounds/*/*/*.parquet")
    file.write_bytes(file.read_bytes()[:-9] + b"tampered!")
    assert main(["verify", "--log", log, "--rounds", str(rounds)]) == 4
    assert "is not what the manifest names" in capsys.readouterr().out
    with sqlite3.connect(tmp_path / "floor.db") as database:
        database.execute("DROP TRIGGER events_stay")
        database.execute("DELETE FROM events WHERE stream = 'table/fu-01' AND seq = 30")
    database.close()
    assert main(["rounds", "--log", log, "--out", str(tmp_path / "others")]) == 4
    assert "LOG-GAP" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (["--batch", "--again"], "leave out --as-of, --again, --follow and --group"),
        (["--batch", "--follow"], "leave out --as-of, --again, --follow and --group"),
        (["--batch", "--group", "g"], "--group"),
        (["--rounds", "somewhere"], "need --batch"),
        (["--engine", "dask"], "need --batch"),
        (["--batch", "--scheduler", "tls://there:8786"], "needs --engine dask"),
        (["--batch", "--engine", "dask", "--scheduler", "tcp://there:8786", "--rounds", "R"], "by tls:// only"),
        (["--batch", "--engine", "dask", "--scheduler", "tls://there:8786", "--rounds", "R"], "needs RACK_DASK_CA"),
        (["--batch", "--rounds", "nowhere"], "holds no round table"),
    ],
)
def test_what_does_not_go_together(words: list[str], wrong: str, log: str, tmp_path: Path, capsys, monkeypatch) -> None:
    for name in ("RACK_DASK_CA", "RACK_DASK_CERTIFICATE", "RACK_DASK_KEY"):
        monkeypatch.delenv(name, raising=False)
    if words[-1] == "R":
        main(["rounds", "--log", log, "--out", str(tmp_path / "rounds")])
        words = [*words[:-1], str(tmp_path / "rounds")]
    assert main(["replay", "--log", log, *words]) == 2
    assert wrong in capsys.readouterr().err


def test_some_of_the_files_for_tls_are_not_enough() -> None:
    with pytest.raises(UsageError, match="needs all of"):
        dask_tls({"RACK_DASK_CA": "ca.pem"})
