"""The connections of kafka-python's clients, with a limit on every wait (`events.kafka.patience`).

The client (3.0.12) waits without limit for the answer of its own event loop, and for the handshake of a broker that takes the
connection and then hangs; none of its settings reaches either. So its classes are extended here, by the option `kafka_client`.
"""

import contextlib
import ssl
import threading
import time
import warnings
import weakref
from collections.abc import Iterable
from typing import Any, Final

with warnings.catch_warnings():  # as in `client.py`, whichever is imported first
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka import errors as kafka_errors
    from kafka.net.compat import KafkaNetClient
    from kafka.net.manager import KafkaConnectionManager
    from kafka.net.selector import NetworkSelector

from events.kafka.patience import BrokerAddress, Patience

SETUP_S: Final = 2.0
SETUP_MAX_S: Final = 10.0
"""The limit of every attempt to set up a connection; each failure gives the next one more time, up to this."""
BOOTSTRAP_DELAY_S: Final = 0.05
"""The wait before a client that looks for its first broker tries a hanging one again, since others may answer."""


class BoundedLoop(NetworkSelector):
    """The client's event loop, with a limit on waits for its answer."""

    def __init__(self, patience: Patience, **configs: Any) -> None:
        super().__init__(**configs)
        self._patience = patience
        self._handshakes: weakref.WeakSet[ssl.SSLSocket] = weakref.WeakSet()

    def close(self) -> None:
        """End the loop; the client leaves connections that were never set up to the garbage collector."""
        self.stop()
        for connection in list(self._handshakes):
            connection.close()
        super().close()

    def run(self, work: Any, *arguments: Any) -> Any:
        """Do work on the loop and return its result. Raises `LogUnavailable` if it takes too long."""
        if threading.current_thread() is self._io_thread:
            return super().run(work, *arguments)  # refuses
        future = self.call_soon_with_future(work, *arguments)
        if self._io_thread is None:  # the waiting thread drives the loop

            def drive(seconds: float) -> bool:
                self.poll(timeout_ms=seconds * 1000, future=future)
                return bool(future.is_done)

            self._patience.wait(drive)
        else:
            answered = threading.Event()
            future.add_both(lambda _: answered.set())
            self._patience.wait(answered.wait)
        if future.exception is not None:
            raise future.exception
        return future.value

    def wait_read(self, fileobj: Any, timeout_at: float | None = None) -> Any:
        """Wait for something to read: during a handshake no longer than a connection may take."""
        if timeout_at is None and isinstance(fileobj, ssl.SSLSocket) and fileobj.version() is None:
            timeout_at = time.monotonic() + SETUP_MAX_S
            self._handshakes.add(fileobj)
        return super().wait_read(fileobj, timeout_at)


class BoundedManager(KafkaConnectionManager):
    """The client's connections, with a limit on waits for a broker that hangs."""

    def __init__(self, patience: Patience, net: BoundedLoop, **configs: Any) -> None:
        limits = {"timeout_ms": SETUP_S, "timeout_max_ms": SETUP_MAX_S}
        setup = {f"socket_connection_setup_{name}": int(seconds * 1000) for name, seconds in limits.items()}
        super().__init__(net, **(configs | setup))
        self._patience = patience
        patience.watch(self)

    def get_connection(self, node_id: Any, timeout_ms: float | None = None, **options: Any) -> Any:
        """Return a connection, set up within the limit whatever its client allows."""
        most = self.socket_connection_setup_timeout_ms(node_id)
        return super().get_connection(node_id, most if timeout_ms is None else min(most, timeout_ms), **options)

    def connection_delay(self, node_id: Any) -> float:
        """Return how long to avoid connecting to a broker."""
        delay, broker = float(super().connection_delay(node_id)), self.cluster.broker_metadata(node_id)
        if broker is None:
            return delay
        avoided = self._patience.avoided_s(BrokerAddress(broker.host, broker.port))
        return max(delay, min(avoided, BOOTSTRAP_DELAY_S) if self.cluster.is_bootstrap(node_id) else avoided)

    def brokers(self) -> Iterable[BrokerAddress]:
        """Return the brokers that the client knows."""
        return [BrokerAddress(broker.host, broker.port) for broker in self.cluster.brokers()]

    def drop(self, hanging: Iterable[BrokerAddress]) -> None:
        """Give up the requests to these brokers. Called from any thread."""
        with contextlib.suppress(RuntimeError):  # the client is closed
            self.call_soon(self._drop, frozenset(hanging))

    def _drop(self, hanging: frozenset[BrokerAddress]) -> None:
        for node_id, connection in list(self._conns.items()):
            broker = self.cluster.broker_metadata(node_id)
            if broker is not None and (broker.host, broker.port) in hanging and not connection.closed:
                connection.close(kafka_errors.RequestTimedOutError(f"broker {node_id} does not answer"))


class BoundedClient(KafkaNetClient):
    """The client through which consumers, producers and administrators reach the brokers."""

    def __init__(self, patience: Patience, **configs: Any) -> None:
        net = BoundedLoop(patience, **configs)
        super().__init__(net=net, manager=BoundedManager(patience, net, **configs))
