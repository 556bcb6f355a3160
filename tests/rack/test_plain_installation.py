"""Without extras: rounds are judged, and logs on SQLite recorded, judged and verified; all else says which extra it needs."""

import json
import re
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

from rack.cli import COMMANDS
from rack.errors import EXTRA_OF, NEEDS

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


def rack(*lines: str, folder: Path) -> list[tuple[int, str, str]]:
    """Run command lines if what only extras bring cannot be imported; return exit code, stdout and stderr of each."""
    script = f"""
import contextlib, io, json, shlex, sys
sys.modules.update(dict.fromkeys({not_there()!r}))
from rack.cli import main
for line in {lines!r}:
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try: code = main(shlex.split(line))
        except SystemExit as end: code = end.code
    print(json.dumps([code, out.getvalue(), err.getvalue()]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    return [(code, out, err) for code, out, err in map(json.loads, done.stdout.splitlines())]


def test_what_extras_bring_is_not_there_in_a_plain_installation() -> None:
    assert set(EXTRA_OF) <= set(not_there())
    assert not {"apsw", "cryptography", "msgspec", "prometheus_client", "shtab"} & set(not_there())


@pytest.mark.slow
def test_every_library_of_an_extra_is_known_by_its_extra() -> None:
    declared = {extra: installed_with(tuple(wanted)) for extra, wanted in PROJECT["optional-dependencies"].items()}
    modules = packages_distributions()
    for module, extra in EXTRA_OF.items():
        assert any(canonicalize_name(each) in declared[extra] for each in modules[module]), module


DISPUTE = """\
rules   pa-688a ace_high_bonus=1
wager   seat=3 base 25.00  ace_high_bonus 10.00
dice    2 2 4 -> dealer
deal    dealer=Jk Kd Jc 9s 8h 4d 3c  seat3=As Qd Th 9h 7c 5s 2d
pay     seat=3 ace_high_bonus 100.00
"""
LOG = "--log sqlite:floor.db"
WALK = {
    "judge dispute.txt": 1,
    "simulate --out day.jsonl --rounds 20 --plant nothing": 0,
    f"ingest day.jsonl {LOG} --property bellwether": 0,
    f"replay {LOG}": 0,
    f"verify {LOG} --verdicts": 0,
    f"keys new log.key --by m-ortiz {LOG}": 0,
    f"checkpoint --key log.key {LOG}": 0,
    f"prove fu-01 5 --out proof.json {LOG}": 0,
    "verify proof.json --key log.key.pub": 0,
    "keys new north.key --witness north": 0,
    f"witness --key north.key --folder north {LOG}": 0,
    f"round fu-01 3 {LOG}": 0,
    f"advise {LOG}": 0,
    "rules list": 0,
    f"review list {LOG}": 0,
    f"case list {LOG}": 0,
    f"surveillance list {LOG}": 0,
    f"observe list {LOG}": 0,
    f"observe result {LOG}": 0,
    f"quarantine list {LOG}": 0,
    f"sign-in list {LOG}": 2,
    f"alerts list {LOG} --outbox none": 2,
    "devices add shoe-1 --devices devices.toml": 0,
    "patrons new --keyring patrons": 0,
    "theory": 0,
    f"metrics --once {LOG}": 0,
    "init house --name Bellwether --zone America/New_York --first-day 2026-11-29 --tables '1 dj_wild'": 0,
    "plan house": 1,
    "apply house --by m.ortiz": 2,
    "doctor house": 1,
    f"pit list fu-01 {LOG}": 0,
    f"count list --day 2026-11-29 {LOG}": 2,
    "kafka status": 1,
    "completion bash": 0,
    "docs alarms": 0,
    "docs nothing": 2,
    f"dispute fu-01 1 --key log.key {LOG}": "packet",
    "report list": "analytics",
    "demo": "analytics",
    "live": "gateway",
    f"gateway {LOG} --devices devices.toml": "gateway",
    f"rounds --out table {LOG}": "analytics",
    f"what-if x.toml {LOG}": "analytics",
    f"find 'seat 3' {LOG}": "analytics",
    f"archive --out sealed {LOG}": "analytics",
    "warehouse columns": "analytics",
    "hold": "analytics",
    "dealer-errors": "analytics",
    "fairness": "analytics",
    "dashboard": "dashboard",
    f"replay {LOG} --engine dask": "scale",
    f"replay {LOG} --warehouse FILE": "analytics",
    "theory --compute dj_wild": "theory",
    "verify FILE.pdf --key log.key.pub": 4,
    f"verdicts diff next {LOG}": 3,
    f"verdicts diff next --report FILE {LOG}": "packet",
    "verify --log archive:///path": "analytics",
    "verify --log kafka://host/prefix": "kafka",
}
"""What is asked for, in this order → the exit code, or the extra that it must name."""


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str, str]]:
    folder = tmp_path_factory.mktemp("plain")
    (folder / "dispute.txt").write_text(DISPUTE)
    (folder / "FILE.pdf").write_bytes(b"%PDF-1.7\n")
    return dict(zip(WALK, rack(*WALK, folder=folder), strict=True))


@pytest.mark.parametrize(("asked", "expected"), WALK.items())
def test_a_plain_installation(asked: str, expected: int | str, walk: dict[str, tuple[int, str, str]]) -> None:
    code, out, err = walk[asked]
    if isinstance(expected, int):
        assert code == expected, (out, err)
        assert "needs the extra" not in err
    else:
        assert code == 3, (out, err)
        assert f"the extra `{expected}`" in err
        assert f"pip install 'discard-rack[{expected}]'" in err


def test_the_walk_asks_for_everything() -> None:
    assert {asked.split()[0] for asked in WALK} == set(COMMANDS)
    named = {asked.split()[0]: extra for asked, extra in WALK.items() if isinstance(extra, str)}
    for asked, extras in NEEDS.items():
        command, *words = asked.split()
        rows = [extra for row, extra in WALK.items() if row.split()[0] == command and set(words) <= set(row.split())]
        assert extras[0] in rows, asked
    assert set(named) == {asked.split()[0] for asked in NEEDS}


def test_a_dispute_is_judged_without_extras(walk: dict[str, tuple[int, str, str]]) -> None:
    code, out, err = walk["judge dispute.txt"]
    assert (code, err) == (1, "")
    assert "PAY-UNDER" in out


def test_the_guide_lists_what_needs_an_extra() -> None:
    rows = re.findall(r"^\| `\[(\w+)\]` \| (`rack.+) \|$", (ROOT / "docs/operator-guide.md").read_text(), re.MULTILINE)
    listed = {(extra, asked) for extra, named in rows for asked in re.findall(r"`rack ([^`]+)`", named)}
    assert listed == {(extra, asked) for asked, extras in NEEDS.items() for extra in extras}
