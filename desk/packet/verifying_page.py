"""The page that verifies a packet in a browser, named by the digest that `make release` records."""

import json
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

from replay.run.engine import engine

FILE = "discard-rack.html"
RECORD = "verifying_page.json"
"""Written next to this file when a release is built. The page does not contain it, or it would contain its own digest."""


def verifying_page() -> str:
    """Return the page that verifies this installation's packets, its digest if known, and where to get it.

    A digest counts only for the engine it was recorded for: with other code or games, the page would judge otherwise.
    """
    version = engine().partition("+")[0]
    recorded = _recorded()
    digest = recorded.get("sha256") if recorded.get("engine") == engine() else None
    known = f"SHA-256 {digest}" if digest else "its SHA-256 is in SHA256SUMS there; this installation does not know it"
    return (
        f"{FILE} of the release {version} of Discard Rack ({known}): get it there, not from where this packet came from, "
        "open it, and drop the packet and the log's public key on it"
    )


def record(sha256: str, place: Path) -> None:
    """Record the digest of a page that was built from this source."""
    place.write_text(json.dumps({"engine": engine(), "file": FILE, "sha256": sha256}, indent=1) + "\n")


def _recorded() -> dict[str, Any]:
    place = files("desk.packet").joinpath(RECORD)
    return dict(json.loads(place.read_text("utf-8"))) if place.is_file() else {}


if __name__ == "__main__":  # a release: `python -m desk.packet.verifying_page SHA256`
    from replay.installed_games import add_installed_games

    add_installed_games()
    record(sys.argv[1], Path(__file__).with_name(RECORD))
