"""What the benchmarks name exists, and every question that a page asks of a warehouse is one that they time."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

from analytics.questions import QUESTIONS as REGISTRY
from analytics.warehouse.warehouse import Warehouse
from benchmarks import profiling, questions

ROOT = Path(__file__).resolve().parents[2]


def asked() -> list[str]:
    """The functions `module.name` of `analytics` that take an open warehouse first and that a page names."""
    text = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "dashboards").rglob("*.py")))
    found = []
    for path in sorted((ROOT / "analytics").rglob("*.py")):
        module = path.stem
        for name in sorted(set(re.findall(rf"\b{module}\.(\w+)", text))):
            dotted = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            function = getattr(import_module(dotted), name, None)
            if inspect.isfunction(function):
                first = next(iter(inspect.signature(function).parameters.values()), None)
                if first is not None and first.annotation in (Warehouse, "Warehouse"):
                    found.append(f"{module}.{name}")
    return found


def test_every_question_of_a_command_is_timed() -> None:
    assert {f"rack: {each.subject} {each.name}" for each in REGISTRY} <= set(questions.QUESTIONS)


@pytest.mark.slow
def test_every_question_of_a_page_is_timed() -> None:
    """What is named here is added to `benchmarks/questions.py`."""
    pages = asked()
    assert {"round_data.round_view", "fairness.fairness", "figure_detail.sums_behind", "live.base", "disputes.find"} <= {*pages}
    timed = Path(questions.__file__).read_text("utf-8") + " ".join(each.answer for each in REGISTRY)
    assert [each for each in pages if not re.search(rf"\b{re.escape(each)}\b", timed)] == []


def test_the_files_and_functions_that_a_profile_tells_apart_exist() -> None:
    """A name that was left behind would count the time of its successor to another stage."""
    assert [name for name in profiling.GROUPS if not (ROOT / name).is_file()] == []
    for name, functions in profiling.RESULTS.items():
        nodes = ast.walk(ast.parse((ROOT / name).read_text("utf-8")))
        assert functions <= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}, name
