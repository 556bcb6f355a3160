"""How long to wait for a cluster: as long as its brokers answer, but only seconds if one does not.

The idea: a wait for Kafka is made of short steps. If a wait takes longer than usual, every known broker is greeted. If all
answer, the cluster is only slow, and waiting goes on. If one hangs or is gone, the clients drop their requests to it and turn to
the others; a wait still unfinished `WAIT_S` after its start is given up, and the error names that broker.
"""

import contextlib
import errno
import selectors
import socket
import ssl
import struct
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, Protocol

from events.errors import LogUnavailable

WAIT_S: Final = 3.0
"""The wait while a broker does not answer; a request that begins in that time may take `LEAST_S`."""
LEAST_S: Final = 1.0
LOOK_S: Final = 1.0
"""A wait longer than this is unusual, and the brokers are greeted."""
GREETING_S: Final = 1.0
"""How long a broker may take to answer a greeting."""
AVOIDED_S: Final = 3.0
"""The time during which no client of this process uses a broker that hung."""
COOL_S, SHORT_S = 1.0, 0.2
"""After a wait was given up, further waits are limited to `SHORT_S` for `COOL_S`."""

_API_VERSIONS: Final = struct.pack(">ihhih", 10, 18, 0, 0, -1)
"""Asks a broker which requests it knows; it answers before anyone has signed in."""


