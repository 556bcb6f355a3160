"""What an engine is named after: all that decides a verdict, and nothing else."""

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import repeat
from pathlib import Path

import pytest

from replay.run import engine as engines
from replay.run.engine import JUDGES, LISTS_GAMES, PACKAGES, deciding_files, digest_of, engine, engine_of, shared_engine
from rulebook.catalogue import GAMES

ROOT = Path(__file__).parents[3]
DECIDING = deciding_files(ROOT)
COPIED_BY = {"games/face_up_pai_gow/chapters/pa-688a.toml": {"pai_gow_poker"}}
"""Files of a game from which other games copy."""
OF_GAMES = [name for name in DECIDING if name.startswith("games/") and name != LISTS_GAMES]

JUDGE_A_ROUND = """
import json, sys
import replay.run.refold, replay.run.stream_worker
from replay.transcript.transcript import judge
(judged,) = judge("rules pa-688a fortune_bonus=3 progressive=4\\nround 1\\nwager seat=3 base 25.00\\n", "round.txt")
assert judged.conclusion
print(json.dumps(sorted(sys.modules)))
"""


@pytest.fixture(autouse=True, scope="module")
def each_text_is_read_once() -> Iterator[None]:
    """A digest is taken hundreds of times here: the imports of a text are looked for once."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(engines, "_imports", cache(engines._imports))
        yield


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the packages and of what shows them, to be changed."""
    folder = tmp_path_factory.mktemp("engine")
    for package in (*PACKAGES, "dashboards", "desk", "analytics", "rack", "whatif"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@contextmanager
def changed(copy: Path, *names: str) -> Iterator[None]:
    """Let files of the copy have one more line each."""
    before = {copy / name: (copy / name).read_bytes() for name in names}
    for path, data in before.items():
        path.write_bytes(data + b"\n# changed\n")
    try:
        yield
    finally:
        for path, data in before.items():
            path.write_bytes(data)


def digest_with_a_change(copy: Path, name: str) -> str:
    """Return the digest of the copy while a file of it has one more line."""
    with changed(copy, name):
        return digest_of(copy)


@pytest.fixture(scope="module")
def before(copy: Path) -> dict[str, str]:
    """What `by_game` returns for the copy as it is."""
    return by_game(copy)


def by_game(copy: Path) -> dict[str, str]:
    """Return the digest of what judges each game in a folder; under "" that of what they share."""
    return {game: digest_of(copy, game=game) for game in ("", *GAMES)}


def imports(path: Path) -> set[str]:
    """Return the names that a file imports, as the language has it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def files_of(name: str) -> set[str]:
    """Return the files that importing a name of ours runs."""
    parts = name.split(".")
    ways = (f"{'/'.join(parts[:length])}{ending}" for length in range(1, len(parts) + 1) for ending in (".py", "/__init__.py"))
    return {way for way in ways if parts[0] in PACKAGES and (ROOT / way).is_file()}


def test_the_engine_is_named_after_version_and_digest(copy: Path) -> None:
    version, _, digest = engine().partition("+")
    assert version
    assert digest == digest_of(ROOT) == digest_of(copy)
    assert len(digest) == 16


def test_each_game_has_an_engine_of_its_own(copy: Path) -> None:
    names = [shared_engine(), *map(engine_of, GAMES), engine()]
    assert [name.partition("+")[2] for name in names[:-1]] == list(by_game(copy).values())
    assert len({*names}) == len(names)
    assert engine_of("no_such_game") == engine()  # what is said of it depends on every game that is known
    assert engine_of("").partition("+")[2] == shared_engine().partition("+")[2]


@pytest.mark.parametrize("name", OF_GAMES)
def test_a_file_of_a_game_changes_the_engine_of_that_game(copy: Path, before: dict[str, str], name: str) -> None:
    with changed(copy, name):
        for game in {name.split("/")[1]} | COPIED_BY.get(name, set()):
            assert digest_of(copy, game=game) != before[game]


@pytest.mark.parametrize("game", GAMES)
def test_the_files_of_a_game_change_the_engine_of_no_other(copy: Path, before: dict[str, str], game: str) -> None:
    names = [name for name in OF_GAMES if name.startswith(f"games/{game}/")]
    with changed(copy, *names):
        after = by_game(copy)
    assert {each for each in before if before[each] != after[each]} == {game}.union(*map(COPIED_BY.get, names, repeat(set())))


@pytest.mark.parametrize(
    "name", ["replay/run/adjudicate.py", "replay/rules/rule.py", "events/vocabulary/base.py", "rulebook/house_ways/stones.toml"]
)
def test_a_file_that_games_share_changes_the_engine_of_each(copy: Path, before: dict[str, str], name: str) -> None:
    with changed(copy, name):
        after = by_game(copy)
    assert [game for game in before if before[game] == after[game]] == []


def test_one_more_game_in_the_list_changes_the_engine_of_no_other(copy: Path, before: dict[str, str]) -> None:
    whole = digest_of(copy)
    with changed(copy, LISTS_GAMES):
        assert by_game(copy) == before
        assert digest_of(copy) != whole


@pytest.mark.parametrize(
    "name",
    [
        "replay/run/adjudicate.py",
        "replay/rules/order.py",
        "replay/rules/rule.py",
        "replay/fold/table_fold.py",
        "replay/settlement/settlement.py",
        "replay/run/stream_worker.py",
        "replay/rules/meters.py",
        "replay/fold/corrections.py",
        "replay/run/refold.py",
        "events/vocabulary/codec.py",
        "events/vocabulary/upcast.py",
        "events/vocabulary/settlement_events.py",
        "games/over_under/settle.py",
        "games/over_under/turns.py",
        "games/dj_wild/rules.py",
        "rulebook/catalogue.py",
        "games/face_up_pai_gow/chapters/pa-688a.toml",
        "rulebook/house_ways/stones.toml",
    ],
)
def test_what_decides_is_part_of_it(name: str) -> None:
    assert name in DECIDING


@pytest.mark.slow
def test_every_file_that_decides_changes_it_and_every_table_of_rules(copy: Path) -> None:
    tables = {
        path.relative_to(ROOT).as_posix()
        for pattern in ("games/*/chapters/*.toml", "rulebook/house_ways/*.toml")
        for path in ROOT.glob(pattern)
    }
    assert len(tables) >= 9
    assert tables <= set(DECIDING)
    before = digest_of(copy)
    assert [name for name in DECIDING if digest_with_a_change(copy, name) == before] == []


ONLY_SHOWS = [
    "desk/packet/page.py",
    "desk/packet/words.py",
    "replay/transcript/write.py",
    "replay/transcript/transcript.py",
    "desk/review/desk.py",
    "desk/review/state.py",
    "desk/packet/evidence.py",
    "whatif/what_if.py",
    "whatif/settled_round.py",
    "whatif/workers/streams.py",
    "events/kafka/log.py",
    "events/sqlite/log.py",
    "events/proofs/merkle.py",
    "games/face_up_pai_gow/coverage/688a.toml",
    "games/fortune_asia/coverage/659a.toml",
    "games/fortune_asia/rounds/659a/medium_first.toml",
    "games/dj_wild/returns.py",
    "games/dj_wild/simulation/plan.py",
    "rulebook/decisions.toml",
    "dashboards/app.py",
    "analytics/warehouse/warehouse.py",
    "rack/cli.py",
]


def test_what_only_shows_keeps_or_proves_verdicts_does_not_change_it(copy: Path, before: dict[str, str]) -> None:
    with changed(copy, *ONLY_SHOWS):
        whole, after = digest_of(copy), by_game(copy)
    assert (whole, after) == (digest_of(ROOT), before), [
        each for each in ONLY_SHOWS if digest_with_a_change(copy, each) != digest_of(ROOT)
    ]


def test_a_table_of_rules_that_comes_or_goes_changes_it(copy: Path) -> None:
    before, there = digest_of(copy), copy / "games" / "dj_wild" / "chapters" / "pa-999z.toml"
    there.write_text("")
    assert digest_of(copy) != before
    there.unlink()
    assert digest_of(copy) == before


@pytest.mark.slow
def test_it_reads_the_imports_as_the_language_does() -> None:
    """The files are closed under imports: whatever one of them imports, at its top or inside a function, is among them."""
    assert {file for judge in JUDGES for file in files_of(judge)} <= set(DECIDING)
    for name in DECIDING:
        if name.endswith(".py"):
            wanted = {file for imported in imports(ROOT / name) for file in files_of(imported)}
            assert sorted(wanted - set(DECIDING)) == [], name


def test_nothing_that_decides_is_imported_by_a_name_made_at_run_time() -> None:
    """But for the games, which are part of it by their places."""
    by_name = [name for name in DECIDING if name.endswith(".py") and "import_module" in (ROOT / name).read_text()]
    assert by_name == ["rulebook/catalogue.py"]


def test_nothing_else_is_loaded_to_judge_but_what_reads_a_transcript() -> None:
    done = subprocess.run(
        [sys.executable, "-c", JUDGE_A_ROUND], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    loaded = {file for name in json.loads(done.stdout) for file in files_of(name)}
    assert sorted(name for name in loaded - set(DECIDING) if "transcript" not in name) == []


def test_without_its_judges_an_engine_has_no_name(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="has no replay"):
        digest_of(tmp_path)
