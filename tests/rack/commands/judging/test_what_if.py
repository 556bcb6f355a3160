"""`rack rounds`, `rack verify --rounds` and `rack what-if` on a simulated day."""

import json
import shutil
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from rack.cli import main
from rulebook.chapters.submission import submission_from_words
from tests.contract.backends import in_rows

pytestmark = pytest.mark.xdist_group("demo")


@pytest.fixture
def log(demo: Path, tmp_path: Path) -> str:
    for file in demo.glob("floor.db*"):
        shutil.copy(file, tmp_path)
    return f"sqlite://{tmp_path}/floor.db"


def said(capsys) -> Any:
    return json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_a_table_made_from_an_archive_is_that_of_the_log(log: str, tmp_path: Path) -> None:
    archive, rounds = f"archive://{tmp_path}/archive", tmp_path / "rounds"
    assert main(["archive", "--log", log, "--out", str(tmp_path / "archive"), "--running"]) == 0
    assert main(["rounds", "--log", archive, "--out", str(rounds)]) == 0
    assert main(["verify", "--log", log, "--rounds", str(rounds)]) == 0


@pytest.mark.slow
def test_what_other_rules_would_have_cost(log: str, tmp_path: Path, capsys) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(submission_from_words(["pa-688a", "ace_high_bonus=2", "fortune_bonus=3"]))
    words = ["what-if", str(rules), "--log", log]
    assert main([*words, "--json"]) == 0
    answer = said(capsys)
    rounds = str(tmp_path / "rounds")
    assert main(["rounds", "--log", log, "--out", rounds]) == 0
    capsys.readouterr()
    assert main([*words, "--rounds", rounds, "--workers", "2", "--json"]) == 0
    assert said(capsys) == answer
    assert answer["rounds"] == 120
    assert answer["difference_cents"] == sum(each["difference_cents"] for each in answer["by_wager"].values())
    assert answer["by_wager"]["base"]["difference_cents"] == 0
    assert main(words) == 0
    assert "rounds, " in capsys.readouterr().out
    assert main(["round", "fu-01", "2", "--log", log, "--rules", str(rules), "--json"]) in (0, 1)
    assert said(capsys)["rules_digest"] == sha256(rules.read_bytes()).hexdigest()


@pytest.mark.slow
def test_a_table_is_compared_with_its_log(log: str, tmp_path: Path, capsys) -> None:
    rounds = tmp_path / "rounds"
    assert main(["rounds", "--log", log, "--out", str(rounds)]) == 0
    assert main(["verify", "--log", log, "--rounds", str(rounds), "--json"]) == 0
    capsys.readouterr()
    (file,) = rounds.glob("rounds/*/*/*.parquet")
    file.write_bytes(file.read_bytes()[:-9] + b"tampered!")
    assert main(["verify", "--log", log, "--rounds", str(rounds)]) == 4
    assert "is not what the manifest names" in capsys.readouterr().out
    in_rows(tmp_path / "floor.db")
    with closing(sqlite3.connect(tmp_path / "floor.db")) as database, database:
        database.execute("DELETE FROM events WHERE stream = 'table/fu-01' AND seq = 30")
    assert main(["rounds", "--log", log, "--out", str(tmp_path / "others")]) == 4
    assert "LOG-GAP" in capsys.readouterr().out


def test_a_folder_without_a_table(log: str, tmp_path: Path, capsys) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(submission_from_words(["pa-688a"]))
    assert main(["what-if", str(rules), "--log", log, "--rounds", str(tmp_path / "nowhere")]) == 2
    assert "holds no round table" in capsys.readouterr().err
