"""The rules of HTTP/1.1 that the library leaves out (RFC 9110, RFC 9112), before a request reaches its address.

* A request with both Content-Length and Transfer-Encoding may be a smuggled one: its connection is closed after the answer.
* A target in absolute form (`POST http://host/v1/events`) names the host itself, whatever the Host header says.
* An expectation other than 100-continue cannot be met: 417.

A slash at the end of an address makes no difference.
"""

from typing import Any, Final
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SCHEMES: Final = ("http", "https")


class HttpRules:
    """An application that gets only the requests that these rules allow."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that breaks a rule; pass every other on to the application."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        names = {name.lower() for name, _ in scope["headers"]}
        if {b"content-length", b"transfer-encoding"} <= names:
            send = _closing(send)
        expected = [value.strip().lower() for name, value in scope["headers"] if name.lower() == b"expect"]
        if any(value != b"100-continue" for value in expected):
            refusal = PlainTextResponse("expected no Expect header but 100-continue\n", 417, {"Connection": "close"})
            await refusal(scope, receive, send)
            return
        await self._app(_located(scope), receive, send)


def _closing(send: Send) -> Send:
    async def closing(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message)["Connection"] = "close"
        await send(message)

    return closing


def _located(scope: Scope) -> Scope:
    """Return a request with the path and host that its target names, without a slash at the path's end."""
    path: str = scope["path"]
    changed: dict[str, Any] = {}
    scheme, mark, _ = path.partition("://")
    if mark and scheme.lower() in _SCHEMES:
        target = urlsplit(path)
        path = target.path or "/"
        others = [pair for pair in scope["headers"] if pair[0].lower() != b"host"]
        changed["headers"] = [(b"host", target.netloc.encode("latin-1", "replace")), *others]
    if len(path) > 1:
        path = path.removesuffix("/")
    return dict(scope) | changed | {"path": path, "raw_path": path.encode("utf-8", "replace")}
