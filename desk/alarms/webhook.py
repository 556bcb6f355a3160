"""Webhooks: sends a message as a POST, signed by the Standard Webhooks convention so that libraries can check it.

Invariant: an answer, however slow, is cut off at the receiver's time limit; redirects are not followed, no proxy is used, and
only the answer's status is read.
"""

import base64
import contextlib
import hmac
import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from hashlib import sha256
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import NamedTuple
from urllib.parse import urlsplit

AGENT = "discard-rack"
MOST_SAID = 200
"""Characters kept of an error's text."""


class Answer(NamedTuple):
    """The result of a delivery: was it accepted, in words; was the receiver silent; how long it asked to wait."""

    taken: bool
    said: str
    silent: bool = False
    wait_s: int = 0


class Webhook:
    """A receiver behind a URL. Calls may come from any thread."""

    def __init__(self, url: str, secrets: Sequence[bytes], *, timeout_s: float, ca_file: str | None = None) -> None:
        parts = urlsplit(url)
        self._host, self._secrets, self._timeout_s = parts.hostname or "", tuple(secrets), timeout_s
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._named = parts.netloc
        self._tls = ssl.create_default_context(cafile=ca_file) if parts.scheme == "https" else None

    def send(self, key: str, body: bytes, at_s: int) -> Answer:
        """Send a message under its key; the signature includes the time `at_s` (UTC seconds)."""
        headers = {
            "Host": self._named,
            "Content-Type": "application/json",
            "User-Agent": AGENT,
            "Idempotency-Key": key,
            "webhook-id": key,
            "webhook-timestamp": str(at_s),
            "webhook-signature": " ".join(signature(secret, key, at_s, body) for secret in self._secrets),
            "Connection": "close",
        }
        try:
            with connected(self._host, self._port, self._tls, self._timeout_s) as stream:
                connection = HTTPConnection(self._host, self._port)
                connection.sock = stream
                connection.request("POST", self._path, body, headers)
                return _answer_of(connection.getresponse())
        except TimeoutError:
            return Answer(False, f"no answer within {self._timeout_s:g} s", silent=True)
        except ssl.SSLCertVerificationError as error:
            return Answer(False, f"its certificate is not valid: {error.verify_message}", silent=True)
        except (OSError, HTTPException, ValueError) as error:
            return Answer(False, f"no answer: {words_of(error)}", silent=True)


def words_of(error: Exception) -> str:
    """Return an error in one line of plain text; part of it may come from the receiver.

    >>> words_of(HTTPException("HTTP/1.1 \\x1b[2J")), words_of(ValueError())
    ('HTTP/1.1 ?[2J', 'ValueError')
    """
    said = str(error) or type(error).__name__
    return "".join(letter if letter.isprintable() else "?" for letter in said)[:MOST_SAID]


def signature(secret: bytes, key: str, at_s: int, body: bytes) -> str:
    """Return the signature of a message: version 1, HMAC-SHA256 over key, time and body, in base64.

    >>> signature(b"secret", "k", 1, b"{}")
    'v1,...='
    """
    signed = b"%s.%d.%s" % (key.encode(), at_s, body)
    return "v1," + base64.b64encode(hmac.digest(secret, signed, sha256)).decode()


@contextlib.contextmanager
def connected(host: str, port: int, tls: ssl.SSLContext | None, timeout_s: float) -> Iterator[socket.socket]:
    """Yield a connection that is closed at its time limit. Raises `TimeoutError` then, and `OSError`."""
    with contextlib.ExitStack() as resources:
        stream = resources.enter_context(contextlib.closing(socket.create_connection((host, port), timeout=timeout_s)))
        is_over = resources.enter_context(_cut(stream, timeout_s))
        try:
            if tls is not None:
                stream = tls.wrap_socket(stream, server_hostname=host, do_handshake_on_connect=False)
                resources.callback(stream.close)
                stream.do_handshake()
            yield stream
        except (OSError, HTTPException, ValueError):
            if is_over.is_set():
                raise TimeoutError from None
            raise


@contextlib.contextmanager
def _cut(stream: socket.socket, after_s: float) -> Iterator[threading.Event]:
    """Close a connection after its time limit and set the event. (It has a handle of its own: TLS takes over the first.)"""
    handle, over = stream.dup(), threading.Event()

    def cut() -> None:
        over.set()
        with contextlib.suppress(OSError):
            handle.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(after_s, cut)
    timer.daemon = True
    timer.start()
    try:
        yield over
    finally:
        timer.cancel()
        timer.join()
        handle.close()


def _answer_of(response: HTTPResponse) -> Answer:
    status = response.status
    if 200 <= status < 300:
        return Answer(True, f"{status}")
    asked = response.getheader("Retry-After", "")
    wait_s = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 8 else 0
    if 300 <= status < 400:
        return Answer(False, f"{status}: redirects are not followed; name the address itself")
    return Answer(False, f"{status}", wait_s=wait_s)
