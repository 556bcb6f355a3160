"""Writes the vocabulary: as JSON Schema 2020-12 and as a page in `docs/`, and as a table.

`python -m events.vocabulary.schema` writes both files. It refuses changed fields of a published `(type, version)`: they need a
new version. A closed list (a form, a reason) may grow, or become a form that includes all its values.
"""

import inspect
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from events.vocabulary.envelope import Envelope
from events.vocabulary.model import REGISTRY
from events.vocabulary.places import PLACES

SCHEMA_PATH = Path("docs/events.schema.json")
PAGE_PATH = Path("docs/events.md")
_REF = "#/$defs/"


def schema() -> dict[str, Any]:
    """Return the schema of a stored event: the envelope, and for each `type` and `version` its payload."""
    names = {cls.__name__: f"{type_}.v{version}" for (type_, version), cls in REGISTRY.items()}
    _, components = msgspec.json.schema_components([Envelope, *REGISTRY.values()], ref_template=_REF + "{name}")
    definitions = {names.get(name, name): portable(body, names) for name, body in components.items() if name != "Event"}
    envelope = definitions.pop("Envelope")
    envelope["properties"]["payload"] = {"type": "object"}
    envelope["properties"]["type"] = {"enum": sorted({type_ for type_, _ in REGISTRY})}
    envelope["oneOf"] = [
        {
            "properties": {
                "type": {"const": type_},
                "version": {"const": version},
                "payload": {"$ref": f"{_REF}{type_}.v{version}"},
            }
        }
        for type_, version in sorted(REGISTRY)
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:discard-rack:events:v1",
        **envelope,
        "title": "A stored event",
        "$defs": dict(sorted(definitions.items())),
    }


def schema_text() -> str:
    """Return the text of `docs/events.schema.json`."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


def changed_fields(published: dict[str, Any], present: dict[str, Any]) -> list[str]:
    """Return the changed parts of a published schema as `name` or `name.field`, sorted; empty if parts were only added.

    Descriptions may change, and closed lists may grow, also that of the kinds of streams.
    """
    before = {**published["$defs"], "Envelope": published}
    after = {**present["$defs"], "Envelope": present}
    return sorted(change for name, body in before.items() for change in _changes(name, body, after.get(name)))


_HEAD = """\
# The vocabulary of events

Made of `events/vocabulary/model.py` by `python -m events.vocabulary.schema`. Amounts are integer cents, meters hundredths of a
cent, positions `dealer` or a seat from 1. The exact form of every field is in `events.schema.json`.

An event goes only into the kinds of streams named here, and only the writers named there write it: devices through
`rack gateway` or `rack ingest`, the office through `rack ingest --office`, the desk through `rack review` and the
pages, keys through `rack keys`; intake leaves notices of what it refused. Each event's definition in `events/vocabulary` says so
([security.md](security.md)).
"""


def summary_text() -> str:
    """Return the text of `docs/events.md`: the events by stream and writer."""
    found: dict[str, dict[str, None]] = {}
    for type_, _ in REGISTRY:
        found.setdefault(_places(type_), {})[type_] = None
    lines = [
        _HEAD,
        "`rack docs events` prints every event with its versions, its fields and what it says; so does the website.",
        "",
        "| streams (written by) | events |",
        "| --- | --- |",
        *(f"| {places} | {', '.join(f'`{each}`' for each in types)} |" for places, types in sorted(found.items())),
    ]
    return "\n".join(lines) + "\n"


def table_text() -> str:
    """Return the whole vocabulary: every event with its fields, streams, writers and description."""
    lines = [_HEAD, "| event | versions | fields | streams (written by) | says |", "| --- | --- | --- | --- | --- |"]
    rows: dict[tuple[str, str], tuple[list[int], str]] = {}
    for (type_, version), cls in REGISTRY.items():
        fields = ", ".join(f"`{field.name}`" for field in msgspec.structs.fields(cls))
        versions, _ = rows.get((type_, fields), ([], ""))
        rows[type_, fields] = ([*versions, version], " ".join((inspect.getdoc(cls) or "").split()))
    for (type_, fields), (versions, says) in rows.items():
        named = ", ".join(map(str, versions))
        lines.append(f"| `{type_}` | {named} | {fields} | {_places(type_)} | {says.replace('|', chr(92) + '|')} |")
    return "\n".join(lines) + "\n"


def _places(type_: str) -> str:
    return ", ".join(f"{kind} ({', '.join(sorted(writers))})" for kind, writers in PLACES[type_].items())


def write(root: Path) -> None:
    """Write both files below a folder. Raises `ValueError` if a published event changed."""
    path = root / SCHEMA_PATH
    if path.exists():
        changes = changed_fields(json.loads(path.read_text("utf-8")), schema())
        if changes:
            raise ValueError(f"published events changed; register a new version instead: {', '.join(changes)}")
    path.write_text(schema_text(), "utf-8")
    (root / PAGE_PATH).write_text(summary_text(), "utf-8")


def portable(value: Any, names: Mapping[str, str] = MappingProxyType({})) -> Any:
    """Return a schema that is the same on every Python, without titles, with ECMA anchors and permanent names."""
    if isinstance(value, list):
        return [portable(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    result = {key: portable(item, names) for key, item in value.items() if key != "title"}
    if isinstance(result.get("pattern"), str):
        result["pattern"] = re.sub(r"\\Z$", "$", re.sub(r"^\\A", "^", result["pattern"]))
    if isinstance(result.get("description"), str):
        result["description"] = inspect.cleandoc(result["description"])  # Python does it since 3.13
    name = str(result.get("$ref")).removeprefix(_REF)
    if name in names:
        result["$ref"] = _REF + names[name]
    return result


def _changes(name: str, before: dict[str, Any], after: dict[str, Any] | None) -> Iterator[str]:
    if after is None:
        yield name
        return
    if before.get("required") != after.get("required"):
        yield f"{name} (its fields)"
    for field, body in before["properties"].items():
        if not _still(body, after["properties"].get(field)):
            yield f"{name}.{field}"


def _still(before: Any, after: Any) -> bool:
    """Whether every value that was valid still is, and no other kind of value."""
    if isinstance(before, dict) and isinstance(after, dict):
        if "enum" in before and after.keys() - {"description", "title"} == {"type", "pattern"}:
            return all(isinstance(each, str) and re.fullmatch(after["pattern"], each) for each in before["enum"])
        keys = before.keys() | after.keys()
        return all(_still_key(key, before.get(key), after.get(key)) for key in keys - {"description", "title"})
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(map(_still, before, after))
    return bool(before == after)


def _still_key(key: str, before: Any, after: Any) -> bool:
    if key == "enum" and before and after:
        return set(before) <= set(after)
    if key == "pattern" and before and after:
        (begin, kinds, end), (begins, more, ends) = _alternatives(before), _alternatives(after)
        return (begin, end) == (begins, ends) and kinds <= more
    return _still(before, after)


def _alternatives(pattern: str) -> tuple[str, set[str], str]:
    """Split a pattern at its list of alternatives: the text before it, the list, and the text after it.

    >>> _alternatives("^(table|meter)/[a-z]+$")[0::2]
    ('^', '/[a-z]+$')
    """
    begin, _, rest = pattern.partition("(")
    alternatives, _, end = rest.partition(")")
    return begin, set(alternatives.split("|")), end


if __name__ == "__main__":
    try:
        write(Path())
    except ValueError as problem:
        sys.exit(str(problem))
