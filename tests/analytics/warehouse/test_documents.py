"""docs/warehouse.md and what lists the tables; every query of docs/analyst-guide.md runs and answers."""

import re
from pathlib import Path

import pytest

from analytics.warehouse.columns import HEAD, MEANING, described, summary
from analytics.warehouse.warehouse import MODELS, Warehouse

DOCS = Path(__file__).parents[3] / "docs"
GUIDE = (DOCS / "analyst-guide.md").read_text("utf-8")
QUERIES = [
    *re.findall(r"```sql\n(.*?)```", GUIDE, re.S),
    *(DOCS / "examples" / "queries.sql").read_text("utf-8").strip().removesuffix(";").split(";\n"),
]


def test_every_column_has_a_meaning(db: Warehouse) -> None:
    assert [f"{table}.{column}" for table, column, _, said in described(db) if not said] == []


def test_a_meaning_of_one_table_s_column_names_a_column(db: Warehouse) -> None:
    there = {f"{table}.{column}" for table, column, _, _ in described(db)}
    assert {name for name in MEANING if "." in name} <= there


def test_the_page_is_the_head_of_the_document_that_lists_the_tables() -> None:
    said = "run .venv/bin/python -m analytics.warehouse.columns"
    assert (DOCS / "warehouse.md").read_text("utf-8") == f"{HEAD}\n", said
    assert summary().startswith(HEAD)
    assert [table for table in MODELS if f"\n| `{table}` | `" not in summary()] == []


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: " ".join(query.split())[:40])
def test_every_query_of_the_guide_answers(db: Warehouse, query: str) -> None:
    assert db.sql(query).fetchall() != []


def test_the_guide_s_functions_are_there() -> None:
    named = re.findall(r"`(?:analytics\.)?(\w+)`", GUIDE.split("(`analytics.hold.hold`")[1][:200])
    for name in named:
        assert list((DOCS.parent / "analytics").rglob(f"{name}.py")), name
