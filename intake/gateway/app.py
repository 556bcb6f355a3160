"""The gateway's addresses: `POST /v1/events`, and what a supervisor asks: `/healthz`, `/readyz`, `/metrics`.

A request is answered 200 only after everything in it is durable, with a line of JSON for each line sent. The caller is identified
before the body is read. Any other status means that nothing of the request needs to be in the log: 400, 413, 415 and 422 say what
is wrong with it, 401 and 403 that it is not for this device to hand in; 408, 429 and 503 that the same is to be handed in again.
"""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import msgspec
from prometheus_client import generate_latest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from events.vocabulary.card_numbers import hidden_numbers
from intake.appending import BATCH, BATCH_BYTES
from intake.devices import Device, DeviceWatch, device_of
from intake.errors import IntakeError
from intake.gateway import cloud_events
from intake.gateway.group_commit import CommitRequest, GroupCommit, Lines, NotStored, QueueFull
from intake.gateway.http_rules import HttpRules
from intake.gateway.messages import (
    Answer,
    BadBody,
    IntakeMessage,
    NotItsOwn,
    Tokens,
    answers,
    check_device,
    content_types,
    lines_of,
    read_body,
)
from intake.gateway.server import HEAD_BYTES, is_loopback
from intake.gateway.telemetry import Telemetry
from intake.lines import JSON, JSON_LINES
from intake.profiles.profile import Profile
from intake.profiles.registered_profiles import Profiles

MOST_BODY: Final = BATCH_BYTES
"""The largest body in bytes."""
MOST_BODY_LINES: Final = 10 * BATCH
"""The most lines of a body."""
BODY_S: Final = 30.0
"""How long a body may take to come in."""
MOST_INCOMING: Final = 64 * 1024 * 1024
"""Bytes of bodies that may be coming in at the same time."""
RETRY_AFTER_S: Final = 1

_PATH: Final = re.compile(
    r"(?!(?:table|meter|review|property|observed)/[a-z0-9-]+(?![\w/.]))"
    r"(?<![\w/.:-])(?:[a-z+]+:)?[\w.~@:\[\]-]*/(?:[^\s,;'\"()]*[^\s,;:.'\"()])?"
    r"|[\w.-]+\.(?:toml|db|jsonl?|keyring|pem|key)\b"
)
_CHARSET: Final = re.compile(r'charset\s*=\s*"?([^\s";]+)', re.IGNORECASE)
_encoder = msgspec.json.Encoder()


