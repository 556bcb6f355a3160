"""Receivers of a test: a webhook on this machine that answers as it is told to, and checks each signature."""

import base64
import hmac
import json
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SECRET = bytes(range(32))
SECRET_LINE = "whsec_" + base64.b64encode(SECRET).decode()

Behavior = Callable[[BaseHTTPRequestHandler], None]


class Receiver(ThreadingHTTPServer):
    """What came in, in order; `behavior` answers a request, and by default takes it."""

    daemon_threads = True

    def __init__(self, port: int = 0, secret: bytes = SECRET) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.behavior: Behavior = answer(204)
        self.secret = secret
        self.got: list[dict[str, Any]] = []
        """The messages whose signature holds, repeats among them."""
        self.forged = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/alarms"

    @property
    def taken(self) -> list[dict[str, Any]]:
        """The messages as a receiver takes them: by key, each once."""
        return list({message["key"]: message for message in self.got}.values())


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        message = json.loads(body)
        if signed_rightly(self.headers, body, self.server.secret) and message["key"] == self.headers["webhook-id"]:
            self.server.got.append(message)
        else:
            self.server.forged += 1
        self.server.behavior(self)

    def log_message(self, *_: object) -> None:
        pass


def signed_rightly(headers: Any, body: bytes, secret: bytes) -> bool:
    """Whether one of the signatures is HMAC-SHA256 over `id.time.body`, as the convention says."""
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    right = base64.b64encode(hmac.new(secret, signed, sha256).digest()).decode()
    return f"v1,{right}" in headers["webhook-signature"].split()


def answer(status: int, **headers: str) -> Behavior:
    """Answer at once with a status."""

    def behave(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()

    return behave


def hang(ended: threading.Event) -> Behavior:
    """Say nothing until it has ended."""
    return lambda handler: ended.wait() and None


def drip(ended: threading.Event) -> Behavior:
    """Send a byte of the answer now and then, without end."""

    def behave(handler: BaseHTTPRequestHandler) -> None:
        try:
            while not ended.is_set():
                handler.wfile.write(b"H")
                handler.wfile.flush()
                time.sleep(0.05)
        except OSError:
            pass

    return behave


@contextmanager
def receiver(port: int = 0) -> Iterator[Receiver]:
    """A receiver that serves meanwhile."""
    served = Receiver(port)
    thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        served.shutdown()
        served.server_close()
        thread.join()


class MailServer(socketserver.ThreadingTCPServer):
    """Takes letters and says yes to everything, but for what `answers` says otherwise (command → answer)."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Letters)
        self.letters: list[bytes] = []
        self.logins: list[str] = []
        self.answers: dict[str, str] = {}

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class _Letters(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self.say("220 here")
        for line in self.rfile:
            word, _, rest = line.decode().strip().partition(" ")
            answer = self.server.answers.get(word.upper())
            match word.upper():
                case _ if answer is not None:
                    self.say(answer)
                case "EHLO":
                    self.say("250-here")
                    self.say("250 AUTH PLAIN")
                case "AUTH":
                    self.server.logins.append(base64.b64decode(rest.split()[1]).decode())
                    self.say("235 in")
                case "DATA":
                    self.say("354 go on")
                    letter = b"".join(iter(self.rfile.readline, b".\r\n"))
                    self.server.letters.append(letter)
                    self.say("250 taken")
                case "QUIT":
                    self.say("221 bye")
                    return
                case _:
                    self.say("250 ok")

    def say(self, words: str) -> None:
        self.wfile.write(words.encode() + b"\r\n")


@contextmanager
def mail_server() -> Iterator[MailServer]:
    """A mail server that serves meanwhile."""
    with MailServer() as served:
        thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield served
        finally:
            served.shutdown()
            thread.join()
