"""`rack live`: a whole property on this machine, with a simulated floor that plays by the clock."""

from __future__ import annotations

import argparse
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from rack import settings
from rack.actions import taken
from rack.arguments import PORT, add
from rack.commands.proof.checkpoint import IMPATIENCE_S
from rack.errors import Exit
from rack.output import Output

if TYPE_CHECKING:
    from trial.live.supervision import Supervision

HELP = "Run log, gateway, replay and pages at once, with a simulated floor that plays by the clock"
DEFAULT_OUT = Path("live")
DEFAULT_SPEED = 10.0
MOST_SPEED = 1_000.0
GATEWAY_PORT = 8600


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add(
        parser,
        "--speed N",
        "Speed of the floor's clocks, in times real time (default: %(default)g).",
        type=_speed,
        default=DEFAULT_SPEED,
    )
    add(parser, "--games NAMES", "Games, by name and separated by commas, or all.", default="all")
    add(parser, "--seed", "Seed of the simulation (default: %(default)s).", type=int, default=settings.DEMO_SEED)
    add(parser, "--log ADDR", "An empty log to use instead of floor.db in DIR.")
    add(parser, "--out DIR", "Folder of everything (default: %(default)s).", default=DEFAULT_OUT)
    add(parser, "--port", "Port of the pages on 127.0.0.1 (default: RACK_PORT, or 8501).", type=PORT)
    add(parser, "--read-only", "No sign-in: the pages can only be looked at.")
    add(
        parser, "--gateway-port PORT", "Port of the gateway on 127.0.0.1 (default: %(default)s).", type=PORT, default=GATEWAY_PORT
    )


def _speed(text: str) -> float:
    speed = float(text)
    if not 0 < speed <= MOST_SPEED:
        raise argparse.ArgumentTypeError(f"expected a number above 0 and up to {MOST_SPEED:g}, got {text}")
    return speed


def run(arguments: argparse.Namespace, output: Output) -> Exit:
    """Run everything until ended; then judge the rest, and report planted and found faults."""
    from rack.opening import options_of
    from trial.demo import parse_games
    from trial.live.log import judge_rest, make_log, prepare
    from trial.live.parts import LiveSite, parts
    from trial.live.supervision import Supervision, check_ports

    for library in ("starlette", "uvicorn", "streamlit", "joserfc"):  # a part that lacks its library would only say that it ended
        import_module(library)
    site = LiveSite(
        log="",
        pages_port=arguments.port or settings.load().port,
        start_us=time.time_ns() // 1000,
        games=parse_games(arguments.games),
        **taken(arguments, "out", "gateway_port", "speed", "seed", "read_only"),
    )
    check_ports({"--gateway-port": site.gateway_port, "--port": site.pages_port})
    asked = _asked([])
    before = {number: signal.signal(number, asked) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        log = prepare(site.out, arguments.log)
        site = replace(site, log=log, options=options_of(log), topics=options_of(log, create=True))
        make_log(site)
        supervision = Supervision(site.out / "parts")
        try:
            output.note("starting …")
            supervision.start(parts(site))
            output.value({"url": site.url, "gateway": f"http://127.0.0.1:{site.gateway_port}", "log": site.log})
            output.text(f"The pages are at {site.url}")
            if not site.read_only:
                output.note("log in there as one of the people of the simulated casino; two of surveillance sign for each other")
            output.note(f"the floor plays at {site.speed:g} times real time, into {site.log}; press Ctrl-C to end it")
            supervision.watch()
        except KeyboardInterrupt:
            output.note("ending; once more Ctrl-C ends it at once …")
        finally:
            _end(supervision)
        done = judge_rest(site)
        output.note(done.summary)
        for line in done.problems:
            output.problem(line)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return Exit.CLEAN


def _asked(at: list[float]) -> Callable[..., None]:
    """Return a signal handler that interrupts, and once more if it is called again later."""

    def ask(*_: object) -> None:
        at.append(time.monotonic())
        if len(at) == 1 or at[-1] - at[0] > IMPATIENCE_S:
            raise KeyboardInterrupt

    return ask


def _end(supervision: Supervision) -> None:
    """End the parts in order; a second request kills them."""
    try:
        supervision.end()
    except BaseException:
        supervision.kill()
        raise
