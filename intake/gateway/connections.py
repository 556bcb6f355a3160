"""Connections that cost others nothing: one that does not send a request in time is closed.

The server's own limits count a connection that only waits like one that is served. Here a connection has `HEAD_S` to send
the head of its first request and `IDLE_S` between two; where as many are open as may be, the one that has waited longest is
closed.
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar, Final, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S: Final = 10.0
"""How long a connection may take to send the head of a request."""
IDLE_S: Final = 75
"""How long a connection may be idle between two requests."""
MOST_CONNECTIONS: Final = 2_000


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, on a connection that must not wait for ever."""

    most: ClassVar[int] = MOST_CONNECTIONS
    head_s: ClassVar[float] = HEAD_S
    waiting: ClassVar[dict[BoundedProtocol, None]] = {}
    """Connections without a whole request head, the one that has waited longest first."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take a connection; if there are too many, close the one that has waited longest, or this."""
        super().connection_made(cast(asyncio.Transport, transport))
        self._wait()
        if len(self.connections) > self.most:
            longest = next(iter(self.waiting))
            longest._stop_waiting()
            longest.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take what came; the head of a request must be whole before its time."""
        if self._deadline is None and self._between_requests():
            self._wait()  # the head of another request begins, or what was answered before it was whole goes on
        super().data_received(data)
        if not self._between_requests():
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Wait for the next request: for `IDLE_S`, or until others need the place."""
        super().on_response_complete()
        if self._between_requests() and not self.transport.is_closing():
            self.waiting[self] = None

    def _between_requests(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _wait(self) -> None:
        self.waiting[self] = None
        self._deadline = self.loop.call_later(self.head_s, self.transport.abort)

    def _stop_waiting(self) -> None:
        self.waiting.pop(self, None)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
