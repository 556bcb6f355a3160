"""The fault of a stored record whose chain hash does not fit: changed, moved, or swapped with another. Pure."""

from collections.abc import Callable

import msgspec

from events.errors import BrokenSeal, MisplacedEvent


class _StatedPlace(msgspec.Struct):
    stream: str
    seq: int


_decoder = msgspec.json.Decoder(_StatedPlace)


def diagnose(stream: str, seq: int, data: bytes, stored: Callable[[str, int], bytes | None]) -> BrokenSeal:
    """Return the error for a record at `seq` that does not extend the chain.

    `stored` returns the bytes that are at another place, or None; an event that names another place than its own was
    moved, and where the two name each other's they were swapped.
    """
    place = _place(data)
    if place is None or place == (stream, seq):
        return BrokenSeal(stream, seq, "its bytes do not give the recorded chain hash: they, or the hash, were changed")
    other = stored(*place)
    return MisplacedEvent(stream, seq, *place, swapped=other is not None and _place(other) == (stream, seq))


def _place(data: bytes) -> tuple[str, int] | None:
    try:
        found = _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return found.stream, found.seq
