"""The published form of the events: frozen, and only to be added to."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from events.vocabulary import schema
from events.vocabulary.model import REGISTRY

ROOT = Path(__file__).parents[3]


@pytest.fixture
def published() -> dict[str, Any]:
    content: dict[str, Any] = json.loads((ROOT / schema.SCHEMA_PATH).read_text("utf-8"))
    return content


def test_the_published_schema_is_the_present_one(published: dict[str, Any]) -> None:
    assert schema.changed_fields(published, schema.schema()) == [], "register a new version instead"
    assert (ROOT / schema.SCHEMA_PATH).read_text("utf-8") == schema.schema_text(), "run `python -m events.vocabulary.schema`"


@pytest.mark.slow
def test_the_published_page_is_the_present_one_and_names_every_event() -> None:
    said = "run `python -m events.vocabulary.schema`"
    assert (ROOT / schema.PAGE_PATH).read_text("utf-8") == schema.summary_text(), said
    for type_, _ in REGISTRY:
        assert f"`{type_}`" in schema.summary_text()
        assert f"\n| `{type_}` | " in schema.table_text()


def test_the_schema_names_every_event(published: dict[str, Any]) -> None:
    for type_, version in REGISTRY:
        assert f"{type_}.v{version}" in published["$defs"]
    assert "\\A" not in json.dumps(published)


def test_the_schema_is_one() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(schema.schema())


@pytest.mark.parametrize(
    ("name", "field", "change", "found"),
    [
        ("dice_rolled.v1", "dice", {"maxItems": 4}, ["dice_rolled.v1.dice"]),
        ("wager_placed.v1", "seat", {"maximum": 7}, ["wager_placed.v1.seat"]),
        ("wager_placed.v1", "amount_cents", {"type": "number"}, ["wager_placed.v1.amount_cents"]),
        ("wager_placed.v1", "form", {"enum": ["chips"]}, ["wager_placed.v1.form"]),
        ("wager_placed.v1", "form", {"description": "how"}, []),
        ("dice_rolled.v1", "colours", {"anyOf": [{"type": "null"}]}, ["dice_rolled.v1.colours"]),
        ("deck_in_play.v1", "deck", {"pattern": "^.*$"}, ["deck_in_play.v1.deck"]),
        ("round_observed.v1", "deck", {"anyOf": [{"type": "null"}]}, ["round_observed.v1.deck"]),
    ],
)
def test_a_changed_field_is_found(
    published: dict[str, Any], name: str, field: str, change: dict[str, Any], found: list[str]
) -> None:
    present = copy.deepcopy(published)
    present["$defs"][name]["properties"][field].update(change)
    assert schema.changed_fields(published, present) == found


def test_added_and_removed_fields_and_events_are_found(published: dict[str, Any]) -> None:
    present = copy.deepcopy(published)
    present["$defs"]["new.v1"] = {"properties": {}}
    present["$defs"]["wager_placed.v1"]["properties"]["form"]["enum"].append("barter")
    present["description"] = "another"
    assert schema.changed_fields(published, present) == []
    del present["$defs"]["buy_in.v1"]
    del present["properties"]["seq"]
    present["$defs"]["deck_in_play.v1"]["required"].append("color")
    expected = ["Envelope.seq", "buy_in.v1", "deck_in_play.v1 (its fields)"]
    assert schema.changed_fields(published, present) == expected


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("^(table|meter|review|property|observed|review/observed|more)/[a-z0-9-]{1,32}$", []),
        ("^(table|meter|review|property)/[a-z0-9-]{1,32}$", ["Envelope.stream"]),
        ("^(table|meter|review|property|observed|review/observed)/[a-z0-9-]{1,64}$", ["Envelope.stream"]),
        ("^.*$", ["Envelope.stream"]),
    ],
)
def test_a_kind_of_stream_can_be_added_and_nothing_else_of_its_name_changes(
    published: dict[str, Any], pattern: str, found: list[str]
) -> None:
    present = copy.deepcopy(published)
    present["properties"]["stream"]["pattern"] = pattern
    assert schema.changed_fields(published, present) == found


def test_writing_refuses_a_change_of_a_published_event(tmp_path: Path, published: dict[str, Any]) -> None:
    (tmp_path / "docs").mkdir()
    schema.write(tmp_path)
    assert (tmp_path / schema.PAGE_PATH).read_text("utf-8") == schema.summary_text()
    schema.write(tmp_path)
    del published["$defs"]["buy_in.v1"]["properties"]["form"]
    published["$defs"]["buy_in.v1"]["required"].remove("form")
    path = tmp_path / schema.SCHEMA_PATH
    path.write_text(json.dumps(published), "utf-8")
    with pytest.raises(ValueError, match=r"register a new version instead: buy_in\.v1"):
        schema.write(tmp_path)
    assert json.loads(path.read_text("utf-8")) == published
