"""What HTTP asks of a server, and what the gateway says to anybody who asks."""

import socket
from pathlib import Path

import pytest

from intake.devices import add_device
from intake.gateway.app import without_paths
from intake.lines import line_of
from tests.contract.drafts import TABLE, Drafts
from tests.intake.gateway.conftest import WAIT_LIMIT_S, Served, opening, serving

AT = "2026-11-23T08:00:00Z"
CHUNKED = b"Transfer-Encoding: chunked\r\n"


def ask(gateway: Served, *requests: bytes) -> bytes:
    """Send requests on one connection; return everything that comes until it is closed, or a second passes."""
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=WAIT_LIMIT_S) as opened:
        opened.sendall(b"".join(requests))
        opened.settimeout(1.0)
        came = b""
        try:
            while more := opened.recv(65_536):
                came += more
        except TimeoutError:
            came += b"(open)"
        return came


def chunk(body: bytes) -> bytes:
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)


def request(body: bytes, *, target: bytes = b"/v1/events", head: bytes = b"", host: bytes = b"localhost") -> bytes:
    length = b"" if CHUNKED in head and b"Content-Length" not in head else b"Content-Length: %d\r\n" % len(body)
    kind = b"Content-Type: application/x-ndjson\r\n"
    sent = chunk(body) if CHUNKED in head else body
    return b"POST %s HTTP/1.1\r\nHost: %s\r\n%s%s%s\r\n%s" % (target, host, kind, length, head, sent)


def test_content_length_beside_transfer_encoding_closes_the_connection(gateway: Served) -> None:
    """RFC 9112, 6.1: what follows on the connection could be smuggled."""
    line = line_of(TABLE, Drafts().day())
    both = b"POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5\r\n"
    came = ask(gateway, both + CHUNKED + b"\r\n" + chunk(line), request(line))
    assert came.count(b"HTTP/1.1") == 1
    assert b"connection: close" in came.lower()
    assert not came.endswith(b"(open)")


def test_either_alone_keeps_it_open(gateway: Served) -> None:
    line = line_of(TABLE, Drafts().day())
    came = ask(gateway, request(line), request(line, head=CHUNKED))
    assert came.count(b"HTTP/1.1 200") == 2
    assert came.endswith(b"(open)")


HEAD = b"POST /v1/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (HEAD.replace(b"\r\n", b"\n") + b"Content-Length: 0\n\n", b"LF without CR"),
        (HEAD.replace(b"1.1\r", b"1.1") + b"Content-Length: 0\r\n\r\n", b"LF without CR"),
        (HEAD + b"Content-Length: 0\n\r\n", b"LF without CR"),
        (HEAD + b"Content-Length: 0\r\n\n", b"LF without CR"),
        (b"\n" + HEAD + b"Content-Length: 0\r\n\r\n", b"LF without CR"),
        (HEAD + b"X-A: 1\r\n b\r\nContent-Length: 0\r\n\r\n", b"folded"),
        (HEAD + b"X-A:\r\n\tb\r\nContent-Length: 0\r\n\r\n", b"folded"),
        (b"GET / HTTP/1.1\r\n Host: localhost\r\n\r\n", b"folded"),
        (HEAD + b"X-A: 1\rContent-Length: 0\r\n\r\n", b"by itself"),
        (HEAD + b"Content-Length: 0\r\r\n\r\n", b"by itself"),
        (HEAD + CHUNKED + b"\r\n2;a\rb\r\n{}\r\n0\r\n\r\n", b"by itself"),
        (HEAD + CHUNKED + b"\r\n2;a\n\r\n{}\r\n0\r\n\r\n", b"by itself"),
        (HEAD + CHUNKED + b"\r\n2\r\n{}\r\n0\r\n\n", b"LF without CR"),
        (HEAD + CHUNKED + b"\r\n2\r\n{}\r\n0\r\nX-A: 1\r\n b\r\n\r\n", b"folded"),
    ],
)
def test_a_line_that_two_servers_could_read_otherwise_is_refused(gateway: Served, sent: bytes, why: bytes) -> None:
    """RFC 9112, 2.2 (bare CR, bare LF) and 5.2 (a folded header): nothing of the request or after it is taken."""
    came = ask(gateway, sent, request(line_of(TABLE, Drafts().day())))
    assert came.startswith(b"HTTP/1.1 400 ")
    assert came.count(b"HTTP/1.1") == 1
    assert b"connection: close" in came.lower()
    assert why in came
    assert not came.endswith(b"(open)")


