"""The worker processes for a whole history: on this machine, or on a Dask cluster (docs/batch.md)."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from rack.arguments import add, positive
from rack.errors import UsageError
from rack.opening import log_at
from rack.settings import dask_tls

if TYPE_CHECKING:
    from whatif.workers.pool import Pool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for where the work is done."""
    group = parser.add_argument_group("workers", "Work in several processes; the results are those of one.")
    add(group, "--workers N", "Number of processes (default: this one alone).", type=positive)
    add(group, "--engine", "Run the processes on this machine, or on a Dask cluster (extra `scale`).", choices=("here", "dask"))
    add(group, "--scheduler ADDR", "Address of a running Dask cluster, tls://host:port (default: start one on this machine).")


def is_asked_for(arguments: argparse.Namespace) -> bool:
    """Return whether other processes than this one are to work."""
    return arguments.engine == "dask" or (arguments.workers or 1) > 1


def check(arguments: argparse.Namespace) -> None:
    """Raise `UsageError` if the arguments do not go together."""
    if arguments.scheduler and arguments.engine != "dask":
        raise UsageError("--scheduler needs --engine dask")


@contextlib.contextmanager
def pool(arguments: argparse.Namespace, address: str) -> Iterator[Pool]:
    """Yield the requested pool, whose processes open the log at this address; a remote scheduler needs TLS."""
    if not is_asked_for(arguments):
        from whatif.workers.pool import ThisProcess

        yield ThisProcess()
        return
    opener = partial(log_at, address, read_only=True, check_heads=False)
    if arguments.engine != "dask":
        from whatif.workers.processes import ProcessPool

        with ProcessPool(arguments.workers, opener) as processes:
            yield processes
        return
    from whatif.workers.cluster import ClusterPool, Tls

    scheduler, files = arguments.scheduler or "", dask_tls()
    host = scheduler.partition("://")[2].rpartition(":")[0]
    if scheduler and not scheduler.startswith("tls://") and host not in ("127.0.0.1", "localhost", "[::1]"):
        raise UsageError(f"--scheduler {scheduler}: connect to a scheduler on another machine by tls:// only")
    if scheduler.startswith("tls://") and files is None:
        raise UsageError(f"--scheduler {scheduler} needs RACK_DASK_CA, RACK_DASK_CERTIFICATE and RACK_DASK_KEY")
    tls = Tls(*files) if scheduler and files else None
    with ClusterPool(opener, scheduler, arguments.workers or 2, tls) as cluster:
        yield cluster
