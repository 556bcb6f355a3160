"""How the pages are started: the command, and where a page finds its warehouse."""

from __future__ import annotations

import os
import sys
from pathlib import Path

WAREHOUSE_VARIABLE = "RACK_WAREHOUSE"
DEFAULT_WAREHOUSE = Path("demo") / "warehouse.duckdb"
HERE = Path(__file__).parent


def command(warehouse_path: str | Path, port: int) -> list[str]:
    """Return the command that serves the pages on 127.0.0.1, and nothing to or from any other address.

    The warehouse's path goes in front through `env`, so that the list can be run as it is.
    """
    return [
        "env", f"{WAREHOUSE_VARIABLE}={Path(warehouse_path).absolute()}",
        sys.executable, "-m", "streamlit", "run", str(HERE / "start" / "discard_rack.py"),
        "--server.address=127.0.0.1",
        f"--server.port={port}",
        "--server.headless=true",
        "--server.showEmailPrompt=false",
        "--server.fileWatcherType=none",
        "--browser.gatherUsageStats=false",
        "--client.toolbarMode=minimal",
        "--client.showErrorDetails=none",
        f"--theme.base={HERE / 'theme.toml'}",
    ]  # fmt: skip


def warehouse_path() -> Path:
    """Return the warehouse of this process: `RACK_WAREHOUSE`, else where `rack demo` puts it."""
    return Path(os.environ.get(WAREHOUSE_VARIABLE) or DEFAULT_WAREHOUSE)
