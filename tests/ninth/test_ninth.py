"""A ninth game, added as docs/adding-a-game.md says and without a change to what judges: the smallest whole example.

Its files would lie in `games/rulebook/rules/pa`, `games`, `replay`, `floor` and `tests/golden`; here a fixture puts them there.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from floor.wings import WINGS
from games.catalogue import GAMES
from games.rulebook import chapters
from games.rulebook.chapters import RulesRefused
from games.rulebook.rulebook import parse_submission, simple_submission
from rack.cli import main
from replay.rules.catalogue import add_game_rules, remove_game_rules
from replay.rules.order import rules_in_order
from replay.rules.rule import EVERY_CHAPTER
from tests.golden.rounds import Case, read_cases, run
from tests.ninth import floor, high_card, rules

HERE = Path(__file__).parent
CASES = read_cases(HERE / "high_card.rounds")


@pytest.fixture(scope="module", autouse=True)
def high_card_is_there() -> Iterator[None]:
    """Put the chapter, the line in the catalogue, the rules and the wing in their places."""
    table, listed = chapters._table, {**chapters._chapters()}
    with pytest.MonkeyPatch.context() as patch:
        own = tomllib.loads((HERE / "700a.toml").read_text())
        patch.setattr(chapters, "_table", lambda where, name: own if name == "700a" else table(where, name))
        patch.setattr(chapters, "_chapters", lambda: listed | {"pa": (*listed["pa"], "700a")})
        patch.setitem(GAMES, "high_card", high_card.GAME)
        patch.setitem(WINGS, "high_card", floor.HIGH_CARD)
        add_game_rules(rules.GAME_RULES)
        chapters.known_chapters.cache_clear()
        yield
        remove_game_rules("high_card")
    chapters.known_chapters.cache_clear()


def test_what_adjudicates_names_no_game() -> None:
    text = (HERE.parents[1] / "replay" / "run" / "adjudicate.py").read_text()
    numbers = [key.partition("-")[2] for key in chapters.known_chapters()]
    assert [name for name in (*GAMES, *numbers) if name in text] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.line))
def test_its_rounds(case: Case) -> None:
    assert run(case) == [], case.title


def test_its_findings_cite_its_own_sections() -> None:
    book = parse_submission(simple_submission("pa-700a"))
    holding = [each for each in rules_in_order() if each.holds_in(book.chapter)]
    assert {"DEAL-NOBETS", "PLAY-ORDER"} <= {code for each in holding for code in each.codes}
    for each in holding:
        if each.on != EVERY_CHAPTER:
            (section, *_) = (on for on in each.on if book.has(on))
            assert str(book.cite(section)).startswith("58 Pa. Code § 700a."), each.codes


@pytest.mark.parametrize(
    ("wrong", "section"),
    [
        ({"deal_method": "hand"}, "58 Pa. Code § 700a.8(a)"),
        ({"paytables": {"bonus": "B"}}, "58 Pa. Code § 700a.12(b)"),
        ({"equal_hands": "win"}, "§ 700a.11(b)"),
    ],
)
def test_a_submission_that_it_does_not_allow_is_refused(wrong: dict[str, str], section: str) -> None:
    with pytest.raises(RulesRefused) as refused:
        parse_submission(simple_submission("pa-700a", **wrong))
    assert section in str(refused.value)


def test_everything_planted_on_its_floor_is_found_and_nothing_else(tmp_path: Path) -> None:
    """From the simulated devices through log, replay and warehouse: everything as `rack demo` does it."""
    code = main(["demo", "--games", "high_card", "--rounds", "300", "--out", str(tmp_path), "--quiet"])
    found = json.loads((tmp_path / "demo.json").read_text())
    assert (found["missed_faults"], found["false_alarm_findings"], code) == ([], [], 0)
    assert set(found["planted"]) == set(floor.IRREGULARS.faults)
    assert found["verdicts"]["VOID"] == found["legitimate"]["void"] > 0


def test_its_recorded_rounds_are_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "dispute.txt").write_text(CASES[4].transcript)
    assert main(["judge", str(tmp_path / "dispute.txt")]) == 1
    assert "PAY-UNDER" in capsys.readouterr().out
