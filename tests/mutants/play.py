"""Plays the golden rounds of the tree it is started in, and writes what failed as JSON: `python -m tests.mutants.play`.

It stops at the first case that fails, and begins with those that have most words in common with what `--like` says; with
`--all` it plays them all. Cases named in the file given by `--without` are left out. Started in a copy of the tree, it
plays the copy's code: it says so and ends with 2 if it would not.
"""

import argparse
import json
import re
import sys
from pathlib import Path

import events
import games
import replay
from tests.golden.rounds import GoldenCase, read_cases, run

ROUNDS = "games/*/rounds/*/*.rounds"


def label(case: GoldenCase) -> str:
    """Return what names a case: its file and line, and its title."""
    return f"{case.path.stem}:{case.line} {case.title}"


def problems(case: GoldenCase) -> list[str]:
    """Return what differs from a case's expectations; a round that cannot even be judged fails too."""
    try:
        return run(case)
    except Exception as error:
        return [f"raised {type(error).__name__}: {error}"]


def words(text: str) -> frozenset[str]:
    """Return the words of a text, sections as a whole.

    >>> sorted(words("§ 688a.12(b): Ace High pays 20 to 1"))
    ['12(b)', '688a', 'ace', 'high', 'pays']
    """
    return frozenset(each for each in re.findall(r"[a-z0-9()-]+", text.lower()) if len(each) > 2)


def failures(root: Path, everything: bool, without: frozenset[str], like: str = "") -> list[tuple[str, str]]:
    """Return the cases that fail with the first thing that is wrong about each."""
    cases = [case for path in sorted(root.glob(ROUNDS)) for case in read_cases(path) if label(case) not in without]
    asked = words(like)
    cases.sort(key=lambda case: -len(asked & words(f"{case.path.parent.name} {case.title} {case.path.stem}")))
    failed = []
    for case in cases:
        if wrong := problems(case):
            failed.append((label(case), wrong[0]))
            if not everything:
                break
    return failed


def main() -> int:
    """Play, and write a JSON list of `[case, what is wrong]`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--without", type=Path)
    parser.add_argument("--like", default="")
    options = parser.parse_args()
    root = Path.cwd().resolve()
    for package in (events, games, replay):
        if not Path(str(package.__file__)).resolve().is_relative_to(root):
            sys.stderr.write(f"{package.__name__} comes from {package.__file__}, not from {root}\n")
            return 2
    without = frozenset(json.loads(options.without.read_text())) if options.without else frozenset()
    sys.stdout.write(json.dumps(failures(root, options.all, without, options.like)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
