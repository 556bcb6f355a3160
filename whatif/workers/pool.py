"""What a job and a pool are, and the pool that is this process alone.

Invariant: whichever pool runs a job, what comes of its parts comes in their order, and only a few parts are under way
at a time. A job and its parts can be sent to another process, where the log is opened for itself.
"""

from __future__ import annotations

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
    """Processes that worked were ended from outside, again and again; says what to do."""


class Job(Protocol[P_in, T_out]):
    """What is to be made of each part."""

    def at(self, log: EventLog) -> Callable[[P_in], T_out]:
        """Return what makes it, where this log is at hand."""


class Pool(Protocol):
    """What runs a job: this process, processes of this machine, or a cluster."""

    def run(self, job: Job[P, T], parts: Iterable[P], log: EventLog) -> Iterator[T]:
        """Yield what comes of each part, in order. Raises what was raised if it was made, and `WorkerLost`."""


class ThisProcess:
    """Runs a job here, one part after the other."""

    def run(self, job: Job[P, T], parts: Iterable[P], log: EventLog) -> Iterator[T]:
        """Yield what comes of each part, in order."""
        yield from map(job.at(log), parts)
