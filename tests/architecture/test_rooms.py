"""The rooms inside each package (docs/architecture.md): who may import whom, no circle, and no room too full to look over."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("imports")  # each file is read once

ROOT = Path(__file__).resolve().parents[2]
MOST_FILES = 22
"""This many source files a room holds at most: more want a room of their own."""

ROOMS: dict[str, dict[str, tuple[str, ...]]] = {
    "events": {
        "errors": (),
        "vocabulary": ("errors",),
        "log": ("vocabulary", "errors"),
        "proofs": ("log", "vocabulary", "errors"),
        "sqlite": ("proofs", "log", "vocabulary", "errors"),
        "kafka": ("proofs", "log", "vocabulary", "errors"),
        "archive": ("proofs", "log", "vocabulary", "errors"),
        "open": ("archive", "kafka", "sqlite", "proofs", "log", "vocabulary", "errors"),
        "restore": ("open", "archive", "kafka", "sqlite", "proofs", "log", "vocabulary", "errors"),
    },
    "rulebook": {
        "layout": (),
        "cards": (),
        "house_ways": ("cards",),
        "chapters": ("house_ways", "cards", "layout"),
        "settlement": ("chapters", "cards", "layout"),
        "game": ("settlement", "chapters", "cards", "layout"),
        "catalogue": ("game", "chapters"),
    },
    "replay": {
        "installed_games": (),
        "findings": (),
        "incidents": ("findings",),
        "advice": ("findings",),
        "fold": ("findings",),
        "settlement": ("fold", "findings"),
        "rules": ("settlement", "fold", "findings"),
        "run": ("rules", "settlement", "fold", "advice", "findings"),
        "narrative": ("incidents", "advice", "findings"),
        "transcript": ("run", "rules", "fold", "narrative", "incidents", "findings"),
    },
    "floor": {
        "table": (),
        "round": ("table",),
        "faults": ("round", "table"),
        "game_simulation": ("faults", "round", "table"),
        "catalogue": ("game_simulation",),
        "day": ("catalogue", "game_simulation", "faults", "round", "table"),
        "live": ("day", "catalogue", "game_simulation", "faults", "round", "table"),
    },
    "whatif": {"workers": (), "*": ("workers",)},
    "desk": {
        "printable": (),
        "review": (),
        "packet": ("printable", "review"),
        "report": ("packet", "review"),
        "keys": (),
        "documents": (),
        "whole_files": (),
        "recorded_round": ("packet", "review"),
        "alarms": ("recorded_round", "review"),
        "verification": ("recorded_round", "report", "packet", "review"),
        "sign_in": ("review",),
        "house": ("alarms", "keys", "sign_in", "verification", "review"),
        "transcript_entry": ("recorded_round", "review"),
        "shadows": ("house", "packet", "report", "review"),
    },
    "analytics": {
        "statistics": (),
        "theory": (),
        "warehouse": ("theory", "statistics"),
        "hold": ("theory", "statistics", "warehouse"),
        "errors": ("hold", "statistics", "warehouse"),
        "search": ("hold", "warehouse"),
        "fairness": ("statistics", "warehouse"),
        "questions": ("errors", "hold", "warehouse"),
        "reports": ("errors", "hold", "theory", "statistics", "warehouse"),
        "*": ("hold", "theory", "statistics", "warehouse"),
        "record_notes": ("*", "questions", "hold", "warehouse"),
    },
    "dashboards": {
        "run": (),
        "drawing": (),
        "felt": (),
        "access": ("drawing", "run"),
        "rulings": ("drawing",),
        "parts": ("rulings", "access", "drawing", "run"),
        "analysis": ("parts", "rulings", "access", "drawing", "run"),
        "incidents": ("parts", "rulings", "access", "drawing", "run"),
        "pages": ("analysis", "incidents", "felt", "rulings", "parts", "access", "drawing", "run"),
        "app": ("parts", "access", "drawing", "run"),
        "sign_in": (),
        "start": ("app", "felt", "sign_in", "access", "run"),
    },
    "intake": {
        "errors": (),
        "piped_lines": (),
        "writer_rights": (),
        "lines": ("piped_lines", "writer_rights", "errors"),
        "filings": ("lines", "writer_rights"),
        "appending": ("filings", "lines", "piped_lines", "writer_rights", "errors"),
        "*": ("appending", "filings", "lines", "writer_rights", "errors"),
        "profiles": ("*", "lines", "writer_rights", "errors"),
        "files": ("profiles", "*", "appending", "filings", "lines", "piped_lines", "errors"),
        "gateway": ("profiles", "*", "appending", "filings", "lines", "piped_lines", "errors"),
    },
}
"""Package → room → the rooms of the same package that it may import. A file that is in no room is one; `*`: any other."""


def modules(package: str) -> dict[str, Path]:
    """The modules of a package by dotted name."""
    found = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """Yield the modules that a file imports, at its head or in a function."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                if (name := whole if whole in known else node.module) in known:
                    yield name
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)


def room_of(module: str, rooms: dict[str, tuple[str, ...]]) -> str | None:
    """The room that a module is in; None for the package itself."""
    _, _, rest = module.partition(".")
    if not rest:
        return None
    room = rest.partition(".")[0]
    return room if room in rooms else "*"


@pytest.mark.parametrize("package", ROOMS)
def test_arrows_between_rooms_run_one_way(package: str) -> None:
    known, rooms, back = modules(package), ROOMS[package], set()
    for module, path in known.items():
        here = room_of(module, rooms)
        if here is None:
            continue
        assert here in rooms, f"{module} stands in no room that this test knows"
        for target in imports(path, known):
            there = room_of(target, rooms)
            if there not in (None, here, *rooms[here]):
                back.add(f"{module} imports {target}: {here} may import {rooms[here] or 'no other room'}")
    assert back == set()


@pytest.mark.parametrize("package", ROOMS)
def test_the_rooms_named_are_there_and_stand_in_an_order(package: str) -> None:
    rooms = ROOMS[package]
    seen: set[str] = set()
    for room, below in rooms.items():
        assert room == "*" or (ROOT / package / room).is_dir() or (ROOT / package / f"{room}.py").is_file(), room
        assert set(below) <= seen, f"{room} may import a room that stands above it"
        seen.add(room)


@pytest.mark.parametrize("package", [*ROOMS, "rack", "trial"])
def test_no_files_import_each_other_in_a_circle(package: str) -> None:
    known = modules(package)
    arrows = {name: set(imports(path, known)) - {name} for name, path in known.items()}
    while free := [name for name, targets in arrows.items() if not targets]:
        for name in free:
            del arrows[name]
        for targets in arrows.values():
            targets.difference_update(free)
    assert arrows == {}, "these files, or those that they import, import each other"


def test_no_room_holds_too_many_files() -> None:
    folders = Counter(
        path.parent.relative_to(ROOT).as_posix()
        for package in (*ROOMS, "benchmarks", "rack", "scripts", "suite", "tests", "trial", "website")
        for path in (ROOT / package).rglob("*.py")
        if path.name != "__init__.py"
    )
    assert {folder: files for folder, files in folders.items() if files > MOST_FILES} == {}
