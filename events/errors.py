"""The errors of the evidence: the log refuses an event, or a reader stops.

An `EventError` says that an event cannot be accepted; nothing was stored. An `IntegrityError` says that stored evidence cannot be
trusted: no later event of that stream is judged, and `rack` exits with 4.
"""

from typing import Literal

ResultFault = Literal["result_changed", "result_missing", "result_unreadable", "results_replaced", "position_changed"]
"""What is wrong with results.

`result_changed`: its bytes or place differ from what was stored. `result_missing`: a place of the chain is gone.
`result_unreadable`: the bytes are no result. `results_replaced`: a signed checkpoint states other results.
`position_changed`: a position or snapshot does not fit the log or its own digest.
"""


class EventError(ValueError):
    """An event or its bytes are not in the frozen form; nothing was stored."""


class UnknownEvent(EventError):
    """No decoder is registered for a `(type, version)`."""

    def __init__(self, type_: str, version: int) -> None:
        super().__init__(
            f"unknown event {type_!r} version {version}: this version of Discard Rack cannot read it; "
            "upgrade, then drive the stream again with `rack replay`"
        )


class DuplicateEventId(EventError):
    """The stream already has an event with this event id."""

    def __init__(self, stream: str, event_id: str) -> None:
        super().__init__(f"{stream}: the event id {event_id} is already taken by another event")


class WrongPlace(EventError):
    """This kind of stream does not take the event, or this writer may not write it."""


class AppendRefused(RuntimeError):
    """The log did not accept an append; nothing of it was stored."""


class WrongSequence(AppendRefused):
    """The writer expected another next number than the stream has: another writer has appended."""

    def __init__(self, stream: str, expected: int, actual: int) -> None:
        super().__init__(f"{stream}: the next event is {actual}, the writer expected {expected}; read the head again")
        self.stream, self.expected, self.actual = stream, expected, actual


class SecondWriter(AppendRefused):
    """Another process holds or has taken over the right to append to this log."""


class OwnerUnknown(SecondWriter):
    """Only by taking the right to write could we learn whether another process holds it, so we did not."""


class PartitionReassigned(AppendRefused):
    """A partition was given to another replayer of the group: nothing was stored, and its new owner reads again."""


class LogUnavailable(RuntimeError):
    """The log cannot be reached or opened (environment, exit code 3); the message says where and what to do."""


class IntegrityError(RuntimeError):
    """The evidence of `stream` cannot be trusted from `seq` on (exit code 4)."""

    code = "LOG-SEAL"

    def __init__(self, stream: str, seq: int, message: str) -> None:
        super().__init__(f"{stream} event {seq}: {message}")
        self.stream, self.seq, self.detail = stream, seq, message


class SequenceGap(IntegrityError):
    """A number is missing from a stream or occurs twice."""

    code = "LOG-GAP"

    def __init__(self, stream: str, expected: int, found: int) -> None:
        super().__init__(stream, expected, f"expected event {expected}, found {found}; nothing after it was judged")
        self.expected, self.found = expected, found


class SegmentMissing(SequenceGap):
    """A sealed segment of an archive, which holds a range of a stream, is missing."""

    def __init__(self, stream: str, first: int, last: int, file: str) -> None:
        IntegrityError.__init__(self, stream, first, f"the segment with events {first} to {last} is missing: {file}")
        self.expected, self.found = first, last + 1


class BrokenSeal(IntegrityError):
    """The bytes do not match the recorded chain hash or are not canonical."""

    code = "LOG-SEAL"


class DamagedMark(BrokenSeal):
    """The high-water file, which records the acknowledged events, is not in the form that a writer leaves."""

    def __init__(self, path: object, damage: str) -> None:
        super().__init__(
            "high-water",
            0,
            f"{path}: {damage}; nothing shows any more how far events were acknowledged: verify the log against a checkpoint or "
            "a witness (`rack verify --key`), keep the file, and move it away: the next writer makes a new one",
        )

    def __str__(self) -> str:
        return self.detail


class MisplacedEvent(BrokenSeal):
    """A stored event is in the place of another: `holds` is the number in its own bytes; `swapped` if the two traded places."""

    def __init__(self, stream: str, seq: int, holds_stream: str, holds: int, swapped: bool) -> None:
        found = f"{holds_stream} event {holds}" if holds_stream != stream else f"event {holds}"
        what = "and they have changed places" if swapped else "so that events were moved or removed"
        super().__init__(stream, seq, f"the bytes stored here are {found}, {what}")
        self.holds_stream, self.holds, self.swapped = holds_stream, holds, swapped


class IndexChanged(IntegrityError):
    """The index that detects repeated reports differs from the events: a report could be lost or recorded twice."""

    def __init__(self, stream: str, message: str) -> None:
        super().__init__(stream, 0, f"{message}; the events stand: the next `rack ingest` of a report concerned makes it anew")

    def __str__(self) -> str:
        return self.detail


class LostTail(IntegrityError):
    """The log ends before an event that was acknowledged."""

    code = "LOG-GAP"


class Fork(IntegrityError):
    """Two different events claim the same number of one stream."""

    code = "LOG-FORK"


class UndecodableEvent(IntegrityError):
    """A stored record has its place in the chain but cannot be decoded; replay of its stream stops there."""

    code = "LOG-UNREADABLE"


class UnreadableResult(IntegrityError):
    """A stored result is not readable: no replayer wrote these bytes."""

    code = "LOG-UNREADABLE"

    def __init__(self, kind: str, key: str, error: Exception) -> None:
        stream, _, number = key.rpartition("#")
        super().__init__(stream or kind, int(number) if number.isdecimal() and len(number) < 16 else 0, str(error))
        self.args = (
            f"the stored {kind} {key} cannot be read ({error}); `rack replay --again` judges its stream again and restores it",
        )


class ResultBroken(IntegrityError):
    """The results of a stream cannot be trusted from place `seq` of their chain on."""

    def __init__(self, stream: str, place: int, fault: ResultFault, message: str) -> None:
        super().__init__(stream, place, message)
        self.args = (f"{stream} result {place}: {message}",)
        self.fault = fault
        if fault == "result_missing":
            self.code = "LOG-GAP"


class PositionBroken(IntegrityError):
    """No replayer stored this replay position or snapshot for this log."""

    fault: ResultFault = "position_changed"
