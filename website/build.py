"""Builds the website: the judge in a browser, as a folder of static files and as one file that opens by a double click.

`python -m website.build --out DIR`. Python for the browser (Pyodide) comes from npm, msgspec for it as a wheel, both of a fixed
version and checked against a fixed hash; everything else is this project's own source. The same sources give the same bytes. The
page requests only its own files.
"""

from __future__ import annotations

import argparse
import ast
import base64
import gzip
import hashlib
import io
import json
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from replay.run.engine import deciding_files

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
FELT = ROOT / "dashboards" / "felt"

PYODIDE = "pyodide@314.0.7"
PYODIDE_SHA256 = "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0"
MSGSPEC = ("msgspec==0.22.0", "314", "pyemscripten_2026_0_wasm32")
MSGSPEC_SHA256 = "a66b1766311e42371e509c996c3933b161c7ae0eabdf361af5316dec197e1022"

BROWSER = HERE / "browser"
"""The stand-in for the browser: its signatures, and the functions that the page calls."""
OURS = ("desk", "events", "games", "replay", "rulebook")
NOT_THERE = (
    "desk.alarms", "desk.house", "desk.keys", "events.archive", "events.kafka", "events.sqlite",
)  # fmt: skip
"""Packages that no function called here comes to."""
OF_A_GAME = ("settle.py", "rules.py")
"""The files of a game that judge, next to its chapters."""

UNUSED = (
    "ensurepip/", "idlelib/", "lib2to3/", "pydoc_data/", "sqlite3/", "test/", "tkinter/", "turtledemo/", "unittest/", "venv/",
    "xml/", "xmlrpc/", "wsgiref/", "curses/", "dbm/", "multiprocessing/", "_pyrepl/",
)  # fmt: skip
"""The parts of Python's library that no judge needs and that would only be downloaded."""

FIXED_TIME = (2020, 1, 1, 0, 0, 0)
MOST_SERVED, MOST_WHOLE = 7_000_000, 25_000_000


def main() -> int:
    """Build the website into a folder; 3 if a package is unavailable or has another hash."""
    parser = argparse.ArgumentParser(description="Build the website that judges rounds in a browser.")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "website", help="Folder (default: build/website).")
    out: Path = parser.parse_args().out
    try:
        files = assets()
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        sys.stderr.write(f"website: {error}\n")
        return 3
    out.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (out / name).write_bytes(content)
    whole = one_file(files)
    (out / "discard-rack.html").write_bytes(whole)
    served = sum(len(gzip.compress(content, 9, mtime=0)) for content in files.values())
    sys.stderr.write(
        f"{out}: {served:,} bytes as served with gzip; discard-rack.html {len(whole):,} bytes, sha256 {_sha256(whole)}\n"
    )
    return 0 if served <= MOST_SERVED and len(whole) <= MOST_WHOLE else 1


def assets() -> dict[str, bytes]:
    """Return the files of the website by name. Raises `ValueError` if a package has another hash."""
    with tempfile.TemporaryDirectory() as folder:
        pyodide = npm_package(PYODIDE, PYODIDE_SHA256, Path(folder))
        wheel = _msgspec(Path(folder))
    return {
        "index.html": page(),
        "page.js": (HERE / "page.js").read_bytes(),
        "felt.js": (FELT / "felt.js").read_bytes(),
        "felt.css": (FELT / "felt.css").read_bytes(),
        "pyodide.mjs": pyodide["pyodide.mjs"],
        "pyodide.asm.mjs": pyodide["pyodide.asm.mjs"],
        "pyodide.asm.wasm": pyodide["pyodide.asm.wasm"],
        "python_stdlib.zip": _rezip(pyodide["python_stdlib.zip"], leave_out=UNUSED),
        "pyodide-lock.json": json.dumps({"info": json.loads(pyodide["pyodide-lock.json"])["info"], "packages": {}}).encode(),
        "msgspec.zip": _rezip(wheel),
        "judge.zip": judge(),
    }


def page() -> bytes:
    """Return the page of the folder: its scripts are files next to it."""
    html = (HERE / "page.html").read_text("utf-8")
    html = html.replace("<!-- documents -->", '<p><a href="docs/index.html">Documents</a></p>')
    return html.replace(
        "<!-- scripts -->", '<link rel="stylesheet" href="felt.css"><script type="module" src="page.js"></script>'
    ).encode()


