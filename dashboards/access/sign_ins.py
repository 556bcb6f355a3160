"""The valid sign-ins: a login cookie works only while this server knows it.

Streamlit's login cookie is signed and names the person; by itself it would be valid for a month, on any machine, and after
logout. So the server keeps the SHA-256 of every cookie that it issued, and removes unknown cookies from requests before Streamlit
sees them. Logging out, twelve hours, half an hour without an open page, and a restart of the server end a sign-in: its open pages
are disconnected and its downloads dropped.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping, MutableMapping
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from typing import Any

from dashboards.access.downloads import DOWNLOADS, Downloads
from dashboards.access.hosts import Application, Receive, Scope, Send, refuse

COOKIE = "_streamlit_user"
TOKENS = "_streamlit_user_tokens"
CALLBACK, LOGOUT = "/oauth2callback", "/auth/logout"
MEDIA, FONTS = "/media/", "/static/media/"
"""The addresses of Streamlit's files: those made by scripts, served to anyone, and the fonts of its own pages."""
LONGEST_S = 12 * 3600
"""A sign-in ends after a shift: a role that was taken away does not outlive it."""
IDLE_S = 30 * 60
"""A sign-in ends after this time without an open page, so a closed browser leaves no valid cookie."""
WATCH_S = 1.0
"""Seconds between two checks of an open page's sign-in."""
MOST = 10_000
"""This many sign-ins are known at once; the one that was idle longest makes room."""


class _SignIn:
    def __init__(self, now: float) -> None:
        self.began = self.seen = now
        self.began_at_s = time.time()
        self.person: str | None = None


class SignIns:
    """The valid sign-ins by the digest of their cookie. Threads of pages and the server share one."""

    def __init__(self, downloads: Downloads, clock: Callable[[], float] = time.monotonic) -> None:
        self._known: dict[str, _SignIn] = {}
        self._lock = threading.Lock()
        self._downloads, self._clock = downloads, clock
        self.ended: Callable[[], Mapping[str, float]] = dict
        """Says when each person's sign-ins were ended last (time of day in seconds)."""
        self._ended, self._asked = dict[str, float](), -WATCH_S

    def begin(self, key: str) -> None:
        """Make a cookie valid from now on."""
        now = self._clock()
        with self._lock:
            self._known[key] = _SignIn(now)
            over = [each for each, sign_in in self._known.items() if not self._holds(sign_in, now)]
            if len(self._known) - len(over) > MOST:
                over.append(min(self._known, key=lambda each: self._known[each].seen))
        for each in over:
            self.end(each)

    def holds(self, key: str | None, *, touch: bool = False) -> bool:
        """Return whether a cookie is valid; `touch`: one of its pages is open now. An expired one is forgotten."""
        now = self._clock()
        with self._lock:
            sign_in = self._known.get(key) if key is not None else None
            live = sign_in is not None and self._holds(sign_in, now) and not self._was_ended(sign_in, now)
            if live and touch and sign_in is not None:
                sign_in.seen = now
        if key is not None and sign_in is not None and not live:
            self.end(key)
        return live

    def belongs_to(self, key: str | None, person: str | None) -> None:
        """Record the person of a sign-in."""
        with self._lock:
            if key is not None and (sign_in := self._known.get(key)) is not None:
                sign_in.person = person

    def _was_ended(self, sign_in: _SignIn, now: float) -> bool:
        """Return whether the person's sign-ins were ended since; this is checked once in `WATCH_S`."""
        if now - self._asked >= WATCH_S:
            self._ended, self._asked = dict(self.ended()), now
        return sign_in.person is not None and sign_in.began_at_s <= self._ended.get(sign_in.person, 0.0)

    def end(self, key: str | None) -> None:
        """Make a cookie invalid, and drop its downloads."""
        if key is None:
            return
        with self._lock:
            self._known.pop(key, None)
        self._downloads.drop(key)

    @staticmethod
    def _holds(sign_in: _SignIn, now: float) -> bool:
        return now - sign_in.began < LONGEST_S and now - sign_in.seen < IDLE_S


SIGN_INS = SignIns(DOWNLOADS)
"""The sign-ins of this server."""


