"""Rest points: states of a table's fold from which it can begin again, so that a late correction costs by how far it reaches.

The idea: a state without an open round is all that later rounds depend on. Late events usually reach back a short way and seldom
a long one; so the points are dense near the end of the stream and sparser with age. The last point before a given event is at
most twice as far back as that event, and a stream of a million events has some twenty points. `refold.py` decides where a fold
may begin again.

They are kept in memory, by the process that folds the stream, and never stored, so they need no trust in files next to the log.
"""

from typing import NamedTuple

EVERY = 500
"""Events between two points at the end of a stream, at least."""


class RestPoint(NamedTuple):
    """The state of a table, packed, after the event `seq`, with which no round was open."""

    seq: int
    state: bytes


BEGINNING = RestPoint(0, b"")


class RestPoints:
    """The rest points of one stream. `refolded_to` is the last event folded again because of late or correcting events.

    >>> points = RestPoints()
    >>> for seq in range(80, 64_001, 80):
    ...     points.add(seq, b"")
    >>> [point.seq for point in points.from_the_last()]
    [63840, 63280, 62720, 61600, 60480, 58240, 53760, 44800, 35840, 17920, 0]
    """

    def __init__(self) -> None:
        self._points: list[RestPoint] = [BEGINNING]
        self.refolded_to = 0

    def add(self, seq: int, state: bytes) -> None:
        """Add a point after all others, unless it is close to the last; drop those that are too dense for their age."""
        if seq - self._points[-1].seq < EVERY:
            return
        kept = [RestPoint(seq, state)]
        for point, older in zip(self._points[:0:-1], self._points[-2::-1], strict=True):
            if kept[-1].seq - older.seq > seq - kept[-1].seq:
                kept.append(point)
        self._points = [BEGINNING, *reversed(kept)]

    def from_the_last(self) -> list[RestPoint]:
        """Return the points, last first, ending with the beginning of the stream, which counts as one."""
        return self._points[::-1]

    def forget_after(self, seq: int) -> None:
        """Forget the points after an event: the fold that passed them no longer counts."""
        self._points = [point for point in self._points if point.seq <= seq]
