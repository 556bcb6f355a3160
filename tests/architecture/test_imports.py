"""Who may know whom (docs/architecture.md). One direction, no way back."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OURS = ("analytics", "dashboards", "events", "floor", "games", "intake", "rack", "replay")

MAY_IMPORT = {
    "events": (),
    "games": (),
    "replay": ("events", "games"),
    "analytics": ("replay", "games"),
    "dashboards": (
        "analytics",
        "replay.advice",
        "replay.alarms.outbox",
        "replay.fold.corrections",
        "replay.findings",
        "replay.incidents",
        "replay.installed_games",
        "replay.narrative",
        "replay.packet",
        "replay.report",
        "replay.review.cameras",
        "replay.review.cases",
        "replay.review.desk",
        "replay.review.desk_memory",
        "replay.review.full_text",
        "replay.review.incident_desk",
        "replay.review.persons",
        "replay.review.surveillance",
    ),
    "floor": ("games", "events"),
    "intake": ("events",),
    "rack": ("analytics", "dashboards", "events", "floor", "games", "intake", "replay"),
}

# third party -> the files, or the folders, that may import it
AT_HOME = {
    "kafka": ("events/kafka/client.py", "events/kafka/transactions.py", "rack/kafka/acls.py"),
    "apsw": ("events/sqlite/database.py",),
    "duckdb": ("analytics/",),
    "streamlit": ("dashboards/",),
    "numba": ("analytics/theory/kernels/compiling.py",),
    "starlette": ("intake/gateway/", "dashboards/"),
    "uvicorn": ("intake/gateway/",),
    "shtab": ("rack/commands/setup/completion.py",),
}

PURE = (
    "games/",
    "replay/findings.py",
    "replay/advice.py",
    "replay/incidents.py",
    "replay/fold/",
    "replay/narrative/",
    "replay/rules/",
    "replay/run/adjudicate.py",
    "replay/run/advising.py",
    "replay/settlement/",
)
"""What judges: the same events and rules give the same verdict."""
IMPURE_MODULES = {
    "asyncio", "ctypes", "getpass", "glob", "io", "locale", "logging", "multiprocessing", "os", "pathlib", "platform",
    "random", "secrets", "shutil", "signal", "socket", "sqlite3", "subprocess", "sys", "tempfile", "threading", "time",
    "urllib", "uuid", "zoneinfo",
}  # fmt: skip
IMPURE_CALLS = {"open", "input", "print", "breakpoint", "exec", "eval", "__import__"}
CLOCKS = {"now", "utcnow", "today", "fromtimestamp"}


def files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the dotted names a module imports, `from a import b` as `a.b`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and _called(node) in {"import_module", "__import__"}:
            yield from (a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str))


@cache
def modules(path: Path) -> tuple[str, ...]:
    """Return what a file imports; each file is read once, whatever is asked of it."""
    return tuple(imported(ast.parse(path.read_text())))


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def under(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def arrows_against(package: str, source: str) -> list[str]:
    allowed = (package, *MAY_IMPORT[package])
    ours = (module for module in imported(ast.parse(source)) if under(module, OURS))
    return [module for module in ours if not under(module, allowed)]


@pytest.mark.parametrize("path", files(*OURS), ids=name)
def test_arrows(path: Path) -> None:
    package = path.relative_to(ROOT).parts[0]
    assert arrows_against(package, path.read_text()) == [], (
        f"{package} may import {MAY_IMPORT[package] or 'none of ours'}"
    )


@pytest.mark.parametrize(
    ("package", "source", "found"),
    [
        ("events", "import msgspec", []),
        ("events", "from games.cards.cards import CODE", ["games.cards.cards.CODE"]),
        ("floor", "def f():\n    from replay.fold import round", ["replay.fold.round"]),
        ("dashboards", "from replay.packet import make", []),
        ("dashboards", "from replay.rules import money", ["replay.rules.money"]),
        ("games", "import importlib\nimportlib.import_module('events.log.contract')", ["events.log.contract"]),
        ("replay", "import gamesomething", []),
    ],
)
def test_the_check_of_arrows_sees_each_way_to_import(package: str, source: str, found: list[str]) -> None:
    assert arrows_against(package, source) == found


@pytest.mark.parametrize("library", AT_HOME)
def test_a_library_is_imported_at_home_only(library: str) -> None:
    strangers = [
        name(path)
        for path in files(*OURS)
        if any(under(module, (library,)) for module in modules(path))
        and not any(
            name(path) == home or (home.endswith("/") and name(path).startswith(home)) for home in AT_HOME[library]
        )
    ]
    assert strangers == []


def impurities(source: str) -> list[str]:
    tree = ast.parse(source)
    found = [module for module in imported(tree) if module.split(".")[0] in IMPURE_MODULES]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = _called(node)
            if (isinstance(node.func, ast.Name) and called in IMPURE_CALLS) or called in CLOCKS:
                found.append(f"{called}()")
    return found


@pytest.mark.parametrize(
    "path",
    [path for path in files("games", "replay") if name(path).startswith(PURE)],
    ids=name,
)
def test_what_judges_is_pure(path: Path) -> None:
    """No clock, randomness, environment or I/O. (`importlib.resources` reads what is part of the package: the rules.)"""
    assert impurities(path.read_text()) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from datetime import date\ndate.fromisoformat('2026-01-01')", []),
        ("from datetime import date\ndate.today()", ["today()"]),
        ("import random", ["random"]),
        ("from os import environ", ["os.environ"]),
        ("open('x')", ["open()"]),
        ("rules.open('x')", []),
    ],
)
def test_the_check_of_purity(source: str, found: list[str]) -> None:
    assert impurities(source) == found
