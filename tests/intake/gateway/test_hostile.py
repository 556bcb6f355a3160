"""Requests that are oversized, slow, half, of the wrong kind, or very many: whoever is honest is answered meanwhile."""

import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from events.sqlite.log import SqliteLog
from intake.gateway import app
from intake.gateway.connections import BoundedProtocol
from intake.lines import line_of
from tests.contract.drafts import TABLE, Drafts
from tests.intake.gateway.conftest import WAIT_LIMIT_S, Served

HEAD = b"POST /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-ndjson\r\n"


def opened(gateway: Served, data: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", gateway.port), timeout=WAIT_LIMIT_S)
    connection.sendall(data)
    return connection


def ended(connection: socket.socket) -> bool:
    """Whether the gateway has closed a connection, saying nothing more on it."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def check_served(gateway: Served) -> None:
    assert gateway.hand_in(line_of(TABLE, Drafts().day())).status == 200


@pytest.mark.parametrize("begun", [b"", b"POST /v1", HEAD])
def test_a_head_that_does_not_come_is_not_waited_for(gateway: Served, monkeypatch: pytest.MonkeyPatch, begun: bytes) -> None:
    monkeypatch.setattr(BoundedProtocol, "head_s", 0.05)
    with opened(gateway, begun) as slow:
        assert ended(slow)
    check_served(gateway)


def test_a_second_head_that_does_not_come_is_not_waited_for(gateway: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(gateway, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n") as slow:
        said = b""
        while not said.endswith(b"ok\n"):
            said += slow.recv(4096)
        monkeypatch.setattr(BoundedProtocol, "head_s", 0.05)
        slow.sendall(b"GET /hea")
        assert ended(slow)


def test_a_body_that_does_not_come_is_not_waited_for(gateway: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "BODY_S", 0.05)
    with opened(gateway, HEAD + b"Content-Length: 100\r\n\r\n{") as slow:
        assert slow.recv(4096).startswith(b"HTTP/1.1 408")
    check_served(gateway)


def test_a_request_that_breaks_off_stores_nothing(gateway: Served, path: Path) -> None:
    line = line_of(TABLE, Drafts().day())
    with opened(gateway, HEAD + b"Content-Length: %d\r\n\r\n" % (len(line) + 10) + line + b"\n"):
        pass
    assert gateway.hand_in(line).lines[0]["status"] == "stored"


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # TLS if none exists
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x00" * 4096,
        b"POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
        b"POST /v1/events HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
        HEAD + b"X: " + b"a" * 20_000 + b"\r\n\r\n",
        HEAD + b"Content-Length: 99999999999999999999\r\n\r\n",
        HEAD + b"Content-Length: -1\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_what_is_no_request_is_turned_away(gateway: Served, data: bytes) -> None:
    with opened(gateway, data) as connection:
        connection.settimeout(WAIT_LIMIT_S)
        try:
            said = connection.recv(65536)
        except ConnectionResetError:
            said = b""
        assert not said.startswith(b"HTTP/1.1 200")
    check_served(gateway)


def test_a_line_of_many_megabytes_and_deep_nesting_are_quarantined(gateway: Served, path: Path) -> None:
    reply = gateway.hand_in(b'{"a":"' + b"x" * 5_000_000 + b'"}', b"[" * 200_000, b"\xff\xfe" * 1000)
    assert [each["status"] for each in reply.lines] == ["quarantined"] * 3
    log = SqliteLog(path, read_only=True)
    assert max(len(entry.data) for entry in log.quarantined()) <= 1024 * 1024
    log.close()
    check_served(gateway)


def test_of_too_many_connections_the_longest_waiting_is_closed(gateway: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoundedProtocol, "most", 20)
    with ExitStack() as resources:
        many = [resources.enter_context(opened(gateway, b"GET")) for _ in range(200)]
        check_served(gateway)
        assert all(ended(each) for each in many[:150])


def test_a_thousand_connections_at_once_leave_it_answering(gateway: Served) -> None:
    with ExitStack() as resources:
        for number in range(1_000):
            resources.enter_context(opened(gateway, b"" if number % 2 else HEAD))
        check_served(gateway)


def test_a_device_that_does_not_wait_for_answers_is_answered_in_order(gateway: Served) -> None:
    drafts = Drafts()
    requests = b""
    for draft in (drafts.day(), drafts.wager(), drafts.wager()):
        line = line_of(TABLE, draft)
        requests += HEAD + b"Content-Length: %d\r\n\r\n" % len(line) + line
    with opened(gateway, requests) as connection:
        said = b""
        while said.count(b'"seq"') < 3:
            more = connection.recv(65536)
            assert more
            said += more
    assert [said.index(b'"seq":%d' % number) for number in (1, 2, 3)] == sorted(
        said.index(b'"seq":%d' % number) for number in (1, 2, 3)
    )
