"""Jobs and pools, and the pool of this process alone.

Invariant: any pool yields the results of a job's parts in order, with only a few parts in progress at a time. A job and its parts
can be sent to another process, which opens the log for itself.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol, TypeVar

from events.log.contract import EventLog

P = TypeVar("P")
T = TypeVar("T")
P_in = TypeVar("P_in", contravariant=True)
T_out = TypeVar("T_out", covariant=True)

PARTS_AHEAD: Final = 2
"""Parts that each process may be ahead of what is taken from it."""


class WorkerLost(Exception):
    """Worker processes were repeatedly ended from outside; the message says what to do."""


class Job(Protocol[P_in, T_out]):
    """The work on each part."""

    def at(self, log: EventLog) -> Callable[[P_in], T_out]:
        """Return the job's function for a machine with this log."""


class Pool(Protocol):
    """A runner of jobs: this process, processes of this machine, or a cluster."""

    def run(self, job: Job[P, T], parts: Iterable[P], log: EventLog) -> Iterator[T]:
        """Yield the result of each part, in order. Raises the job's errors, and `WorkerLost`."""


class ThisProcess:
    """Runs a job here, one part after the other."""

    def run(self, job: Job[P, T], parts: Iterable[P], log: EventLog) -> Iterator[T]:
        """Yield the result of each part, in order."""
        yield from map(job.at(log), parts)
