"""What is answered before a sign-in, how much is taken in, with which headers: the door alone, and the server as started."""

import asyncio
import socket
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from dashboards.access.downloads import Downloads
from dashboards.access.page_guard import HEADERS, LONGEST_MESSAGE, MOST_UPLOADED, MOST_VISITORS, Door, Headers
from dashboards.access.sign_ins import SignIns, key_of
from tests.coroutines import run
from tests.dashboards import sample
from tests.dashboards.access.test_access import LOGIN
from tests.dashboards.access.test_hosts import answer, rack_command, upgrade
from tests.dashboards.conftest import free_port, started

COOKIE = "_streamlit_user=abc"
UPLOAD = "/_stcore/upload_file/session/file"
SIGN_IN_PAGE = ("/", "/floor", "/static/js/index.js", "/_stcore/health", "/_stcore/host-config", "/auth/login", "/oauth2callback")
CLOSED_BEFORE = (UPLOAD, "/component/x/y", "/_stcore/bidi-components/x", "/app/static/x", "/_stcore/other")
CLOSED_ALWAYS = ("/_stcore/metrics", "/_stcore/agent/interact", "/_stcore/agent/mcp", "/_stcore/script-health-check")


class Inside:
    """What lies behind the door: answers, keeps what it heard, and waits while `open` is not set."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.heard: list[bytes | None] = []
        self.open: asyncio.Event | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked.append(scope["path"])
        if scope["type"] == "websocket":
            while (message := await receive())["type"] != "websocket.disconnect":
                self.heard.append(message.get("bytes"))
            return
        if self.open is not None:
            await self.open.wait()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
        await send({"type": "http.response.body", "body": b""})


class Asked:
    """A door with one sign-in, and what was answered at it."""

    def __init__(self, *, by_login: bool = True, held: int = 0) -> None:
        self.inside, self.sign_ins = Inside(), SignIns(Downloads())
        key = key_of({"_streamlit_user": "abc"})
        assert key is not None
        self.sign_ins.begin(key)
        self.door = Door(self.inside, by_login=by_login, sign_ins=self.sign_ins, held=lambda: held)

    async def ask(
        self,
        path: str,
        cookie: str = "",
        *messages: MutableMapping[str, Any],
        kind: str = "http",
        method: str = "GET",
        length: int | None = None,
    ) -> int:
        """Return the status (of a WebSocket: the code with which it was closed, or 0)."""
        sent: list[MutableMapping[str, Any]] = []
        waiting = list(messages)

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        async def receive() -> MutableMapping[str, Any]:
            return waiting.pop(0) if waiting else {"type": "websocket.disconnect", "code": 1000}

        headers = [(b"cookie", cookie.encode())] if cookie else []
        headers += [] if length is None else [(b"content-length", str(length).encode())]
        await self.door({"type": kind, "path": path, "method": method, "headers": headers}, receive, send)
        return int(sent[0].get("status", sent[0].get("code", 0))) if sent else 0


# ------------------------------------------------------------------------------------------------------- who reaches what


@pytest.mark.parametrize("path", SIGN_IN_PAGE)
def test_what_the_sign_in_page_needs_is_served_to_everybody(path: str) -> None:
    for cookie in ("", COOKIE, "_streamlit_user=forged"):
        assert run(Asked().ask(path, cookie)) == 200


@pytest.mark.parametrize("path", CLOSED_BEFORE)
def test_everything_else_of_the_server_needs_a_sign_in(path: str) -> None:
    for cookie in ("", "_streamlit_user=forged", "_streamlit_xsrf=1"):
        at = Asked()
        assert run(at.ask(path, cookie, method="PUT" if path == UPLOAD else "GET", length=1)) == 401
        assert not at.inside.asked
    assert run(Asked().ask(path, COOKIE, method="PUT" if path == UPLOAD else "GET", length=1)) == 200


@pytest.mark.parametrize("path", CLOSED_ALWAYS)
@pytest.mark.parametrize("by_login", [True, False])
def test_what_is_for_nobody_is_served_to_nobody(path: str, by_login: bool) -> None:
    at = Asked(by_login=by_login)
    assert [run(at.ask(path, cookie)) for cookie in ("", COOKIE)] == [404, 404]
    assert not at.inside.asked


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "POST"])
def test_without_a_login_nothing_is_uploaded(method: str) -> None:
    assert run(Asked(by_login=False).ask(UPLOAD, method=method, length=1)) == 401


# ---------------------------------------------------------------------------------------------------------------- uploads


@pytest.mark.parametrize(("held", "size", "status"), [(0, MOST_UPLOADED, 200), (1, MOST_UPLOADED, 413), (MOST_UPLOADED, 1, 413)])
def test_all_uploads_together_have_a_limit(held: int, size: int, status: int) -> None:
    assert run(Asked(held=held).ask(UPLOAD, COOKIE, method="PUT", length=size)) == status


def test_those_that_arrive_at_once_count_too_and_give_their_room_back() -> None:
    async def several() -> list[int]:
        at = Asked()
        at.inside.open = asyncio.Event()
        half = MOST_UPLOADED // 2
        first = [asyncio.ensure_future(at.ask(UPLOAD, COOKIE, method="PUT", length=half)) for _ in range(3)]
        await asyncio.sleep(0.05)
        at.inside.open.set()
        found = [await each for each in first]
        return [*found, await at.ask(UPLOAD, COOKIE, method="PUT", length=MOST_UPLOADED)]

    assert run(several()) == [200, 200, 413, 200]


def test_an_upload_states_its_size() -> None:
    assert run(Asked().ask(UPLOAD, COOKIE, method="PUT")) == 411


# --------------------------------------------------------------------------------------------------------------- messages


def message(kind: str, size: int = 0) -> MutableMapping[str, Any]:
    made = BackMsg()
    part = getattr(made, kind)
    if kind == "rerun_script":
        part.query_string = "x" * size
    elif isinstance(part, bool):
        setattr(made, kind, True)
    else:
        part.SetInParent()
    return {"type": "websocket.receive", "bytes": made.SerializeToString()}


KINDS = [field.name for field in BackMsg.DESCRIPTOR.oneofs_by_name["type"].fields]
VISITORS_SEND = {"rerun_script", "stop_script", "app_heartbeat"}
NOBODY_SENDS = {"clear_cache", "set_run_on_save", "debug_disconnect_websocket", "debug_shutdown_runtime"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("who", ["visitor", "signed in", "at this machine"])
def test_which_messages_are_heard_of_whom(kind: str, who: str) -> None:
    at = Asked(by_login=who != "at this machine")
    given = message(kind)
    run(at.ask("/_stcore/stream", COOKIE if who == "signed in" else "", given, kind="websocket"))
    heard = kind in VISITORS_SEND if who == "visitor" else kind not in NOBODY_SENDS
    assert at.inside.heard == ([given["bytes"]] if heard else [])


@pytest.mark.parametrize("data", [b"\xff\xff", None])
def test_what_is_no_message_is_not_heard(data: bytes | None) -> None:
    at = Asked()
    run(at.ask("/_stcore/stream", COOKIE, {"type": "websocket.receive", "bytes": data}, kind="websocket"))
    assert not at.inside.heard


@pytest.mark.parametrize(("size", "heard"), [(LONGEST_MESSAGE - 100, 1), (LONGEST_MESSAGE + 1, 0)])
def test_a_visitors_message_is_short(size: int, heard: int) -> None:
    at = Asked()
    run(at.ask("/_stcore/stream", "", message("rerun_script", size), kind="websocket"))
    assert len(at.inside.heard) == heard
    run(at.ask("/_stcore/stream", COOKIE, message("rerun_script", size), kind="websocket"))
    assert len(at.inside.heard) == heard + 1


def test_only_so_many_pages_wait_for_a_sign_in() -> None:
    async def many() -> list[int]:
        at = Asked()
        gone = asyncio.Event()

        async def stays(scope: Any, receive: Any, send: Any) -> None:
            await gone.wait()

        at.door.app = stays
        waiting = [asyncio.ensure_future(at.ask("/_stcore/stream", kind="websocket")) for _ in range(MOST_VISITORS)]
        await asyncio.sleep(0.05)
        refused = await at.ask("/_stcore/stream", kind="websocket")
        signed_in = asyncio.ensure_future(at.ask("/_stcore/stream", COOKIE, kind="websocket"))
        await asyncio.sleep(0)
        gone.set()
        found = [await each for each in (*waiting, signed_in)]
        return [refused, sum(found), await at.ask("/_stcore/stream", kind="websocket")]

    assert run(many()) == [1008, 0, 0]


# ---------------------------------------------------------------------------------------------------------------- headers


def test_an_answer_keeps_its_own_type_and_has_both_policies() -> None:
    sent: list[MutableMapping[str, Any]] = []

    async def inside(scope: Any, receive: Any, send: Any) -> None:
        given = [(b"Content-Security-Policy", b"sandbox"), (b"X-Content-Type-Options", b"nosniff")]
        await send({"type": "http.response.start", "status": 200, "headers": given})

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    async def nothing() -> MutableMapping[str, Any]:
        return {}

    run(Headers(inside)({"type": "http"}, nothing, send))
    names = [name.lower() for name, _ in sent[0]["headers"]]
    assert names.count(b"content-security-policy") == 2
    assert names.count(b"x-content-type-options") == 1


# ------------------------------------------------------------------------------------------------------------- the server


@pytest.fixture(scope="module", params=["login", "read-only"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of the pages of the sample floor, with and without a sign-in."""
    folder, port = tmp_path_factory.mktemp("door"), free_port()
    warehouse = sample.make(folder / "warehouse.duckdb")
    login = folder / "login.toml"
    login.write_text(LOGIN)
    login.chmod(0o600)
    how = ["--login", str(login)] if request.param == "login" else ["--read-only"]
    words = ["dashboard", "--warehouse", str(warehouse), *how, "--port", str(port)]
    with started([*rack_command(), *words], f"http://127.0.0.1:{port}", folder / "server.log"):
        yield port


