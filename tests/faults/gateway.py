"""The gateway killed, or abused, while devices hand in: what it answered is stored, and each line is stored once."""

from __future__ import annotations

import random
import resource
import secrets
import shutil
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from http.client import HTTPConnection, HTTPException
from itertools import count
from pathlib import Path
from typing import ClassVar

import msgspec

from events.kafka.client import Cluster
from events.kafka.transactions import OutgoingRecord
from events.sqlite.log import SqliteLog
from intake.lines import line_of
from tests.faults.floor import check, check_stored, groups, tables
from tests.faults.processes import WAIT_LIMIT_S, Child
from tests.faults.table import Lost, demand, fault
from tests.kafka_broker import bootstrap

POINTS = ("staged", "before-mark", "before-telling", "caught-up", "handing-over", "turn-taken")
"""Steps of a commit at which it dies; every other time it is killed from outside, whatever it does just then."""

TOPIC_POINTS = ("after-offset", "before-offset", *POINTS)
SILENCE_S = 30.0
"""So long without anything new means that nothing more comes."""

RETRY_S = 0.02


class Device:
    """A table that hands in its events a few at a time, each group again and again until it is answered."""

    patience_s: ClassVar[float] = WAIT_LIMIT_S

    def __init__(self, stream: str, port: int) -> None:
        self.stream, self._port = stream, port
        self._groups = [drafts for name, drafts in groups() if name == stream]
        self.answered = 0
        """How many events were answered."""

    def run(self, ended: threading.Event) -> None:
        """Hand everything in."""
        for drafts in self._groups:
            body = b"".join(line_of(self.stream, draft) + b"\n" for draft in drafts)
            deadline = time.monotonic() + self.patience_s
            while (answers := self._hand_in(body)) is None:
                if ended.is_set() or time.monotonic() > deadline:
                    raise Lost(f"{self.stream}: the gateway never answered")
                time.sleep(RETRY_S)
            statuses = [answer["status"] for answer in answers]
            demand(len(statuses) == len(drafts), f"{self.stream}: {len(statuses)} answers to {len(drafts)} lines")
            demand(set(statuses) <= {"stored", "duplicate"}, f"{self.stream}: sound lines were answered {statuses}")
            self.answered += len(drafts)

    def _hand_in(self, body: bytes) -> list[dict[str, str]] | None:
        """Return the answers; None if there was none, or not the whole of it."""
        with closing(HTTPConnection("127.0.0.1", self._port, timeout=WAIT_LIMIT_S)) as connection:
            try:
                connection.request("POST", "/v1/events", body, {"Content-Type": "application/x-ndjson"})
                response = connection.getresponse()
                said = response.read()
            except (OSError, HTTPException):
                return None
            return [msgspec.json.decode(line) for line in said.splitlines()] if response.status == 200 else None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@fault(
    "processes",
    "gateway killed",
    how="kill -9 of `rack gateway` at a step of a commit or at a random moment, up to three times, while two tables hand in over "
    "HTTP and repeat what was not answered",
    held="everything answered is there, each event once; then it ends in order",
    quick=2,
    often=50,
)
def gateway_killed(folder: Path, times: int) -> int:
    for turn in range(times):
        place, rng = folder / str(turn), random.Random(turn)
        place.mkdir()
        path = place / "floor.db"
        play(path, killings(turn, rng), f"sqlite://{path}")
        with closing(SqliteLog(path)) as log:
            check(log)
        shutil.rmtree(place)
    return times


@fault(
    "processes",
    "gateway killed, reading a topic",
    how="kill -9 of `rack gateway --raw` at a step of a commit, before or after an offset is kept, or at a random moment, up "
    "to three times, while records come in",
    held="every record is stored once, in its order; then it ends in order",
    quick=2,
    often=50,
    kafka=True,
)
def gateway_killed_reading(folder: Path, times: int) -> int:
    for turn in range(times):
        place, rng = folder / str(turn), random.Random(turn)
        place.mkdir(parents=True)
        path, port = place / "floor.db", free_port()
        cluster, topic = Cluster(bootstrap()), f"raw-{secrets.token_hex(6)}"
        cluster.create_topics({topic: (1, {})}, 1)
        with ExitStack() as resources:
            pool = resources.enter_context(ThreadPoolExecutor(1))
            writing = pool.submit(write_records, cluster, topic, port)
            raw = ["--raw", f"kafka://{cluster.bootstrap}/{topic}"]
            for gateway, killing in started(f"sqlite://{path}", place, port, killings(turn, rng, TOPIC_POINTS), raw):
                if killing is None:
                    await_answer(port)
                    writing.result()
                    await_end(path)
                    end_in_order(gateway)
                    break
                await_death(gateway, killing, port)
        with closing(SqliteLog(path)) as log:
            check(log)
        shutil.rmtree(place)
    return times


def end_in_order(gateway: Child) -> None:
    """Tell a gateway to end; it must, with exit status 0."""
    gateway.process.send_signal(signal.SIGTERM)
    demand(gateway.end() == 0, f"the gateway did not end in order: {gateway.process.returncode}")


