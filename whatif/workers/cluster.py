"""The pool of a Dask cluster, started on this machine or running elsewhere. Every worker opens the log for itself.

Invariant: a cluster gives the same results as one process. A task has the digest of its sender's software, and a worker with
other software refuses it. A task of a lost worker is run again elsewhere. Only the client stores results.
"""

import pickle
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import islice
from typing import Any, Final, TypeVar

import msgspec

from events.log.contract import EventLog
from replay.installed_games import add_installed_games
from replay.run.engine import engine
from whatif.workers.pool import PARTS_AHEAD, Job
from whatif.workers.processes import Opener, unpacked, work

P = TypeVar("P")
T = TypeVar("T")

RETRIES: Final = 3
"""Repetitions of a failed task; a task whose worker was lost is always repeated."""

_TURN = threading.Lock()
"""A log and its results are read by one thread of a worker at a time, of however many it has."""


class OtherSoftware(Exception):
    """A worker runs another version than the client."""


class NoCluster(Exception):
    """Dask is not installed, or the scheduler is unreachable or has no workers."""


class Tls(msgspec.Struct, frozen=True):
    """The files that identify client and cluster to each other."""

    ca: str
    certificate: str
    key: str


class ClusterPool:
    """Runs jobs on a Dask cluster, or on local processes without a `scheduler`. Raises `NoCluster` and `OtherSoftware`."""

    def __init__(self, opener: Opener, scheduler: str = "", workers: int = 2, tls: Tls | None = None) -> None:
        self._opener, self._own = opener, None
        distributed: Any = import_module("distributed")

        try:
            if not scheduler:
                self._own = distributed.LocalCluster(
                    n_workers=workers, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
                )
            security = (
                None
                if tls is None
                else distributed.Security(
                    tls_ca_file=tls.ca, tls_client_cert=tls.certificate, tls_client_key=tls.key, require_encryption=True
                )
            )
            self.client = distributed.Client(self._own or scheduler, security=security, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            self.close()
            raise NoCluster(f"the scheduler {scheduler or 'of this machine'} cannot be reached: {error}") from error
        try:
            self._shake_hands()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "ClusterPool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection, and the cluster if it was started here."""
        client = getattr(self, "client", None)
        if client is not None:
            client.close()
        if self._own is not None:
            self._own.close()

    def _shake_hands(self) -> None:
        """Check the software of every worker."""
        runs = self.client.run(software)
        if not runs:
            raise NoCluster("the cluster has no workers; start some with `dask worker`")
        for worker, runs_engine in sorted(runs.items()):
            if runs_engine != engine():
                raise OtherSoftware(_refusal(worker, runs_engine, engine()))

    def run(self, job: Job[P, T], parts: Iterable[P], log: EventLog) -> Iterator[T]:
        """Yield the result of each part, in order. Raises the worker's errors."""
        sent, left = pickle.dumps((self._opener, job)), iter(parts)
        most, waiting = 1 + PARTS_AHEAD * max(1, len(self.client.nthreads())), deque[Any]()
        try:
            while True:
                for part in islice(left, most - len(waiting)):
                    waiting.append(self.client.submit(work_there, sent, part, engine(), retries=RETRIES, pure=False))
                if not waiting:
                    return
                yield unpacked(waiting.popleft().result())
        finally:
            for unfinished in waiting:
                unfinished.cancel()


def software() -> str:
    """Return the judging software; this runs on a worker."""
    add_installed_games()
    return engine()


def work_there(sent: bytes, part: Any, sent_by: str) -> bytes:
    """Run a job on a part; this runs on a worker. Raises `OtherSoftware`."""
    if sent_by != software():
        raise OtherSoftware(_refusal("a worker", software(), sent_by))
    with _TURN:
        return work(sent, part)


def _refusal(worker: str, runs: str, wanted: str) -> str:
    return f"{worker} runs {runs}, this is {wanted}: bring both to the same version, or take the worker out of the cluster"