def key_of(cookies: Mapping[str, str]) -> str | None:
    """Return the digest of the login cookie (or of its parts, if it was split); None if none exists."""
    parts = sorted((name, value) for name, value in cookies.items() if _is_login(name))
    if COOKIE not in dict(parts):
        return None
    return sha256("\0".join(f"{name}={value}" for name, value in parts).encode("utf-8", "surrogateescape")).hexdigest()


def cookies_of(scope: Scope) -> dict[str, str]:
    """Return the cookies of a request."""
    given: dict[str, str] = {}
    for pair in ";".join(value.decode("latin-1") for name, value in scope["headers"] if name == b"cookie").split(";"):
        name, equals, value = pair.strip().partition("=")
        if equals:
            given[name.strip()] = value.strip().strip('"')
    return given


class SignInGuard:
    """Removes invalid login cookies from every request, begins and ends sign-ins, and closes Streamlit's own downloads.

    `secure`: whether the browser may send the cookie only by TLS, as `redirect_uri` says.
    """

    def __init__(self, app: Application, *, secure: Callable[[], bool], sign_ins: SignIns = SIGN_INS) -> None:
        self.app, self.secure, self.sign_ins = app, secure, sign_ins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one connection on as its sign-in allows (ASGI)."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        path, key = scope["path"], key_of(cookies_of(scope))
        # Anyone who knows an address of a medium could fetch it without a cookie; the fonts of the pages are no one's secret.
        if MEDIA in path and not path.startswith(FONTS):
            await refuse(send, 404, "Nothing is served here.")
        elif path.endswith(LOGOUT):
            self.sign_ins.end(key)
            await self.app(scope, receive, send)
        elif not self.sign_ins.holds(key, touch=True):
            scope["headers"] = _without_login(scope["headers"])
            await self.app(scope, receive, self._beginning(None, send) if path.endswith(CALLBACK) else send)
        elif path.endswith(CALLBACK):
            await self.app(scope, receive, self._beginning(key, send))
        elif scope["type"] == "websocket" and key is not None:
            await self.app(scope, self._watched(key, receive, send), send)
        else:
            await self.app(scope, receive, send)

    def _watched(self, key: str, receive: Receive, send: Send) -> Receive:
        """Return a receive function that ends with the sign-in."""

        async def watched() -> MutableMapping[str, Any]:
            message = asyncio.ensure_future(receive())
            try:
                while not message.done() and self.sign_ins.holds(key, touch=True):
                    await asyncio.wait({message}, timeout=WATCH_S)
                if self.sign_ins.holds(key, touch=True):
                    return message.result()
            finally:
                message.cancel()
            await send({"type": "websocket.close", "code": 1008, "reason": "this sign-in is over"})
            return {"type": "websocket.disconnect", "code": 1008}

        return watched

    def _beginning(self, before: str | None, send: Send) -> Send:
        """Return a send function that, if a login cookie is set, begins a sign-in and ends the earlier one (`before`)."""

        async def beginning(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                given: dict[str, str] = {}
                headers = [
                    (name, self._kept_short(value, given) if name.lower() == b"set-cookie" else value)
                    for name, value in message["headers"]
                ]
                key = key_of(given)
                if key is not None:
                    self.sign_ins.end(before)
                    self.sign_ins.begin(key)
                message = {**message, "headers": headers}
            await send(message)

        return beginning

    def _kept_short(self, header: bytes, given: dict[str, str]) -> bytes:
        """Record a login cookie being set; return its header without Streamlit's month of validity."""
        cookie: SimpleCookie = SimpleCookie()
        try:
            cookie.load(header.decode("latin-1"))
        except CookieError:
            return header
        for name, morsel in cookie.items():
            if not _is_login(name) and not name.startswith(TOKENS):
                return header
            if not morsel.value or morsel["max-age"] == "0":
                return header
            if _is_login(name):
                given[name] = morsel.value
            morsel["max-age"], morsel["expires"] = "", ""
            morsel["secure"] = self.secure()
        return cookie.output(header="", sep="").strip().encode("latin-1")


def _is_login(name: str) -> bool:
    return name == COOKIE or (name.startswith(f"{COOKIE}_") and name.removeprefix(f"{COOKIE}_").isdigit())


def _without_login(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    kept = []
    for name, value in headers:
        if name == b"cookie":
            pairs = [pair.strip() for pair in value.decode("latin-1").split(";")]
            value = "; ".join(pair for pair in pairs if not pair.startswith(COOKIE)).encode("latin-1")
        kept.append((name, value))
    return kept