def test_lines_that_arrive_in_pieces_are_read(gateway: Served) -> None:
    sent = request(line_of(TABLE, Drafts().day()), head=CHUNKED + b"X-A: b\tc \r\n")
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=WAIT_LIMIT_S) as opened:
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in sent:
            opened.sendall(bytes((byte,)))
        assert opened.recv(65_536).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("target", [b"http://localhost:8600/v1/events", b"HTTP://127.0.0.1/v1/events/", b"/v1/events/"])
def test_an_absolute_target_and_a_slash_at_the_end_are_read(gateway: Served, target: bytes) -> None:
    """RFC 9112, 3.2.2."""
    assert b"HTTP/1.1 200" in ask(gateway, request(line_of(TABLE, Drafts().day()), target=target))


@pytest.mark.slow
def test_the_host_of_an_absolute_target_counts_and_not_the_header(gateway: Served) -> None:
    line = line_of(TABLE, Drafts().day())
    assert b" 403 " in ask(gateway, request(line, target=b"http://rebound.example/v1/events"))
    assert b" 200 " in ask(gateway, request(line, target=b"http://localhost/v1/events", host=b"rebound.example"))


@pytest.mark.parametrize(
    ("expect", "status"), [(b"100-continue", b" 200 "), (b"100-Continue", b" 200 "), (b"200-maybe", b" 417 ")]
)
def test_an_expectation_that_cannot_be_met_is_refused(gateway: Served, expect: bytes, status: bytes) -> None:
    came = ask(gateway, request(line_of(TABLE, Drafts().day()), head=b"Expect: " + expect + b"\r\n"))
    assert status in came


@pytest.mark.parametrize(("charset", "status"), [("utf-8", 200), ('"UTF-8"', 200), ("iso-8859-1", 415)])
def test_only_utf_8_is_read(gateway: Served, charset: str, status: int) -> None:
    body = line_of(TABLE, Drafts().day())
    reply = gateway.ask("POST", "/v1/events", body, Content_Type=f"application/x-ndjson; charset={charset}")
    assert reply.status == status


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/srv/rack/devices.toml: others can read it", "(path): others can read it"),
        ("cannot open /srv/my rack/floor.db; free space", "cannot open (path) (path); free space"),
        ("devices.toml: there is no register", "(path): there is no register"),
        ("Kafka at kafka://10.0.0.7:9092/rack: gone", "Kafka at (path): gone"),
        ("the log sqlite:///srv/floor.db cannot be opened", "the log (path) cannot be opened"),
        ("table/fu-01 event 3: the hash differs", "table/fu-01 event 3: the hash differs"),
        ("the disk is not there", "the disk is not there"),
    ],
)
def test_what_anybody_may_ask_names_no_path(text: str, shown: str) -> None:
    assert without_paths(text) == shown


def test_an_unreadable_register_is_named_to_nobody(path: Path, tmp_path: Path) -> None:
    register = tmp_path / "devices.toml"
    token = add_device(register, "table-07", ["table-07"], None, AT)
    with serving(opening(path), register) as served:
        register.write_text("[device")
        replies = [served.ask("GET", "/readyz"), served.hand_in(line_of(TABLE, Drafts().day()), token=token)]
        for reply in replies:
            assert reply.status == 503
            assert tmp_path.name.encode() not in reply.body
            assert b"devices.toml" not in reply.body


def test_a_register_that_is_emptied_is_not_ready_and_no_answer_to_a_token(path: Path, tmp_path: Path) -> None:
    register = tmp_path / "devices.toml"
    token = add_device(register, "table-07", ["table-07"], None, AT)
    whole = register.read_bytes()
    line = line_of(TABLE, Drafts().day())
    with serving(opening(path), register) as served:
        for emptied in (b"", b"# nothing\n"):
            register.write_bytes(emptied)
            assert served.ask("GET", "/readyz").status == 503
            assert served.hand_in(line, token=token).status == 503
        register.write_bytes(whole)
        assert served.ask("GET", "/readyz").status == 200
        assert served.hand_in(line, token=token).status == 200


def test_a_card_number_in_a_head_is_in_no_answer_and_no_log(gateway: Served) -> None:
    body = line_of(TABLE, Drafts().day())
    replies = [
        gateway.ask("POST", "/v1/events", body, Content_Type="card:47110815"),
        gateway.hand_in(body, Host="card:47110815"),
        gateway.ask("POST", "/v1/events", body, Content_Type="application/json; charset=card:47110815"),
    ]
    assert {reply.status for reply in replies} <= {400, 403, 415}
    assert b"47110815" not in b"".join(reply.body for reply in replies)
    assert "47110815" not in "".join(gateway.told)
