"""The engine of a Dask cluster, started on this machine or running elsewhere. The unit of work is `RecordBatch → RecordBatch`.

The law of this file: a cluster reaches the results that one process reaches. A task carries the batch, the rules and the digest
of the software that sent it; a worker that runs other software, or gets other rules, refuses it. A task whose worker is lost is
run again elsewhere. Only screening runs there: the log, event replay and the results stay with the client.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, Final, TypeVar

import msgspec
import pyarrow as pa

from events.log.contract import EventLog
from replay.columns.row_groups import GROUPS_AHEAD, Group, Job, columns_of, submit_ahead, with_rest
from replay.columns.screening import Screen
from replay.installed_games import add_installed_games
from replay.run.engine import engine

T = TypeVar("T")

RETRIES: Final = 3
"""How often a task that failed is run again; a task whose worker was lost always is."""


class OtherSoftware(Exception):
    """A worker runs another version, or got other rules, than the client."""


class NoCluster(Exception):
    """Dask is not installed, or the scheduler cannot be reached, or has no workers."""


class Tls(msgspec.Struct, frozen=True):
    """The files by which client and cluster know each other."""

    ca: str
    certificate: str
    key: str


class DaskEngine:
    """Screens on a cluster: the one of `scheduler`, or where that is empty one of processes of this machine.

    `close` ends what was started. Raises `NoCluster` and `OtherSoftware`.
    """

    def __init__(self, scheduler: str = "", workers: int = 2, tls: Tls | None = None) -> None:
        self._own: Any = None
        distributed = _distributed()
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

    def __enter__(self) -> DaskEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection, and the cluster where it was started here."""
        client = getattr(self, "client", None)
        if client is not None:
            client.close()
        if self._own is not None:
            self._own.close()

    def _shake_hands(self) -> None:
        """Ask every worker which software it runs."""
        runs = self.client.run(software)
        if not runs:
            raise NoCluster("the cluster has no workers; start some with `dask worker`")
        for worker, runs_engine in sorted(runs.items()):
            if runs_engine != engine():
                raise OtherSoftware(_refusal(worker, runs_engine))

    def run(self, job: Job[T], groups: Iterable[Group], log: EventLog) -> Iterator[T]:
        """Yield what comes of each group, in order: screened on the cluster, finished here."""
        finish, screens, texts = job.at(log), list(job.screens), rules_digest(job.screens)

        def submit(group: Group) -> tuple[Group, pa.RecordBatch, Any]:
            batch = group.read(columns_of(group, job))
            sent = packed(batch.select(group.screened_columns))
            future = self.client.submit(work, sent, screens, engine(), texts, retries=RETRIES, pure=False)
            return group, batch, future

        most = GROUPS_AHEAD * max(1, len(self.client.nthreads()))
        for group, batch, future in submit_ahead(groups, submit, most, lambda task: task[2].cancel()):
            yield finish(with_rest(group, batch, [unpacked(result) for result in future.result()]))


def software() -> str:
    """Return what judges; this runs on a worker."""
    add_installed_games()
    return engine()


def work(batch: bytes, screens: Sequence[Screen], sent_by: str, texts: str) -> list[bytes]:
    """Judge a batch; this runs on a worker. Raises `OtherSoftware`."""
    if sent_by != software():
        raise OtherSoftware(_refusal("a worker", engine(), sent_by))
    if texts != rules_digest(screens):
        raise OtherSoftware("a worker got other rules than the client sent")
    rounds = unpacked(batch)
    return [packed(screen.judge(rounds)) for screen in screens]


def rules_digest(screens: Sequence[Screen]) -> str:
    """Return the digest of all rules that screens judge by."""
    hasher = sha256()
    for screen in screens:
        for text in (*(screen.rules[digest] for digest in sorted(screen.rules)), screen.replacement):
            hasher.update(f"{len(text)} ".encode() + text.encode())
    return hasher.hexdigest()


def packed(batch: pa.RecordBatch) -> bytes:
    """Return a batch as bytes."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as stream:
        stream.write_batch(batch)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def unpacked(data: bytes) -> pa.RecordBatch:
    """Return the batch of some bytes."""
    with pa.ipc.open_stream(data) as stream:
        return stream.read_next_batch()


def _refusal(worker: str, runs: str, wanted: str = "") -> str:
    return (
        f"{worker} runs {runs}, this is {wanted or engine()}: bring both to the same version, or take the worker out of the "
        "cluster"
    )


def _distributed() -> Any:
    with contextlib.suppress(ModuleNotFoundError):
        import distributed

        return distributed
    raise NoCluster("a cluster takes Dask, which is not installed: install discard-rack with its extra `scale`")
