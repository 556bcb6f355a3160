"""`rack find`: the same answer as the page of disputes, of rounds and of what people wrote."""

import json
from pathlib import Path
from typing import Any

import pytest

from desk.review.desk import desk_at
from rack.cli import main
from tests.dashboards import living
from tests.dashboards.living import Living


@pytest.fixture
def floor(tmp_path: Path) -> Living:
    floor = living.make(tmp_path)
    floor.rack("case", "open", "fu-01", "1", "--by", "m.ortiz", "--claim", "the bonus was short", code=0)
    return floor


def find(capsys: pytest.CaptureFixture[str], floor: Living, *words: str, code: int = 0) -> Any:
    capsys.readouterr()
    assert main(["find", *words, "--log", floor.log, "--warehouse", str(floor.warehouse)]) == code
    said = capsys.readouterr()
    return json.loads(said.out) if "--json" in words else said.out + said.err


def test_a_sentence_finds_its_round(floor: Living, capsys: pytest.CaptureFixture[str]) -> None:
    words = "seat 3 at FU-01, $10 on the ace high bonus, had ace queen"
    said = find(capsys, floor, *words.split())
    assert "Searched for: table FU-01; seat 3; Ace High Bonus; $10.00; cards an ace, a queen." in said
    assert "2 rounds fit." in said
    assert "FU-01 · Round 1" in said
    found = find(capsys, floor, words, "--json")
    assert [each["round_no"] for each in found["rounds"]["fits"]] == [1, 2]
    assert found["understood"] == ["table FU-01", "seat 3", "Ace High Bonus", "$10.00", "cards an ace, a queen"]


def test_where_nothing_fits_that_is_said(floor: Living, capsys: pytest.CaptureFixture[str]) -> None:
    said = find(capsys, floor, "seat 3 at FU-01, $77 on the ace high bonus", code=1)
    assert "No round fits. 2 rounds nearly do." in said
    assert "✗ no $77.00 at seat 3" in said


def test_what_somebody_wrote_is_found(floor: Living, capsys: pytest.CaptureFixture[str]) -> None:
    assert "FU-01-C1: “the bonus was short” (open)" in find(capsys, floor, "BONUS", "short")
    assert "FU-01-C1" in find(capsys, floor, "fu-01-c1")


def test_words_that_find_nothing(floor: Living, capsys: pytest.CaptureFixture[str]) -> None:
    said = find(capsys, floor, "xyzzy", code=1)
    assert "Ignored: xyzzy." in said
    assert "no text on record has these words" in said


def test_ids_are_taken_in_any_case(floor: Living, capsys: pytest.CaptureFixture[str]) -> None:
    floor.rack("review", "list", "FU-01", code=1)
    floor.rack("round", "FU-01", "1", code=1)
    with desk_at(floor.log, read_only=True) as at:
        finding = at.cases()[0].finding.id
    floor.rack("review", "show", finding[:10].upper(), code=0)
    floor.rack("case", "show", "FU-01-C1", code=0)
    floor.rack("case", "show", "fu-01-c1", code=0)
    floor.rack("review", "show", f"{finding[:10]}z", code=2)
