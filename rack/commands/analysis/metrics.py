"""`rack metrics`: a log's metrics for Prometheus, served on this machine, or printed once."""

from __future__ import annotations

import argparse
import signal
import threading
from functools import partial
from typing import TYPE_CHECKING

from rack.arguments import PORT, add, add_log
from rack.errors import EnvironmentFault, Exit
from rack.output import Output
from rack.settings import log_address, outbox_of

if TYPE_CHECKING:
    from analytics.metrics import LogMetrics

HELP = "Serve the metrics of a log to Prometheus on 127.0.0.1, or print them once"
DEFAULT_PORT = 9464


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_log(parser)
    add(parser, "--port", f"Port on 127.0.0.1 (default: {DEFAULT_PORT}).", type=PORT, default=DEFAULT_PORT)
    add(parser, "--once", "Print the metrics and exit; the exit code is 1 if the log cannot be read.")


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Serve until interrupted, or print once."""
    from prometheus_client import CollectorRegistry, generate_latest, start_http_server

    registry = CollectorRegistry()
    registry.register(metrics_of(log_address(arguments.log)))
    if arguments.once:
        samples = {
            f"{sample.name}{sample.labels or ''}": sample.value for family in registry.collect() for sample in family.samples
        }
        output.value(samples)
        output.text(*generate_latest(registry).decode().splitlines())
        return Exit.CLEAN if samples["rack_log_readable"] else Exit.FINDINGS
    try:
        server, thread = start_http_server(arguments.port, addr="127.0.0.1", registry=registry)
    except OSError as error:
        raise EnvironmentFault(f"port {arguments.port} on 127.0.0.1: {error.strerror}; choose another with --port") from error
    output.note(f"metrics at http://127.0.0.1:{arguments.port}/metrics; press Ctrl-C to stop")
    ended = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda number, frame: ended.set())
    try:
        ended.wait()
    finally:
        signal.signal(signal.SIGTERM, before)
        server.shutdown()
        server.server_close()
        thread.join()
    return Exit.CLEAN


def metrics_of(address: str) -> LogMetrics:
    """Return a function that reads the metrics of the log at an address."""
    from analytics.metrics import LogMetrics
    from rack.opening import checkpoints_at, desk

    return LogMetrics(
        partial(desk, address, read_only=True),
        lambda log_id: checkpoints_at(address, log_id=log_id, read_only=True),
        outbox_of(address),
    )
