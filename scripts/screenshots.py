"""Make the screenshots of docs/tour.md from the result of `rack demo`: small PNGs in docs/images.

    make pictures

Needs a Chromium. Every picture is made again; nothing is retouched, but its colours are counted down to 256.
"""

import argparse
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from analytics.errors.queue import QueueFilters, incidents_queue
from analytics.warehouse.warehouse import reading
from dashboards.run import command
from rack.cli import main as rack

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
WIDE, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 780}
LARGEST = 150_000
"""Bytes of a picture at most."""


def shots(out: Path) -> dict[str, tuple[str, dict[str, int]]]:
    """Return name → (address, size); the round shown is the demo's gravest underpayment."""
    with reading(out / "warehouse.duckdb") as db:
        rows = incidents_queue(db, QueueFilters()).iter_rows(named=True)
        found = next(
            row
            for row in rows
            if row["seat"]
            and row["game"] == "face_up_pai_gow"
            and row["underpaid_cents"] > row["overpaid_cents"] == 0
            and row["wager"] != "base"
        )
    table, round_no, seat = found["table_id"], found["round_no"], found["seat"]
    step = f"round?table={table}&round={round_no}&finding={found['finding_id']}"
    dispute = f"dispute?of={table}&round={round_no}&seat={seat}"
    return {
        "floor": ("floor", WIDE),
        "queue": (f"queue?table={table}&finding={found['finding_id']}", WIDE),
        "round": (step, {"width": 1280, "height": 1180}),
        "dispute": (dispute, WIDE),
        "dispute-search": ("dispute", WIDE),
        "hold": ("hold?view=wagers&by=table", WIDE),
        "luck": ("hold?view=luck", {"width": 1280, "height": 1100}),
        "dealers": ("dealers", WIDE),
        "fairness": ("fairness?family=total&by=property", WIDE),
        "integrity": ("integrity", WIDE),
        "rules": (f"rules?table={table}&other-ace_high_bonus=3&other-fortune_bonus=2", {"width": 1280, "height": 1100}),
        "health": ("health", WIDE),
        "phone": (dispute, PHONE),
    }


def witnessed(out: Path, log: str) -> tuple[Path, Path]:
    """Have a witness read the demo's log, so that there is one to show; return its folder and its public key's file."""
    folder, key = out / "witness", out / "north.key"
    if not key.exists():
        rack(["keys", "new", str(key), "--witness", "north"])
    rack(["witness", "--log", log, "--key", str(key), "--folder", str(folder)])
    return folder, Path(f"{key}.pub")


@contextmanager
def served(warehouse: Path, log: str | None, witness: tuple[Path, Path] | None = None) -> Iterator[tuple[str, int]]:
    """Serve the pages; yield the address and the server's process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        command(warehouse, port, log, witness=witness), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(600):
            try:
                urlopen(f"{address}/_stcore/health", timeout=2).close()
                break
            except (URLError, OSError):
                time.sleep(0.1)
        yield address, server.pid
    finally:
        server.terminate()
        server.wait(timeout=20)


def shoot(page: Page, address: str, path: Path) -> None:
    """Open a page, wait until it is complete, and store a picture of it."""
    page.goto(address)
    page.locator("h1").first.wait_for()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    if path.stem == "integrity":
        page.get_by_role("button", name="Verify log").click()
        page.locator(".rk-answer").wait_for()
        page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.evaluate("document.fonts.ready")
    page.wait_for_load_state("networkidle")
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    page.wait_for_timeout(800)  # what fades in stands
    page.screenshot(path=path)
    with Image.open(path) as picture:
        picture.quantize(colors=256).save(path, optimize=True)


def main() -> int:
    """Make every picture; 1 if one is too large."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--out", type=Path, default=Path("demo"), metavar="DIR", help="the folder of a demo")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="only these")
    given = parser.parse_args()
    IMAGES.mkdir(exist_ok=True)
    wanted = {name: shot for name, shot in shots(given.out).items() if not given.only or name in given.only}
    log = f"sqlite://{(given.out / 'floor.db').resolve()}"
    pages = served(given.out / "warehouse.duckdb", log, witnessed(given.out, log))
    with pages as (address, _), sync_playwright() as play:
        chromium = next(path for name in NAMES if (path := shutil.which(name)))
        browser = play.chromium.launch(executable_path=chromium, args=FLAGS)
        for name, (where, size) in wanted.items():
            page = browser.new_page(viewport={"width": size["width"], "height": size["height"]})
            page.set_default_timeout(120_000)
            shoot(page, f"{address}/{where}", IMAGES / f"{name}.png")
            page.close()
        browser.close()
    large = [name for name in wanted if (IMAGES / f"{name}.png").stat().st_size > LARGEST]
    sys.stderr.write(f"{len(wanted)} pictures in {IMAGES}" + (f"; too large: {', '.join(large)}" if large else "") + "\n")
    return 1 if large else 0


if __name__ == "__main__":
    raise SystemExit(main())
