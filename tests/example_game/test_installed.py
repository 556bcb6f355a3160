"""A game that another installed distribution brings: its entry point is read by every process, and its code names the engine."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from replay.run.engine import engine
from replay.run.outside_code import outside_packages
from rulebook.catalogue import add_game, remove_game
from tests.example_game.variants import CHAPTER, lay_out, new_package

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PACKAGE = "high_card_game"
UNDERPAID = """
rules   pa-700a pair_plus=A
wager   seat=2 ante 10.00
deal    dealer=Qs Jd  seat2=Ah Kh
pay     seat=2 ante 5.00
"""


def install(site: Path, package: str = PACKAGE) -> Path:
    """Lay a distribution of the example game into a folder, as an installer would; return the folder."""
    metadata = site / "high_card_game-1.0.dist-info"
    metadata.mkdir(parents=True)
    lay_out(site, PACKAGE)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: high-card-game\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[discard_rack.games]\nhigh_card = {package}\n")
    return site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("site"))


def python(site: Path, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run Python if the distributions of a folder are installed, expecting an exit code."""
    environment = os.environ | {"PYTHONPATH": f"{site}{os.pathsep}{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=site, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == code, done.stderr
    return done


def rack(site: Path, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    return python(site, "-m", "rack.cli", *arguments, code=code)


@pytest.fixture(scope="module")
def log(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of a day at which only this game was played, judged by no one."""
    folder = tmp_path_factory.mktemp("log")
    day, address = folder / "day.jsonl", f"sqlite://{folder}/floor.db"
    rack(site, "simulate", "--games", "high_card", "--rounds", "60", "--out", str(day), "--plant", "nothing")
    rack(site, "ingest", f"{day}.office.jsonl", "--office", "--log", address, "--property", "example", "--quiet")
    rack(site, "ingest", str(day), "--log", address, "--property", "example", "--quiet")
    return folder / "floor.db"


def engine_of(site: Path) -> str:
    """The engine as a worker of a cluster names it."""
    return python(site, "-c", "from whatif.workers.cluster import software; print(software())").stdout.strip()


def test_its_rounds_are_judged(site: Path, tmp_path: Path) -> None:
    (tmp_path / "dispute.txt").write_text(UNDERPAID)
    judged = rack(site, "judge", str(tmp_path / "dispute.txt"), code=1).stdout
    assert "PAY-UNDER" in judged
    assert "58 Pa. Code § 700a.12(a)" in judged


def test_its_returns_are_counted(site: Path) -> None:
    returns = json.loads(rack(site, "theory", "high_card", "--json").stdout)
    assert {row["wager"] for row in returns} == {"base", "pair_plus"}
    assert {row["game"] for row in returns} == {"high_card"}


@pytest.mark.slow
def test_its_days_are_simulated_and_judged_by_several_processes(site: Path, log: Path, tmp_path: Path) -> None:
    """The processes are started again: each adds the game for itself, and all name the same engine."""
    shutil.copy(log, tmp_path)
    judged = rack(site, "replay", "--workers", "2", "--log", f"sqlite://{tmp_path}/floor.db", "--json", "--quiet")
    assert json.loads(judged.stdout)["verdicts"]["UPHELD"] >= 50


@pytest.mark.slow
def test_the_pages_know_it(site: Path) -> None:
    program = (
        "from streamlit.testing.v1 import AppTest\n"
        f"AppTest.from_file({str(ROOT / 'dashboards' / 'start' / 'pages.py')!r}, default_timeout=60).run()\n"
        "from replay.narrative.names import game_name\n"
        "assert game_name('high_card') == 'High Card'"
    )
    python(site, "-c", program)


def test_without_the_distribution_there_is_no_such_game(tmp_path: Path) -> None:
    refused = rack(tmp_path, "simulate", "--games", "high_card", "--out", str(tmp_path / "day.jsonl"), code=2)
    assert "no simulated game is named 'high_card'" in refused.stderr


@pytest.mark.parametrize(
    ("package", "problem"), [("no_such_package", "ModuleNotFoundError"), (f"{PACKAGE}.rules", "ModuleNotFoundError")]
)
def test_a_game_that_cannot_be_added_is_named(tmp_path: Path, package: str, problem: str) -> None:
    refused = rack(install(tmp_path / "site", package), "theory", code=3)
    assert refused.stderr.startswith(f"rack: the game high_card of high-card-game ({package}) could not be added: {problem}")
    assert "correct or uninstall high-card-game" in refused.stderr


@pytest.mark.slow
def test_a_game_that_fails_in_a_round_is_named_with_file_and_line(log: Path, tmp_path: Path) -> None:
    """No defect of Discard Rack, whoever judged: this process, or one of several."""
    broken = install(tmp_path / "broken")
    source = broken / PACKAGE / "settle.py"
    head, rest = source.read_text().split("    return [\n", 1)
    source.write_text(f"{head}    1 / 0\n    return [\n{rest}")
    line = head.count("\n") + 1
    (tmp_path / "dispute.txt").write_text(UNDERPAID)
    address = f"sqlite://{shutil.copy(log, tmp_path)}"
    for words in (["judge", str(tmp_path / "dispute.txt")], ["replay", "--workers", "2", "--log", address, "--quiet"]):
        refused = rack(broken, *words, code=3)
        assert f"raised by the game high_card ({source}, line {line}); correct or uninstall it" in refused.stderr


@pytest.mark.parametrize(
    ("part", "words"),
    [("simulation.py", ["simulate", "--out", "day.jsonl", "--games", "high_card"]), ("returns.py", ["theory", "high_card"])],
)
def test_a_game_without_simulation_or_returns_is_refused_as_that(part: str, words: list[str], tmp_path: Path) -> None:
    (install(tmp_path) / PACKAGE / part).unlink()
    said = rack(tmp_path, *words, code=2).stderr
    assert ("no simulated game is named" if part == "simulation.py" else "no game with returns is") in said


def test_a_wager_for_which_a_game_returns_no_due_is_undetermined(tmp_path: Path) -> None:
    source = install(tmp_path) / PACKAGE / "settle.py"
    source.write_text(source.read_text().replace("    return [\n", "    return []\n    return [\n", 1))
    (tmp_path / "dispute.txt").write_text(UNDERPAID)
    judged = rack(tmp_path, "judge", str(tmp_path / "dispute.txt")).stdout
    assert "UNDETERMINED because what is due on the Ante of seat 2 is not known" in judged
    assert "the game High Card returns no due for it" in judged
    assert "PAY-" not in judged


def test_two_distributions_of_one_game_are_refused(tmp_path: Path) -> None:
    metadata = install(tmp_path) / "high_card_game-1.0.dist-info"
    second = tmp_path / "second_game-1.0.dist-info"
    shutil.copytree(metadata, second)
    (second / "METADATA").write_text("Metadata-Version: 2.1\nName: second-game\nVersion: 1.0\n")
    (second / "entry_points.txt").write_text(f"[discard_rack.games]\nz_second = {PACKAGE}\n")
    refused = rack(tmp_path, "theory", code=3)
    assert "the game z_second of second-game" in refused.stderr
    assert "there is a game high_card already" in refused.stderr


@pytest.mark.slow
def test_the_engine_is_named_after_the_code_of_an_installed_game(site: Path, tmp_path: Path) -> None:
    same, ours = install(tmp_path / "same"), engine_of(site)
    assert engine_of(same) == ours != engine()
    for number, file in enumerate(("rules.py", "settle.py", CHAPTER)):
        other = install(tmp_path / str(number))
        with (other / PACKAGE / file).open("a") as source:
            source.write("\n# changed\n")
        assert engine_of(other) != ours, file


def test_the_engine_is_named_after_the_chapters_of_an_added_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    text = (HERE / CHAPTER).read_text()
    later = text.replace("effective = 2024-01-01", "effective = 2024-01-02")
    engines = [engine()]
    for number, package in enumerate((new_package(tmp_path), new_package(tmp_path, {CHAPTER: later}))):
        add_game(package)
        engines.append(engine())
        assert outside_packages() == (package,), number
        remove_game("high_card")
    assert engine() == engines[0]
    assert len({*engines}) == 3


def test_judging_by_event_replay_needs_no_compiler_for_it(site: Path) -> None:
    program = (
        "import sys\nfrom replay.installed_games import add_installed_games\nadd_installed_games()\n"
        "sys.exit(' '.join({'duckdb', 'numba', 'polars', 'streamlit'} & set(sys.modules)) or None)"
    )
    python(site, "-c", program)
