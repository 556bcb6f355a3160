"""The gateway's rate in requests of 20 lines, and the time of a request, while devices send at once.

The gateway is a process of its own (`rack gateway` on SQLite); the devices are connections of this process that stay open. First
as fast as it accepts them; then at the pace of the goal, where a request's time counts from its due time, so that waiting behind
a slow request is included.
"""

import asyncio
import math
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.measuring import Measured, Timing, cpu_s_of
from events.vocabulary.envelope import Draft
from events.vocabulary.model import GamingDayOpened, WagerPlaced
from intake.lines import line_of

LINES = 20
DEVICES = 50
GOAL_EVENTS, GOAL_P99_S = 5_000, 0.100
SECONDS = 10
WAIT_LIMIT_S = 60.0
DAY = "2026-03-14"
_HEAD = b"POST /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/jsonl\r\n"


def bodies(device: int, count: int, first: int = 0) -> list[bytes]:
    """Return a device's requests: its gaming day, then requests of 20 wagers each."""
    stream, source, made = f"table/b-{device:02d}", f"betting-{device:02d}", first * LINES

    def line(payload: GamingDayOpened | WagerPlaced) -> bytes:
        nonlocal made
        made += 1
        draft = Draft(
            event_id=f"{made:032x}",
            source=source,
            source_seq=made,
            occurred_at_us=1_773_500_000_000_000 + made,
            round_no=None if isinstance(payload, GamingDayOpened) else 1,
            payload=payload,
        )
        return line_of(stream, draft) + b"\n"

    wager = WagerPlaced(seat=3, bettor="p-9", wager="base", number=None, amount_cents=2500, form="chips")
    opening = [] if first else [line(GamingDayOpened(gaming_day=DAY))]
    made += bool(first)
    return [*opening, *(b"".join(line(wager) for _ in range(LINES)) for _ in range(count))]


class Connection:
    """A device's connection, which stays open."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def __aenter__(self) -> "Connection":
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()

    async def hand_in(self, body: bytes) -> None:
        """Send a body and wait for its answer, which must say that everything is stored."""
        self._writer.write(_HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        answered = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        size = int(answered.partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        answers = await self._reader.readexactly(size)
        if answers.count(b'"stored"') != body.count(b"\n"):
            raise RuntimeError(f"not everything was stored: {answered[:80]!r} {answers[:200]!r}")


async def flat_out(port: int, handed: Sequence[Sequence[bytes]]) -> float:
    """Send everything as fast as it is answered; return the seconds."""

    async def device(mine: Sequence[bytes]) -> None:
        async with Connection(port) as connection:
            for body in mine:
                await connection.hand_in(body)

    began = time.perf_counter()
    await asyncio.gather(*(device(mine) for mine in handed))
    return time.perf_counter() - began


async def at_the_pace(port: int, handed: Sequence[Sequence[bytes]], pause_s: float) -> list[float]:
    """Send a request of each device every this many seconds, in turn; return the seconds from due to answered."""
    took: list[float] = []

    async def device(number: int, mine: Sequence[bytes]) -> None:
        async with Connection(port) as connection:
            for turn, body in enumerate(mine):
                due = began + turn * pause_s + number * pause_s / len(handed)
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                await connection.hand_in(body)
                took.append(time.perf_counter() - due)

    began = time.perf_counter() + 0.2
    await asyncio.gather(*(device(number, mine) for number, mine in enumerate(handed)))
    return took


def measure(folder: Path, requests: int = 100, seconds: int = SECONDS) -> list[Measured]:
    """Measure both: the highest rate, and the 99th percentile at the pace of the goal."""
    pace_s = DEVICES * LINES / GOAL_EVENTS
    with gateway(f"sqlite://{folder}/gateway.db", folder, "--property=bench") as (port, process):
        flat = [bodies(device, requests) for device in range(DEVICES)]
        wall_s = asyncio.run(flat_out(port, flat))
        cpu_s = cpu_s_of(process)
        turns = int(seconds / pace_s)
        took = sorted(asyncio.run(at_the_pace(port, [bodies(n, turns, requests + 1) for n in range(DEVICES)], pace_s)))
    events = DEVICES * (1 + requests * LINES)
    median_s, p99_s = took[len(took) // 2], took[math.ceil(len(took) * 0.99) - 1]
    return [
        Measured(
            key="gateway-rate",
            title=f"Through the gateway into SQLite, {LINES} lines a request, {DEVICES} devices",
            unit="events",
            count=events,
            ours=Timing(wall_s, cpu_s),
            goal=f"{GOAL_EVENTS:,} events a second",
            met=events / wall_s >= GOAL_EVENTS,
        ),
        Measured(
            key="gateway-answer",
            title=f"From request to answer at {GOAL_EVENTS:,} events a second",
            unit="requests",
            count=1,
            ours=Timing(median_s, median_s),
            goal=f"99th percentile under {GOAL_P99_S * 1000:.0f} ms",
            met=p99_s < GOAL_P99_S,
            notes={"requests": len(took), "p99_ms": round(p99_s * 1000, 1), "max_ms": round(took[-1] * 1000, 1)},
        ),
    ]


@contextmanager
def gateway(address: str, folder: Path, *options: str) -> Iterator[tuple[int, int]]:
    """Run a gateway with a log in a folder; yield its port and its process."""
    port = free_port()
    command = [sys.executable, "-m", "rack.cli", "gateway", f"--log={address}", "--no-auth", "--quiet", *options]
    with subprocess.Popen([*command, f"--listen=127.0.0.1:{port}"], cwd=folder) as process:
        try:
            await_gateway(port)
            yield port, process.pid
        finally:
            process.send_signal(signal.SIGTERM)


def free_port() -> int:
    """Return a free port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def await_gateway(port: int) -> None:
    """Wait until a gateway accepts connections."""
    until = time.monotonic() + WAIT_LIMIT_S
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError("the gateway did not come up")
