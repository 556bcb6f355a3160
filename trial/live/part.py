"""A part of a running property as a process: `python -m trial.live.part MODULE ARGUMENT…` calls the module's `main`.

SIGINT ends the part. It also ends when its standard input closes, which its parent process holds open: so it ends with its
parent, however that ends.
"""

import importlib
import os
import signal
import sys
import threading
import time
from typing import Final

GRACE_S: Final = 30.0
"""How long a part may take to end."""


orphaned: Final = threading.Event()
"""Set when the process that started this one is gone."""


def end_with_parent() -> None:
    """Wait until the parent process is gone; then end this one."""
    while os.read(sys.stdin.fileno(), 4096):
        pass
    orphaned.set()
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(GRACE_S)
    _kill_group()


def _kill_group() -> None:
    """Kill this process and all that it started."""
    os.killpg(os.getpgrp(), signal.SIGKILL)


def main() -> int:
    """Run the part; return its exit code."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that starts in the background has it ignored
    threading.Thread(target=end_with_parent, daemon=True).start()
    module, *arguments = sys.argv[1:]
    try:
        code: int = importlib.import_module(module).main(arguments)
    finally:
        if orphaned.is_set():  # otherwise the process that started it does this
            _kill_group()
    return code


if __name__ == "__main__":
    sys.exit(main())
