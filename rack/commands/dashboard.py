"""`rack dashboard`: open the pages on a warehouse."""

from __future__ import annotations

import argparse
import signal
import subprocess
from pathlib import Path

from rack import settings
from rack.arguments import positive
from rack.errors import EnvironmentFault, Exit, UsageError
from rack.output import Output

HELP = "open the pages (floor, findings, rounds, hold) on the result of a demo or a replay"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--out", metavar="DIR", type=Path, help="the folder of a demo (default: RACK_OUT, or demo)")
    where.add_argument("--warehouse", metavar="FILE", type=Path, help="the warehouse that rack replay built")
    parser.add_argument("--port", type=positive, help="the port on 127.0.0.1 (default: RACK_PORT, or 8501)")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Serve the pages until interrupted."""
    from dashboards.run import command

    defaults = settings.load()
    warehouse = arguments.warehouse or (arguments.out or defaults.out) / settings.WAREHOUSE
    if not warehouse.is_file():
        raise UsageError(
            f"{warehouse}: there is no warehouse; run `rack demo`, or `rack replay --log ADDR --warehouse FILE`"
        )
    port = arguments.port or defaults.port
    url = f"http://127.0.0.1:{port}"
    output.value({"url": url, "warehouse": str(warehouse)})
    output.note(f"serving {warehouse} at {url}; Ctrl-C ends it")
    before = signal.signal(signal.SIGTERM, _interrupt)  # as with Ctrl-C, the pages end with the command
    try:
        code = subprocess.run(command(warehouse, port), check=False).returncode
    finally:
        signal.signal(signal.SIGTERM, before)
    if code:
        raise EnvironmentFault(f"the pages ended with code {code}; is port {port} taken? name another with --port")
    return Exit.CLEAN


def _interrupt(signum: int, frame: object) -> None:
    raise KeyboardInterrupt