class RequestRefused(Exception):
    """A request is refused: its status, and a sentence that says why and what to do."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = hidden_numbers(reason.encode("utf-8", "backslashreplace")).decode("utf-8", "replace")


class Caller(NamedTuple):
    """Who asks: the name and record of a device, and the profile it speaks; none if no one has to identify themselves."""

    name: str = ""
    device: Device | None = None
    profile: Profile | None = None


class Gateway:
    """The state from which the addresses answer. Without `devices`, anyone may hand in events for any source."""

    def __init__(
        self, commit: GroupCommit, devices: DeviceWatch | None, profiles: Profiles, tokens: Tokens, telemetry: Telemetry
    ) -> None:
        self._commit, self._devices, self._tokens, self._telemetry = commit, devices, tokens, telemetry
        self._profiles = profiles
        self._incoming = 0
        self.troubles: list[Callable[[], str | None]] = []
        """Further checks of readiness: each returns the obstacle in a sentence, or None."""

    def app(self) -> Starlette:
        """Return the application; at shutdown it stores all accepted lines first."""

        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            try:
                yield
            finally:
                await asyncio.to_thread(self._commit.close)

        routes = [
            Route("/v1/events", self.events, methods=["POST"]),
            Route("/healthz", self.health),
            Route("/readyz", self.ready),
            Route("/metrics", self.metrics),
        ]
        return Starlette(routes=routes, lifespan=lifespan, middleware=[Middleware(HttpRules)])

    # --------------------------------------------------------------------------------------------------------- handing in

    async def events(self, request: Request) -> Response:
        """Take a request's lines in and answer them."""
        began, caller, size, taken = time.monotonic(), Caller(), 0, list[Answer]()
        try:
            _check_head(request)
            caller = self._caller(request)
            kind = _kind(request, caller.profile)
            body = await self._body(request)
            size = len(body)
            if kind == cloud_events.BINARY:
                kind, body = cloud_events.SINGLE, cloud_events.structured(request.headers.items(), body)
            taken = await self._take(body, kind, caller)
            response = Response(b"".join(_encoder.encode(each) + b"\n" for each in taken), 200, media_type=JSON_LINES[0])
        except RequestRefused as refused:
            response = _refusal(refused)
        except ClientDisconnect:  # no one is there to be answered, and nothing was taken
            response = Response(status_code=499)
        except Exception as error:  # a defect of reading this body: others are served
            what = f"unexpected {type(error).__name__}: {error}; this is a defect of Discard Rack"
            response = _refusal(RequestRefused(500, what))
        self._telemetry.request(
            status=response.status_code,
            device=caller.name,
            peer=request.client.host if request.client else "",
            size=size,
            seconds=time.monotonic() - began,
            answers=taken,
            reason="" if response.status_code == 200 else bytes(response.body).decode().strip(),
        )
        return response

    def _caller(self, request: Request) -> Caller:
        if self._devices is None:
            host = request.headers.get("host", "")
            if not _is_this_machine(host):  # a page in a browser on this machine, under a name that leads here
                raise RequestRefused(
                    403, f"the gateway is asked without tokens only as 127.0.0.1 or localhost, not as {host[:80]!r}"
                )
            return Caller()
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        try:
            found = device_of(self._devices.current(), token.strip()) if scheme.lower() == "bearer" else None
        except IntakeError as error:
            raise RequestRefused(503, f"{without_paths(str(error))}; until then nobody is let in") from error
        if found is None:
            raise RequestRefused(401, "expected a device's token: Authorization: Bearer <token of `rack devices add`>")
        name, device = found
        try:
            return Caller(name, device, self._profiles.of(device))
        except IntakeError as error:
            raise RequestRefused(503, f"{error}; until then nothing of {name} can be read") from error

    async def _body(self, request: Request) -> bytes:
        stated = request.headers.get("content-length", "0")
        if not stated.isdecimal() or len(stated) > 15 or int(stated) > MOST_BODY:
            raise RequestRefused(413, f"a body has at most {MOST_BODY:,} bytes; hand in fewer lines at a time")
        chunks: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(BODY_S):
                async for chunk in request.stream():
                    size += len(chunk)
                    self._incoming += len(chunk)
                    chunks.append(chunk)
                    if size > MOST_BODY:
                        raise RequestRefused(413, f"a body has at most {MOST_BODY:,} bytes; hand in fewer lines at a time")
                    if self._incoming > MOST_INCOMING:
                        raise RequestRefused(429, "too much is coming in at the moment; hand it in again later")
        except TimeoutError:
            raise RequestRefused(
                408, f"the body did not come within {BODY_S:.0f} s; nothing was taken, hand it in again"
            ) from None
        finally:
            self._incoming -= size
        body = b"".join(chunks)
        if body.count(b"\n") >= MOST_BODY_LINES:
            raise RequestRefused(413, f"a request has at most {MOST_BODY_LINES:,} lines; hand in fewer at a time")
        return body

    async def _take(self, body: bytes, kind: str, caller: Caller) -> list[Answer]:
        messages: list[IntakeMessage] = []

        def read() -> Lines:
            messages.extend(read_body(body, kind, self._tokens, caller.profile))
            if caller.device is not None:
                check_device(caller.device, messages, vendor=caller.profile is not None)
            return lines_of(messages)

        handed = CommitRequest(read, body.count(b"\n") + 1, len(body))
        try:
            self._commit.hand_in(handed)
            _, outcomes = await asyncio.wrap_future(handed.outcomes)
        except QueueFull as error:
            raise RequestRefused(429, str(error)) from error
        except NotStored as error:
            raise RequestRefused(503, str(error)) from error
        except NotItsOwn as error:
            raise RequestRefused(403, str(error)) from error
        except BadBody as error:
            raise RequestRefused(400, str(error)) from error
        except OSError as error:  # no secret could be kept: the machine's fault, not the request's
            raise RequestRefused(503, f"{error.strerror or 'a file cannot be written'}; nothing was taken") from error
        except IntakeError as error:
            raise RequestRefused(422, f"{error}; nothing was taken") from error
        return list(answers(messages, outcomes))

    # -------------------------------------------------------------------------------------------------------- supervision

    async def health(self, _: Request) -> Response:
        """Answer that the process is running."""
        return PlainTextResponse("ok\n")

    async def ready(self, _: Request) -> Response:
        """Answer whether events can be stored at present, and if not, why."""
        troubles = [] if self._commit.alive else ["the gateway is being stopped"]
        troubles += [trouble for trouble in (self._commit.trouble, *(each() for each in self.troubles)) if trouble]
        if self._devices is not None:
            try:
                self._devices.current()
            except IntakeError as error:
                troubles.append(str(error))
        if troubles:
            answer = "".join(f"{without_paths(trouble)}\n" for trouble in troubles)
            return PlainTextResponse(hidden_numbers(answer.encode()), 503, _retry())
        return PlainTextResponse("ready\n")

    async def metrics(self, _: Request) -> Response:
        """Answer with the gateway's own counts, for Prometheus."""
        self._telemetry.waiting(self._commit.waiting_lines, self._commit.waiting_bytes)
        return Response(generate_latest(self._telemetry.registry), media_type="text/plain; version=0.0.4")


