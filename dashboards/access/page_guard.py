"""The guard in front of Streamlit's own addresses: it limits requests and uploads, and adds headers to answers.

Invariant: a person without a sign-in reaches only what the sign-in page needs: no upload, no metrics, no message that changes
anything, and only a few connections at once. All uploads together have a limit, so that no one fills the memory.
"""

from collections.abc import Callable, MutableMapping
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import Runtime, exists, get_instance
from streamlit.runtime.stats import CacheStat

from dashboards.access.hosts import Application, Receive, Scope, Send, refuse
from dashboards.access.sign_ins import SIGN_INS, SignIns, cookies_of, key_of

UPLOADS = "/_stcore/upload_file/"
NEVER = ("/_stcore/metrics", "/_stcore/agent", "/_stcore/script-health-check")
"""Streamlit's addresses that are closed to everyone; `rack metrics` serves the metrics."""
BEFORE_SIGN_IN = ("/_stcore/health", "/_stcore/host-config", "/_stcore/stream", "/static/", "/auth/", "/oauth2callback")
"""Streamlit's addresses that the sign-in page needs."""
STREAMLITS = ("/_stcore", "/static", "/auth", "/oauth2callback", "/component", "/app/static", "/media")
"""Streamlit's addresses that do not answer with the document of a page."""

MIB = 1024 * 1024
MOST_UPLOADED = 512 * MIB
"""The limit of all uploads together, for all sign-ins."""
MOST_VISITORS = 30
"""This many pages without a sign-in are open at once."""
LONGEST_MESSAGE = 64 * 1024
"""A page without a sign-in sends no message longer than this."""
OF_VISITORS = frozenset(("rerun_script", "stop_script", "app_heartbeat"))
"""The messages of a page that the server hears without a sign-in."""
OF_NOBODY = frozenset(("clear_cache", "set_run_on_save", "debug_disconnect_websocket", "debug_shutdown_runtime"))
"""The messages that the server hears from no one: the caches are everybody's."""

HEADERS = (
    (b"content-security-policy", b"frame-ancestors 'none'"),
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
)
"""Headers of every answer: no other site shows our pages in a frame, and no browser guesses a file's type."""


class Headers:
    """Adds `HEADERS` to every answer; an answer's own type or policy stays."""

    def __init__(self, app: Application) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection (ASGI)."""

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                given = list(message["headers"])
                there = {name.lower() for name, _ in given}
                policy = HEADERS[0][0]  # several policies hold together
                message = {
                    **message,
                    "headers": [*given, *(each for each in HEADERS if each[0] == policy or each[0] not in there)],
                }
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)


def held_uploads() -> int:
    """Return the number of bytes of uploads that this server holds now."""
    if not exists():
        return 0
    runtime: Runtime = get_instance()
    found = runtime.uploaded_file_mgr.get_stats()
    return sum(stat.byte_length for stats in found.values() for stat in stats if isinstance(stat, CacheStat))


class Door:
    """Refuses requests that the asker may not make. `by_login`: the pages have a sign-in; else anybody here may look."""

    def __init__(
        self, app: Application, *, by_login: bool, sign_ins: SignIns = SIGN_INS, held: Callable[[], int] = held_uploads
    ) -> None:
        self.app, self.by_login, self.sign_ins, self._held = app, by_login, sign_ins, held
        self._arriving = self._visitors = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or refuse one connection (ASGI)."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        path, signed_in = scope["path"], self.sign_ins.holds(key_of(cookies_of(scope)))
        if path.startswith(NEVER):
            await _turn_away(scope, send, 404, "Nothing is served here.")
        elif path.startswith(UPLOADS):
            await self._upload(scope, receive, send, signed_in=signed_in)
        elif self.by_login and not signed_in and path.startswith(STREAMLITS) and not path.startswith(BEFORE_SIGN_IN):
            await _turn_away(scope, send, 401, "Sign in first.")
        elif scope["type"] == "websocket":
            await self._page(scope, receive, send, signed_in=signed_in)
        else:
            await self.app(scope, receive, send)

    async def _upload(self, scope: Scope, receive: Receive, send: Send, *, signed_in: bool) -> None:
        """Accept an upload of a sign-in if there is room for it, checked before its body is read."""
        if not signed_in:  # without a login nothing can be done here, and so nothing is attached
            await _turn_away(scope, send, 401, "Sign in first.")
            return
        if scope["type"] == "websocket" or scope["method"] != "PUT":
            await self.app(scope, receive, send)
            return
        size = _length(scope)
        if size is None:
            await refuse(send, 411, "The size of an upload must be stated.")
        elif self._held() + self._arriving + size > MOST_UPLOADED:
            await refuse(send, 413, "There is no room for this file now: other uploads are not finished yet. Try again.")
        else:
            self._arriving += size
            try:
                await self.app(scope, receive, send)
            finally:
                self._arriving -= size

    async def _page(self, scope: Scope, receive: Receive, send: Send, *, signed_in: bool) -> None:
        """Serve the connection of an open page."""
        visitor = self.by_login and not signed_in
        if visitor and self._visitors >= MOST_VISITORS:
            await _turn_away(scope, send, 503, "Too many pages wait for a sign-in.")
            return
        self._visitors += visitor
        try:
            await self.app(scope, _heard(receive, visitor=visitor), send)
        finally:
            self._visitors -= visitor


def _heard(receive: Receive, *, visitor: bool) -> Receive:
    """Return a receive function that drops messages that their sender may not send."""

    async def heard() -> MutableMapping[str, Any]:
        while True:
            message = await receive()
            if message["type"] != "websocket.receive" or _may_send(message.get("bytes"), visitor=visitor):
                return message

    return heard


def _may_send(data: bytes | None, *, visitor: bool) -> bool:
    if data is None or (visitor and len(data) > LONGEST_MESSAGE):
        return False
    message = BackMsg()
    try:
        message.ParseFromString(data)
    except Exception:  # whatever the library raises: it is no message of a page
        return False
    kind = message.WhichOneof("type")
    return kind in OF_VISITORS if visitor else kind not in OF_NOBODY


def _length(scope: Scope) -> int | None:
    """Return the stated size of a request; None if it states none."""
    stated = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(stated[0]) if len(stated) == 1 and stated[0].isdigit() and len(stated[0]) < 19 else None


async def _turn_away(scope: Scope, send: Send, status: int, words: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})  # before it was accepted: HTTP 403
    else:
        await refuse(send, status, words)
