"""`rack dashboard`: open the pages on a warehouse."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
from pathlib import Path

from rack import settings
from rack.arguments import positive
from rack.errors import EnvironmentFault, Exit, UsageError
from rack.output import Output

HELP = "open the pages on the result of a demo or a replay"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--out", metavar="DIR", type=Path, help="the folder of a demo (default: RACK_OUT, or demo)")
    where.add_argument("--warehouse", metavar="FILE", type=Path, help="the warehouse that rack replay built")
    parser.add_argument(
        "--log", metavar="ADDR", help="the log whose findings are reviewed (default: the demo's, or RACK_LOG)"
    )
    parser.add_argument("--port", type=positive, help="the port on 127.0.0.1 (default: RACK_PORT, or 8501)")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Serve the pages until interrupted."""
    from dashboards.run import LOG_OPTIONS_VARIABLE, command
    from rack.opening import options_of

    defaults = settings.load()
    warehouse = arguments.warehouse or (arguments.out or defaults.out) / settings.WAREHOUSE
    log = arguments.log or (None if arguments.warehouse else _demo_log(warehouse.parent)) or defaults.log
    if not warehouse.is_file():
        raise UsageError(
            f"{warehouse}: there is no warehouse; run `rack demo`, or `rack replay --log ADDR --warehouse FILE`"
        )
    port = arguments.port or defaults.port
    url = f"http://127.0.0.1:{port}"
    output.value({"url": url, "warehouse": str(warehouse), "log": log})
    output.note(f"serving {warehouse} at {url}; Ctrl-C ends it")
    if log is None:
        output.note("without --log the pages show the warehouse only: nothing is live, nothing can be reviewed")
    options = {} if log is None else options_of(log)
    environment = {**os.environ, LOG_OPTIONS_VARIABLE: json.dumps(options)}  # secrets: not on a command line
    before = signal.signal(signal.SIGTERM, _interrupt)  # as with Ctrl-C, the pages end with the command
    try:
        code = subprocess.run(command(warehouse, port, log), check=False, env=environment).returncode
    finally:
        signal.signal(signal.SIGTERM, before)
    if code:
        raise EnvironmentFault(f"the pages ended with code {code}; is port {port} taken? name another with --port")
    return Exit.CLEAN


def _demo_log(folder: Path) -> str | None:
    """Return the address of the log of the demo in a folder; null where there is none."""
    from rack.demo import REPORT

    try:
        report = json.loads((folder / REPORT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    log = report.get("log") if isinstance(report, dict) else None
    return log if isinstance(log, str) else None


def _interrupt(signum: int, frame: object) -> None:
    raise KeyboardInterrupt
