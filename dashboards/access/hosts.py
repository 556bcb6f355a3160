"""The host names of the pages, and the guard in front of every request, HTTP and WebSocket.

If a foreign site points its name at this machine (DNS rebinding), a browser takes it for the same site as these pages: Host and
Origin agree. Only the name gives it away, so only allowed names get an answer.
"""

import logging
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""The names of this machine for itself, at which the pages always answer."""

HOST = re.compile(
    r"(?P<name>[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*\.?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?"
)
LONGEST = 255
SHOWN = 80
"""At most this many characters of a refused name are in the log line."""

log = logging.getLogger(__name__)


def name_of(host: str) -> str | None:
    """Return the host name in a Host header, in lower case and without its port; None if it is not a host.

    >>> name_of("LocalHost:8501"), name_of("[::1]:8501"), name_of("rack.example."), name_of("evil.example/127.0.0.1")
    ('localhost', '[::1]', 'rack.example', None)
    """
    match = HOST.fullmatch(host.lower()) if host.isascii() and len(host) <= LONGEST else None
    return match["name"].rstrip(".") if match else None


def objection(scope: Scope, allowed: Iterable[str]) -> str:
    """Return why a request is refused; empty if it comes from these pages to these pages.

    A request must have exactly one Host, with an allowed name. A WebSocket with an Origin must come from a page of that same host
    and port: other programs of this machine share its names and its cookies.
    """
    host = _one(scope, b"host")
    if host is None:
        return "a request names exactly one host"
    if name_of(host) not in frozenset(allowed):
        return f"these pages do not answer to {host[:SHOWN]!r}"
    if scope["type"] == "websocket" and any(name == b"origin" for name, _ in scope["headers"]):
        origin = _one(scope, b"origin")
        if origin is None or _place(origin) != host.lower():
            return f"these pages are not opened from {(origin or '')[:SHOWN]!r}"
    return ""


class HostGuard:
    """Refuses requests to names that are not allowed: 403, no page, and a line in the server's log."""

    def __init__(self, app: Application, *, allowed: Iterable[str]) -> None:
        self.app, self.allowed = app, frozenset((*LOOPBACK, *allowed))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or refuse one connection (ASGI)."""
        why = objection(scope, self.allowed) if scope["type"] in ("http", "websocket") else ""
        if not why:
            await self.app(scope, receive, send)
            return
        log.warning("refused: %s; name a host of these pages with rack dashboard --public-host NAME", why)
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # before it was accepted: HTTP 403
            return
        await refuse(send, 403, "These pages do not answer under this address. Use the address you were given.")


async def refuse(send: Send, status: int, words: str) -> None:
    """Answer with a status and a sentence only."""
    body = f"{words}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, (b"cache-control", b"no-store")]})
    await send({"type": "http.response.body", "body": body})


def _one(scope: Scope, wanted: bytes) -> str | None:
    values = [value for name, value in scope["headers"] if name == wanted]
    return values[0].decode("latin-1") if len(values) == 1 else None


def _place(origin: str) -> str | None:
    """Return the host and port of an origin; None if it is not one (`null`, another scheme)."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return None
    return parts.netloc.lower() if parts.scheme in ("http", "https") else None
