"""Where the gateway listens, and how it ends: accepted lines are stored and answered, and no more are accepted."""

import gc
import ipaddress
import resource
import socket
import sys
from pathlib import Path
from typing import Final

import uvicorn
from starlette.applications import Starlette

from events.log.relaxed_gc import relaxed_gc
from intake.errors import IntakeError
from intake.gateway.connections import IDLE_S, MOST_CONNECTIONS, BoundedProtocol

GRACE_S: Final = 30
"""How long requests that were begun may take when the gateway ends."""
BACKLOG: Final = 1_024
HEAD_BYTES: Final = 16 * 1024
"""The largest head of a request."""
SWITCH_S: Final = 0.0005
"""How long the writing thread may keep the interpreter while requests wait for it. Python's 5 ms are spent again at each read and
write of a connection: with fifty connections a group is answered a quarter of a second late."""


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address. Raises `OSError`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((host, port))
        opened.listen(BACKLOG)
    except BaseException:
        opened.close()
        raise
    return opened


def parse_listen(text: str) -> tuple[str, int]:
    """Return host and port of an address. Raises `IntakeError`.

    >>> parse_listen("127.0.0.1:8600"), parse_listen("[::1]:8600")
    (('127.0.0.1', 8600), ('::1', 8600))
    """
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    try:
        if host != "localhost":
            ipaddress.ip_address(host)
        if not (port.isascii() and port.isdigit() and int(port) < 65_536):
            raise ValueError
    except ValueError:
        raise IntakeError(f"{text!r} is no address to listen at; expected an IP address and a port: 127.0.0.1:8600") from None
    return host, int(port)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches what listens there.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0"), is_loopback("::1")
    (True, True, False, True)
    """
    return host == "localhost" or ipaddress.ip_address(host).is_loopback


def server(app: Starlette, *, certificate: Path | None = None, key: Path | None = None) -> uvicorn.Server:
    """Return the server of an application, with TLS if a certificate is given. Raises `OSError` if that cannot be read."""
    _allow_connections()
    config = uvicorn.Config(
        app,
        http=BoundedProtocol,
        ws="none",
        lifespan="on",
        loop="asyncio",
        interface="asgi3",
        log_config=None,
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        h11_max_incomplete_event_size=HEAD_BYTES,
        timeout_keep_alive=IDLE_S,
        timeout_graceful_shutdown=GRACE_S,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    config.load()
    return uvicorn.Server(config)


def serve(serving: uvicorn.Server, listening: socket.socket) -> None:
    """Serve until told to end. No request waits for the writing thread's turn, or for a look at everything that is loaded."""
    sys.setswitchinterval(SWITCH_S)
    gc.freeze()
    with relaxed_gc():
        serving.run(sockets=[listening])


def _allow_connections() -> None:
    """Allow this process as many open files as its connections may need, as far as the system lets it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + 512
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
        BoundedProtocol.most = min(MOST_CONNECTIONS, max(soft, most) - 256)
