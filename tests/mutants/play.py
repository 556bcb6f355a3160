"""Plays the golden rounds of the tree it is started in, and writes what failed as JSON: `python -m tests.mutants.play`.

It stops at the first case that fails; with `--all` it plays them all. Cases named in the file given by `--without` are
left out. Started in a copy of the tree, it plays the copy's code: it says so and ends with 2 where it would not.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import events
import games
import replay
from tests.golden.rounds import Case, read_cases, run

ROUNDS = "tests/golden/**/*.rounds"


def label(case: Case) -> str:
    """Return what names a case: its file and line, and its title."""
    return f"{case.path.stem}:{case.line} {case.title}"


def problems(case: Case) -> list[str]:
    """Return what differs from a case's expectations; a round that cannot even be judged fails too."""
    try:
        return run(case)
    except Exception as error:
        return [f"raised {type(error).__name__}: {error}"]


def failures(root: Path, everything: bool, without: frozenset[str]) -> list[tuple[str, str]]:
    """Return the cases that fail with the first thing that is wrong about each."""
    failed = []
    for path in sorted(root.glob(ROUNDS)):
        for case in read_cases(path):
            if label(case) not in without and (wrong := problems(case)):
                failed.append((label(case), wrong[0]))
                if not everything:
                    return failed
    return failed


def main() -> int:
    """Play, and write a JSON list of `[case, what is wrong]`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--without", type=Path)
    options = parser.parse_args()
    root = Path.cwd().resolve()
    for package in (events, games, replay):
        if not Path(str(package.__file__)).resolve().is_relative_to(root):
            sys.stderr.write(f"{package.__name__} comes from {package.__file__}, not from {root}\n")
            return 2
    without = frozenset(json.loads(options.without.read_text())) if options.without else frozenset()
    sys.stdout.write(json.dumps(failures(root, options.all, without)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
