"""Starts, watches and ends parts: all run, or none. Each part's output goes to a file of its own.

Invariant: a part ends when its parent process closes the part's standard input (`trial.live.part`), and leads a process group, so
that all that it started ends with it.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from trial.live.part import GRACE_S
from trial.live.parts import Part
from trial.property_folder import TrialRefused

READY_S: Final = 120.0
"""How long a part may take to be up."""
LOOK_S: Final = 0.1
LAST_LINES: Final = 5


class PartEnded(Exception):
    """A part did not start or ended by itself; the message says which, and why."""


class Supervision:
    """The running parts. As a context manager, it ends all parts on exit."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: list[tuple[Part, subprocess.Popen[bytes]]] = []
        folder.mkdir(parents=True, exist_ok=True)

    def start(self, parts: Sequence[Part]) -> None:
        """Start parts, each when the one before is up. Raises `PartEnded` if one does not start."""
        for part in parts:
            command = [sys.executable, "-m", "trial.live.part", part.module, *part.arguments]
            with self._said(part).open("wb") as said:
                process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=said, stderr=said, start_new_session=True)
            self._running.append((part, process))
            until = time.monotonic() + READY_S
            while not part.ready():
                self.check()
                if time.monotonic() > until:
                    raise PartEnded(f"{part.name} was not up after {READY_S:.0f} s{self._last_lines(part)}")
                time.sleep(LOOK_S)

    def check(self) -> None:
        """Raise `PartEnded`, with its last output, if a part has ended."""
        for part, process in self._running:
            code = process.poll()
            if code is not None and (part.lasts or code):
                raise PartEnded(f"{part.name} ended by itself with {_how(code)}{self._last_lines(part)}")

    def watch(self) -> None:
        """Watch the parts until one ends by itself. Raises `PartEnded` then."""
        while True:
            self.check()
            time.sleep(LOOK_S)

    def end(self) -> None:
        """Ask each part to end and wait for it, in the order of starting; kill those that do not end."""
        for _, process in self._running:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE_S)
            _kill_group(process)
        self._close()

    def kill(self) -> None:
        """End every part at once."""
        for _, process in self._running:
            _kill_group(process)
        self._close()

    def _close(self) -> None:
        for _, process in self._running:
            process.wait()
            if process.stdin is not None:
                process.stdin.close()
        self._running.clear()

    def _said(self, part: Part) -> Path:
        return self._folder / f"{part.name}.txt"

    def _last_lines(self, part: Part) -> str:
        lines = self._said(part).read_text(errors="replace").strip().splitlines()[-LAST_LINES:]
        return "".join(f"\n  {line}" for line in [*lines, f"({self._said(part)} has all that it said)"])


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the remaining processes of a part."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _how(code: int) -> str:
    """Return how a process ended.

    >>> _how(3), _how(-9)
    ('exit code 3', 'SIGKILL')
    """
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name


def check_ports(ports: Mapping[str, int]) -> None:
    """Raise `PartEnded`, which names a port that is taken, or `TrialRefused` if two are the same."""
    if len(set(ports.values())) < len(ports):
        raise TrialRefused(f"{' and '.join(ports)} name the same port; give each its own")
    for name, port in ports.items():
        with contextlib.closing(socket.socket()) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError as error:
                raise PartEnded(f"port {port} on 127.0.0.1 is taken; choose another with {name}") from error
