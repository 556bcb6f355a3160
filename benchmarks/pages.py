"""`python -m benchmarks.pages --warehouse FILE [--log ADDR [--key FILE]]`: the drawing time of every page in Chromium.

A page is drawn when its script has ended, its heading is shown, and no part is pending. The server is fresh, and one page was
opened before, so that the browser has loaded Streamlit's own scripts. *First* is the first request of a page in this server,
*after* the best of three more, each a new start of the page in the browser; *by a link* is the best of three visits by a link on
another page. Goals: 1.5 s and 0.7 s at 54,000 rounds (`rack demo --rounds 54000`, or without a log `python -m benchmarks
--dry-run --only warehouse --warehouse-rounds 54000 --keep FILE`).

Below are *Entry*, from a key on the felt to the panel that answers it, the median and the 95th percentile of 40 keys (goal 150
ms); and with the log's key the packet of the same round, best of three (goal 5 s), each recorded in the log as usual.

Processor times of server and browser are shown with wall times, which a busy machine disturbs more. Prints a table with the load
of the machine; 1 if a goal is missed.
"""

import argparse
import os
import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Page, sync_playwright

from analytics.warehouse.warehouse import reading
from benchmarks.measuring import REPEATS
from dashboards.access.page_list import PAGES
from desk.packet import packet_at
from scripts.screenshots import FLAGS, NAMES, WIDE, served

FIRST_S, AFTER_S, PACKET_S = 1.5, 0.7, 5.0
KEYS, PANEL_MS = 40, 150
TYPED = (("Dealer: cards", "*KdJc9s8h4d3c"), ("Seat 3: cards", "AsQdTh9h7c5s2d"), ("Seat 3: wagers", "b25a10"))
TIMED = """() => {
    const places = [...document.querySelectorAll('*')].map((each) => each.shadowRoot ?? each);
    const root = places.find((each) => each.querySelector('.verdict'));
    window.panelMs = [];
    let pressed = 0;
    document.addEventListener('keydown', () => { pressed = performance.now(); }, true);
    new MutationObserver(() => { if (pressed) window.panelMs.push(performance.now() - pressed); pressed = 0; })
        .observe(root.querySelector('.verdict'), { childList: true });
}"""
"""Notes of each key how long the panel took to answer it."""
VIEWS = (
    *(f"hold?view={view}" for view in ("wagers", "luck", "time", "pace", "behind")),
    *(f"dealers?view={view}" for view in ("repeats", "rules", "time", "alarms")),
)
DRAWN = """() => {
    const app = document.querySelector('[data-testid=stApp]');
    return app?.dataset.testScriptState === 'notRunning' && document.querySelector('.stMain h1') !== null
        && document.querySelector('[data-testid=stSkeleton], [data-stale=true], h1[data-left]') === null;
}"""
FOLLOW = """(address) => {
    document.querySelector('.stMain h1').dataset.left = '';
    history.pushState({}, '', address);
    window.dispatchEvent(new PopStateEvent('popstate'));
}"""
"""What keys.js does with a link to another page, the heading of the page that is left marked."""


