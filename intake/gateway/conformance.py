"""The promises that an integrator can rely on, tried against a gateway: `rack devices conform`. It writes to a table of its own,
for trials.

Each trial is a promise of `docs/integrating-a-device.md`; if one is not kept, its name and what happened instead are reported.
"""

import json
import secrets
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import msgspec

from events.vocabulary.envelope import Draft
from events.vocabulary.model import Event, GamingDayOpened, WagerPlaced
from intake.errors import IntakeError
from intake.gateway import cloud_events
from intake.gateway.app import MOST_BODY
from intake.lines import JSON, JSON_LINES, line_of

TIMEOUT_S: Final = 30.0
LINES: Final = 20
STRANGER: Final = "conform-stranger"
"""A source that no device of a register may have."""


class TrialOutcome(NamedTuple):
    """The result of a trial: its promise, and what happened instead; None if the promise was kept."""

    promise: str
    instead: str | None


class Reply(NamedTuple):
    """An answer of the gateway."""

    status: int
    kind: str
    body: bytes

    @property
    def answers(self) -> list[dict[str, Any]]:
        """The answer to each line."""
        return [msgspec.json.decode(line) for line in self.body.splitlines()]

    @property
    def statuses(self) -> list[str]:
        """The status of each line, as answered: `stored`, `duplicate` or `quarantined`."""
        return [str(answer.get("status")) for answer in self.answers]


class Broken(Exception):
    """The gateway broke a rule of the contract; the message gives its answer."""


