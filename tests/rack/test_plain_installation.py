"""Without extras: everything works but pages, packets and clusters, and these say which extra they need."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from rack.errors import EXTRA_OF

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@cache
def installed_with(requirements: tuple[str, ...]) -> frozenset[str]:
    """The distributions that come with some requirements, theirs included."""
    found: set[str] = set()
    waiting = [Requirement(each) for each in requirements]
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        if name in found:
            continue
        found.add(name)
        try:
            further = requires(wanted.name) or []
        except PackageNotFoundError:
            continue
        for each in map(Requirement, further):
            extras: Iterable[str] = wanted.extras or {""}
            if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in extras):
                waiting.append(each)
    return frozenset(found)


@cache
def not_there() -> tuple[str, ...]:
    """The modules of this environment that a plain installation does not have."""
    kept = installed_with(tuple(PROJECT["dependencies"])) | {canonicalize_name(PROJECT["name"])}
    return tuple(
        module
        for module, distributions in packages_distributions().items()
        if not any(canonicalize_name(each) in kept for each in distributions)
    )


def rack(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command if the modules that only extras bring cannot be imported."""
    script = f"""
import sys
class NotInstalled:
    def find_spec(name, *_):
        if name.partition(".")[0] in {set(not_there())!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, NotInstalled)
from rack.cli import main
sys.exit(main({list(arguments)!r}))
"""
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=folder)


def test_what_extras_bring_is_not_there_in_a_plain_installation() -> None:
    assert {"streamlit", "typst", "pyhanko", "asn1crypto", "distributed", "numba", "llvmlite"} <= set(not_there())
    assert not {"apsw", "duckdb", "msgspec", "numpy", "shtab"} & set(not_there())


def test_every_library_of_an_extra_is_known_by_its_extra() -> None:
    declared = {extra: installed_with(tuple(wanted)) for extra, wanted in PROJECT["optional-dependencies"].items()}
    modules = packages_distributions()
    for module, extra in EXTRA_OF.items():
        assert any(canonicalize_name(each) in declared[extra] for each in modules[module]), module


LOG = "sqlite:floor.db"


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a plain installation simulated a day, took it in, judged it, verified it and asked for figures."""
    folder = tmp_path_factory.mktemp("plain")
    for arguments, code in (
        (("--help",), 0),
        (("simulate", "--out", "day.jsonl", "--rounds", "20", "--plant", "nothing"), 0),
        (("ingest", "day.jsonl", "--log", LOG, "--property", "bellwether"), 0),
        (("replay", "--log", LOG, "--warehouse", "warehouse.duckdb"), 0),
        (("hold", "--warehouse", "warehouse.duckdb"), 0),
        (("hold", "theory", "--warehouse", "warehouse.duckdb"), 0),
        (("theory",), 0),
        (("theory", "dj_wild", "--lines"), 0),
        (("verify", "--log", LOG), 0),
        (("keys", "new", "log.key", "--by", "m-ortiz", "--log", LOG), 0),
    ):
        done = rack(*arguments, folder=folder)
        assert done.returncode == code, (arguments, done.stdout, done.stderr)
    return folder


def test_a_dispute_is_judged_without_extras(tmp_path: Path) -> None:
    (tmp_path / "dispute.txt").write_text(
        "rules   pa-688a ace_high_bonus=1\nwager   seat=3 base 25.00  ace_high_bonus 10.00\ndice    2 2 4 -> dealer\n"
        "deal    dealer=Jk Kd Jc 9s 8h 4d 3c  seat3=As Qd Th 9h 7c 5s 2d\npay     seat=3 ace_high_bonus 100.00\n"
    )
    done = rack("judge", "dispute.txt", folder=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert "PAY-UNDER" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        ("dashboard --warehouse warehouse.duckdb --read-only", "dashboard"),
        (f"dispute fu-01 1 --log {LOG} --key log.key", "packet"),
        (f"replay --engine dask --log {LOG} --verdicts other.db", "scale"),
        ("theory --compute base_two_hands", "theory"),
        ("theory --compute dj_wild", "theory"),
    ],
)
def test_what_needs_an_extra_says_which(arguments: str, extra: str, floor: Path) -> None:
    done = rack(*arguments.split(), folder=floor)
    assert done.returncode == 3, done.stderr
    assert f"extra `{extra}`" in done.stderr
    assert "defect" not in done.stderr


def test_an_extra_that_is_missing_is_named_with_what_to_install() -> None:
    done = rack("dashboard", "--warehouse", "pyproject.toml", "--read-only", folder=ROOT)
    assert done.stderr == (
        "rack: `rack dashboard` needs the extra `dashboard` (streamlit is not installed): "
        "pip install 'discard-rack[dashboard]'\n"
    )
