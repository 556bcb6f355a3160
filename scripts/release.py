"""Build the verifying page, wheel and source archive twice from the commit, compare them and check them: `make release`.

Nothing is uploaded. The tools are those of the group `release`, and npm for the page; wheel and source archive hold its
digest. The result is in `dist/` with `SHA256SUMS`. Exit status 1: two builds differ, or a check failed.
"""

import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from importlib.util import find_spec
from pathlib import Path

from desk.packet.verifying_page import FILE, RECORD

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"


def main() -> int:
    """Build, compare, check; return the exit status."""
    epoch = _git("log", "-1", "--format=%ct").strip()
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        builds = [_build(Path(folder), epoch) for folder in (first, second)]
        digests = [{path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in build} for build in builds]
        if digests[0] != digests[1]:
            print(f"scripts/release.py: two builds differ: {digests}", file=sys.stderr)
            return 1
        shutil.rmtree(DIST, ignore_errors=True)
        DIST.mkdir()
        made = [Path(shutil.copy(path, DIST)) for path in builds[0]]
    (DIST / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in sorted(digests[0].items())))
    print((DIST / "SHA256SUMS").read_text(), end="")
    wheel = next(path for path in made if path.suffix == ".whl")
    checks = [
        ["twine", "check", "--strict", *(str(path) for path in made if path.name != FILE)],
        ["check_wheel_contents", str(wheel)],
        ["scripts.named_documents", str(wheel)],
        ["validate_pyproject", "pyproject.toml"],
    ]
    if find_spec("reuse") is None:  # it has no wheel, so that the lock, which builds nothing, cannot hold it
        print("licenses not checked: pip install reuse, in an environment of your own or this one", file=sys.stderr)
    else:
        checks.append(["reuse", "lint", "--quiet"])
    failed = [check[0] for check in checks if subprocess.run([sys.executable, "-m", *check], cwd=ROOT, check=False).returncode]
    if failed:
        print(f"scripts/release.py: failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _build(folder: Path, epoch: str) -> list[Path]:
    """Build from the committed files alone; return page, source archive and wheel."""
    source = folder / "source"
    source.mkdir()
    with tarfile.open(fileobj=io.BytesIO(_git_bytes("archive", "HEAD"))) as archive:
        archive.extractall(source, filter="data")
    _run(source, epoch, "website.build", "--out", str(folder / "site"))
    (folder / "out").mkdir()
    page = Path(shutil.copy(folder / "site" / FILE, folder / "out"))
    digest = hashlib.sha256(page.read_bytes()).hexdigest()
    _run(source, epoch, "desk.packet.verifying_page", digest)
    assert (source / "desk" / "packet" / RECORD).exists()
    _run(source, epoch, "build", "--no-isolation", "--outdir", str(folder / "out"), str(source))
    made = sorted((folder / "out").iterdir())
    for path in made:
        if path.name.endswith(".tar.gz"):
            path.write_bytes(settled(path.read_bytes(), int(epoch)))
    return made


def _run(source: Path, epoch: str, *words: str) -> None:
    """Run a module with the committed files as the source. Raises `SystemExit` if it fails."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": epoch, "PYTHONPATH": str(source)}
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=source, env=environment, capture_output=True, text=True, check=False, umask=0o022
    )
    if done.returncode:
        raise SystemExit(f"{done.stdout[-2000:]}{done.stderr[-2000:]}")


def settled(archive: bytes, epoch: int) -> bytes:
    """Return a source archive without the differences between builds: times, owners, order."""
    packed = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(archive)) as given,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as kept,
    ):
        for member in sorted(given.getmembers(), key=lambda each: each.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = epoch, 0, 0, "", ""
            member.pax_headers = {}
            kept.addfile(member, given.extractfile(member) if member.isfile() else None)
    return gzip.compress(packed.getvalue(), 9, mtime=epoch)


def _git(*words: str) -> str:
    return _git_bytes(*words).decode()


def _git_bytes(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True).stdout


if __name__ == "__main__":
    raise SystemExit(main())
