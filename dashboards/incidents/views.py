"""Saved views of the queue: names for sets of filters, in a file next to the warehouse. They are not evidence."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

ALWAYS: dict[str, dict[str, str]] = {
    "To do": {},
    "High severity": {"severity": "high"},
    "Needs second signature": {"state": "awaiting_signature"},
    "Resolved": {"state": "resolved"},
}
"""Views that are there for everybody, by the query of their links."""

KEPT = ("table", "code", "day", "severity", "dealer", "state", "words", "alike")
"""The keys of a queue's address that make a view."""

MOST = 30
LONGEST = 40


def path_of(warehouse: Path) -> Path:
    """Return the file of the saved views: next to the warehouse, under its name."""
    return warehouse.with_name(f"{warehouse.name}.views.json")


def saved(path: Path) -> dict[str, dict[str, str]]:
    """Return the saved views by name; empty if there is no readable file."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {
        str(name): {key: str(value) for key, value in query.items() if key in KEPT}
        for name, query in found.items()
        if isinstance(query, dict)
    }


def save(path: Path, name: str, query: Mapping[str, str]) -> str:
    """Save a view under a name, replacing one of that name; return why not, empty if it was saved."""
    name = " ".join(name.split())
    views = saved(path)
    if not name or len(name) > LONGEST or name in ALWAYS:
        return f"A view needs a name of its own, of at most {LONGEST} letters."
    if name not in views and len(views) >= MOST:
        return f"There are {MOST} views already; delete one first."
    views[name] = {key: query[key] for key in KEPT if query.get(key)}
    return _write(path, views)


def forget(path: Path, name: str) -> str:
    """Delete a view; return why not, empty if it was deleted."""
    views = saved(path)
    views.pop(name, None)
    return _write(path, views)


def _write(path: Path, views: dict[str, dict[str, str]]) -> str:
    fresh = path.with_name(f".{path.name}.new")
    try:
        fresh.write_text(json.dumps(views, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        os.replace(fresh, path)
    except OSError as error:
        return f"{path} cannot be written: {error.strerror}."
    return ""
