"""Try the table of faults: `python -m tests.faults [--only WORDS] [--write FILE]`; prints it.

A complete run writes the table to `build/reliability.md` and its summary to the page; `--only` writes neither.
Two rows of the cluster are tried on a log of fewer copies too, which must lose events (`three_nodes/fewer_copies.py`).

Exit status 0: nothing was lost. 1: something was. A fault that this machine cannot bring about is named, and is no failure.
"""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.faults import all_faults
from tests.faults.page import MARK, markdown, summary
from tests.faults.table import Fault, Tally, Unavailable, times_tried
from tests.kafka_broker import address_or_problem

ROOT = Path(__file__).resolve().parents[2]
PAGE, TABLE = ROOT / "docs" / "reliability.md", ROOT / "build" / "reliability.md"
SIMULATED = 200
CLUSTER = "cluster"
"""The area whose faults start three nodes of their own."""


class Row:
    """What came of a fault."""

    def __init__(self, area: str, name: str, how: str, held: str) -> None:
        self.area, self.name, self.how, self.held = area, name, how, held
        self.tried, self.lost, self.seconds = 0, "nothing", 0.0

    def cells(self) -> list[str]:
        return [self.area, self.name, self.how, str(self.tried or "-"), self.held, self.lost]


def attempt_named(name: str, most: int) -> Row:
    """The same, in another process."""
    return attempt(next(each for each in all_faults() if each.name == name), most)


def attempt(fault: Fault, most: int) -> Row:
    """Bring a fault about as often as the table says, or at most this many times."""
    row, began = Row(fault.area, fault.name, fault.how, fault.held), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="rack-faults-", ignore_cleanup_errors=True) as folder:
        try:
            if fault.kafka and fault.area != CLUSTER and (problem := address_or_problem()[1]):
                raise Unavailable(problem)
            outcome = fault.run(Path(folder), min(fault.often, most))
            if fault.area == CLUSTER:
                from tests.faults.three_nodes.fewer_copies import check_that_it_loses  # its rows come last in the table

                check_that_it_loses(fault.name, Path(folder) / "fewer copies")
            row.tried = times_tried(outcome)
            row.lost = str(outcome) if isinstance(outcome, Tally) else row.lost
        except Unavailable as missing:
            row.lost = f"not tried: {missing}"
        except Exception as error:  # whatever it is, it is in the table
            row.lost = f"FAILED: {type(error).__name__}: {error}"
    row.seconds = time.monotonic() - began
    sys.stderr.write(f"{fault.area}: {fault.name}: {row.tried} times in {row.seconds:.0f} s, lost: {row.lost}\n")
    return row


def simulate(seeds: int, *, kafka: bool) -> Row:
    """Run the simulation, as another row."""
    from tests.simulation.__main__ import attempt as run_seed

    where = "on a Kafka cluster in memory" if kafka else "on SQLite under a disk that fails"
    row = Row(
        "everything",
        f"any of the above, at any moment, {where}",
        f"the simulation (`tests/simulation`), {seeds} seeds",
        "acknowledged events once; findings the same bytes; damage named",
    )
    faults, began = Counter[str](), time.monotonic()
    for seed in range(seeds):
        outcome = run_seed(seed, kafka=kafka)
        if isinstance(outcome, str):
            row.lost = f"FAILED: {outcome}"
            break
        faults.update(outcome.faults)
    row.tried, row.seconds = faults.total(), time.monotonic() - began
    sys.stderr.write(f"{row.area}: {row.name}: {row.tried} faults in {row.seconds:.0f} s, lost: {row.lost}\n")
    return row


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.faults", description=__doc__)
    parser.add_argument("--only", default="", help="an area, or words of an area and name")
    parser.add_argument("--most", type=int, default=1 << 30, metavar="N", help="try no fault more than N times")
    parser.add_argument("--write", type=Path, default=PAGE, help="the page whose summary is written")
    options = parser.parse_args()
    options.write.read_text()  # whoever names no page is told now, not in half an hour
    os.environ.pop("KAFKA_BOOTSTRAP", None)  # faults are for a broker of one's own
    areas = {each.area for each in all_faults()}
    faults = [
        each
        for each in all_faults()
        if (each.area == options.only if options.only in areas else options.only in f"{each.area} {each.name}")
    ]
    began = time.monotonic()
    with ProcessPoolExecutor(1) as beside:  # while a broker restarts, there is time for files
        others = {each.name: beside.submit(attempt_named, each.name, options.most) for each in faults if not each.kafka}
        simulated = [beside.submit(simulate, SIMULATED, kafka=kafka) for kafka in (False, True) if not options.only]
        done = {each.name: attempt(each, options.most) for each in faults if each.kafka}
        rows = [done[each.name] if each.kafka else others[each.name].result() for each in faults]
        rows += [each.result() for each in simulated]
    table = [row.cells() for row in rows]
    if not options.only:
        TABLE.parent.mkdir(exist_ok=True)
        TABLE.write_text(markdown(table))
        text = options.write.read_text()
        options.write.write_text(text[: text.index(MARK) + len(MARK)] + "\n" + summary(table))
    sys.stdout.write(markdown(table))
    sys.stderr.write(f"{sum(row.tried for row in rows)} faults in {(time.monotonic() - began) / 60:.1f} minutes\n")
    return 1 if any(row.lost.startswith("FAILED") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
