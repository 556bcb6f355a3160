"""`make calibrate`: some 500,000 honest rounds of every game by the house way, every wager held against `rack theory`.

Simulator, settlement and exact counts know nothing of each other but the rules: if one of them is wrong, this shows it. A
part of the rounds goes the whole way besides, through a log and its replay, which must find nothing. Exits 1 if a wager is
more than 3.5 standard errors off, or the p-values are not even.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from floor.catalogue import SIMULATIONS
from tests.calibration.judge import MOST_Z, CountTest, hold, uniform
from tests.calibration.replaying import replayed
from tests.calibration.tally import ROUNDS_A_FLOOR, Counts, Key, played
from tests.calibration.theory import chances_of, rounds_of_theory

ROUNDS, REPLAYED, SEED = 500_000, 2_500, 688
ROOT = Path(__file__).parents[2]
PAGE, TABLE = ROOT / "docs" / "calibration.md", ROOT / "build" / "calibration.md"
BESIDE = ("progressive",)
"""Not among the p-values that must be even: the lines of the same wager are. So too totals and jokers, which follow from dice
and from each other."""


def main(given: Sequence[str] | None = None) -> int:
    """Play, judge, write the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.calibration", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of every game (default: %(default)s)")
    parser.add_argument("--replayed", type=int, default=REPLAYED, help="rounds of every game that are replayed (%(default)s)")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--games", default=",".join(SIMULATIONS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--page", type=Path, default=PAGE, help="where the summary goes (%(default)s)")
    parser.add_argument("--table", type=Path, default=TABLE, help="where every wager and device goes (%(default)s)")
    asked = parser.parse_args(given)
    games = asked.games.split(",")
    began = time.monotonic()
    counts = play(games, asked.rounds, asked.seed, asked.jobs)
    held = {
        key: hold(counted, chances, rounds_of_theory(key))
        for key, counted in sorted(counts.items())
        if (chances := chances_of(key)) is not None
    }
    judged = {game: replayed(asked.seed, game, asked.replayed) for game in games} if asked.replayed else {}
    seconds = time.monotonic() - began
    text, sound = report(held, judged, asked.rounds, asked.replayed, asked.seed, seconds)
    asked.page.write_text(text, encoding="utf-8")
    asked.table.parent.mkdir(parents=True, exist_ok=True)
    asked.table.write_text(tables(held), encoding="utf-8")
    sys.stdout.write(text + tables(held))
    return 0 if sound else 1