def one_file(files: dict[str, bytes]) -> bytes:
    """Return the whole website as one page, which fetches nothing when opened from a disk."""

    def embedded(content: bytes) -> str:
        return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()

    inside = [
        f'<script type="application/octet-stream" id="{name}">{embedded(content)}</script>'
        for name, content in files.items()
        if name not in ("index.html", "page.js", "felt.css")
    ]
    scripts = [
        f"<style>{files['felt.css'].decode()}</style>",
        *inside,
        f'<script type="module">{files["page.js"].decode()}</script>',
    ]
    return (HERE / "page.html").read_text("utf-8").replace("<!-- scripts -->", "\n".join(scripts)).encode()


def judge() -> bytes:
    """Return the code that judges and verifies, with imports, games and data: the engine has the installation's name."""
    waiting = [*BROWSER.rglob("*.py"), *(path for name in OF_A_GAME for path in ROOT.glob(f"games/*/{name}"))]
    waiting += [ROOT / name for name in deciding_files(ROOT) if name.endswith(".py")]
    needed: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path in needed:
            continue
        needed.add(path)
        waiting += [folder / "__init__.py" for folder in path.parents if (folder / "__init__.py").exists()]
        waiting += [found for name in _imported(path) if (found := _module(name)) is not None]
    data = {ROOT / name for name in deciding_files(ROOT)} | set(ROOT.glob("games/*/chapters/*.toml"))
    data |= {each for folder in {path.parent for path in needed} for each in folder.glob("*.toml")}
    files = {_name(path): path.read_bytes() for path in sorted({*needed, *data})}
    stated = f"Metadata-Version: 2.1\nName: discard-rack\nVersion: {version('discard-rack')}\n"
    return _zip(files | {"discard_rack.dist-info/METADATA": stated.encode()})


def _name(path: Path) -> str:
    """Return a file's name in the browser."""
    return str(path.relative_to(BROWSER if path.is_relative_to(BROWSER) else ROOT))


def _imported(path: Path) -> Iterator[str]:
    """Yield the modules that a file imports, at its head or in a function, and names that may be modules of a package."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = []
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)


def _module(name: str) -> Path | None:
    """Return the file of one of our modules; None if it is not ours."""
    place = ROOT.joinpath(*name.split("."))
    if name.partition(".")[0] not in OURS or name.startswith(NOT_THERE):
        return None
    return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.exists()), None)


def npm_package(name: str, sha256: str, folder: Path) -> dict[str, bytes]:
    """Return the files of an npm package. Raises `ValueError` if it has another hash."""
    command = ["npm", "pack", name, "--silent", "--pack-destination", str(folder)]
    packed = subprocess.run(command, check=True, capture_output=True, text=True)
    archive = folder / packed.stdout.split()[-1]
    _expect(archive.read_bytes(), sha256, name)
    with tarfile.open(archive) as tar:
        files = ((member.name.removeprefix("package/"), tar.extractfile(member)) for member in tar)
        return {path: file.read() for path, file in files if file is not None}


def _msgspec(folder: Path) -> bytes:
    name, version, platform = MSGSPEC
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary",
        ":all:",
        "--disable-pip-version-check",
    ]
    subprocess.run([*command, "--python-version", version, "--platform", platform, "--dest", str(folder), name], check=True)
    (wheel,) = folder.glob("msgspec-*.whl")
    content = wheel.read_bytes()
    _expect(content, MSGSPEC_SHA256, name)
    return content


def _expect(content: bytes, sha256: str, name: str) -> None:
    if _sha256(content) != sha256:
        raise ValueError(f"{name} has SHA-256 {_sha256(content)}, expected {sha256}; nothing was built")


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _rezip(content: bytes, leave_out: tuple[str, ...] = ()) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as given:
        names = [name for name in sorted(given.namelist()) if not name.startswith(leave_out) and not name.endswith("/")]
        return _zip({name: given.read(name) for name in names})


def _zip(files: dict[str, bytes]) -> bytes:
    """Return files as a zip with the same bytes whenever it is made."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, FIXED_TIME), content, zipfile.ZIP_DEFLATED, 9)
    return packed.getvalue()


if __name__ == "__main__":
    sys.exit(main())
