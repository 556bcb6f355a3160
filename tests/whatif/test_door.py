"""The door of `whatif`: what other rooms and packages may import of it, as its docstring lists."""

import ast
from collections.abc import Iterator
from pathlib import Path

import whatif

ROOT = Path(__file__).resolve().parents[2]
DOOR = {"round_table", "kept_table", "table_check", "what_if", "workers"}
PACKAGES = ("analytics", "dashboards", "desk", "events", "floor", "games", "intake", "rack", "replay", "rulebook")


def imported(path: Path) -> Iterator[str]:
    """Yield the files of the room that a file outside imports, at its head or in a function."""
    text = path.read_text("utf-8")
    for node in ast.walk(ast.parse(text if "whatif" in text else "")):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "whatif":
            parts = str(node.module).split(".")[1:]
            yield from parts[:1] or [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("whatif."))


def test_nothing_outside_imports_more_than_the_door() -> None:
    room, seen = ROOT / "whatif", set()
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        if not path.is_relative_to(room):
            found = set(imported(path))
            assert found <= DOOR, f"{path.relative_to(ROOT)} imports {sorted(found - DOOR)} of whatif"
            seen |= found
    assert {"round_table", "what_if"} <= seen


def test_the_docstring_lists_the_door() -> None:
    listed = str(whatif.__doc__).partition("The door.")[2].partition("Inside.")[0]
    assert {name for name in DOOR if f"`{name}`" in listed} == DOOR
    assert all((ROOT / "whatif" / f"{name}.py").is_file() or (ROOT / "whatif" / name).is_dir() for name in DOOR)
