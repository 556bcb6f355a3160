"""Converts old versions of events to the current one after decoding; the stored bytes never change.

An upcaster converts one version into the next; upcasters are chained. A version that only has room for more (the seventh seat of
version 2) is a subclass of the version before and needs no upcaster.
"""

from collections.abc import Callable
from typing import TypeVar

from events.errors import EventError
from events.vocabulary.model import REGISTRY, DisputeClosed, DisputeClosed2, Event, VideoMarked, VideoMarked2

F = TypeVar("F", bound=Callable[..., Event])

UPCASTERS: dict[tuple[str, int], Callable[..., Event]] = {}
"""`(type, version)` → the function that turns this version into the next."""


def upcaster(type_: str, from_version: int) -> Callable[[F], F]:
    """Register a function that converts a payload of `from_version` to `from_version + 1`."""

    def register(function: F) -> F:
        if (type_, from_version) in UPCASTERS:
            raise ValueError(f"event {type_!r} version {from_version} has an upcaster already")
        UPCASTERS[type_, from_version] = function
        return function

    return register


@upcaster("video_marked", 1)
def _clip(old: VideoMarked) -> VideoMarked2:
    """Version 1 had neither the offset of the video's clock nor a file."""
    return VideoMarked2(
        by=old.by,
        camera=old.camera,
        clock_offset_ms=None,
        digest=None,
        ends_us=old.ends_us,
        finding_id=old.finding_id,
        reason=old.reason,
        starts_us=old.starts_us,
    )


@upcaster("dispute_closed", 1)
def _decision(old: DisputeClosed) -> DisputeClosed2:
    """In version 1, one person decided, without an override."""
    return DisputeClosed2(by=old.by, dispute=old.dispute, outcome=old.outcome, override=None, reason=old.reason, signs=None)


def upcast(event: Event) -> Event:
    """Return an event in its current version.

    Raises `EventError` if a newer version exists without an upcaster to it, or an upcaster returns another version.
    """
    while True:
        type_, version = event.TYPE, event.VERSION
        step = UPCASTERS.get((type_, version))
        if step is None:
            if not is_current(type(event)):
                raise EventError(f"{type_} version {version} has no upcaster to version {version + 1}")
            return event
        event = step(event)
        if (type_, version + 1) != (event.TYPE, event.VERSION):
            raise EventError(f"the upcaster of {type_} version {version} returned {event.TYPE} v{event.VERSION}")


def is_current(cls: type[Event]) -> bool:
    """Whether an event needs no upcast: no newer version exists, or it only has room for more."""
    following = REGISTRY.get((cls.TYPE, cls.VERSION + 1))
    return (cls.TYPE, cls.VERSION) not in UPCASTERS and (following is None or issubclass(following, cls))
