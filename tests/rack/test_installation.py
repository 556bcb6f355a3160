"""The program refuses to run on files of another distribution, and names it."""

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from rack.installation import PACKAGES, foreign_files
from tests.architecture.test_imports import OURS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder into which Discard Rack was installed, as far as its command line and its packages go."""
    site = tmp_path / "site-packages"
    for package in PACKAGES:
        (site / package).mkdir(parents=True)
        shutil.copy(ROOT / package / "__init__.py", site / package)
    shutil.copytree(ROOT / "rack", site / "rack", dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    installed(site, "discard_rack-0.1.0", files=["events/__init__.py", "rack/cli.py"], packages=PACKAGES)
    installed(site, "msgspec-0.20", files=["msgspec/__init__.py", "msgspec/events.py", "my_events/replay/a.py"])
    installed(site, "numpy-2.2", packages=["numpy", "my_events"])
    return site


def installed(site: Path, name: str, *, files: Sequence[str] = (), packages: Sequence[str] = ()) -> None:
    """Describe a distribution as an installer does."""
    folder = site / f"{name}.{'egg-info' if name.endswith('py3.11') else 'dist-info'}"
    folder.mkdir(parents=True)
    if files:
        (folder / "RECORD").write_text("".join(f"{file},sha256=abc,12\n" for file in files))
    if packages:
        (folder / "top_level.txt").write_text("\n".join(packages))


def problem(*path: Path) -> str:
    """Return why `rack` does not run if these folders come first on the path of imports; empty if it runs."""
    first = list(map(str, path))
    script = f"import sys; sys.path[:0] = {first!r}; from rack.cli import main; sys.exit(main(['completion', '--help']))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=path[0])
    if done.returncode == 0:
        return ""
    assert (done.returncode, done.stdout) == (3, ""), done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "in an environment of its own" in done.stderr
    return done.stderr


def test_the_packages_are_those_of_the_distribution() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert [f"{name}*" for name in PACKAGES] == project["tool"]["setuptools"]["packages"]["find"]["include"]
    assert PACKAGES == OURS


def test_an_installation_of_its_own_runs(site: Path) -> None:
    assert foreign_files() == ""
    assert problem(site) == ""


@pytest.mark.parametrize("package", PACKAGES)
def test_a_distribution_with_files_in_a_package_is_named(package: str, site: Path) -> None:
    installed(site, "Events-0.5", files=[f"{package}/__init__.py"])
    assert f"the distribution Events 0.5 has files in the package `{package}`" in problem(site)


def test_a_distribution_with_other_files_in_a_package_is_named(site: Path) -> None:
    installed(site, "other_games-2", files=["other/__init__.py", "replay/rules/bonus.py"])
    assert "the distribution other_games 2 has files in the package `replay`" in problem(site)


def test_a_distribution_of_an_older_kind_is_named(site: Path) -> None:
    installed(site, "Events-0.5-py3.11", packages=["tests", "events"])
    assert "the distribution Events 0.5 has files in the package `events`" in problem(site)


def test_what_uninstalling_deleted_is_named(site: Path) -> None:
    (site / "events/__init__.py").unlink()
    assert f"{site / 'events/__init__.py'} is missing" in problem(site)


def test_a_package_that_hides_ours_is_named_with_its_distribution(site: Path, tmp_path: Path) -> None:
    earlier = tmp_path / "earlier"
    (earlier / "events").mkdir(parents=True)
    (earlier / "events/__init__.py").touch()
    assert f"the package `events` of an unknown distribution ({earlier / 'events/__init__.py'}) hides" in problem(earlier, site)
    installed(earlier, "Events-0.5", files=["events/__init__.py"])
    assert "the package `events` of Events 0.5" in problem(earlier, site)


def test_what_lies_later_on_the_path_is_no_fault(site: Path, tmp_path: Path) -> None:
    later = tmp_path / "later"
    (later / "events").mkdir(parents=True)
    (later / "events/__init__.py").touch()
    installed(later, "Events-0.5", files=["events/__init__.py"])
    assert problem(site, later) == ""


def test_a_distribution_that_lies_elsewhere_is_no_fault(site: Path) -> None:
    """An editable installation names its packages and has no files here; ours is imported."""
    installed(site, "casino-1", files=["__editable__.casino-1.pth"], packages=["games"])
    assert problem(site) == ""
