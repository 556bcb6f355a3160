"""What holds for all tests: groups for the parallel run, and how hypothesis searches."""

import gc
import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# jsonschema, loaded with Altair by Streamlit, would make 38 grammars of this to check addresses; only `make sbom` needs it.
sys.modules["rfc3987_syntax"] = None  # the import of it fails, as where it is not installed

# No deadline: a compiled kernel's first call compiles. Two workers share a machine, so a slow draw says nothing.
# On a build machine (CI is set) the same code is tried with the same examples, so that a change is judged by what it
# changes; at a desk every run draws new ones.
settings.register_profile(
    "rack",
    max_examples=40,  # `make test-nightly` takes ten times as many
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.register_profile("nightly", settings.get_profile("rack"), max_examples=400, derandomize=False)
settings.load_profile("rack")

# Tests write to memory if there is room: a log waits for the disk at each commit, and no test looks at a power cut.
IN_MEMORY, ROOM = Path("/dev/shm"), 8 * 2**30
if IN_MEMORY.is_dir() and shutil.disk_usage(IN_MEMORY).free > ROOM:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(IN_MEMORY))

HERE = Path(__file__).parent
FOLDERS = {
    HERE / "kafka": "kafka",
    HERE / "floor": "days",
    HERE / "faults": "slow",
    HERE / "faults" / "broken": "nightly",
    HERE / "simulation": "slow",
}
"""The marks that all tests of a folder have."""
ONE_WORKER = ("kafka", "kernels", "days")
"""Tests with one of these marks run in the same worker, in turn: they share a broker, what is compiled, or days."""
FIRST = ("kafka", "site", "slow", "days", "kernels", "browser")
"""What several workers begin with, by its mark or fixture: what takes longest, so that no worker is idle at the end."""


@cache
def marks_of(folder: Path) -> tuple[str, ...]:
    """The marks that all tests below a folder have."""
    return tuple(mark for marked, mark in FOLDERS.items() if folder.is_relative_to(marked))


def shares_a_fixture(item: pytest.Item) -> bool:
    """Whether a test uses what is made once for its module: in one worker, or each worker would make it again."""
    if not isinstance(item, pytest.Function):
        return False
    return any(each.scope == "module" for defs in item._fixtureinfo.name2fixturedefs.values() for each in defs)


def rank(item: pytest.Item) -> int:
    """The place of a test among `FIRST`."""
    used = {each.name for each in item.iter_markers()} | {*fixtures_of(item)}
    return next((place for place, name in enumerate(FIRST) if name in used), len(FIRST))


def fixtures_of(item: pytest.Item) -> list[str]:
    return item.fixturenames if isinstance(item, pytest.Function) else []


def leave_to_the_night(items: list[pytest.Item]) -> None:
    """Have each run take one case of n of a `sampled(n)` test, and `make test-nightly` the others."""
    seen: Counter[str] = Counter()
    for item in items:
        sampled = item.get_closest_marker("sampled")
        if sampled is None or ("of" in sampled.kwargs and item.get_closest_marker(sampled.kwargs["of"]) is None):
            continue
        name = item.nodeid.partition("[")[0]
        if seen[name] % sampled.args[0]:
            item.add_marker("nightly")
        seen[name] += 1


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    leave_to_the_night(items)
    for item in items:
        for mark in marks_of(item.path.parent):
            item.add_marker(mark)
        for mark in ONE_WORKER:
            if item.get_closest_marker(mark) is not None:
                item.add_marker(pytest.mark.xdist_group(mark))
        if item.get_closest_marker("browser") is not None and "site" in fixtures_of(item):
            item.add_marker(pytest.mark.xdist_group("site"))  # the other pages have a server for each module
        if shares_a_fixture(item) and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.relative_to(HERE).as_posix()))
        if item.get_closest_marker("browser") is not None:
            item.add_marker(pytest.mark.flaky(reruns=1))  # a browser may be late under load; the summary names the test
    if hasattr(config, "workerinput"):
        items.sort(key=rank)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What collecting makes stays: nothing of it is garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Garbage collection passes over what is loaded, eighteen thousand tests among it: Streamlit collects after each drawing."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def demo_of_all(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a demo of all games, for tests that only read it and are marked `xdist_group("demo of all")`.

    It has as many rounds as it takes for lost messages, contradicting clocks, unread cards and bad corrections to come about.
    """
    folder = tmp_path_factory.mktemp("demo-of-all")
    words = ["demo", "--games", "all", "--rounds", "240", "--seed", "4711", "--out", str(folder), "--quiet"]
    from rack.cli import main  # most runs need nothing of it

    assert main(words) == 0
    return folder


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Give back the memory that files of tests took, unless one failed; at the end only: some things are kept by path."""
    made = session.config._tmp_path_factory._basetemp
    if exitstatus == 0 and made is not None and made.is_relative_to(IN_MEMORY) and not hasattr(session.config, "workerinput"):
        shutil.rmtree(made, ignore_errors=True)


def pytest_unconfigure() -> None:
    """What was passed over ends as it would have ended."""
    gc.unfreeze()