def round_measured(warehouse: Path) -> tuple[str, int]:
    """Return the table and the number of a round in the middle of the record."""
    with reading(warehouse) as db:
        rounds = db.sql("SELECT table_id, round_no FROM fct_rounds ORDER BY gaming_day, table_id, round_no").fetchall()
    table, round_no = rounds[len(rounds) // 2]
    return table, round_no


def packet_s(log: str, table: str, round_no: int, key: Path) -> tuple[float, float]:
    """Return the shortest time for the packet of a round: wall time, and processor time of this process."""
    took = []
    for _ in range(REPEATS):
        clock, process = time.perf_counter(), time.process_time()
        packet_at(log, table, round_no, key=key, by="benchmark", reason="measured")
        took.append((time.perf_counter() - clock, time.process_time() - process))
    return min(took)


def addresses(warehouse: Path) -> list[str]:
    """Return every page and view: with a round in the middle of the record, its dispute, and its table's rules and findings."""
    table, round_no = round_measured(warehouse)
    of_round = f"round?table={table}&round={round_no}", f"dispute?of={table}&round={round_no}&seat=1"
    return [*PAGES, *VIEWS, *of_round, f"rules?table={table}", f"queue?table={table}"]


class Drawing(NamedTuple):
    """The cost of drawing a page: wall seconds, and processor seconds of the server and the browser."""

    clock_s: float
    server_s: float
    browser_s: float


def drawn(page: Page, address: str, server: int, *, by_link: bool = False) -> Drawing:
    """Return the cost of a page from the request to the drawn page."""
    (of_server, of_all), began = _cpu_s(server), time.perf_counter()
    if by_link:
        page.evaluate(FOLLOW, address)
    else:
        page.goto(address, wait_until="commit")
    page.wait_for_function(DRAWN)
    clock = time.perf_counter() - began
    server_now, all_now = _cpu_s(server)
    return Drawing(clock, server_now - of_server, (all_now - server_now) - (of_all - of_server))


def _other(address: str, where: str) -> str:
    return f"{address}/{'reports' if where.startswith('surveillance') else 'surveillance'}"


def _cpu_s(server: int) -> tuple[float, float]:
    """Return the processor time of the server, and of this process with its children, including the browser."""
    parents, seconds = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # a process that has just ended
            fields = stat.read_text().rpartition(")")[2].split()
            parents[int(stat.parent.name)] = int(fields[1])
            seconds[int(stat.parent.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    ours = {os.getpid()}
    while more := {process for process, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return seconds[server], sum(seconds[process] for process in ours if process in seconds)


def followed(page: Page, address: str, server: int, start: str) -> Drawing:
    """Return the cost of a page reached by a link on another page."""
    drawn(page, start, server, by_link=True)
    return drawn(page, address, server, by_link=True)


def key_to_panel(page: Page, address: str) -> list[float]:
    """Return how long (ms) the panel of *Entry* took to answer each of some keys, all with different answers, shortest first."""
    page.goto(f"{address}/entry")
    page.get_by_label("Ace High Bonus paytable").select_option("1")
    for label, words in TYPED:
        page.get_by_label(label).click()
        page.keyboard.type(words)
    page.get_by_label("Seat 3: outcomes").click()
    page.keyboard.type("rp1")
    page.wait_for_timeout(3_000)
    page.evaluate(TIMED)
    for number in range(KEYS):
        page.keyboard.press("Backspace" if number % 2 else str(number // 2 % 10))
        page.wait_for_timeout(700)
    return sorted(page.evaluate("window.panelMs"))


def measure(warehouse: Path, log: str | None) -> tuple[dict[str, tuple[Drawing, Drawing, Drawing]], list[float]]:
    """Return page → its first cost, the best after it, and the best by a link; and the times of keys in *Entry*."""
    with served(warehouse, log) as (address, server), sync_playwright() as play:
        chromium = next(path for name in NAMES if (path := shutil.which(name)))
        browser = play.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": WIDE["width"], "height": WIDE["height"]})
        page.set_default_timeout(120_000)
        drawn(page, f"{address}/surveillance", server)
        time.sleep(3)  # what the server begins next to its first page is there
        found = {
            where: (
                drawn(page, f"{address}/{where}", server),
                min(drawn(page, f"{address}/{where}", server) for _ in range(REPEATS)),
                min(followed(page, f"{address}/{where}", server, _other(address, where)) for _ in range(REPEATS)),
            )
            for where in addresses(warehouse)
        }
        keys = key_to_panel(page, address)
        browser.close()
    return found, keys


def main(arguments: list[str] | None = None) -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.pages", description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--warehouse", type=Path, required=True, metavar="FILE")
    parser.add_argument("--log", metavar="ADDR", help="the log that the warehouse is of")
    parser.add_argument("--key", type=Path, metavar="FILE", help="the log's key: the packet of a round is measured, too")
    given = parser.parse_args(arguments)
    with reading(given.warehouse) as db:
        rounds = db.sql("SELECT count(*) FROM fct_rounds").fetchall()[0][0]
    before = os.getloadavg()[0]
    found, keys = measure(given.warehouse, given.log)
    late = keys[int(0.95 * len(keys))]
    lines = [
        f"{rounds:,} rounds; goals {FIRST_S} s and {AFTER_S} s; load average {before:.1f}, after it {os.getloadavg()[0]:.1f}, "
        f"on {os.cpu_count()} cores",
        "",
        "| page | first, s | CPU of server + browser | after, s | CPU | by a link, s | CPU | met |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
        *(
            f"| {where.partition('&')[0]} | {_written(first)} | {_written(after)} | {_written(by_link)} | "
            f"{'yes' if fits(first, after) else 'no'} |"
            for where, (first, after, by_link) in sorted(found.items(), key=lambda each: -each[1][0].clock_s)
        ),
        "",
        f"Entry, {len(keys)} keys, from key to panel: {keys[len(keys) // 2]:.0f} ms, 95th percentile {late:.0f} ms; "
        f"goal {PANEL_MS} ms",
    ]
    is_met = all(fits(first, after) for first, after, _ in found.values()) and late < PANEL_MS
    if given.log and given.key:
        clock, process = packet_s(given.log, *round_measured(given.warehouse), given.key)
        lines.append(f"Packet: {clock:.1f} s, {process:.1f} s of processor time; goal {PACKET_S:g} s")
        is_met = is_met and clock < PACKET_S
    sys.stdout.write("\n".join(lines) + "\n")
    return 0 if is_met else 1


def _written(each: Drawing) -> str:
    return f"{each.clock_s:.2f} | {each.server_s:.2f} + {each.browser_s:.2f}"


def fits(first: Drawing, after: Drawing) -> bool:
    """Return whether both goals are met."""
    return first.clock_s < FIRST_S and after.clock_s < AFTER_S


if __name__ == "__main__":
    raise SystemExit(main())
