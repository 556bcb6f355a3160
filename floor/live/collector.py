"""The collector sends the reports of a table's devices to a gateway (`POST /v1/events`).

Invariant: a body is sent unchanged, again and again, until it is answered; so events stored without an answer are recognized as
repeats.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

RETRY_S: Final = 0.2
"""The wait after no answer, or an answer that asks for a retry."""
_AGAIN: Final = frozenset({408, 429, 503})


class NotTaken(Exception):
    """The gateway refuses the request: sending it again would change nothing."""


class LineAnswer(msgspec.Struct, frozen=True):
    """The gateway's answer to a line: `stored` with its sequence number, `duplicate`, or `quarantined` with the reason."""

    status: str
    stream: str | None = None
    seq: int | None = None
    reason: str | None = None


_decoder = msgspec.json.Decoder(LineAnswer)


class Collector:
    """One connection that stays open, opened again when it breaks. `token`: empty if the gateway asks for none."""

    def __init__(self, host: str, port: int, token: str = "") -> None:
        self._host, self._port = host, port
        self._head = f"POST /v1/events HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/x-ndjson\r\n"
        self._head += f"Authorization: Bearer {token}\r\n" if token else ""
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def hand_in(self, lines: Sequence[bytes], given_up: Callable[[], bool] = lambda: False) -> list[LineAnswer]:
        """Send lines until they are answered; return the answers, empty if `given_up` first. Raises `NotTaken`."""
        body = b"".join(lines)
        while True:
            try:
                status, answer = await self._ask(body)
            except (OSError, EOFError, ValueError):  # no answer, or not the whole of one
                status, answer = 503, b""
                self.close()
            if status == 200:
                return [_decoder.decode(line) for line in answer.splitlines()]
            if status not in _AGAIN:
                raise NotTaken(f"the gateway answers {status}: {answer.decode(errors='replace').strip()}")
            if given_up():
                return []
            await asyncio.sleep(RETRY_S)

    async def _ask(self, body: bytes) -> tuple[int, bytes]:
        """Send a body once; return status and body of the answer. Raises `OSError`, `EOFError` or `ValueError`."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port)
        reader, writer = self._streams
        writer.write(f"{self._head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
        first, *fields = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().split("\r\n")
        headers = {name: value.strip() for name, _, value in (field.partition(":") for field in fields)}
        answer = await reader.readexactly(int(headers.get("content-length", "0")))
        if headers.get("connection") == "close":
            self.close()
        return int(first.split(" ")[1]), answer

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None
