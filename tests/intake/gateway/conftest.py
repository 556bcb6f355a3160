"""A gateway in this process, on a port of its own, and a log next to it."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from events.log.contract import EventLog
from events.sqlite.log import SqliteLog
from intake.devices import DeviceWatch
from intake.gateway.app import Gateway
from intake.gateway.group_commit import GroupCommit
from intake.gateway.server import listen, server
from intake.gateway.telemetry import Telemetry
from intake.patrons import with_tokens
from intake.profiles.registered_profiles import Profiles

PROPERTY = "bellwether"
WAIT_LIMIT_S = 60.0
LINES = {"Content-Type": "application/x-ndjson"}


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [msgspec.json.decode(line) for line in self.body.splitlines()]


class Served(NamedTuple):
    """A gateway that serves: where, and what its requests left in the log of requests."""

    port: int
    commit: GroupCommit
    told: list[str]

    def connect(self) -> HTTPConnection:
        return HTTPConnection("127.0.0.1", self.port, timeout=WAIT_LIMIT_S)

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Reply:
        with closing(self.connect()) as connection:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            response = connection.getresponse()
            return Reply(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())

    def hand_in(self, *lines: bytes, token: str = "", **headers: str) -> Reply:
        if token:
            headers["Authorization"] = f"Bearer {token}"
        return self.ask("POST", "/v1/events", b"\n".join(lines) + b"\n", **(LINES | headers))


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_LIMIT_S
    while not holds():
        assert time.monotonic() < deadline, "it never came so"
        time.sleep(0.005)


@contextmanager
def serving(open_log: Callable[[], EventLog], devices: Path | None = None) -> Iterator[Served]:
    told: list[str] = []
    telemetry = Telemetry(told.append)
    commit = GroupCommit(open_log, telemetry.commit)
    watch = None if devices is None else DeviceWatch(devices)
    profiles = Profiles(Path() if devices is None else devices.parent)
    gateway = Gateway(commit, watch, profiles, lambda line: with_tokens(line, None), telemetry)
    listening = listen("127.0.0.1", 0)
    running = server(gateway.app())
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        until(lambda: running.started)
        yield Served(listening.getsockname()[1], commit, told)
    finally:
        running.should_exit = True
        thread.join()
        listening.close()
        commit.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "floor.db"


def opening(path: Path) -> Callable[[], EventLog]:
    return lambda: SqliteLog(path, create=True, property_id=PROPERTY)


@pytest.fixture
def gateway(path: Path) -> Iterator[Served]:
    with serving(opening(path)) as served:
        yield served
