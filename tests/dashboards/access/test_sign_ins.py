"""How long a login cookie holds, what it opens meanwhile, and that nothing of it is left afterward."""

import asyncio
import time
from collections.abc import MutableMapping
from typing import Any

import pytest

from dashboards.access.downloads import MOST_FILES, Download, Downloads
from dashboards.access.sign_ins import IDLE_S, LONGEST_S, WATCH_S, SignInGuard, SignIns, cookies_of, key_of
from tests.coroutines import run

FILE = Download("packet.pdf", "application/pdf", b"%PDF")


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def downloads() -> Downloads:
    return Downloads()


@pytest.fixture
def sign_ins(downloads: Downloads, clock: Clock) -> SignIns:
    return SignIns(downloads, clock)


# ----------------------------------------------------------------------------------------------------------- how long


def test_a_sign_in_holds_until_it_is_ended(sign_ins: SignIns) -> None:
    assert not sign_ins.holds("a")
    sign_ins.begin("a")
    assert sign_ins.holds("a")
    assert not sign_ins.holds("b")
    assert not sign_ins.holds(None)
    sign_ins.end("a")
    assert not sign_ins.holds("a")


@pytest.mark.parametrize(("after", "holds"), [(IDLE_S - 1, True), (IDLE_S, False)])
def test_half_an_hour_without_an_open_page_ends_it(sign_ins: SignIns, clock: Clock, after: float, holds: bool) -> None:
    sign_ins.begin("a")
    clock.now += after
    assert sign_ins.holds("a") is holds
    clock.now -= after
    assert sign_ins.holds("a") is holds, "what is over does not come back"


@pytest.mark.parametrize(("last", "holds"), [(LONGEST_S - 1, True), (LONGEST_S, False)])
def test_a_shift_ends_it_though_a_page_is_open(sign_ins: SignIns, clock: Clock, last: float, holds: bool) -> None:
    sign_ins.begin("a")
    began = clock.now
    while clock.now - began < last - 60:
        clock.now += 60
        assert sign_ins.holds("a", touch=True)
    clock.now = began + last
    assert sign_ins.holds("a", touch=True) is holds


def test_to_look_whether_it_holds_does_not_prolong_it(sign_ins: SignIns, clock: Clock) -> None:
    sign_ins.begin("a")
    for _ in range(3):
        clock.now += IDLE_S / 2
        sign_ins.holds("a")
    assert not sign_ins.holds("a")


# ---------------------------------------------------------------------------------------------------------- downloads


def test_a_file_is_fetched_by_its_sign_in_alone(downloads: Downloads) -> None:
    token = downloads.keep("a", FILE).removeprefix("downloads/")
    assert downloads.fetch("a", token) == FILE
    assert [downloads.fetch(other, token) for other in ("b", "", None)] == [None] * 3
    assert downloads.fetch("a", token[:-1]) is None
    assert downloads.keep("a", FILE).endswith(token), "the same file keeps its address"
    assert not downloads.keep("b", FILE).endswith(token), "and another's is another"


@pytest.mark.parametrize("way", ["logout", "time"])
def test_files_are_gone_with_the_sign_in(sign_ins: SignIns, downloads: Downloads, clock: Clock, way: str) -> None:
    sign_ins.begin("a")
    token = downloads.keep("a", FILE).removeprefix("downloads/")
    if way == "logout":
        sign_ins.end("a")
    else:
        clock.now += LONGEST_S
        assert not sign_ins.holds("a")
    assert downloads.fetch("a", token) is None
    sign_ins.begin("a")
    assert downloads.fetch("a", token) is None


def test_the_oldest_file_makes_room(downloads: Downloads) -> None:
    tokens = [downloads.keep("a", FILE._replace(name=str(n))).removeprefix("downloads/") for n in range(MOST_FILES + 1)]
    assert [downloads.fetch("a", token) is None for token in tokens] == [True] + [False] * MOST_FILES


def test_a_file_is_saved_and_never_shown_as_a_page_of_ours() -> None:
    headers = Download('a"\r\nX: y.html', "text/html", b"").headers()
    assert headers["Content-Disposition"] == "attachment; filename*=UTF-8''a%22%0D%0AX%3A%20y.html"
    assert headers["Cache-Control"] == "no-store"


# ---------------------------------------------------------------------------------------------------------- the guard


def headers(cookie: str) -> list[tuple[bytes, bytes]]:
    return [(b"host", b"localhost"), (b"cookie", cookie.encode())]


class Inside:
    """What is behind the guard: notes the cookies that reach it, and answers with the headers it was given."""

    def __init__(self, *answer: tuple[bytes, bytes]) -> None:
        self.cookies: list[dict[str, str]] = []
        self.answer = list(answer)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.cookies.append(cookies_of(scope))
        if scope["type"] == "websocket":
            while (await receive())["type"] != "websocket.disconnect":
                pass
            return
        await send({"type": "http.response.start", "status": 302, "headers": self.answer})


def ask(
    inside: Inside, sign_ins: SignIns, path: str, cookie: str, kind: str = "http", *, secure: bool = False
) -> list[MutableMapping[str, Any]]:
    """Send a request through the guard; return what was answered."""
    sent: list[MutableMapping[str, Any]] = []

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    async def receive() -> MutableMapping[str, Any]:
        await asyncio.sleep(60)
        return {}

    scope = {"type": kind, "path": path, "headers": headers(cookie)}
    guard = SignInGuard(inside, secure=lambda: secure, sign_ins=sign_ins)
    run(guard(scope, receive, send))
    return sent