class Kit:
    """The trials against one gateway. Raises `IntakeError` if the address is not one."""

    def __init__(self, address: str, source: str, token: str | None, *, table: str | None = None) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise IntakeError(f"{address}: expected the address of a gateway, such as http://127.0.0.1:8600")
        self._https, self._host = parts.scheme == "https", parts.hostname
        self._port = parts.port or (443 if self._https else 80)
        self._source, self._token = source, token
        self._stream = f"table/{table or f'conform-{secrets.token_hex(4)}'}"
        self._made = 0
        self._opening = b""

    @property
    def stream(self) -> str:
        """The stream to which the trials write."""
        return self._stream

    def run(self) -> Iterator[TrialOutcome]:
        """Yield the result of each trial, in order."""
        for trial in self._trials():
            promise = " ".join((trial.__doc__ or "").split())
            try:
                trial()
            except Broken as broken:
                yield TrialOutcome(promise, str(broken))
            except (OSError, HTTPException, msgspec.MsgspecError) as error:
                yield TrialOutcome(promise, f"{type(error).__name__}: {error}")
            else:
                yield TrialOutcome(promise, None)

    def _trials(self) -> list[Callable[[], None]]:
        trials = [self._is_ready, self._first, self._repeat, self._order, self._partly_repeated, self._refused_line]
        trials += [self._cloud_event, self._half, self._kept_open, self._large, self._other_kind]
        return trials if self._token is None else [*trials, self._no_token, self._not_its_own]

    # ------------------------------------------------------------------------------------------------------------- trials

    def _is_ready(self) -> None:
        """The gateway serves and can store events."""
        _expect(self._ask("GET", "/healthz").status, 200)
        _expect(self._ask("GET", "/readyz").status, 200)

    def _first(self) -> None:
        """The first event of a table is stored and answered with its number, 1."""
        self._opening = self._line(GamingDayOpened(gaming_day=time.strftime("%Y-%m-%d", time.gmtime())))
        reply = self._hand_in(self._opening)
        _expect((reply.status, reply.kind), (200, JSON_LINES[0]))
        _expect(reply.answers, [{"line": 1, "status": "stored", "stream": self._stream, "seq": 1}])

    def _repeat(self) -> None:
        """The same event handed in again is a duplicate."""
        _expect(self._hand_in(self._opening).statuses, ["duplicate"])

    def _order(self) -> None:
        """A request of 20 lines is answered with 20 lines, in order, with consecutive numbers."""
        answers = self._hand_in(*(self._line(_wager()) for _ in range(LINES))).answers
        _expect([answer["line"] for answer in answers], list(range(1, LINES + 1)))
        first = answers[0]["seq"]
        _expect([answer["seq"] for answer in answers], list(range(first, first + LINES)))

    def _partly_repeated(self) -> None:
        """If a part of a request was stored before, the rest is stored."""
        lines = [self._line(_wager()) for _ in range(4)]
        self._hand_in(*lines[:2])
        _expect(self._hand_in(*lines).statuses, ["duplicate", "duplicate", "stored", "stored"])

    def _refused_line(self) -> None:
        """A line that cannot be read is quarantined with a reason, and the lines around it are stored."""
        before, after = self._line(_wager()), self._line(_wager())
        bad = self._line(_wager()).replace(b'"seat":3', b'"seat":99')
        reply = self._hand_in(before, bad, after)
        _expect(reply.statuses, ["stored", "quarantined", "stored"])
        _expect(bool(reply.answers[1].get("reason")), True)

    def _cloud_event(self) -> None:
        """A CloudEvent says the same as its line: handed in in every way, it is stored once."""
        line = self._line(_wager())
        report = json.loads(line)
        event = {
            "specversion": "1.0",
            "id": report["event_id"],
            "source": report["source"],
            "subject": report["stream"],
            "type": f"{report['type']}.v{report['version']}",
            "time": _iso(report["occurred_at_us"]),
            "roundno": report["round_no"],
            "sourceseq": report["source_seq"],
            "data": report["payload"],
        }
        reply = self._ask("POST", "/v1/events", json.dumps([event]).encode(), cloud_events.BATCH)
        _expect(reply.statuses, ["stored"])
        _expect(self._hand_in(line).statuses, ["duplicate"])
        whole = self._ask("POST", "/v1/events", json.dumps(event).encode(), cloud_events.SINGLE)
        _expect(whole.statuses, ["duplicate"])
        attributes = {f"ce-{name}": str(value) for name, value in event.items() if name != "data"}
        binary = self._ask("POST", "/v1/events", json.dumps(event["data"]).encode(), JSON, attributes)
        _expect(binary.statuses, ["duplicate"])

    def _half(self) -> None:
        """If a request breaks off, nothing of it is stored: handed in again, all of it is new."""
        line = self._line(_wager())
        with self._begun(len(line) + 10) as opened:
            opened.sendall(line)
        _expect(self._hand_in(line).statuses, ["stored"])

    def _kept_open(self) -> None:
        """A connection may stay open for several requests."""
        with closing(self._connection()) as connection:
            for _ in range(3):
                connection.request("POST", "/v1/events", self._line(_wager()), self._headers(JSON_LINES[0]))
                response = connection.getresponse()
                response.read()
                _expect(response.status, 200)

    def _large(self) -> None:
        """A body that is too large is refused with 413."""
        with self._begun(MOST_BODY + 1) as opened:
            _expect(opened.recv(12), b"HTTP/1.1 413")

    def _other_kind(self) -> None:
        """A content type that is not read is refused with 415."""
        _expect(self._ask("POST", "/v1/events", self._line(_wager()), "text/plain").status, 415)

    def _no_token(self) -> None:
        """A request without a token, or with a wrong one, is refused: 401."""
        for token in (None, f"{(self._token or '').partition('.')[0]}.wrong"):
            real, self._token = self._token, token
            try:
                _expect(self._hand_in(self._line(_wager())).status, 401)
            finally:
                self._token = real

    def _not_its_own(self) -> None:
        """A source that is not the device's own is refused with 403, and nothing of the request is stored."""
        own, foreign = self._line(_wager()), self._line(_wager(), source=STRANGER)
        _expect(self._hand_in(own, foreign).status, 403)
        _expect(self._hand_in(own).statuses, ["stored"])

    # ---------------------------------------------------------------------------------------------------------- requests

    def _line(self, payload: Event, source: str | None = None) -> bytes:
        self._made += 1
        draft = Draft(
            event_id=secrets.token_hex(16),
            source=source or self._source,
            source_seq=self._made,
            occurred_at_us=time.time_ns() // 1000,
            round_no=None if isinstance(payload, GamingDayOpened) else 1,
            payload=payload,
        )
        return line_of(self._stream, draft)

    def _hand_in(self, *lines: bytes) -> Reply:
        return self._ask("POST", "/v1/events", b"\n".join(lines) + b"\n")

    def _ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        kind: str = JSON_LINES[0],
        attributes: Mapping[str, str] = MappingProxyType({}),
    ) -> Reply:
        with closing(self._connection()) as connection:
            connection.request(method, path, body, self._headers(kind) | dict(attributes))
            response = connection.getresponse()
            return Reply(response.status, response.headers.get_content_type(), response.read())

    def _headers(self, kind: str) -> dict[str, str]:
        return {"Content-Type": kind, **self._credentials()}

    def _credentials(self) -> dict[str, str]:
        return {} if self._token is None else {"Authorization": f"Bearer {self._token}"}

    def _connection(self) -> HTTPConnection:
        kind = HTTPSConnection if self._https else HTTPConnection
        return kind(self._host, self._port, timeout=TIMEOUT_S)

    def _begun(self, size: int) -> socket.socket:
        """Return a connection on which a request has begun whose body is to have this many bytes."""
        opened = socket.create_connection((self._host, self._port), timeout=TIMEOUT_S)
        if self._https:
            opened = ssl.create_default_context().wrap_socket(opened, server_hostname=self._host)
        headers = {"Host": self._host, "Content-Length": str(size), **self._headers(JSON_LINES[0])}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        opened.sendall(f"POST /v1/events HTTP/1.1\r\n{head}\r\n".encode())
        return opened


def _iso(at_us: int) -> str:
    seconds, micros = divmod(at_us, 1_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{micros:06d}Z"


def _wager() -> WagerPlaced:
    return WagerPlaced(seat=3, bettor="p-conform", wager="base", number=None, amount_cents=2500, form="chips")


def _expect(found: object, expected: object) -> None:
    if found != expected:
        raise Broken(f"expected {expected!r:.200}, got {found!r:.200}")
