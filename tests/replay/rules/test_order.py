"""The order in which rules speak is a list: no import, and no place in a file, decides which rules judge or in which order."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from random import Random

import pytest

import games
import replay
from replay.rules.order import rules_in_order
from replay.rules.rule import Rule
from replay.run.adjudicate import rules_of
from rulebook.chapters.rulebook import chapter

ROOT = Path(__file__).parents[3]
RULE_MODULES = sorted({each.evaluate.__module__ for each in rules_in_order()})

TELL = """
import importlib, json, sys
for name in json.loads(sys.argv[1]):
    importlib.import_module(name)
from replay.rules.catalogue import GAME_RULES
from replay.rules.order import rules_in_order
games = {
    game: [getattr(getattr(record, field), "__qualname__", None) for field in record.__struct_fields__]
    for game, record in GAME_RULES.items()
}
print(json.dumps([[f"{each.evaluate.__module__}.{each.evaluate.__name__}" for each in rules_in_order()], games]))
"""


GAMES_FOLDER = Path(games.__file__).parent


def told_by_a_fresh_process(modules: list[str]) -> object:
    done = subprocess.run(
        [sys.executable, "-c", TELL, json.dumps(modules)], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("seed", [688, 4711, 20261122])
def test_the_rules_speak_in_the_same_order_however_their_files_are_imported(seed: int) -> None:
    shuffled = list(RULE_MODULES)
    Random(seed).shuffle(shuffled)
    assert shuffled != RULE_MODULES
    assert told_by_a_fresh_process(shuffled) == told_by_a_fresh_process(RULE_MODULES[::-1])


def test_every_rule_there_is_has_one_place_in_the_list() -> None:
    modules = [import_module(each.name) for each in walk_packages(replay.__path__, "replay.")]
    modules += [import_module(f"games.{path.parent.name}.{path.stem}") for path in GAMES_FOLDER.glob("*/*.py")]
    there = {id(value): value for module in modules for value in vars(module).values() if isinstance(value, Rule)}
    listed = list(rules_in_order())
    assert sorted(map(id, listed)) == sorted(there)


def test_rules_of_a_chapter_keep_the_order_of_the_list() -> None:
    places = {id(each): place for place, each in enumerate(rules_in_order())}
    held = [places[id(each)] for each in rules_of(chapter("pa", "688a"))]
    assert held == sorted(held)
    assert len(held) > 40
