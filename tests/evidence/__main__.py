"""`make survey`: edits every field of every event of honest rounds, and asks of each edit whether a verdict notices it.

Writes the table to `build/survey.md` and its summary to `docs/survey.md`. Exits 1 if an edit has no effect that no one
explains or moves money while the round stays upheld, or if an honest round raises an alarm. The open list counts edits whose
rule is missing.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.evidence.allowances import load
from tests.evidence.page import page, reasons, summary, table
from tests.evidence.report import as_json, report
from tests.evidence.specimens import known_games
from tests.evidence.survey import Plan, run

ROOT = Path(__file__).resolve().parents[2]
PAGE, TABLE = ROOT / "docs" / "survey.md", ROOT / "build" / "survey.md"
SEED, ROUNDS = 688, 8


def main(given: Sequence[str] | None = None) -> int:
    """Survey, write the page, return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.evidence", description=__doc__)
    parser.add_argument("--games", default=",".join(known_games()), help="names, with commas (default: all)")
    parser.add_argument("--seed", type=int, default=SEED, help="chooses the rounds (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="simulated rounds of each game (default: %(default)s)")
    parser.add_argument("--golden", type=int, default=1, help="one in so many golden cases; 0: none (default: %(default)s, all)")
    parser.add_argument("--alike", type=int, default=3, help="events of one type in a round edited alike (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="every line as JSON on stdout")
    parser.add_argument("--page", type=Path, default=PAGE, help="where the summary goes (default: %(default)s)")
    parser.add_argument("--table", type=Path, default=TABLE, help="where the table goes (default: %(default)s)")
    options = parser.parse_args(given)
    games = tuple(options.games.split(","))
    if unknown := set(games) - set(known_games()):
        parser.error(f"no game {', '.join(sorted(unknown))}; expected {', '.join(known_games())}")
    plan = Plan(games=games, seed=options.seed, rounds=options.rounds, golden_share=options.golden, alike=options.alike)
    allowances = load()
    began = time.monotonic()
    tally = run(plan, allowances, options.jobs, _progress(began))
    is_full = set(games) == set(known_games()) and options.golden == 1
    result = report(tally, allowances, is_full=is_full)
    options.table.parent.mkdir(parents=True, exist_ok=True)
    tables = [*table(result.lines), "", *reasons(result.lines, allowances)]
    options.table.write_text("\n".join(tables) + "\n", encoding="utf-8")
    if is_full:
        options.page.write_text(page(plan, tally, result, allowances), encoding="utf-8")
    sys.stdout.write(json.dumps(as_json(result), indent=1) + "\n" if options.json else summary(tally, result))
    sys.stderr.write(f"{time.monotonic() - began:,.0f} seconds\n")
    return 1 if result.problems or (is_full and result.stale) else 0


def _progress(began: float) -> Callable[[int, int], None]:
    def tell(done: int, of: int) -> None:
        sys.stderr.write(f"\r{done} of {of} shares, {time.monotonic() - began:,.0f} s ")
        if done == of:
            sys.stderr.write("\n")
        sys.stderr.flush()

    return tell


if __name__ == "__main__":
    raise SystemExit(main())
