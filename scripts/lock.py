"""Make `requirements.lock`: every distribution of pyproject.toml with its hashes, for all platforms, without addresses.

`make lock` runs this. It uses uv where it is there and otherwise installs it into a temporary environment. Versions that
the lock names already are kept; `--upgrade` takes the newest ones.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"
HEADER = (
    "# Every distribution that Discard Rack and its tests need, pinned by hash. Made by `make lock` from pyproject.toml;\n"
    "# not edited by hand. Installed with --require-hashes --no-deps.\n"
)


def main(arguments: list[str]) -> int:
    """Write the lock; return the exit code."""
    with tempfile.TemporaryDirectory() as scratch:
        draft = Path(scratch) / LOCK.name
        if LOCK.exists():
            shutil.copy(LOCK, draft)
        command = [
            *_uv(Path(scratch)),
            "pip",
            "compile",
            "pyproject.toml",
            "--all-extras",
            "--group",
            "dev",
            "--universal",
            "--quiet",
            "--python-version",
            "3.11",
            "--generate-hashes",
            "--no-annotate",
            "--no-header",
            "--output-file",
            str(draft),
        ]
        code = subprocess.run([*command, *arguments], cwd=ROOT, check=False).returncode
        if code:
            return code
        text = "".join(line for line in draft.read_text().splitlines(keepends=True) if not line.startswith("#"))
    if "://" in text:
        print("scripts/lock.py: the result names an address; requirements.lock was left as it was", file=sys.stderr)
        return 1
    LOCK.write_text(HEADER + text)
    return 0


def _uv(scratch: Path) -> list[str]:
    found = shutil.which("uv")
    if found:
        return [found]
    venv.create(scratch / "uv", with_pip=True)
    python = str(scratch / "uv" / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "uv"], check=True)
    return [python, "-m", "uv"]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
