"""Who may know whom (docs/architecture.md). One direction, no way back."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from rulebook.catalogue import GAMES

pytestmark = pytest.mark.xdist_group("imports")  # each file is read once

ROOT = Path(__file__).resolve().parents[2]
OURS = (
    "analytics", "dashboards", "desk", "discard_rack", "events", "floor", "games", "intake", "rack", "replay", "rulebook",
    "trial", "whatif",
)  # fmt: skip

MAY_IMPORT = {
    "events": (),
    "rulebook": (),
    "replay": ("events", "rulebook"),
    "whatif": ("events", "replay", "rulebook"),
    "desk": ("events", "intake.filings", "replay", "rulebook"),
    "analytics": ("desk", "replay", "rulebook"),
    "dashboards": (
        "analytics",
        "replay.advice",
        "desk.alarms.outbox",
        "replay.fold.corrections",
        "replay.findings",
        "replay.incidents",
        "replay.installed_games",
        "replay.narrative",
        "replay.transcript.entry",
        "desk.house",
        "desk.packet",
        "desk.printable",
        "desk.report",
        "desk.review.cameras",
        "desk.review.cases",
        "desk.review.contradiction",
        "desk.review.desk",
        "desk.review.desk_memory",
        "desk.review.full_text",
        "desk.review.incident_desk",
        "desk.review.observations",
        "desk.review.observed_table",
        "desk.review.persons",
        "desk.review.stored_events",
        "desk.review.surveillance",
        "desk.sign_in",
        "desk.verification",
    ),
    "floor": ("rulebook", "events"),
    "intake": ("events",),
    "discard_rack": ("analytics", "desk", "events", "replay"),
    "trial": ("analytics", "dashboards.sign_in.trial", "desk", "events", "floor", "intake", "replay"),
    "rack": ("analytics", "dashboards", "desk", "events", "floor", "intake", "replay", "rulebook", "trial", "whatif"),
}

ALSO = {
    "analytics/metrics.py": ("events",),
    "analytics/warehouse/feed.py": ("events",),
    "dashboards/pages/filing.py": ("rulebook.chapters",),
    "dashboards/pages/health.py": ("desk.shadows.state",),
    "analytics/warehouse/keeper.py": ("events",),
    "dashboards/pages/entry.py": ("desk.transcript_entry", "replay.transcript.words", "rulebook.chapters"),
    "dashboards/pages/observations.py": ("desk.transcript_entry",),
    "dashboards/parts/observed_round.py": ("replay.transcript.words",),
    "desk/verification/result.py": ("whatif.table_check",),
    "desk/verification/verification.py": ("whatif.table_check",),
}
"""File → what it may import beyond its package: the page on which rounds are typed reads rules; the figures come from the
warehouse, and one file feeds that from the log; a verification also derives a round table again."""

OF_A_GAME = {
    "settle.py": ("rulebook",),
    "returns.py": ("analytics.theory", "rulebook"),
    "counts.py": ("analytics.theory", "rulebook"),
    "simulation": ("events", "floor", "rulebook"),
}
"""File or folder of a game → what it may import, next to files of the game that may import no more. Its rules are all others."""
OF_RULES = ("events", "replay", "rulebook")

# third party -> the files, or the folders, that may import it
AT_HOME = {
    "kafka": tuple(f"events/kafka/{name}.py" for name in ("client", "connections", "record_batches", "transactions", "acls")),
    "apsw": ("events/sqlite/database.py",),
    "duckdb": ("analytics/",),
    "streamlit": ("dashboards/",),
    "numba": ("analytics/theory/kernels/compiling.py",),
    "starlette": ("intake/gateway/", "dashboards/"),
    "webauthn": ("dashboards/sign_in/",),
    "uvicorn": ("intake/gateway/",),
    "segno": ("rack/commands/setup/sign_in.py",),
    "shtab": ("rack/commands/setup/completion.py",),
}

PURE = (
    "rulebook/",
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


def arrows_against(allowed: tuple[str, ...], path: Path) -> list[str]:
    return [module for module in modules(path) if under(module, OURS) and not under(module, allowed)]


def allowed_in(path: str) -> tuple[str, ...]:
    """Return what a file may import, by its path."""
    package, *rest = path.split("/")
    if package != "games":
        return (package, *MAY_IMPORT[package], *ALSO.get(path, ()))
    own = OF_A_GAME.get(rest[-1], OF_RULES) if len(rest) < 3 else OF_A_GAME[rest[1]]
    game = f"games.{rest[0]}"
    parts = [part.removesuffix(".py") for part, allowed in OF_A_GAME.items() if set(allowed) <= set(own)]
    return (*own, *(f"{game}.{part}" for part in parts), *([] if rest[-1] in OF_A_GAME or len(rest) > 2 else [game]))


@pytest.mark.parametrize("package", OURS)
def test_arrows(package: str) -> None:
    found = {name(path): arrows_against(allowed_in(name(path)), path) for path in files(package)}
    assert {path: strangers for path, strangers in found.items() if strangers} == {}


@pytest.mark.parametrize("package", ["floor", "whatif"])
def test_what_serves_every_game_names_none(package: str) -> None:
    quoted = {name(path): set(re.findall(r"[\"'.](\w+)[\"' ]", path.read_text())) for path in files(package)}
    named = {path: words & set(GAMES) for path, words in quoted.items() if path != "floor/catalogue.py"}
    assert {path: games for path, games in named.items() if games} == {}


def test_the_simulation_of_a_game_never_sees_its_rules() -> None:
    """Simulator and judge that share a rule agree on its mistakes, too."""
    for path in files("games"):
        if path.parent.name == "simulation":
            strangers = [module for module in modules(path) if under(module, ("replay",)) or module.count(".rules")]
            assert strangers == [], name(path)


@pytest.mark.parametrize("library", AT_HOME)
def test_a_library_is_imported_at_home_only(library: str) -> None:
    strangers = [
        name(path)
        for path in files(*OURS)
        if any(under(module, (library,)) for module in modules(path))
        and not any(name(path) == home or (home.endswith("/") and name(path).startswith(home)) for home in AT_HOME[library])
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


def test_what_judges_is_pure() -> None:
    """No clock, randomness, environment or I/O. (`importlib.resources` reads what is part of the package: the rules.)"""
    of_games = (
        path for path in files("games") if path.parent.name != "simulation" and path.name not in ("returns.py", "counts.py")
    )
    judging = [*(path for path in files("rulebook", "replay") if name(path).startswith(PURE)), *of_games]
    assert {name(path): found for path in judging if (found := impurities(path.read_text()))} == {}


def test_a_page_loads_the_judge_only_to_judge() -> None:
    """What shows a record starts without the rules: the first page of a server waits for all that it loads."""
    judge = ("replay.rules.order", "replay.settlement.settlement", "webauthn")
    judging = {"entry", "observations", "health", "reports", "setup"}
    pages = [ast.parse(page.read_text()) for page in ROOT.glob("dashboards/pages/[a-z]*.py") if page.stem not in judging]
    loaded = {
        ast.unparse(line)
        for page in pages
        for line in page.body
        if isinstance(line, ast.Import | ast.ImportFrom) and "__future__" not in ast.unparse(line)
    }
    script = "import sys\n" + "\n".join(["import dashboards.app", *sorted(loaded)])
    script += f"\nprint([name for name in {judge} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
