"""Verifies in a process of its own, so that the pages stay responsive.

`python -m desk.verification.process` reads a pickled `Request` from its parent. It writes each step as a line to stderr, and
finally the values of the verification to stdout.
"""

import os
import pickle
import subprocess
import sys
import tempfile
import threading
from base64 import b64decode, b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

import desk
from desk.verification.result import Request
from desk.verification.steps import VerificationStep, stepping

HOME = Path(desk.__file__).parents[1]
LONGEST_S = 3_600
"""A verification that takes longer is ended."""


class VerificationAnswer(NamedTuple):
    """The answer of a verification: the values of `rack verify --json`, and the report. `fault` says why both are missing."""

    values: dict[str, Any]
    report: bytes = b""
    fault: str = ""


def verify_in_process(request: Request, show: Callable[[VerificationStep], None]) -> VerificationAnswer:
    """Verify in a process of its own; call `show` with each step."""
    path = os.pathsep.join([str(HOME), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "desk.verification.process"]
    problems: list[str] = []
    with tempfile.TemporaryFile() as told, tempfile.TemporaryFile() as answer:
        told.write(pickle.dumps(request))
        told.seek(0)
        with subprocess.Popen(
            command, env={**os.environ, "PYTHONPATH": path}, stdin=told, stdout=answer, stderr=subprocess.PIPE, text=True
        ) as process:
            ends = threading.Timer(LONGEST_S, process.kill)
            ends.start()
            try:
                for line in process.stderr or ():
                    try:
                        show(msgspec.json.decode(line, type=VerificationStep))
                    except msgspec.MsgspecError:
                        problems.append(line.strip())
                code = process.wait()
            finally:
                ends.cancel()
        answer.seek(0)
        made = answer.read()
    if code != 0:
        return VerificationAnswer({}, fault=(problems or ["the verification was ended"])[-1])
    values = msgspec.json.decode(made)
    return VerificationAnswer(values, b64decode(values.pop("pdf")))


def main() -> int:
    """Run the parent's request; return 0 if there is a result, good or bad."""
    from desk.verification.verification import verify
    from desk.verification.words import as_json
    from events.log.clock import utc_now_us
    from replay.installed_games import add_installed_games

    def show(step: VerificationStep) -> None:
        sys.stderr.buffer.write(msgspec.json.encode(step) + b"\n")
        sys.stderr.buffer.flush()

    os.umask(os.umask(0) | 0o027)  # what is kept next to the log is its owner's and group's alone
    request: Request = pickle.loads(sys.stdin.buffer.read())
    try:
        add_installed_games()
        made = verify(request, stepping(show))
    except Exception as error:  # whatever it is, the page says it
        sys.stderr.write(f"{error or type(error).__name__}\n")
        return 3
    values = as_json(made, utc_now_us()) | {"pdf": b64encode(made.pdf).decode()}
    sys.stdout.buffer.write(msgspec.json.encode(values))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
