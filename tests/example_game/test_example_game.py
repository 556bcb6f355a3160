"""The example game, added by its package alone (docs/adding-a-game.md) and without a change to what judges."""

import json
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from floor.day import gaming_day
from rack.cli import main
from replay.narrative.findings import finding_title
from replay.narrative.names import wager_name
from replay.rules.order import rules_in_order
from replay.rules.rule import EVERY_CHAPTER
from rulebook.catalogue import GAMES, add_game, remove_game
from rulebook.chapters.chapters import RulesRefused, known_chapters
from rulebook.chapters.rulebook import parse_submission, simple_submission
from tests.example_game import simulation
from tests.golden.rounds import GoldenCase, read_cases, run
from tests.whatif.simulated_log import SimulatedLog
from whatif.round_table import RoundTable, build
from whatif.what_if import what_if
from whatif.workers.pool import ThisProcess

HERE = Path(__file__).parent
CASES = read_cases(HERE / "rounds" / "high_card.rounds")


@pytest.fixture(scope="module", autouse=True)
def high_card_added() -> Iterator[None]:
    """Add the game, as its distribution would."""
    add_game("tests.example_game")
    yield
    remove_game("high_card")


def test_what_adjudicates_names_no_game() -> None:
    text = (HERE.parents[1] / "replay" / "run" / "adjudicate.py").read_text()
    numbers = [key.partition("-")[2] for key in known_chapters()]
    assert [name for name in (*GAMES, *numbers) if name in text] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.line))
def test_its_rounds(case: GoldenCase) -> None:
    assert run(case) == [], case.title


def test_its_findings_cite_its_own_sections() -> None:
    book = parse_submission(simple_submission("pa-700a"))
    holding = [each for each in rules_in_order() if each.holds_in(book.chapter)]
    assert {"DEAL-NOBETS", "HC-TURN"} <= {code for each in holding for code in each.codes}
    for each in holding:
        if each.on != EVERY_CHAPTER:
            (section, *_) = (on for on in each.on if book.has(on))
            assert str(book.cite(section)).startswith("58 Pa. Code § 700a."), each.codes


@pytest.mark.parametrize(
    ("wrong", "section"),
    [
        ({"deal_method": "hand"}, "58 Pa. Code § 700a.8(a)"),
        ({"paytables": {"pair_plus": "B"}}, "58 Pa. Code § 700a.12(b)"),
        ({"equal_hands": "win"}, "§ 700a.11(b)"),
    ],
)
def test_a_submission_that_it_does_not_allow_is_refused(wrong: dict[str, str], section: str) -> None:
    with pytest.raises(RulesRefused) as refused:
        parse_submission(simple_submission("pa-700a", **wrong))
    assert section in str(refused.value)


@pytest.mark.slow
def test_everything_planted_on_its_floor_is_found_and_nothing_else(tmp_path: Path) -> None:
    """From the simulated devices through log, replay and warehouse: everything as `rack demo` does it."""
    code = main(["demo", "--games", "high_card", "--rounds", "300", "--out", str(tmp_path), "--quiet"])
    found = json.loads((tmp_path / "demo.json").read_text())
    assert (found["missed_faults"], found["false_alarm_findings"], code) == ([], [], 0)
    assert set(found["planted"]) == set(simulation.ANOMALIES.faults)
    assert found["verdicts"]["VOID"] == found["legitimate"]["void"] > 0


@pytest.mark.slow
def test_its_wagers_are_held_against_theory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--games", "high_card", "--rounds", "60", "--out", str(tmp_path), "--quiet"]) == 0
    capsys.readouterr()
    warehouse = str(tmp_path / "warehouse.duckdb")
    main(["hold", "theory", "--by", "game", "--warehouse", warehouse, "--json"])  # rare hands are stacked: an alarm is due
    compared = {row["wager"]: row for row in json.loads(capsys.readouterr().out)}
    assert set(compared) == {"base", "pair_plus"}
    assert {row["verdict"] for row in compared.values()}.isdisjoint({"no_theory"})


@pytest.mark.slow
def test_its_own_wager_and_finding_have_their_titles_on_the_way_to_the_pages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wager and a code that no game of this project has: from the devices through log and replay to warehouse and text."""
    main(["demo", "--games", "high_card", "--rounds", "150", "--out", str(tmp_path), "--quiet"])
    with duckdb.connect(str(tmp_path / "warehouse.duckdb"), read_only=True) as db:
        assert db.sql("SELECT DISTINCT wager FROM fct_wagers ORDER BY wager").fetchall() == [("ante",), ("pair_plus",)]
        found = "SELECT table_id, round_no FROM fct_findings WHERE code = 'HC-TURN' AND severity = 'low' ORDER BY round_no"
        table, number = db.sql(found).fetchall()[0]
    capsys.readouterr()
    assert main(["round", table, str(number), "--log", f"sqlite://{tmp_path}/floor.db"]) == 1
    shown = capsys.readouterr().out
    assert "pair_plus" in shown
    assert "Pair Plus" in shown
    assert "Dealer not last" in shown
    assert (finding_title("HC-TURN"), wager_name("pair_plus")) == ("Dealer not last", "Pair Plus")


def test_its_recorded_rounds_are_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "dispute.txt").write_text(CASES[4].transcript)
    assert main(["judge", str(tmp_path / "dispute.txt")]) == 1
    assert "PAY-UNDER" in capsys.readouterr().out


def test_its_rounds_are_settled_from_their_rows(tmp_path: Path) -> None:
    """With nothing of its own: by the rules on file, what is settled is what was due, of most rounds."""
    log = SimulatedLog(gaming_day.simulate(11, 200, games=["high_card"]).groups())
    build(log, tmp_path)
    (text,) = RoundTable(tmp_path).rules().values()
    answer = what_if(log, RoundTable(tmp_path), parse_submission(text), ThisProcess())
    assert 0 < answer.event_replayed < 60 < answer.rounds
    assert {wager.difference_cents for wager in answer.by_wager.values()} == {0}
