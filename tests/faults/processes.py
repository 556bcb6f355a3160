"""Children of a test: started, listened to, stopped, continued and killed by their own process id."""

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.faults.table import Lost

ROOT = Path(__file__).resolve().parents[2]
WAIT_LIMIT_S = 90.0
BUILD = "RACK_FAULTS_BUILD"
"""Variable that names the broken build of the gateway that a child is."""


class Child:
    """One process that tells in lines how far it is."""

    def __init__(self, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.child", *arguments],
            cwd=ROOT,
            env=os.environ | (environment or {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.told: list[str] = []
        self._rest = b""

    def until(self, word: str, count: int = 1) -> int:
        """Wait until it has said a word this many times (or ended); return how often it has."""
        deadline = time.monotonic() + WAIT_LIMIT_S
        while self.said(word) < count and self._listen(deadline):
            pass
        return self.said(word)

    def said(self, word: str) -> int:
        return sum(line.startswith(word) for line in self.told)

    def listen(self, seconds: float) -> None:
        """Take in what it says for so long."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if select.select([self.process.stdout], [], [], left)[0] and not self._listen(deadline):
                return

    def stop(self) -> None:
        os.kill(self.process.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self.process.pid, signal.SIGCONT)

    def until_it_stops(self) -> None:
        """Wait until it has stopped itself."""
        status = os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        if status is None or status.si_code != os.CLD_STOPPED:
            raise Lost(f"a child ended and did not stop: {self.told[-3:]}")

    def kill(self) -> int:
        """End it as the kernel would, and return its exit status after hearing its last words."""
        self.process.kill()
        return self.end()

    def end(self) -> int:
        """Wait until it ends by itself; return its exit status (negative: the signal)."""
        deadline = time.monotonic() + WAIT_LIMIT_S
        while self._listen(deadline):
            pass
        return self.process.wait()

    def _listen(self, deadline: float) -> bool:
        """Take in what it says; false if it has said everything."""
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise Lost(f"a child said nothing more for {WAIT_LIMIT_S:.0f} s: {self.told[-3:]}")
        data = os.read(self.process.stdout.fileno(), 65536)
        *lines, self._rest = (self._rest + data).split(b"\n")
        self.told += [line.decode() for line in lines]
        return bool(data)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.process.stdout.close()
        self.process.stderr.close()


@contextlib.contextmanager
def child(*arguments: object, environment: Mapping[str, str] | None = None) -> Iterator[Child]:
    """A child that is gone at the end, whatever happens. `environment` says how a cluster lets it in."""
    started = Child(*map(str, arguments), environment=environment)
    try:
        yield started
    finally:
        started.close()