def play(games: Sequence[str], rounds: int, seed: int, jobs: int) -> Counts:
    """Play this many rounds of every game, a floor after another in this many processes; the same whatever their number."""
    sizes = [ROUNDS_A_FLOOR] * (rounds // ROUNDS_A_FLOOR) + [rounds % ROUNDS_A_FLOOR] * (rounds % ROUNDS_A_FLOOR > 0)
    tasks = [(seed * 1_000_000 + at, game, size) for at, size in enumerate(sizes) for game in games]
    found: Counts = {}
    with ProcessPoolExecutor(jobs) as pool:
        for at, counts in enumerate(pool.map(played, *zip(*tasks, strict=True)), 1):
            for key, counted in counts.items():
                found.setdefault(key, Counter()).update(counted)
            sys.stderr.write(f"\r{at} of {len(tasks)} floors")
    sys.stderr.write("\n")
    return found


def report(
    held: dict[Key, CountTest], judged: dict[str, str], rounds: int, replayed_rounds: int, seed: int, seconds: float
) -> tuple[str, bool]:
    """Return the page, and whether everything is as it should be."""
    worst = max(abs(each.z) for each in held.values() if each.z is not None)
    even = [each.p for key, each in held.items() if each.p is not None and not _beside(key)]
    p = uniform(even)
    smallest = min(even) * len(even)
    faulty = {game: text for game, text in judged.items() if not text.startswith("nothing")}
    sound = worst < MOST_Z and p > 0.001 and smallest > 0.001 and not faulty
    lines = [
        "# Calibration",
        "",
        "The simulator plays, the games settle, and `rack theory` counts: three pieces of work that share only the rules.",
        "This page compares them. Patrons set by the house way and make the best decisions, nothing is planted, and",
        "nothing irregular happens.",
        "",
        "```",
        f"$ make calibrate{_arguments(rounds, replayed_rounds, seed)}",
        "```",
        "",
        f"{rounds:,} rounds of every game, seed {seed}. Largest departure of a wager: {worst:.2f} standard errors",
        f"(below {MOST_Z} is asked). P-values, {len(even)} of them:",
        f"even with p = {p:.3f}; the smallest, corrected for their number, is {min(1.0, smallest):.3f}.",
        f"Some rounds of every game also went through a log and its replay, which found: {_judged(judged)}.",
        "",
        "One bet on every wager of a round counts, so that all counts are independent. House win is per unit of the first",
        "wager, without what a meter pays by slip. Ends expected fewer than five times are left out of both means, and are",
        "one class for p (chi-square of all ends). The base wagers of pai gow are compared with theory's own simulation, both",
        "sides by the house way. The Must-Hit-By bonus is not here: the simulator draws its targets close to the meter, so",
        "that a day has hits.",
        "",
        "The command prints every wager, die, number and first card, and writes them to `build/calibration.md`.",
        "",
        "| chapter | wagers and devices | seen | largest z | smallest p |",
        "| --- | ---: | ---: | ---: | ---: |",
        *_chapters(held),
        "",
    ]
    sys.stderr.write(f"{seconds:,.0f} seconds\n")
    return "\n".join(lines), sound


def _chapters(held: dict[Key, CountTest]) -> Iterator[str]:
    """A row for each chapter."""
    chapters: dict[str, list[CountTest]] = {}
    for key, each in held.items():
        chapters.setdefault(key[2] if key[0] == "fairness" else key[0], []).append(each)
    for name, members in sorted(chapters.items()):
        worst = max((abs(each.z) for each in members if each.z is not None), default=0.0)
        smallest = min((each.p for each in members if each.p is not None), default=1.0)
        yield f"| {name} | {len(members)} | {sum(each.n for each in members):,} | {worst:.2f} | {smallest:.3f} |"


def tables(held: dict[Key, CountTest]) -> str:
    """Return every wager, and what devices showed in the same rounds."""
    lines = [
        "| chapter | wager | paytable | bets | theory % | here % | z | p |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        *(_row(key, each) for key, each in held.items() if key[0] != "fairness"),
        "",
        "| chapter | what | seen | p |",
        "| --- | --- | --- | --- |",
        *(f"| {key[2]} | {key[1]} | {each.n:,} | {_three(each.p)} |" for key, each in held.items() if key[0] == "fairness"),
    ]
    return "\n".join([*lines, ""])


def _arguments(rounds: int, replayed_rounds: int, seed: int) -> str:
    """What must be said next to the command for the same page."""
    given = (("--rounds", rounds, ROUNDS), ("--replayed", replayed_rounds, REPLAYED), ("--seed", seed, SEED))
    said = " ".join(f"{name} {value}" for name, value, default in given if value != default)
    return f' ARGS="{said}"' if said else ""


def _beside(key: Key) -> bool:
    return key[1] in BESIDE or key[1].startswith(("total", "joker"))


def _judged(judged: dict[str, str]) -> str:
    return "; ".join(f"{game} {text}" for game, text in judged.items()) or "none in this run"


def _row(key: Key, each: CountTest) -> str:
    percent = [f"{100 * value:.3f}" if value is not None else "–" for value in (each.theory, each.mean)]
    z = f"{each.z:+.2f}" if each.z is not None else "–"
    return f"| {key[0]} | {key[1]} | {key[2] or '–'} | {each.n:,} | {percent[0]} | {percent[1]} | {z} | {_three(each.p)} |"


def _three(p: float | None) -> str:
    return f"{p:.3f}" if p is not None else "–"


if __name__ == "__main__":
    raise SystemExit(main())
