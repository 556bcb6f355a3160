"""One machine: files next to the log that are damaged, copied, altered or cut short, and disks without room."""

import atexit
import contextlib
import functools
import io
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import duckdb

from analytics.warehouse.digests import computed_digests
from analytics.warehouse.warehouse import replacing
from events.open import open_log
from intake.lines import line_of
from rack.cli import main
from tests.faults.floor import groups
from tests.faults.processes import ROOT
from tests.faults.table import demand, fault
from trial.demo import write_report
from trial.property_folder import demo_log

AREA = "one machine"


# ------------------------------------------------------------------------------------------------ files next to the chain


@functools.cache
def _demo() -> Path:
    """A folder in which a small demo ran; copied, never changed."""
    made = tempfile.mkdtemp(prefix="rack-faults-demo-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    folder = Path(made) / "demo"
    demand(_rack("demo", "--rounds", "30", "--out", folder)[0] in (0, 1), "the demo failed")
    return folder


def _rack(*words: object) -> tuple[int, str]:
    """Run a command in this process; return its exit code and everything that it said."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = main([*map(str, words), "--quiet"])
    return code, said.getvalue()


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "512 zeroed bytes": lambda content: bytes(min(512, len(content))) + content[512:],
    "all zeroed": lambda content: bytes(len(content)),
    "cut off": lambda content: content[: len(content) // 3],
    "emptied": lambda content: b"",
    "garbage": lambda content: b"\xff\xfe rubbish \0" * 99,
    "another file": lambda content: (_demo() / "labels.json").read_bytes(),
}
BESIDE: dict[str, tuple[tuple[str, ...], int]] = {
    "floor.db.high-water": (("verify", "--log", "LOG"), 4),
    "floor.db.checkpoints": (("verify", "--log", "LOG"), 4),
    "floor.db.checkpoints.high-water": (("checkpoint", "--log", "LOG", "--key", "FOLDER/demo.key"), 4),
    "floor.db.verdicts": (("replay", "--log", "LOG"), 4),
    "floor.db.lock": (("prove", "fu-01", "3", "--log", "LOG", "--out", "FOLDER/proof"), 0),
    "demo.json": (("dashboard", "--out", "FOLDER"), 3),
}
"""File → a command that needs it, and its exit code if the file is damaged."""
JUDGED_AGAIN = ("floor.db.verdicts", "emptied")
"""No results: everything is judged again."""


@fault(
    AREA,
    "a file beside the log damaged",
    how="zeroed, cut, emptied, garbage or another file in `.high-water`, `.checkpoints` and its mark, `.verdicts`, `.lock`, "
    "`demo.json`, each in turn",
    held="exit 4 (3 for `demo.json`) naming the file; a damaged lock changes nothing; never an unexpected error",
    quick=len(DAMAGES) * len(BESIDE),
    often=len(DAMAGES) * len(BESIDE),
)
def damaged(folder: Path, times: int) -> int:
    pairs = [(file, kind) for kind in DAMAGES for file in BESIDE if (file, kind) != JUDGED_AGAIN][:times]
    for number, (file, kind) in enumerate(pairs):
        place = shutil.copytree(_demo(), folder / str(number))
        (place / file).write_bytes(DAMAGES[kind]((place / file).read_bytes()))
        words, expected = BESIDE[file]
        code, said = _rack(*(word.replace("LOG", f"sqlite://{place}/floor.db").replace("FOLDER", str(place)) for word in words))
        demand(code == expected, f"{file} {kind}: exit {code}: {said[-300:]}")
        demand(expected == 0 or file in said, f"{file} {kind}: the file is not named: {said[-300:]}")
        demand("unexpected" not in said, f"{file} {kind}: {said[-300:]}")
        shutil.rmtree(place)
    return len(pairs)


SLIP = b"a photograph of the slip" * 40
HARMS: dict[str, Callable[[bytes], bytes] | None] = {
    "gone": None,
    "one bit changed": lambda content: bytes([content[0] ^ 1]) + content[1:],
    "a byte more": lambda content: content + b"\0",
    "a byte less": lambda content: content[:-1],
    "emptied": lambda content: b"",
    "another file": lambda content: content[::-1],
}


@fault(
    AREA,
    "an attachment of a case harmed",
    how="the bytes of an attachment beside the log removed, changed by a bit, longer, shorter, emptied, exchanged for others of "
    "the same length; then the case is shown, the attachment taken out, the same file attached to another case",
    held="exit 4 naming the file and the case; nothing is written out or over what is there; with the bytes back it is whole",
    quick=len(HARMS),
    often=10 * len(HARMS),
)
def harmed(folder: Path, times: int) -> int:
    for number in range(times):
        kind, harm = list(HARMS.items())[number % len(HARMS)]
        place = shutil.copytree(_demo(), folder / str(number))
        slip, out, log = place / "slip.jpg", place / "out.jpg", ("--log", f"sqlite://{place}/floor.db")
        slip.write_bytes(SLIP)
        who = ("--by", "m.ortiz")
        for claim in ("short", "again"):
            demand(_rack("case", "open", "fu-01", 1, *who, "--claim", claim, *log)[0] == 0, "no case was opened")
        attach = ("case", "attach", "fu-01-c1", slip, *who, "--note", "the slip", *log)
        demand(_rack(*attach)[0] == 0, "nothing was attached")
        (stored,) = (path for path in (place / "attachments").rglob("*") if path.is_file())
        if harm is None:
            stored.unlink()
        else:
            stored.write_bytes(harm(SLIP))
        left = stored.read_bytes() if stored.exists() else None
        fetch = ("case", "fetch", "fu-01-c1", stored.name[:8], *who, "--reason", "x", "--out", out, *log)
        for words in (("case", "show", "fu-01-c1", *log), fetch):
            code, said = _rack(*words)
            demand(code == 4 and str(stored) in said and "case 1" in said, f"{kind}: exit {code}: {said[-300:]}")
        demand(not out.exists(), f"{kind}: what was harmed was taken out")
        code, said = _rack("case", "attach", "fu-01-c2", slip, *who, "--note", "x", *log)
        demand(code == (0 if left is None else 2), f"{kind}: attached again: exit {code}: {said[-300:]}")
        demand(left is None or stored.read_bytes() == left, f"{kind}: what was there was written over")
        stored.write_bytes(SLIP)
        demand(_rack("case", "show", "fu-01-c1", *log)[0] == 0, f"{kind}: with its bytes back it is not whole")
        shutil.rmtree(place)
    return times


@fault(
    AREA,
    "a copied demo folder",
    how="the folder of a demo is copied or moved; a finding is reviewed by the log that its `demo.json` names",
    held="the copy's own log is written, the original stays byte for byte",
    quick=2,
    often=10,
)
def copied(folder: Path, times: int) -> int:
    for number in range(times):
        original = shutil.copytree(_demo(), folder / f"{number}")
        copy = folder / f"{number} copied"
        write_report(original, {**json.loads((original / "demo.json").read_text()), "log": f"sqlite://{original}/floor.db"})
        shutil.copytree(original, copy)
        before = {file.name: file.read_bytes() for file in original.iterdir()}
        address = demo_log(copy) or ""
        with closing(open_log(address)) as log:
            log.append_groups([("table/copied", [groups()[0][1][0]])])
        changed = [name for name, content in before.items() if (original / name).read_bytes() != content]
        demand(changed == [], f"the copy wrote into the original: {changed}")
    return times


# ---------------------------------------------------------------------------------------------------------- the warehouse


CHANGES = (
    "UPDATE fct_rounds SET verdict = 'UPHELD'",
    "UPDATE stg_settlements SET done_cents = due_cents",
    "DELETE FROM stg_stated",
    "UPDATE round_events SET payload = '{}'",
    "DELETE FROM stg_table_events",
    "UPDATE mart_hold_table_day SET drop_cents = 0",
    "UPDATE generation SET engines = 'changed'",
)


@fault(
    AREA,
    "rows altered in the warehouse",
    how="rows of loaded, derived and summed tables updated or deleted in the DuckDB file, with and without new events",
    held="the next build names the table and holds what a build from nothing holds",
    quick=2,
    often=2 * len(CHANGES),
)
def altered(folder: Path, times: int) -> int:
    for number in range(times):
        place = shutil.copytree(_demo(), folder / str(number))
        address, path = f"sqlite://{place}/floor.db", place / "warehouse.duckdb"
        change = CHANGES[number % len(CHANGES)]
        with closing(duckdb.connect(str(path))) as db:
            db.execute(change)
        if number >= len(CHANGES):
            with closing(open_log(address)) as log:
                log.append_groups([("table/more", [groups()[0][1][0]])])
        code, said = _rack("warehouse", "build", "--log", address, "--warehouse", path)
        _rack("warehouse", "build", "--log", address, "--warehouse", place / "anew")
        demand(_rows(path) == _rows(place / "anew"), f"after {change} the file differs from one that is built anew")
        demand(code == 4 and "changed after they were built" in said, f"{change}: exit {code}: {said[-300:]}")
        shutil.rmtree(place)
    return times


def _rows(path: Path) -> dict[tuple[str, str], tuple[int, str]]:
    with closing(duckdb.connect(str(path), read_only=True)) as db:
        found = computed_digests(db, "main")
    return {place: rows for place, rows in found.items() if place[0] != "generation"}


BUILD = """
import os, signal, sys
from pathlib import Path
from analytics.warehouse.warehouse import replacing
with replacing(Path(sys.argv[1])) as fresh:
    fresh.write_bytes(bytes(100_000))
    print("at work", flush=True)
    sys.stdin.readline()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@fault(
    AREA,
    "a build of the warehouse killed",
    how="kill -9 while the new file is written, another build at work; then a third one",
    held="the old file stands; the dead build's folder is removed, the living one's is not",
    quick=2,
    often=40,
)
def killed_build(folder: Path, times: int) -> int:
    for number in range(times):
        path = folder / str(number) / "warehouse.duckdb"
        path.parent.mkdir()
        path.write_bytes(b"the old file")
        with _building(path) as dying, _building(path) as living:
            dying.communicate(b"\n")
            demand(dying.returncode == -9, f"the build ended with {dying.returncode}")
            demand(len(_build_folders(path)) == 2, f"there are {_build_folders(path)}")
            demand(path.read_bytes() == b"the old file", "half a file took the old one's place")
            with replacing(path) as fresh:
                fresh.write_bytes(b"the new file")
            demand(len(_build_folders(path)) == 1, f"what is left are {_build_folders(path)}")
            living.communicate(b"\n")
        demand(path.read_bytes() == b"the new file", "the new file is not in its place")
    return times


@contextlib.contextmanager
def _building(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", BUILD, str(path)], cwd=ROOT, **pipes) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process
        finally:
            process.kill()


def _build_folders(path: Path) -> list[Path]:
    return [each for each in path.parent.iterdir() if each.is_dir()]


# --------------------------------------------------------------------------------------------------------- no room to write


WRITERS: dict[str, tuple[str, ...]] = {
    "append": ("ingest", "LINES", "--log", "LOG"),
    "checkpoint": ("checkpoint", "--log", "LOG", "--key", "FOLDER/demo.key"),
    "results": ("replay", "--again", "--log", "LOG"),
    "warehouse": ("warehouse", "build", "--log", "LOG", "--warehouse", "NEW/w.duckdb"),
    "export": ("warehouse", "export", "--warehouse", "FOLDER/warehouse.duckdb", "--out", "NEW", "--log", "LOG"),
    "archive": ("archive", "--log", "LOG", "--out", "NEW/archive", "--running"),
    "round table": ("rounds", "--log", "LOG", "--out", "NEW/rounds"),
    "restore": ("archive", "--restore", "ARCHIVE", "--log", "sqlite://NEW/restored.db"),
}
PRELUDE = ""
"""Code that the process runs first: a build that is broken on purpose puts its defect here."""
LIMITED = """
import resource, sys
from rack.cli import main
from trial.property_folder import demo_log
sys.dont_write_bytecode = True  # Python itself keeps half of a file, and trips over it the next time
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
sys.exit(main(sys.argv[2:]))
"""


@fault(
    AREA,
    "no room for what is written",
    how="RLIMIT_FSIZE of some kilobytes for each command that writes: append, checkpoint, results, warehouse, export, archive, "
    "round table, restore",
    held="exit 3 naming the file; nothing half-written is taken for whole; with room again it goes on, the log verified",
    quick=len(WRITERS),
    often=4 * len(WRITERS),
)
def no_room(folder: Path, times: int) -> int:
    for number in range(times):
        what, words = list(WRITERS.items())[number % len(WRITERS)]
        place, new = shutil.copytree(_demo(), folder / str(number)), folder / f"{number}-new"
        new.mkdir()
        names = {"LOG": f"sqlite://{place}/floor.db", "FOLDER": str(place), "NEW": str(new)}
        names |= {"LINES": str(_lines()), "ARCHIVE": str(_sealed())}
        given = []
        for word in words:
            for name, value in names.items():
                word = word.replace(name, value)
            given.append(word)
        limit = (64, 4_000, 30_000, 100)[number // len(WRITERS)]
        command = [sys.executable, "-c", PRELUDE + LIMITED, str(limit), *given, "--quiet"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        said = done.stderr
        demand(done.returncode == 3, f"{what} with {limit} bytes of room: exit {done.returncode}: {said[-300:]}")
        demand("unexpected" not in said and str(folder) in said, f"{what} with {limit} bytes of room: {said[-300:]}")
        code, said = _rack(*given)
        demand(code in (0, 1), f"{what} with room again: exit {code}: {said[-300:]}")
        code, said = _rack("verify", "--log", names["LOG"])
        demand(code == 0, f"{what}: the log is not verified: {said[-300:]}")
        shutil.rmtree(place)
        shutil.rmtree(new)
    return times


@functools.cache
def _lines() -> Path:
    path = _demo().parent / "lines.jsonl"
    lines = [line_of(stream, draft) for stream, drafts in groups() for draft in drafts]
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


@functools.cache
def _sealed() -> Path:
    out = _demo().parent / "sealed"
    demand(_rack("archive", "--log", f"sqlite://{_demo()}/floor.db", "--out", out, "--running")[0] == 0, "no archive")
    return out