def await_death(gateway: Child, killing: Killing, port: int) -> None:
    """Let a gateway die if it was told to, or be killed once it answers."""
    if callable(killing):
        await_answer(port)
        killing(gateway)
    status = gateway.end()
    demand(status == -9, f"the gateway did not die {killing}: {status}, {gateway.told[-3:]}")


def write_records(cluster: Cluster, topic: str, port: int) -> None:
    """Write what the tables say to a topic, an event in each record, while a gateway reads it."""
    await_answer(port)
    with closing(cluster.writer(f"{topic}.device")) as writer:
        for stream, drafts in groups():
            writer.transact([OutgoingRecord(topic, 0, b"floor", line_of(stream, draft), []) for draft in drafts])
            time.sleep(0.05)


def await_end(path: Path) -> None:
    """Wait until every table is stored to its end."""
    ends, since = list[int](), time.monotonic()
    with closing(SqliteLog(path, read_only=True)) as log:
        while any(log.head(table.stream).seq < table.last for table in tables()):
            before, ends = ends, [log.head(table.stream).seq for table in tables()]
            since = since if ends == before else time.monotonic()
            demand(time.monotonic() < since + SILENCE_S, f"the topic was not read to its end: {ends}")
            time.sleep(RETRY_S)


Killing = Callable[[Child], None] | str
"""What ends a gateway: something done to it from outside, or the step at which it kills itself."""


def killings(turn: int, rng: random.Random, points: Sequence[str] = POINTS) -> list[Killing]:
    """Return how the gateway is killed, one time after the other."""
    if turn % 2 == 0:
        return [f"{points[turn // 2 % len(points)]}:{rng.randint(2, 4)}"]

    def kill(child: Child) -> None:
        time.sleep(rng.uniform(0.1, 1.0))
        child.process.kill()

    return [kill] * rng.randint(1, 3)


def play(path: Path, killed: list[Killing], address: str) -> None:
    """Let the devices hand everything in while the gateway is killed so; at the end it is told to end."""
    port, ended = free_port(), threading.Event()
    devices = [Device(table.stream, port) for table in tables()]
    with ExitStack() as resources:
        resources.callback(ended.set)
        pool = resources.enter_context(ThreadPoolExecutor(len(devices)))
        resources.callback(ended.set)
        handing = [pool.submit(device.run, ended) for device in devices]
        for gateway, killing in started(address, path.parent, port, killed):
            if killing is None:
                await_answer(port)
                for each in handing:
                    each.result()
                end_in_order(gateway)
                break
            await_death(gateway, killing, port)
            told = [device.answered for device in devices]  # before the next one is started
            with closing(SqliteLog(path, read_only=True)) as log:
                for table, answered in zip(tables(), told, strict=True):
                    check_stored(log, table, answered)
    for device, table in zip(devices, tables(), strict=True):
        demand(device.answered == table.last, f"{device.stream}: {device.answered} of {table.last} were answered")


def started(
    address: str, folder: Path, port: int, killed: list[Killing], options: Sequence[str] = ()
) -> Iterator[tuple[Child, Killing | None]]:
    """Yield a gateway for each killing, and at the end one that is left alone."""
    for killing in (*killed, None):
        die = ["--die", killing] if isinstance(killing, str) else []
        with closing(Child("gateway", address, str(folder), "--port", str(port), *die, *options)) as gateway:
            yield gateway, killing


def await_answer(port: int) -> None:
    """Wait until a gateway serves."""
    deadline = time.monotonic() + WAIT_LIMIT_S
    while time.monotonic() < deadline:
        with closing(HTTPConnection("127.0.0.1", port, timeout=WAIT_LIMIT_S)) as connection:
            try:
                connection.request("GET", "/readyz")
                if connection.getresponse().status == 200:
                    return
            except (OSError, HTTPException):
                time.sleep(RETRY_S)
    raise Lost("the gateway did not come up")


# ------------------------------------------------------------------------------------------------------ hostile requests

REQUEST_HEAD = b"POST /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-ndjson\r\n"
HONEST = "whoever is honest is answered; everything answered is there, each event once; then it ends in order"
MANY = 3_000
"""Connections at once: more than the gateway keeps open."""

Hostile = Callable[[int, int, ExitStack], None]
"""Does its worst to a port for the n-th time; what it holds open stays so until the tables are through."""


