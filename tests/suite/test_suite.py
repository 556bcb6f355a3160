"""The open suite: its form, its runner, and the engine that was written from the text alone."""

import json
import os
import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from rulebook.cards.ranking import LINES_BY_RANK
from suite import export, random_layouts, random_rounds, rounds
from suite.engine import answer

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ["node", str(ROOT / "suite/engines/pa_688a.mjs")]
needs_node = pytest.mark.skipif(
    shutil.which("node") is None and "CI" not in os.environ, reason="needs Node, which .ci/run installs"
)


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    return list(export.suite())


@pytest.mark.slow
def test_every_case_has_the_form_of_the_schema_and_the_judge_answers_as_expected(cases: list[dict[str, Any]]) -> None:
    schema = json.loads((ROOT / "suite/schema/case.schema.json").read_text())
    validator = Draft202012Validator(schema)
    some = cases[::25]
    assert [list(validator.iter_errors(case)) for case in some] == [[]] * len(some)
    assert len({case["id"] for case in cases}) == len(cases)
    assert [(case["id"], rounds.outcome(case, answer(case))) for case in some] == [(case["id"], ("same", "")) for case in some]


@needs_node
def test_an_engine_written_from_the_text_alone_differs_only_where_it_is_explained(cases: list[dict[str, Any]]) -> None:
    of_688a = [case for case in cases if case["id"].startswith("688a/")]
    table = tomllib.loads((ROOT / "suite/engines/pa_688a.toml").read_text())
    found = [
        (case["id"], rounds.outcome(case, said)[0]) for case, said in zip(of_688a, rounds.answers(ENGINE, of_688a), strict=True)
    ]
    assert sorted(name for name, what in found if what == "different") == sorted(
        name for reason in table.values() for name in reason["cases"]
    )
    assert sum(what == "same" for _, what in found) > 150


@pytest.mark.slow
@needs_node
def test_random_rounds_come_to_the_same_in_both() -> None:
    compared, _, differences = random_rounds.compare(ENGINE, 200, seed=2)
    assert compared > 1_000
    assert [(case["text"], *rest) for case, *rest in differences] == []


@pytest.mark.slow
@needs_node
@pytest.mark.parametrize("layouts", [5_000, pytest.param(20_000, marks=pytest.mark.nightly)])
def test_random_layouts_come_to_the_same_dues_in_both_and_hold_everything_rare(layouts: int) -> None:
    seen, read, compared = random_layouts.compare([*ENGINE, "--layouts"], layouts, seed=2)
    assert compared > 6 * layouts
    assert set(read) <= {"D9", "D15"}
    lines = {f"fortune_bonus: {'tie' if line == 'three_pair' else 'win'} {line}" for line in LINES_BY_RANK}
    ace_high = {f"ace_high_bonus: win {line}" for line in ("both_ace_high", "dealer_ace_high_joker", "dealer_ace_high_no_joker")}
    base = {f"base: {outcome} " for outcome in ("win", "tie", "lose", "foul", "surrendered", "ace_high_push")}
    envy = {line.replace("bonus: win", "envy: win") for line in lines if line.split()[-1] in ENVY}
    assert lines - {"fortune_bonus: win five_of_a_kind"} | ace_high | base | envy <= set(seen)


ENVY = {*LINES_BY_RANK[: LINES_BY_RANK.index("four_of_a_kind") + 1]} - {"five_of_a_kind"}


@pytest.mark.slow
@pytest.mark.sampled(3)
@needs_node
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("stake >= QUALIFYING_CENTS", "stake > QUALIFYING_CENTS"),
        ("compare(high, low) < 0", "compare(high, low) <= 0"),
        ("above > 0 && below > 0", "above >= 0 && below > 0"),
    ],
)
def test_random_layouts_find_another_reading(right: str, wrong: str, tmp_path: Path) -> None:
    text = Path(ENGINE[1]).read_text()
    assert right in text
    other = tmp_path / "other.mjs"
    other.write_text(text.replace(right, wrong))
    with pytest.raises(random_layouts.DuesDifferError, match=r"(?s)seat .* here, .* there.*TableLayout"):
        random_layouts.compare(["node", str(other), "--layouts"], 20_000, seed=2)


CASE = {
    "id": "x/1",
    "title": "t",
    "chapter": "x",
    "section": "1",
    "rounds": [{}],
    "expect": [
        {
            "verdict": "VARIANCE",
            "due": [{"seat": 1, "wager": "base", "cents": 100}],
            "findings": [{"code": "PAY", "seat": 1, "wager": "base", "difference_cents": -5, "section": "1"}],
        }
    ],
}
FOUND = {"code": "PAY", "seat": 1, "wager": "base", "difference_cents": -5, "section": "Text § 1"}
ALL = {"verdict": "VARIANCE", "due": [{"seat": 1, "wager": "base", "cents": 100}], "findings": [FOUND]}


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ({"rounds": [ALL]}, "same"),
        ({"declined": "why"}, "declined"),
        ({"rounds": [{}]}, "silent"),
        ({"rounds": [{"due": []}]}, "silent"),
        ({"rounds": [ALL | {"verdict": "UPHELD"}]}, "different"),
        ({"rounds": [ALL | {"due": [{"seat": 1, "wager": "base", "cents": None}]}]}, "different"),
        ({"rounds": [ALL | {"findings": []}]}, "different"),
        ({"rounds": [ALL | {"findings": [FOUND, FOUND]}]}, "different"),
        ({"rounds": [ALL | {"findings": [FOUND | {"difference_cents": -4}]}]}, "different"),
        ({"rounds": [ALL | {"findings": [FOUND | {"section": "Text § 11"}]}]}, "different"),
    ],
)
def test_what_an_answer_comes_to(said: dict[str, Any], outcome: str) -> None:
    assert rounds.outcome(CASE, said)[0] == outcome


@pytest.mark.parametrize(
    ("engine", "code"),
    [
        ('import sys\nfor line in sys.stdin: print(\'{"id": "x/1", "declined": "no"}\', flush=True)', 0),
        ('print(\'{"id": "x/2"}\', flush=True)', 3),
        ("pass", 3),
    ],
    ids=["declines", "answers something else", "ends"],
)
def test_the_runner(engine: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite = tmp_path / "rounds.jsonl"
    suite.write_text(json.dumps(CASE) + "\n")
    assert rounds.main(["run", "--suite", str(suite), "--", sys.executable, "-c", engine]) == code
    assert ("x        all" in capsys.readouterr().out) == (code == 0)
