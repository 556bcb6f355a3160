"""Builds of the sender of alarms without its defenses; a child is one if its environment names it."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

from desk.alarms.outbox import Letter, Outbox
from tests.simulation.world import Build

BUILDS: dict[str, Build] = {}


def build(function: Callable[[], Iterator[None]]) -> Callable[[], Iterator[None]]:
    BUILDS[function.__name__] = contextlib.contextmanager(function)
    return function


@build
def notes_alarms_as_delivered_before_it_sends() -> Iterator[None]:
    real = Outbox.tried

    def tried(self: Outbox, key: str, now_us: int) -> None:
        (letter,) = (each for each in self.letters("waiting") if each.key == key)
        self.delivered(letter, "hopefully")
        real(self, key, now_us)

    with patch.object(Outbox, "tried", tried):
        yield


@build
def gives_alarms_up_that_were_not_taken() -> Iterator[None]:
    def failed(self: Outbox, letter: Letter, said: str, **_: Any) -> None:
        self.delivered(letter, said)

    with patch.object(Outbox, "failed", failed):
        yield


FOUND_BY = {
    "sender of alarms killed": "notes_alarms_as_delivered_before_it_sends",
    "receiver of alarms that fails": "gives_alarms_up_that_were_not_taken",
}
"""Fault → the build that it finds out."""