GIVEN = b"_streamlit_user=abc.def-1_2; HttpOnly; Max-Age=2592000; Path=/; SameSite=lax"
COOKIE = "_streamlit_user=abc.def-1_2"


def begin(sign_ins: SignIns, given: bytes = GIVEN, *, secure: bool = False, cookie: str = "") -> list[bytes]:
    inside = Inside((b"location", b"/"), (b"set-cookie", given))
    (start,) = ask(inside, sign_ins, "/oauth2callback", cookie, secure=secure)
    return [value for name, value in start["headers"] if name == b"set-cookie"]


def test_a_cookie_holds_from_the_callback_to_the_logout(sign_ins: SignIns) -> None:
    seen = Inside()
    ask(seen, sign_ins, "/queue", f"{COOKIE}; other=1")
    begin(sign_ins)
    ask(seen, sign_ins, "/queue", f"{COOKIE}; other=1")
    ask(seen, sign_ins, "/auth/logout", COOKIE)
    ask(seen, sign_ins, "/queue", f"other=1; {COOKIE}; _streamlit_user_tokens=x; _streamlit_user_1=y")
    whole = {"_streamlit_user": "abc.def-1_2", "other": "1"}
    assert seen.cookies == [{"other": "1"}, whole, {"_streamlit_user": "abc.def-1_2"}, {"other": "1"}]


def test_the_browser_forgets_the_cookie_when_it_is_closed(sign_ins: SignIns) -> None:
    (header,) = begin(sign_ins)
    assert sorted(header.split(b"; ")) == [b"HttpOnly", b"Path=/", b"SameSite=lax", COOKIE.encode()]
    (header,) = begin(sign_ins, secure=True)
    assert b"; Secure" in header


def test_a_cookie_that_is_deleted_begins_nothing(sign_ins: SignIns) -> None:
    deleted = b'_streamlit_user=""; expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; Path=/'
    assert begin(sign_ins, deleted) == [deleted]
    assert not sign_ins.holds(key_of({"_streamlit_user": ""}))


def test_another_login_ends_the_one_before(sign_ins: SignIns) -> None:
    begin(sign_ins)
    begin(sign_ins, GIVEN.replace(b"abc", b"new"), cookie=COOKIE)
    assert not sign_ins.holds(key_of({"_streamlit_user": "abc.def-1_2"}))
    assert sign_ins.holds(key_of({"_streamlit_user": "new.def-1_2"}))


def test_a_signed_cookie_of_an_earlier_start_of_the_server_is_worth_nothing(sign_ins: SignIns) -> None:
    begin(sign_ins)
    seen = Inside()
    ask(seen, SignIns(Downloads()), "/queue", COOKIE)
    assert seen.cookies == [{}]


def test_an_open_page_is_cut_off_when_its_sign_in_ends(sign_ins: SignIns, clock: Clock) -> None:
    begin(sign_ins)
    inside = Inside()
    clock.now += 1

    class Ending(SignIns):
        asked = 0

        def holds(self, key: str | None, *, touch: bool = False) -> bool:
            self.asked += 1
            return self.asked < 3

    sent = ask(inside, Ending(Downloads()), "/_stcore/stream", COOKIE, "websocket")
    assert inside.cookies == [{"_streamlit_user": "abc.def-1_2"}]
    assert [(each["type"], each["code"]) for each in sent] == [("websocket.close", 1008)]


@pytest.mark.parametrize("path", ["/media/x.pdf", "/base/media/x.pdf"])
def test_streamlits_downloads_are_closed_to_everybody(sign_ins: SignIns, path: str) -> None:
    begin(sign_ins)
    inside = Inside()
    start, _ = ask(inside, sign_ins, path, COOKIE)
    assert (start["status"], inside.cookies) == (404, [])


def test_the_fonts_of_the_pages_are_served(sign_ins: SignIns) -> None:
    inside = Inside()
    (start,) = ask(inside, sign_ins, "/static/media/MaterialSymbols.woff2", "")
    assert (start["status"], len(inside.cookies)) == (302, 1)


def test_the_parts_of_a_long_cookie_belong_together() -> None:
    whole = key_of({"_streamlit_user": "chunks-2", "_streamlit_user_1": "a", "_streamlit_user_2": "b", "x": "1"})
    assert whole == key_of({"_streamlit_user_2": "b", "_streamlit_user_1": "a", "_streamlit_user": "chunks-2"})
    assert whole != key_of({"_streamlit_user": "chunks-2", "_streamlit_user_1": "a", "_streamlit_user_2": "c"})
    assert key_of({"_streamlit_user_1": "a", "_streamlit_user_tokens": "b"}) is None


def test_a_persons_sign_ins_end_when_that_is_said_and_later_ones_hold(sign_ins: SignIns, clock: Clock) -> None:
    ended: dict[str, float] = {}
    sign_ins.ended = lambda: ended
    for key, person in (("a", "m.ortiz"), ("b", "s.kane"), ("c", None)):
        sign_ins.begin(key)
        sign_ins.belongs_to(key, person)
    assert all(sign_ins.holds(key) for key in "abc")
    ended["m.ortiz"] = time.time()
    clock.now += WATCH_S
    assert [sign_ins.holds(key) for key in "abc"] == [False, True, True]
    sign_ins.begin("d")
    sign_ins.belongs_to("d", "m.ortiz")
    assert sign_ins.holds("d")