@pytest.mark.parametrize("path", ["/", "/floor", "/_stcore/health", "/_stcore/metrics", "/downloads/x", "/nowhere"])
def test_every_answer_has_the_headers(server: int, path: str) -> None:
    for host in ("127.0.0.1", "evil.example"):
        said = answer(server, f"Host: {host}", path=path).lower()
        for name, value in HEADERS:
            assert name + b": " + value.lower() in said


@pytest.mark.parametrize("path", CLOSED_ALWAYS)
def test_the_server_answers_nobody_there(server: int, path: str) -> None:
    assert b" 404 " in answer(server, "Host: 127.0.0.1", path=path).splitlines()[0]


def test_an_upload_is_refused_before_its_body_is_sent(server: int) -> None:
    with socket.create_connection(("127.0.0.1", server), timeout=60) as sent:
        head = f"PUT {UPLOAD} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {100 * 1024 * 1024}\r\n\r\n"
        sent.sendall(head.encode())
        assert b" 401 " in sent.recv(2_000).splitlines()[0]


def test_a_page_opens_and_waits_for_the_sign_in(server: int) -> None:
    assert b" 101 " in upgrade(server, "Host: 127.0.0.1")


def test_the_service_file_bounds_the_memory() -> None:
    unit = (Path(__file__).parents[3] / "deploy" / "systemd" / "rack-pages.service").read_text()
    assert "\nMemoryMax=" in unit
