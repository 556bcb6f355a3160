"""Coverage-guided fuzzing with atheris: `python -m tests.fuzz [--seconds N] [--only TARGET]`, each target in a process.

What is found is written to `.fuzz/` and named with how to see it again; nothing found within the time is success.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOUND = ROOT / ".fuzz"
PACKAGES = ("events", "games", "intake", "replay", "rack")


def fuzz(name: str, seconds: int, corpus: Path) -> None:
    """Search in this process; never returns."""
    import atheris

    with atheris.instrument_imports(include=list(PACKAGES)):
        from tests.fuzz import all_targets
        from tests.fuzz.targets import attempt
    for number, data in enumerate(all_targets()[name].seeds()):
        (corpus / f"seed-{number}").write_bytes(data)
    FOUND.mkdir(exist_ok=True)
    arguments = [
        f"-max_total_time={seconds}",
        "-timeout=20",
        "-rss_limit_mb=2048",
        "-max_len=20000",
        "-print_final_stats=1",
        f"-artifact_prefix={FOUND}/{name}-",
        str(corpus),
    ]
    atheris.Setup([sys.argv[0], *arguments], lambda data: attempt(name, data))
    atheris.Fuzz()


def again(name: str, file: Path) -> None:
    """Try one input, to see what it does."""
    from tests.fuzz import all_targets
    from tests.fuzz.targets import attempt

    all_targets()
    attempt(name, file.read_bytes())


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=30, help="how long each target is searched")
    parser.add_argument("--only", default="", help="one target")
    parser.add_argument("--corpus", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--again", type=Path, help="try this file on the target and show what it does")
    options = parser.parse_args()
    if options.again is not None:
        again(options.only, options.again)
        return 0
    if options.corpus is not None:
        fuzz(options.only, options.seconds, options.corpus)
    from tests.fuzz import all_targets

    failed = 0
    for name in [options.only] if options.only else all_targets():
        with tempfile.TemporaryDirectory(prefix="rack-fuzz-") as corpus:
            done = subprocess.run(
                [sys.executable, "-m", "tests.fuzz", "--only", name, "--seconds", str(options.seconds), "--corpus", corpus],
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=False,
            )
        runs = [line.split()[-1] for line in done.stderr.splitlines() if "number_of_executed_units" in line]
        sys.stdout.write(f"{name}: {runs[0] if runs else 'no'} inputs, {'nothing found' if not done.returncode else 'FAILED'}\n")
        if done.returncode:
            failed += 1
            sys.stdout.write((done.stdout + done.stderr)[-3000:])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
