"""Make the moving picture of the README (docs/images/live.gif): the Floor page while `rack live` runs.

    python scripts/moving_picture.py

Needs a Chromium. It runs `rack live` in a separate folder. Every picture comes from the page, but with fewer colors and faster
time.
"""

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from scripts.screenshots import FLAGS, IMAGES, NAMES

PERSON = "m.ortiz@"
SIZE = {"width": 1280, "height": 800}
SHOWN = (800, 500)
FRAMES, EVERY_S, FRAME_MS = 12, 3.0, 900
COLOURS = 32
LARGEST = 1_000_000
"""Bytes of the picture at most."""


@contextmanager
def live(folder: Path) -> Iterator[str]:
    """Run a property; yield the address of its pages."""
    command = [sys.executable, "-m", "rack.cli", "live", "--speed", "20", "--out", str(folder), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            yield json.loads("".join(iter(running.stdout.readline, "}\n")) + "}")["url"]
        finally:
            running.send_signal(signal.SIGINT)


def frames(page: Page, address: str) -> list[Image.Image]:
    """Log in as one of the people of the simulated casino; return pictures of the Floor page, one every few seconds."""
    page.goto(f"{address}/floor")
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name=PERSON).click()
    page.locator(".rk-tile").first.wait_for()
    page.evaluate("document.fonts.ready")
    taken = []
    for _ in range(FRAMES):
        time.sleep(EVERY_S)
        picture = Image.open(BytesIO(page.screenshot()))
        taken.append(picture.convert("RGB").resize(SHOWN, Image.Resampling.LANCZOS).quantize(COLOURS))
    return taken


def main() -> int:
    """Make the picture; 1 if it is too large."""
    with tempfile.TemporaryDirectory() as folder, live(Path(folder)) as address, sync_playwright() as play:
        chromium = next(path for name in NAMES if (path := shutil.which(name)))
        browser = play.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": SIZE["width"], "height": SIZE["height"]})
        page.set_default_timeout(120_000)
        first, *rest = frames(page, address)
        browser.close()
    path = IMAGES / "live.gif"
    first.save(path, save_all=True, append_images=rest, duration=FRAME_MS, loop=0, optimize=True)
    size = path.stat().st_size
    sys.stderr.write(f"{path}: {size:,} bytes{'; too large' if size > LARGEST else ''}\n")
    return 1 if size > LARGEST else 0


if __name__ == "__main__":
    raise SystemExit(main())
