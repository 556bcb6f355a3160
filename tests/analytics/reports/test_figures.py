"""Every figure of every report has its definition and its section, and every report says which rule it answers or helps with."""

import re
from pathlib import Path

import pytest

import analytics.reports
from analytics.reports.catalogue import REPORTS
from analytics.reports.sources import figures
from desk.report.content import NUMERIC

HERE = Path(analytics.reports.__file__).parent


def test_a_figure_has_its_definition_and_its_section() -> None:
    for name, figure in figures().items():
        assert figure.label, name
        if figure.kind in NUMERIC - {"number"}:
            assert figure.meaning.endswith("."), name
            assert figure.cite, name


def test_every_figure_that_is_defined_stands_in_a_report() -> None:
    source = "\n".join(path.read_text() for path in HERE.glob("*.py"))
    words = set(re.findall(r"[a-z0-9_]+", source))
    assert sorted(set(figures()) - words) == []


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_names_its_rules(name: str) -> None:
    kind = REPORTS[name]
    assert kind.name == name
    assert kind.rules
    assert all(rule.cite and rule.asks for rule in kind.rules)
