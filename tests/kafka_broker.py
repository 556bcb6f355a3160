"""Real Kafka for tests: the broker at KAFKA_BOOTSTRAP, else one of our own in a temporary folder, ended with the session;
and a cluster of three nodes, likewise.

If neither can be had, tests are skipped with a line that says why; with REQUIRE_KAFKA=1 they fail instead.
"""

import atexit
import functools
import os
import secrets
import shutil
import tempfile
from pathlib import Path
from typing import NoReturn

import pytest

from events.kafka.development.broker import BrokerError, DevelopmentBroker, free_ports
from events.kafka.development.cluster import PORTS_OF_A_NODE, SIZE, DevelopmentCluster
from rack.errors import EnvironmentFault

IN_MEMORY = os.environ.get("PYTEST_DEBUG_TEMPROOT")
"""Where tests write if memory has room (tests/conftest.py), else None: the usual temporary folder."""


def bootstrap() -> str:
    """Return the broker's `host:port`, starting it the first time."""
    address, problem = _broker()
    if address is None:
        _cannot_be_had(problem)
    return address


def start(broker: DevelopmentBroker) -> int:
    """Start a broker that the test stops itself, and return its process."""
    try:
        return broker.start()
    except BrokerError as error:
        _cannot_be_had(str(error))


def _cannot_be_had(problem: str) -> NoReturn:
    message = f"KAFKA IS NOT TESTED: {problem}"
    if os.environ.get("REQUIRE_KAFKA") == "1":
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


def address_or_problem() -> tuple[str | None, str]:
    """Return the broker's `host:port`, or None and why none exists."""
    return _broker()


def cluster() -> DevelopmentCluster:
    """Return three running nodes, starting them the first time."""
    found, problem = cluster_or_problem()
    if found is None:
        _cannot_be_had(problem)
    return found


@functools.cache
def cluster_or_problem() -> tuple[DevelopmentCluster | None, str]:
    """Return three nodes, which somebody may have stopped or killed meanwhile, or None and why there are none."""
    folder = Path(tempfile.mkdtemp(prefix="rack-cluster-", dir=IN_MEMORY))
    made = DevelopmentCluster(folder, ports=free_ports(SIZE * PORTS_OF_A_NODE))

    def end() -> None:
        made.stop()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    try:
        made.start()
    except (BrokerError, EnvironmentFault) as error:
        return None, str(error)
    return made, ""


def new_address() -> str:
    """Return the address of a log that does not exist yet."""
    return f"kafka://{bootstrap()}/t-{secrets.token_hex(6)}"


@functools.cache
def _broker() -> tuple[str | None, str]:
    given = os.environ.get("KAFKA_BOOTSTRAP")
    if given:
        return given, ""
    folder = Path(tempfile.mkdtemp(prefix="rack-kafka-", dir=IN_MEMORY))
    port, controller_port = free_ports(2)
    broker = DevelopmentBroker(folder, port, controller_port)

    def end() -> None:
        broker.stop()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    try:
        broker.start()
    except BrokerError as error:
        return None, str(error)
    return broker.bootstrap, ""