class BrokerAddress(NamedTuple):
    """The address of a broker."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class Connections(Protocol):
    """The connections of one client."""

    def brokers(self) -> Iterable[BrokerAddress]:
        """Return the brokers that the client knows."""

    def drop(self, hanging: Iterable[BrokerAddress]) -> None:
        """Give up the requests to these brokers. Called from any thread."""


class _Trouble:
    """A process's knowledge of a cluster's brokers: which do not answer, and since when it waits for the others."""

    def __init__(self) -> None:
        self.silent: dict[BrokerAddress, str] = {}
        self.since = self.seen_at = self.gave_up_at = float("-inf")
        self.error = ""


_TROUBLES: dict[str, _Trouble] = {}
"""By the addresses at which one begins: a log, its results and its checkpoints know the same."""


class Patience:
    """How long the clients of one cluster wait. Safe between threads."""

    def __init__(self, bootstrap: str, timeout_s: float, security: Mapping[str, Any] | None = None) -> None:
        self._bootstrap, self.timeout_s, self._security = bootstrap, timeout_s, dict(security or {})
        self._connections: weakref.WeakSet[Connections] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._trouble = _TROUBLES.setdefault(bootstrap, _Trouble())

    def __reduce__(self) -> tuple[Any, ...]:
        return Patience, (self._bootstrap, self.timeout_s, self._security)

    @property
    def given(self) -> list[BrokerAddress]:
        """The brokers to contact first."""
        return [_address(text) for text in self._bootstrap.split(",")]

    def watch(self, connections: Connections) -> None:
        """Watch the connections of a client while it has any."""
        with self._lock:
            self._connections.add(connections)

    def begin(self, limit_s: float | None = None) -> "Wait":
        """Begin to wait, for at most `limit_s` (default: the cluster's timeout)."""
        return Wait(self, self.timeout_s if limit_s is None else limit_s)

    def wait(self, step: Callable[[float], Any]) -> None:
        """Repeat a step, which waits for some seconds, until it returns true. Raises `LogUnavailable` if that takes too long."""
        wait = self.begin()
        while not step(wait.slice_s()):
            wait.go_on()

    def avoided_s(self, broker: BrokerAddress) -> float:
        """Return how long to avoid a broker; 0 unless it hangs."""
        trouble = self._trouble
        return max(0.0, trouble.seen_at + AVOIDED_S - time.monotonic()) if trouble.silent.get(broker) == HANGS else 0.0

    def addresses(self) -> str:
        """Return the first addresses to contact: those given, without the brokers that hang unless all do."""
        given = self._bootstrap.split(",")
        return ",".join([text for text in given if not self.avoided_s(_address(text))] or given)

    def greet(self) -> dict[BrokerAddress, str]:
        """Greet all known brokers; return those that do not answer, with the reason."""
        with self._lock:
            clients = list(self._connections)
        known = set(self.given)
        known.update(broker for client in clients for broker in client.brokers())
        trouble = self._trouble
        trouble.silent, trouble.seen_at = silent_brokers(known, self._security), time.monotonic()
        hanging = [broker for broker, why in trouble.silent.items() if why == HANGS]
        if hanging:
            for client in clients:
                client.drop(hanging)
        return trouble.silent

    def known_silent(self) -> dict[BrokerAddress, str]:
        """Return the brokers that do not answer: those found recently, or else found now."""
        if any(self.avoided_s(broker) for broker in self._trouble.silent):
            return self._trouble.silent
        return self.greet()

    def look(self, began: float) -> bool:
        """Find out, in a wait that began at this time, whether a broker does not answer."""
        trouble = self._trouble
        if self.greet() and began > trouble.since + WAIT_S:
            trouble.since = began
        return bool(trouble.silent)

    def end(self, began: float) -> float:
        """Return the present end of a wait that began at this time."""
        trouble = self._trouble
        if trouble.gave_up_at <= began < trouble.gave_up_at + COOL_S:
            return began + SHORT_S
        over = trouble.since + WAIT_S
        return max(over, began + LEAST_S) if trouble.silent and began <= over else float("inf")

    def give_up(self, began: float) -> LogUnavailable:
        """Return the error that ends a wait that began at this time."""
        now, trouble = time.monotonic(), self._trouble
        where = f"Kafka at {self._bootstrap}"
        if not trouble.silent:
            return LogUnavailable(f"{where}: no answer within {now - began:.1f} s although its brokers run; repeat it")
        if not trouble.gave_up_at <= began < trouble.gave_up_at + COOL_S:
            named = " and ".join(f"the broker at {broker} {why}" for broker, why in sorted(trouble.silent.items()))
            trouble.gave_up_at = now
            trouble.error = (
                f"{where}: {named}, and no other took over within {now - min(began, trouble.since):.1f} s; start that broker, or "
                "end it if it hangs, or wait until another leads; then repeat (what was stored is recognized as a repeat)"
            )
        return LogUnavailable(trouble.error)


class Wait:
    """One wait: its caller calls `go_on` at least every `slice_s` while it lasts."""

    def __init__(self, patience: Patience, limit_s: float) -> None:
        self._patience, self._began = patience, time.monotonic()
        self._limit, self._look_at = self._began + limit_s, self._began + LOOK_S

    def slice_s(self) -> float:
        """Return the seconds until the next call of `go_on`."""
        return max(0.001, min(self._end, self._look_at) - time.monotonic())

    def go_on(self) -> None:
        """Raise `LogUnavailable` if the wait is over its limit."""
        now = time.monotonic()
        if self._look_at <= now < self._end:
            found = self._patience.look(self._began)
            self._look_at = float("inf") if found else now + 2 * (now - self._began)
        if time.monotonic() >= self._end:
            raise self._patience.give_up(self._began)

    @property
    def _end(self) -> float:
        return min(self._limit, self._patience.end(self._began))


HANGS: Final = "does not answer"


def silent_brokers(brokers: Iterable[BrokerAddress], security: Mapping[str, Any]) -> dict[BrokerAddress, str]:
    """Greet brokers, all at once; return those that do not answer within `GREETING_S`, with the reason."""
    silent: dict[BrokerAddress, str] = {}
    greeting, deadline = _greeting(security), time.monotonic() + GREETING_S
    with selectors.DefaultSelector() as selector:
        for broker in brokers:
            try:
                selector.register(_connecting(broker), selectors.EVENT_WRITE, broker)
            except OSError as error:
                silent[broker] = _why(error)
        while (waiting := selector.get_map()) and (left := deadline - time.monotonic()) > 0:
            for key, _ in selector.select(left):
                connection: Any = key.fileobj
                try:
                    if key.events == selectors.EVENT_WRITE:
                        connection.sendall(greeting)
                        selector.modify(connection, selectors.EVENT_READ, key.data)
                        continue
                    if not connection.recv(1):
                        silent[key.data] = "ends every connection"
                except OSError as error:
                    silent[key.data] = _why(error)
                selector.unregister(connection)
                connection.close()
        for key in list(waiting.values()):
            silent[key.data] = HANGS
            selector.unregister(key.fileobj)
            connection = key.fileobj
            connection.close()
    return silent


def _connecting(broker: BrokerAddress) -> socket.socket:
    family, kind, protocol, _, where = socket.getaddrinfo(*broker, type=socket.SOCK_STREAM)[0]
    connection = socket.socket(family, kind, protocol)
    connection.setblocking(False)
    problem = connection.connect_ex(where)
    if problem not in (0, errno.EINPROGRESS, errno.EWOULDBLOCK):
        connection.close()
        raise OSError(problem, "")
    return connection


def _greeting(security: Mapping[str, Any]) -> bytes:
    """Return the first bytes that a client sends to the cluster."""
    if not str(security.get("security_protocol", "")).endswith("SSL"):
        return _API_VERSIONS
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # nothing is said or believed: it only answers
    sent = ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(ssl.MemoryBIO(), sent).do_handshake()
    return sent.read()


def _why(error: OSError) -> str:
    refused = isinstance(error, ConnectionRefusedError) or error.errno == errno.ECONNREFUSED
    return "refuses connections" if refused else f"cannot be reached ({error.strerror or error})"


def _address(text: str) -> BrokerAddress:
    """Parse the address of a broker. Raises `LogUnavailable` for any other text."""
    host, _, port = text.strip().rpartition(":")
    try:
        return BrokerAddress(host.strip("[]"), int(port))
    except ValueError:
        raise LogUnavailable(f"{text!r} is not host:port; check the address") from None
