"""A part for tests: writes its process id, and that of one it starts, to a file, then does as its arguments say."""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

FOREVER_S = 10_000


def main(arguments: Sequence[str]) -> int:
    path, manner = arguments
    child = subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({FOREVER_S})"])
    Path(path).write_text(f"{child.pid}")
    if manner == "fails":
        sys.stdout.write("the disk is full\n")
        return 7
    if manner == "done":
        return 0
    while True:
        try:
            time.sleep(FOREVER_S)
        except KeyboardInterrupt:
            if manner != "stubborn":
                return 0
