"""Make `requirements.lock`: every distribution of pyproject.toml with its hashes, for all platforms, without addresses.

`make lock` runs this. It uses an installed uv, or installs it into a temporary environment. Locked versions are kept; `--upgrade`
takes the newest ones. The release dates go into `requirements-dates.txt`. (`uv.lock` and `pylock.toml` contain the address of
every file, so neither can be the lock.)
"""

import shutil
import subprocess
import sys
import tempfile
import venv
from datetime import UTC, datetime
from pathlib import Path

from scripts.release_dates import DATES, LOCK, REASONS, ROOT, as_text, complaints, published

GROUPS = ("dev", "release", "site")
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
        uv = _uv(Path(scratch))
        command = [
            *uv,
            "pip",
            "compile",
            "pyproject.toml",
            "--all-extras",
            *(word for group in GROUPS for word in ("--group", group)),
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
        dates = _dates(uv, draft)
        if dates is None:
            return 3
    LOCK.write_text(HEADER + text)
    DATES.write_text(dates)
    for complaint in complaints(LOCK.read_text(), dates, REASONS.read_text()):
        print(f"scripts/lock.py: {complaint}", file=sys.stderr)
    return 0


def _dates(uv: list[str], draft: Path) -> str | None:
    """Return the text of a lock's dates; None, and a sentence, if the index states none."""
    resolution = draft.with_name("pylock.toml")
    options = ["--no-deps", "--universal", "--quiet", "--python-version", "3.11", "--format", "pylock.toml"]
    command = [*uv, "pip", "compile", str(draft), *options, "--output-file", str(resolution)]
    code = subprocess.run(command, cwd=draft.parent, check=False).returncode
    found = published(resolution.read_text()) if code == 0 else {}
    dates = {release: day for release, day in found.items() if day is not None}
    if code or len(dates) < len(found):
        print(
            f"scripts/lock.py: the package index states no date for {len(found) - len(dates) or 'any'} of the releases; "
            "requirements.lock was left as it was",
            file=sys.stderr,
        )
        return None
    return as_text(dates, datetime.now(UTC).date())


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
