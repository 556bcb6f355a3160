"""`rack fairness`: tests and counts, as text and as JSON."""

import json

import pytest

from rack.cli import main
from tests.dashboards import sample


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(sample.make(tmp_path_factory.mktemp("fairness") / "warehouse.duckdb"))


def test_tests_as_json_and_as_text(warehouse: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fairness", "--warehouse", warehouse, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["verdict"] for row in rows} == {"cannot_tell"}
    assert main(["fairness", "--warehouse", warehouse]) == 0
    assert "inconclusive: 2 observed, too few to test" in capsys.readouterr().out


def test_counts(warehouse: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fairness", "counts", "--family", "die", "--by", "dice_set", "--warehouse", warehouse]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["dice", "set", "die", "value", "observed", "expected"]
    assert lines[1].split() == ["dice-7", "any", "1", "1", "1.00"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--by", "dealer"], "expected one of property, game, table, dice_set, deck"),
        (["counts", "--family", "lag"], "expected one of die, total"),
        (["--dealer", "d-01"], "leave out --dealer"),
    ],
)
def test_what_cannot_be_asked_is_refused(given: list[str], said: str, warehouse: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fairness", *given, "--warehouse", warehouse]) == 2
    assert said in capsys.readouterr().err
