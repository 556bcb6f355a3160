"""The floor knows the rulebook and the events, and nothing of what judges them; its rooms know those below them alone."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from floor.catalogue import SIMULATIONS

FLOOR = Path(__file__).parents[2] / "floor"
ROOMS = ("table", "round", "faults", "day", "live")
"""From the ground up."""
MOST_FILES = 20


def test_the_floor_never_imports_what_judges_it() -> None:
    program = (
        "import sys, floor.day.gaming_day\n"
        "names = {name.partition('.')[0] for name in sys.modules}\n"
        "sys.exit(' '.join(sorted(names & {'replay', 'analytics', 'dashboards', 'rack'})) or None)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def imported(file: Path) -> set[str]:
    """The rooms of the floor that a file imports from."""
    named = [node.module or "" for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.ImportFrom)]
    return {name.split(".")[1] for name in named if name.startswith("floor.")}


@pytest.mark.parametrize("room", sorted(path.name for path in FLOOR.iterdir() if (path / "__init__.py").exists()))
def test_a_room_imports_from_rooms_below_it(room: str) -> None:
    files = list((FLOOR / room).glob("*.py"))
    assert len(files) <= MOST_FILES
    above = {*ROOMS[ROOMS.index(room) + 1 :]}
    assert {file.name: imported(file) & above for file in files if imported(file) & above} == {}


def test_no_room_of_the_floor_is_of_a_game() -> None:
    assert {path.name for path in FLOOR.iterdir() if path.is_dir() and path.name != "__pycache__"} == {*ROOMS}
    words = {path.name: path.read_text() for path in FLOOR.rglob("*.py") if path.name != "catalogue.py"}
    assert {file: game for file, text in words.items() for game in SIMULATIONS if f'"{game}"' in text} == {}
