"""Check `requirements.lock` for published vulnerabilities and for releases that have grown old: `make audit`.

Exit status 0: every release was looked up and none has a published vulnerability. 1: one has, or is older than a year without a
reason in requirements-old.txt. 3: the package index could not be read, so that some releases were not looked up.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scripts.release_dates import DATES, LOCK, REASONS, complaints, locked

CLEAN, FAULTS, NO_DATA = 0, 1, 3


def verdict(report: Mapping[str, Any] | None, releases: int, stderr: str) -> tuple[int, list[str]]:
    """Return the exit status and the sentences of a report; None: it was never written."""
    entries = report.get("dependencies", []) if report is not None else []
    looked_up = [entry for entry in entries if "vulns" in entry]
    faults = [
        f"{entry['name']}=={entry['version']}: {fault['id']}, mended in {', '.join(fault['fix_versions']) or 'no release yet'}"
        for entry in looked_up
        for fault in entry["vulns"]
    ]
    missing = releases - len(looked_up)
    if missing > 0:
        cause = stderr.strip().splitlines()[-1:] or [entry["skip_reason"] for entry in entries if "skip_reason" in entry][:1]
        faults.append(
            f"NOT AUDITED: {missing} of {releases} releases could not be looked up"
            + (f" ({cause[0]})" if cause else "")
            + "; run it again where the package index's data can be had"
        )
        return (FAULTS if len(faults) > 1 else NO_DATA), faults
    return (FAULTS, faults) if faults else (CLEAN, [f"{releases} releases were looked up; none has a published fault"])


def main() -> int:
    """Print the problems; return the exit status."""
    lock = LOCK.read_text()
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch) / "report.json"
        options = ["--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json"]
        command = [sys.executable, "-m", "pip_audit", "--requirement", str(LOCK), *options, "--output", str(output)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        written = output.exists() and output.stat().st_size > 0
        report = json.loads(output.read_text()) if written else None
    code, sentences = verdict(report, len(locked(lock)), "" if written else done.stderr)
    old = complaints(lock, DATES.read_text(), REASONS.read_text(), datetime.now(UTC).date())
    print("\n".join([*sentences, *old]))
    return FAULTS if old and code == CLEAN else code


if __name__ == "__main__":
    raise SystemExit(main())
