"""Timing (best of three, wall time and the process's CPU time), and a description of the machine."""

import gc
import json
import math
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import apsw
import msgspec

T = TypeVar("T")
P = ParamSpec("P")
REPEATS = 3
STORES = 5
"""Repeats if a disk is waited for, which is less even than a processor."""
LIBRARIES = ("apsw", "kafka-python", "msgspec", "zstandard")


RACK = (sys.executable, "-m", "rack.cli")
MEASURED = """
import json, resource, subprocess, sys, time
began = time.perf_counter()
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([code, time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024]))
"""
"""Runs a command from a small process: what a large one has in memory would count as its child's."""


class Timing(msgspec.Struct, frozen=True):
    """The best of the repeats: seconds of wall time, and of processor time (this process and its children)."""

    wall_s: float
    cpu_s: float

    def rates(self, count: int) -> dict[str, float]:
        """Return rates per second, by wall time and by processor time."""
        return {"per_s": round(count / self.wall_s), "per_cpu_s": round(count / self.cpu_s)}


class Measured(msgspec.Struct, kw_only=True):
    """One benchmark: the measurement, its peer, and the goal, if any."""

    key: str
    title: str
    unit: str
    count: int
    ours: Timing
    peer_name: str = ""
    peer: Timing | None = None
    goal: str = ""
    met: bool | None = None
    notes: dict[str, Any] = {}

    @property
    def ratio(self) -> float | None:
        """Our speed relative to the peer's, by wall time."""
        return None if self.peer is None else self.peer.wall_s / self.ours.wall_s

    @property
    def cpu_ratio(self) -> float | None:
        """Our speed relative to the peer's, by processor time."""
        return None if self.peer is None else self.peer.cpu_s / self.ours.cpu_s

    def as_json(self) -> dict[str, Any]:
        """Return the content of results.json."""
        kept: dict[str, Any] = {
            "key": self.key,
            "title": self.title,
            "unit": self.unit,
            "count": self.count,
            "ours": msgspec.to_builtins(self.ours) | self.ours.rates(self.count),
        }
        if self.peer is not None and self.ratio is not None and self.cpu_ratio is not None:
            kept |= {
                "peer_name": self.peer_name,
                "peer": msgspec.to_builtins(self.peer) | self.peer.rates(self.count),
                "ratio": round(self.ratio, 3),
                "cpu_ratio": round(self.cpu_ratio, 3),
            }
        if self.goal:
            kept |= {"goal": self.goal, "met": self.met}
        return kept | ({"notes": self.notes} if self.notes else {})


def delayed(key: str, title: str, delays: Sequence[float], limit_s: float, **notes: int) -> Measured:
    """Return delays, shortest first, in report form: the median; the 99th percentile, with its goal, is a note."""
    median, late_s = delays[len(delays) // 2], delays[math.ceil(0.99 * len(delays)) - 1]
    limit = f"{limit_s:g} s" if limit_s >= 1 else f"{limit_s * 1000:g} ms"
    return Measured(
        key=key,
        title=title,
        unit="delays",
        count=1,
        ours=Timing(median, median),
        goal=f"99 of 100 under {limit}",
        met=late_s < limit_s,
        notes=notes | {"percentile_99_ms": round(late_s * 1000), "longest_ms": round(delays[-1] * 1000)},
    )


def once(work: Callable[P, T], *args: P.args, **options: P.kwargs) -> tuple[Timing, T]:
    """Time one call of `work`, with the measurement's own objects kept out of garbage collection."""
    gc.collect()
    gc.freeze()
    try:
        cpu, wall = _cpu_s(), time.perf_counter()
        result = work(*args, **options)
        return Timing(time.perf_counter() - wall, _cpu_s() - cpu), result
    finally:
        gc.unfreeze()


def _cpu_s() -> float:
    """Return the processor time of this process and of its ended children."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def command(*words: str, **variables: str) -> tuple[Timing, int]:
    """Run a command in a process of its own; return times and peak MiB. Raises `SystemExit` for an exit other than 0 or 1."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | variables
    finished = subprocess.run(
        [sys.executable, "-c", MEASURED, *words], check=False, capture_output=True, text=True, env=environment
    )
    code, wall_s, cpu_s, mib = json.loads(finished.stdout.splitlines()[-1])
    if code not in (0, 1):
        raise SystemExit(f"{' '.join(words)}: exit {code}: {finished.stderr[-500:]}")
    return Timing(wall_s, cpu_s), mib


def best(timings: list[Timing]) -> Timing:
    """Return the best wall time and the best CPU time of several runs."""
    return Timing(min(each.wall_s for each in timings), min(each.cpu_s for each in timings))


def side_by_side(ours: Callable[[], object], peer: Callable[[], object]) -> tuple[Timing, Timing]:
    """Time two things in turn, three times each, so that the machine's load falls on both."""
    mine, theirs = [], []
    for _ in range(REPEATS):
        mine.append(once(ours)[0])
        theirs.append(once(peer)[0])
    return best(mine), best(theirs)


def cpu_s_of(process: int) -> float:
    """Return the processor time used so far by another process."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def machine() -> dict[str, Any]:
    """Describe the machine and the versions."""
    memory = next(line for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemTotal"))
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory_gib": round(int(memory.split()[1]) / 2**20, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": _interpreter(),
        "sqlite": apsw.sqlite_lib_version(),
        "libraries": {name: version(name) for name in LIBRARIES},
    }


def _interpreter() -> str:
    """Return the measuring Python: its build affects its speed as much as its version."""
    built = f"of {_distribution()}" if sys.base_prefix == "/usr" else "built apart from the system"
    return f"{platform.python_version()} {built}, {platform.python_compiler()}"


def _distribution() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return "the system"


def _cpu() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()
