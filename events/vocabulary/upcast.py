"""Old versions of an event to the current one, after decoding: the stored bytes are never touched.

An upcaster turns one version into the next; they are chained. A version that only has room for
more (the seventh seat of version 2) descends from the one before, whose values are its own: there is nothing to cast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from events.errors import EventError
from events.vocabulary.model import REGISTRY, DisputeClosed, DisputeClosed2, Event, VideoMarked, VideoMarked2

F = TypeVar("F", bound=Callable[..., Event])

UPCASTERS: dict[tuple[str, int], Callable[..., Event]] = {}
"""`(type, version)` → the function that turns this version into the next."""


def upcaster(type_: str, from_version: int) -> Callable[[F], F]:
    """Register a function that turns a payload of `from_version` into `from_version + 1`."""

    def register(function: F) -> F:
        if (type_, from_version) in UPCASTERS:
            raise ValueError(f"event {type_!r} version {from_version} has an upcaster already")
        UPCASTERS[type_, from_version] = function
        return function

    return register


@upcaster("video_marked", 1)
def _clip(old: VideoMarked) -> VideoMarked2:
    """Nobody stated then how far the video's clock was ahead, or gave a file."""
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
    """One person decided then, and nothing asked whether the record shows otherwise."""
    return DisputeClosed2(
        by=old.by, dispute=old.dispute, outcome=old.outcome, override=None, reason=old.reason, signs=None
    )


def upcast(event: Event) -> Event:
    """Return an event in its current version.

    Raises `EventError` where a version has a successor but no way there, or an upcaster returns something else.
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
    """Whether there is nothing to cast: no newer version, or one that only has room for more."""
    following = REGISTRY.get((cls.TYPE, cls.VERSION + 1))
    return (cls.TYPE, cls.VERSION) not in UPCASTERS and (following is None or issubclass(following, cls))
