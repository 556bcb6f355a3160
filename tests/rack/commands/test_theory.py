"""`rack theory`: what it shows, as text and as JSON, and what it refuses."""

import json
import subprocess
import sys

import pytest

from analytics.theory import returns as stored
from rack.cli import main

FIELDS = {
    "game", "wager", "paytable", "return_percent", "house_advantage_percent", "std_dev", "method", "std_error_percent",
    "lines", "return_percent_per_base_unit", "hit_frequency", "notices",
}  # fmt: skip


def test_json_has_every_field_of_every_wager(capsys):
    assert main(["theory", "face_up_pai_gow", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {each["wager"] for each in listed} == {"base", "ace_high_bonus", "fortune_bonus", "progressive"}
    assert all(set(each) >= FIELDS for each in listed)
    one = next(each for each in listed if (each["wager"], each["paytable"]) == ("progressive", "1"))
    assert one["return_percent"] == pytest.approx(75.751, abs=5e-4)
    assert one["method"] == "enumeration"
    assert one["lines"]["full_house"] == 4_188_528


def test_text_shows_figures_lines_and_notices(capsys):
    assert main(["theory", "face_up_pai_gow", "--lines"]) == 0
    shown = capsys.readouterr().out
    assert "face_up_pai_gow  progressive " in shown
    assert "7,672,500" in shown
    assert "face_up_pai_gow progressive 7: returns 121.856 %" in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chess"], "chess: no game with returns is called so; expected one of"),
        (["--chapter", "pa-1"], "pa-1: no such chapter; expected one of"),
        (["--rounds", "5"], "--rounds needs --compute"),
        (["--compute", "nothing"], "nothing: no such table; expected some of seven_cards"),
    ],
)
def test_what_is_not_there_is_refused(arguments, said, capsys):
    assert main(["theory", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_compute_writes_a_table_again(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(stored, "FOLDER", tmp_path)
    assert main(["theory", "--compute", "dice", "--json", "--quiet"]) == 0
    (path,) = json.loads(capsys.readouterr().out)
    assert json.loads((tmp_path / "dice.json").read_text())["total"] == 216
    assert path == str(tmp_path / "dice.json")


def test_the_figures_are_read_without_what_compiles():
    script = (
        "import sys\nfrom rack.cli import main\nmain(['theory', '--json'])\n"
        "print([name for name in ('numba', 'numpy', 'duckdb', 'polars') if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"
