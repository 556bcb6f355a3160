"""`make mutants`: puts each seeded defect into a copy of the tree; the golden rounds must kill every one.

`python -m tests.mutants [NAME …]` plays all mutants, or those named. Ends with 1 where one survives or no longer fits, or
if a golden round fails without any mutant (such rounds kill nothing).
"""

import argparse
import compileall
import json
import os
import py_compile
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.mutants.mutation import ROOT, Mutant, NoFit, load

COPIED = ("events", "games", "replay", "rulebook", "tests/golden")
ALONE = ("tests/__init__.py", "tests/mutants/__init__.py", "tests/mutants/play.py")
TIMEOUT_S = 60.0
"""The golden rounds have so long at least, and ten times as long as they take without a mutant."""


class Fate(NamedTuple):
    """What became of a mutant: `killed` with the case and its complaint, `survived`, or why it could not be played."""

    mutant: Mutant
    killed: bool
    said: str
    complaint: str = ""


def copy_tree(to: Path) -> None:
    """Copy what is played, compiled so that a changed file is always compiled again (by content, not by time)."""
    for name in COPIED:
        shutil.copytree(ROOT / name, to / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ALONE:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, to / name)
    compileall.compile_dir(to, quiet=2, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)


def play(tree: Path, *options: str, timeout_s: float | None = None) -> list[tuple[str, str]]:
    """Play the golden rounds of a tree in a process of its own. Raises `RuntimeError` with what it said."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [sys.executable, "-B", "-m", "tests.mutants.play", *options],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise RuntimeError(lines[-1] if lines else f"ended with {done.returncode}")
    return [(case, wrong) for case, wrong in json.loads(done.stdout)]


def try_out(mutant: Mutant, original: Path, without: Path, timeout_s: float) -> Fate:
    """Play one mutant in a copy of its own."""
    with tempfile.TemporaryDirectory(prefix="rack-mutant-", dir=original.parent) as folder:
        tree = Path(folder) / "tree"
        shutil.copytree(original, tree)
        try:
            (tree / mutant.file).write_text(mutant.applied(tree), encoding="utf-8")
            like = f"{mutant.why} {mutant.name}"
            failed = play(tree, "--without", str(without), "--like", like, timeout_s=timeout_s)
        except NoFit as error:
            return Fate(mutant, False, str(error))
        except RuntimeError as error:
            return Fate(mutant, False, f"could not be played: {error}")
        except subprocess.TimeoutExpired:
            return Fate(mutant, True, f"no end after {timeout_s:.0f} s")
    return Fate(mutant, True, *failed[0]) if failed else Fate(mutant, False, "SURVIVED")


def tell(fate: Fate, width: int, verbose: bool) -> None:
    """Write what became of a mutant, as soon as it is known."""
    sys.stdout.write(f"{fate.mutant.name:{width}}  {'killed by ' if fate.killed else ''}{fate.said}\n")
    if fate.complaint and verbose:
        sys.stdout.write(f"{'':{width}}    {fate.complaint}\n")
    if not fate.killed:
        sys.stdout.write(f"{'':{width}}    {fate.mutant.why}\n")
    sys.stdout.flush()


def main(arguments: list[str] | None = None) -> int:
    """Try all mutants out, or those named; write the table; return the exit status."""
    parser = argparse.ArgumentParser(prog="tests.mutants", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (default: %(default)s)")
    parser.add_argument("--verbose", action="store_true", help="with what the killing case complains of")
    options = parser.parse_args(arguments)
    known = load()
    unknown = set(options.names) - {mutant.name for mutant in known}
    if unknown:
        parser.error(f"no mutant {', '.join(sorted(unknown))}")
    mutants = [mutant for mutant in known if not options.names or mutant.name in options.names]
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="rack-mutants-") as folder:
        original, without = Path(folder) / "original", Path(folder) / "without.json"
        copy_tree(original)
        without.write_text("[]")
        failing = play(original, "--all")
        timeout_s = max(TIMEOUT_S, 10 * (time.monotonic() - began))
        without.write_text(json.dumps([case for case, _ in failing]))
        with ThreadPoolExecutor(options.jobs) as pool:
            fates = []
            for fate in pool.map(lambda mutant: try_out(mutant, original, without, timeout_s), mutants):
                fates.append(fate)
                tell(fate, max(len(mutant.name) for mutant in mutants), options.verbose)
    for case, wrong in failing:
        sys.stdout.write(f"fails without any mutant: {case}\n    {wrong}\n")
    alive = sum(not fate.killed for fate in fates)
    sys.stdout.write(f"{len(fates)} mutants: {len(fates) - alive} killed, {alive} not, in {time.monotonic() - began:.0f} s\n")
    return 1 if alive or failing else 0


if __name__ == "__main__":
    sys.exit(main())
