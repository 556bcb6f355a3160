"""A TCP proxy between a client and a broker that knows Kafka's frames, so that a reply can be lost, or come late.

A request can also be held: the connection is cut before it reaches the broker, so that the client may repeat it, and it is
delivered on a connection of its own before a later request of the client.

A frame is four bytes of length; a request goes on with the number of its kind (`api`), its version and a correlation id, and
the reply begins with the same id (https://kafka.apache.org/protocol, "Request Header", "Response Header").
"""

import contextlib
import socket
import struct
import threading
import time
from typing import Final

APIS: Final = {
    "produce": 0,
    "fetch": 1,
    "list-offsets": 2,
    "metadata": 3,
    "find-coordinator": 10,
    "init-producer-id": 22,
    "add-partitions-to-txn": 24,
    "end-txn": 26,
}

REPLY_LOST, REPLY_LATE, REQUEST_LOST, CUT = "reply lost", "reply late", "request lost", "connection cut"
HELD = "request held, then delivered"


class Proxy:
    """Listens on a port of 127.0.0.1 and passes everything on to another, but for what `plan` says."""

    def __init__(self, port: int, broker_port: int) -> None:
        self._broker_port = broker_port
        self._listener = socket.create_server(("127.0.0.1", port))
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._api = -1
        self._left = 0
        self._how = ""
        self._delay_s = 0.0
        self._before = 0
        self._held: bytes | None = None
        self.happened = self.delivered = 0
        self._ended = False
        threading.Thread(target=self._accept, daemon=True).start()

    def plan(self, api: str, how: str, nth: int = 1, delay_s: float = 0.0, before: int = 2) -> None:
        """Let something happen to the n-th request of a kind from now on, or to its reply.

        A held request is delivered before the `before`-th request with records that follows.
        """
        with self._lock:
            self._api, self._how, self._left, self._delay_s, self.happened = APIS[api], how, nth, delay_s, 0
            self._before, self._held, self.delivered = before, None, 0

    def calm(self) -> None:
        """Let nothing more happen; what is held is lost."""
        with self._lock:
            self._left, self._held = 0, None

    def close(self) -> None:
        self._ended = True
        self._listener.close()
        for each in list(self._open):
            _hang_up(each)

    def _accept(self) -> None:
        while not self._ended:
            try:
                client, _ = self._listener.accept()
                broker = socket.create_connection(("127.0.0.1", self._broker_port), timeout=60.0)
            except OSError:
                if self._ended:
                    return
                client.close()  # the broker is down
                continue
            broker.settimeout(None)
            self._open |= {client, broker}
            doomed: dict[int, str] = {}
            for run in (self._requests, self._replies):
                threading.Thread(target=run, args=(client, broker, doomed), daemon=True).start()

    def _requests(self, client: socket.socket, broker: socket.socket, doomed: dict[int, str]) -> None:
        with contextlib.suppress(OSError):
            while (frame := _frame(client)) is not None:
                api, _, correlation = struct.unpack_from(">hhi", frame, 4)
                how = self._fate(api)
                if how in (CUT, HELD):
                    self._held = frame if how == HELD else None
                    break
                self._deliver(api)
                if how == REQUEST_LOST:
                    continue
                if how:
                    doomed[correlation] = how
                broker.sendall(frame)
        self._hang_up(client, broker)

    def _replies(self, client: socket.socket, broker: socket.socket, doomed: dict[int, str]) -> None:
        with contextlib.suppress(OSError):
            while (frame := _frame(broker)) is not None:
                (correlation,) = struct.unpack_from(">i", frame, 4)
                how = doomed.pop(correlation, "")
                if how == REPLY_LOST:
                    break
                if how == REPLY_LATE:
                    time.sleep(self._delay_s)
                client.sendall(frame)
        self._hang_up(client, broker)

    def _deliver(self, api: int) -> None:
        """Deliver what was held, if its time has come, and wait for the answer."""
        with self._lock:
            if self._held is None or api != APIS["produce"]:
                return
            self._before -= 1
            if self._before:
                return
            frame, self._held = self._held, None
        with socket.create_connection(("127.0.0.1", self._broker_port), timeout=60.0) as late:
            late.sendall(frame)
            _frame(late)
        self.delivered += 1

    def _fate(self, api: int) -> str:
        with self._lock:
            if api != self._api or self._left == 0:
                return ""
            self._left -= 1
            if self._left:
                return ""
            self.happened += 1
            return self._how

    def _hang_up(self, *sockets: socket.socket) -> None:
        for each in sockets:
            _hang_up(each)
            self._open.discard(each)


def _hang_up(each: socket.socket) -> None:
    with contextlib.suppress(OSError):
        each.shutdown(socket.SHUT_RDWR)
    each.close()


def _frame(source: socket.socket) -> bytes | None:
    """Return the next frame whole, its length included; None at the end."""
    head = _exactly(source, 4)
    if head is None:
        return None
    body = _exactly(source, int.from_bytes(head, "big"))
    return None if body is None else head + body


def _exactly(source: socket.socket, count: int) -> bytes | None:
    parts = []
    while count:
        part = source.recv(min(count, 1 << 20))
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
