"""JSON Schema 2020-12 of a message, for authors of receivers: `python -m desk.alarms.schema` writes it."""

import json
from pathlib import Path
from typing import Any, Final

import msgspec

from desk.alarms.alarm import Message

SCHEMA_PATH: Final = Path("docs/alarm.schema.json")


def schema() -> str:
    """Return the text of `docs/alarm.schema.json`."""
    whole: dict[str, Any] = {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(Message)}
    for definition in whole["$defs"].values():
        definition["required"] = list(definition["properties"])  # whatever is sent has every field
        definition["description"] = " ".join(definition["description"].split())
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    SCHEMA_PATH.write_text(schema(), encoding="utf-8")
