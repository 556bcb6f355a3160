"""Connections that cost others nothing: one that does not send a request in time is closed.

The server's own limits count a connection that only waits like one that is served. Here a connection has `HEAD_S` to send
the head of its first request and `IDLE_S` between two; where as many are open as may be, the one that has waited longest is
closed.

The library that reads heads accepts three line endings that another server may read otherwise, so that one of the two servers
could miss a request (RFC 9112, 2.2 and 5.2). Here they are refused with 400, and the connection is closed.
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar, Final, cast

import h11
from h11._receivebuffer import ReceiveBuffer
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S: Final = 10.0
"""How long a connection may take to send the head of a request."""
IDLE_S: Final = 75
"""How long a connection may be idle between two requests."""
MOST_CONNECTIONS: Final = 2_000


class StrictLines(ReceiveBuffer):
    """The bytes that a connection received. Lines end in CR LF, hold no single CR or LF, and are not folded."""

    refusal: str | None = None
    """Why a line was refused."""

    def maybe_extract_lines(self) -> list[bytearray] | None:
        """Return the lines of a head or of trailers, or None if they are not whole. Raises `h11.LocalProtocolError`."""
        held = len(self)
        lines = super().maybe_extract_lines()
        if lines is None:
            return None
        if held - len(self) != sum(len(line) + 2 for line in lines) + 2:
            self._refuse("a line ends in LF without CR; end each line of the head in CR LF")
        for line in lines:
            self._check(line)
            if line.startswith((b" ", b"\t")):
                self._refuse("a header is folded over two lines; send each header on one line")
        return lines

    def maybe_extract_next_line(self) -> bytearray | None:
        """Return the line that gives a chunk's size, or None if it is not whole. Raises `h11.LocalProtocolError`."""
        line = super().maybe_extract_next_line()
        if line is not None:
            self._check(line[:-2])
        return line

    def _check(self, line: bytearray) -> None:
        if b"\r" in line or b"\n" in line:
            self._refuse("a line contains CR or LF by itself; end each line in CR LF and use neither in it")

    def _refuse(self, why: str) -> None:
        self.refusal = why
        raise h11.LocalProtocolError(why)


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, on a connection that must not wait for ever."""

    most: ClassVar[int] = MOST_CONNECTIONS
    head_s: ClassVar[float] = HEAD_S
    waiting: ClassVar[dict[BoundedProtocol, None]] = {}
    """Connections without a whole request head, the one that has waited longest first."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._deadline: asyncio.TimerHandle | None = None
        self._lines = self.conn._receive_buffer = StrictLines()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Accept a connection; if there are too many, close the one that has waited longest or, if none waits, the new one."""
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

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP/1.1 and say why, unless an answer has begun; close the connection."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(f"{self._lines.refusal or msg}\n")
        else:
            self.transport.close()

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
