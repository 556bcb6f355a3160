"""A process that signs a log all the time, `rack checkpoint --follow`, next to a test."""

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
CODE = "import sys; from rack.cli import main; sys.exit(main())"
WAIT_LIMIT_S = 60.0


class SigningProcess:
    """The process, and the lines it has said on stderr."""

    def __init__(self, address: str, key: Path, folder: Path, seconds: int) -> None:
        words = ["checkpoint", "--key", str(key), "--follow", "--seconds", str(seconds), "--log", address]
        self.process = subprocess.Popen(
            [sys.executable, "-c", CODE, *words],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        self.said: list[str] = []
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        self.said.extend(iter(self.process.stderr.readline, ""))

    def close(self) -> None:
        self._listener.join(timeout=WAIT_LIMIT_S)
        assert self.process.stderr is not None
        self.process.stderr.close()

    def signed(self) -> int:
        """How many checkpoints it has told of."""
        return sum("signed" in line for line in self.said)

    def until(self, word: str, times: int = 1) -> None:
        """Wait until it has said a word so often."""
        end = time.monotonic() + WAIT_LIMIT_S
        while sum(word in line for line in self.said) < times:
            assert self.process.poll() is None, self.said
            assert time.monotonic() < end, self.said
            time.sleep(0.02)

    def stop(self) -> int:
        """End it in order; return its exit code."""
        self.process.terminate()
        code = self.process.wait(timeout=WAIT_LIMIT_S)
        self._listener.join(timeout=WAIT_LIMIT_S)  # it has said everything
        return code


@contextlib.contextmanager
def signing(address: str, key: Path, folder: Path, seconds: int = 2) -> Iterator[SigningProcess]:
    """Run it from a folder (where its files on Kafka are: another folder is another machine); gone at the end."""
    signer = SigningProcess(address, key, folder, seconds)
    try:
        yield signer
    finally:
        if signer.process.poll() is None:
            signer.process.kill()
        signer.process.wait()
        signer.close()
