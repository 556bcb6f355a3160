"""Appending with the encoding taken out: what the log itself costs next to the library underneath.

A log seals an event when it knows its number, so that its bytes cannot be made by who appends. Here the sealed records and
the digests of reports of one append are kept, and handed out again while the same drafts are appended to another log with
the same id and the same clock, whose bytes are therefore the same; everything else runs as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any
from unittest.mock import patch

LOG_ID = "0b" * 16
NOW_US = 1_800_000_000_000_000
NAMES = ("place", "report_digest")


def clock() -> int:
    """Return the time at which everything is appended, in microseconds."""
    return NOW_US


class Encoded:
    """What a backend's module (`events.sqlite.log`, `events.kafka.partition_writer`) had encoded, in order."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._kept: dict[str, list[Any]] = {}

    @contextmanager
    def keep(self) -> Iterator[None]:
        """Keep what is encoded in here."""
        self._kept = {name: [] for name in NAMES}
        keeping: dict[str, Any] = {name: _keeping(getattr(self._module, name), self._kept[name]) for name in NAMES}
        with patch.multiple(self._module, **keeping):
            yield

    @contextmanager
    def hand_out(self) -> Iterator[None]:
        """Hand out what was kept, in the same order. Raises `RuntimeError` if not all of it was asked for."""
        waiting = {name: iter(kept) for name, kept in self._kept.items()}
        placed, digest = waiting["place"].__next__, waiting["report_digest"].__next__
        handing: dict[str, Any] = {  # with the parameters of what they stand for: taking any would cost time
            "place": lambda state, draft, *, log_id, property_id, stream, now_us: placed(),
            "report_digest": lambda draft: digest(),
        }
        with patch.multiple(self._module, **handing):
            yield
        if any(next(each, None) is not None for each in waiting.values()):
            raise RuntimeError("fewer events were appended than were encoded beforehand")


def _keeping(encode: Callable[..., Any], kept: list[Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        kept.append(encode(*arguments, **options))
        return kept[-1]

    return call
