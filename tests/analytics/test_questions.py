"""The table of questions fits what answers them, and the documents and pages are made of it."""

import inspect
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from analytics import questions as registry
from analytics.questions import QUESTIONS, VIEWS, Question
from analytics.warehouse.selection import Selection
from analytics.warehouse.warehouse import reading
from scripts.questions import document
from tests.dashboards import sample

ROOT = Path(__file__).resolve().parents[2]
EMPTY = Selection(first=date(2030, 1, 1), last=date(2030, 1, 2))
IDS = [f"{each.subject} {each.name}" for each in QUESTIONS]


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(str(sample.make(tmp_path_factory.mktemp("questions") / "warehouse.duckdb")))


def test_a_name_is_given_once_in_a_subject() -> None:
    assert len(set(IDS)) == len(IDS)


@pytest.mark.parametrize("question", QUESTIONS, ids=IDS)
def test_a_question_takes_what_its_function_takes(question: Question) -> None:
    parameters = list(inspect.signature(registry._found(question.answer)).parameters)[1:]
    assert len(parameters) >= len(question.takes)
    assert {*question.named, *question.fixed} <= set(parameters[len(question.takes) :])
    assert bool(question.dimensions) == ("by" in question.takes)


@pytest.mark.parametrize("question", QUESTIONS, ids=IDS)
def test_every_breakdown_is_answered_with_its_columns(question: Question, warehouse: Path) -> None:
    given: dict[str, Any] = dict.fromkeys((*question.takes, *question.named.values()))
    day = date.fromisoformat(sample.DAY_2)
    part = Selection(first=day, last=day) if question.compared else Selection()
    given |= {"part": part, "period": "month", "money_only": True}
    with reading(warehouse) as db:
        for by in question.breakdowns() or ("",):
            frame = question.ask(db, given | {"by": by})
            shown = question.columns(frame)
            assert shown
            assert set(shown) <= set(frame.columns)
            assert set(question.hidden) <= set(frame.columns)
            if "part" in question.takes:  # of days without anything on record there is nothing to say
                assert question.ask(db, given | {"by": by, "part": EMPTY}).is_empty()
    assert question.by in (question.breakdowns() or ("",))


def test_the_guide_lists_the_questions() -> None:
    guide = (ROOT / "docs/analyst-guide.md").read_text("utf-8")
    assert guide == document(guide), "run .venv/bin/python -m scripts.questions"


@pytest.mark.parametrize("question", [each for each in QUESTIONS if each.page], ids=lambda each: f"{each.subject} {each.name}")
def test_the_page_that_is_named_asks_the_question(question: Question) -> None:
    folder = ROOT / "dashboards"
    text = "".join(path.read_text("utf-8") for part in ("pages", "analysis") for path in (folder / part).glob("*.py"))
    assert f'{question.subject.upper()}["{question.name}"]' in text
    assert question.heading
    assert question.view in VIEWS[question.subject]
    assert set(question.off_page) <= set(question.breakdowns())