def under(hostile: Hostile, folder: Path, times: int) -> int:
    """Let somebody do so, and from half of the times on two tables hand in; return how often it was done."""
    path, port, ended = folder / "floor.db", free_port(), threading.Event()
    devices = [Device(table.stream, port) for table in tables()]
    done = 0
    with ExitStack() as resources:
        held = resources.enter_context(ExitStack())
        pool = resources.enter_context(ThreadPoolExecutor(len(devices)))
        resources.callback(ended.set)
        for gateway, _ in started(f"sqlite://{path}", folder, port, []):
            await_answer(port)
            handing: list[Future[None]] = []
            for done in count(1):
                hostile(port, done, held)
                if not handing and done * 2 >= times:
                    handing = [pool.submit(device.run, ended) for device in devices]
                if done >= times:
                    break
            for each in handing:
                each.result()
            await_answer(port)
            held.close()
            gateway.process.terminate()
            demand(gateway.end() == 0, f"the gateway did not end in order: {gateway.process.returncode}")
    for device, table in zip(devices, tables(), strict=True):
        demand(device.answered == table.last, f"{device.stream}: {device.answered} of {table.last} were answered")
    with closing(SqliteLog(path)) as log:
        check(log)
    return done


def opened(port: int, held: ExitStack, *parts: bytes) -> socket.socket:
    """Open a connection, and send what goes into it."""
    try:
        connection = held.enter_context(closing(socket.create_connection(("127.0.0.1", port), timeout=WAIT_LIMIT_S)))
    except OSError as error:
        raise Lost(f"the gateway takes no connection: {error}") from error
    try:
        for part in parts:
            connection.sendall(part)
    except OSError:  # turned away before it had said everything
        pass
    return connection


def check_refused(port: int, *parts: bytes) -> None:
    """Send something in a connection of its own, which must not be answered 200."""
    with ExitStack() as held:
        connection = opened(port, held, *parts)
        try:
            said = connection.recv(4096)
        except ConnectionResetError:
            return
        except TimeoutError as error:
            raise Lost(f"neither answered nor closed: {parts[0][:40]!r}") from error
    demand(not said.startswith(b"HTTP/1.1 200"), f"taken: {parts[0][:40]!r}")


@fault("requests", "oversized", how="a head of 100 KB, a body of 9 MiB, a body of 20,000 lines", held=HONEST, quick=3, often=60)
def oversized(folder: Path, times: int) -> int:
    def send(port: int, number: int, _: ExitStack) -> None:
        lines = b"x\n" * 20_000
        check_refused(
            port,
            *(
                (REQUEST_HEAD + b"X: " + b"a" * 100_000 + b"\r\n\r\n",),
                (REQUEST_HEAD + b"Content-Length: 9437184\r\n\r\n", b"a" * 1_000_000),
                (REQUEST_HEAD + b"Content-Length: %d\r\n\r\n" % len(lines), lines),
            )[number % 3],
        )

    return under(send, folder, times)


@fault(
    "requests",
    "slow",
    how="a connection that sends part of a head, or of a body, and then nothing",
    held=HONEST,
    quick=20,
    often=500,
)
def slow(folder: Path, times: int) -> int:
    def wait(port: int, number: int, held: ExitStack) -> None:
        opened(port, held, (b"POST /v1", REQUEST_HEAD, REQUEST_HEAD + b"Content-Length: 100\r\n\r\n{")[number % 3])

    return under(wait, folder, times)


@fault(
    "requests",
    "half",
    how="a request of which half the body is sent, and the connection closed or reset",
    held=HONEST,
    quick=5,
    often=300,
)
def half(folder: Path, times: int) -> int:
    def break_off(port: int, number: int, _: ExitStack) -> None:
        with ExitStack() as held:
            connection = opened(port, held, REQUEST_HEAD + b"Content-Length: 2000\r\n\r\n" + b"x" * 1_000)
            if number % 2:  # close with a reset
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")

    return under(break_off, folder, times)


@fault(
    "requests",
    "of the wrong kind",
    how="TLS where there is none, another HTTP, two lengths, a wrong chunk, another content type, another method, zeros",
    held=HONEST,
    quick=7,
    often=350,
)
def wrong_kind(folder: Path, times: int) -> int:
    def send(port: int, number: int, _: ExitStack) -> None:
        check_refused(port, kinds[number % len(kinds)])

    kinds = list(garbled())
    return under(send, folder, times)


def garbled() -> Iterator[bytes]:
    yield b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\r\n\r\n"
    yield b"GET / HTTP/9.9\r\n\r\n"
    yield REQUEST_HEAD + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc"
    yield REQUEST_HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"
    yield REQUEST_HEAD.replace(b"application/x-ndjson", b"text/html") + b"Content-Length: 2\r\n\r\n{}"
    yield REQUEST_HEAD.replace(b"POST", b"PUT") + b"Content-Length: 2\r\n\r\n{}"
    yield b"\0" * 4096


@fault(
    "requests",
    "thousands of connections",
    how=f"{MANY:,} connections at once that say nothing, or half a head",
    held=HONEST,
    quick=0,
    often=5,
)
def thousands(folder: Path, times: int) -> int:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, MANY + 1_000)), hard))

    def connect(port: int, number: int, held: ExitStack) -> None:
        held.close()  # those of the time before
        for each in range(MANY):
            opened(port, held, b"" if each % 2 else REQUEST_HEAD)

    try:
        return under(connect, folder, times)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