def _is_this_machine(host: str) -> bool:
    """Whether a request names this machine by an address, or as localhost.

    >>> [_is_this_machine(each) for each in ("127.0.0.1:8600", "[::1]", "localhost", "rebound.example", "")]
    [True, True, True, False, False]
    """
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return is_loopback(name)
    except ValueError:
        return False


def without_paths(text: str) -> str:
    """Return a sentence without the names of files and the addresses of logs in it, because anyone may ask.

    >>> without_paths("/srv/rack/devices.toml: others can read the register; chmod 600 it")
    '(path): others can read the register; chmod 600 it'
    >>> without_paths("table/fu-01 event 3: the hash differs")
    'table/fu-01 event 3: the hash differs'
    """
    return _PATH.sub("(path)", text)


def _check_head(request: Request) -> None:
    """Refuse a head that is too large; the server itself limits only heads that arrive in pieces."""
    if sum(len(name) + len(value) for name, value in request.headers.raw) > HEAD_BYTES:
        raise RequestRefused(413, f"the head of a request has at most {HEAD_BYTES:,} bytes")


def _kind(request: Request, profile: Profile | None) -> str:
    """Return the content type of a request that can be read."""
    if request.headers.get("content-encoding", "identity") != "identity":
        raise RequestRefused(415, "expected a body that is not compressed")
    stated = request.headers.get("content-type", "")
    charset = _CHARSET.search(stated)
    if charset is not None and charset[1].lower() not in ("utf-8", "utf8", "us-ascii"):
        raise RequestRefused(415, f"expected UTF-8; got charset={charset[1][:40]}")
    kind = stated.partition(";")[0].strip().lower()
    if cloud_events.is_binary(request.headers.items()) and kind not in (cloud_events.BATCH, cloud_events.SINGLE):
        if profile is not None or not (kind in ("", JSON) or kind.endswith("+json")):
            raise RequestRefused(415, f"expected a CloudEvent with data as {JSON}, and no profile; got {kind[:80] or 'none'}")
        return cloud_events.BINARY
    expected = content_types(profile)
    if kind not in expected:
        raise RequestRefused(415, f"expected Content-Type {' or '.join(expected)}; got {kind[:80] or 'none'}")
    return kind


def _refusal(refused: RequestRefused) -> Response:
    headers = _retry() if refused.status in (408, 429, 503) else {}
    if refused.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if refused.status in (408, 413):  # what still comes of the body is not waited for
        headers["Connection"] = "close"
    return Response(refused.reason + "\n", refused.status, headers, media_type="text/plain")


def _retry() -> dict[str, str]:
    return {"Retry-After": str(RETRY_AFTER_S)}
