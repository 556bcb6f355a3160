"""`rack dealer-errors`: every question answers as text and as JSON, and says where to look without accusing."""

import json

import pytest

from rack.cli import main
from rack.commands.analysis.dealer_errors import QUESTIONS
from tests.dashboards import sample


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(sample.make(tmp_path_factory.mktemp("errors") / "warehouse.duckdb"))


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_answers_as_json_and_as_text(question: str, warehouse: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dealer-errors", question, "--warehouse", warehouse, "--json"]) == 0
    assert isinstance(json.loads(capsys.readouterr().out), list)
    assert main(["dealer-errors", question, "--warehouse", warehouse]) == 0
    assert capsys.readouterr().out


def test_the_findings_behind_a_figure(warehouse: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dealer-errors", "behind", "--dealer", "d-07", "--code", "PAY-UNDER", "--warehouse", warehouse]) == 0
    (line,) = capsys.readouterr().out.splitlines()[1:]
    assert line.split()[:6] == ["fu-01", "17", "2026-03-06", "d-07", "3", "ace_high_bonus"]
    assert "-100.00" in line


def test_procedure_counts_findings_without_money(warehouse: str, capsys: pytest.CaptureFixture[str]) -> None:
    counted = []
    for more in ([], ["--procedure"]):
        main(["dealer-errors", "--by", "property", "--warehouse", warehouse, "--json", *more])
        counted.append(json.loads(capsys.readouterr().out)[0]["counted"])
    assert counted == [3, 6]


def test_what_cannot_be_asked_is_refused(warehouse: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dealer-errors", "--by", "paytable", "--warehouse", warehouse]) == 2
    assert "expected one of property, dealer, table" in capsys.readouterr().err
