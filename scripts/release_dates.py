"""The dates of the locked releases: `requirements-dates.txt`, made by `make lock` next to the lock.

A release older than a year is in `requirements-old.txt` with the reason for keeping it; a test compares the three without a
network. The package index gives the date of a release's earliest file.
"""

import re
import tomllib
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"
DATES = ROOT / "requirements-dates.txt"
REASONS = ROOT / "requirements-old.txt"
OLD = timedelta(days=365)

_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE)
_LOOKED_UP = re.compile(r"^# Looked up on (\d{4}-\d\d-\d\d)", re.MULTILINE)
_DATED = re.compile(r"^(\S+)==(\S+) (\d{4}-\d\d-\d\d)$", re.MULTILINE)
_REASON = re.compile(r"^(\S+)==(\S+) (\d{4}-\d\d-\d\d) (\S.+)$", re.MULTILINE)

Release = tuple[str, str]
"""Name and version of a distribution."""


def locked(text: str) -> set[Release]:
    """Return the releases that a lock pins.

    >>> locked("anyio==4.9 ; python_version > '3' \\\\\\n    --hash=sha256:00\\n")
    {('anyio', '4.9')}
    """
    return set(_PIN.findall(text))


def published(resolution: str) -> dict[Release, date | None]:
    """Return the dates of a resolution in the form of `pylock.toml` (PEP 751); None if the index states none."""
    dates: dict[Release, date | None] = {}
    for package in tomllib.loads(resolution)["packages"]:
        files = [*package.get("wheels", []), *([package["sdist"]] if "sdist" in package else [])]
        times = [file["upload-time"] for file in files if "upload-time" in file]
        dates[package["name"], package["version"]] = min(times).date() if times else None
    return dates


def as_text(dates: Mapping[Release, date], today: date) -> str:
    """Return the file of dates."""
    lines = "".join(f"{name}=={version} {day}\n" for (name, version), day in sorted(dates.items()))
    return f"# When each release of requirements.lock was published. Made by `make lock`.\n# Looked up on {today}.\n{lines}"


def read_dates(text: str) -> tuple[date, dict[Release, date]]:
    """Return the day of the lookup, and the dates. Raises `ValueError` if the file does not state the day."""
    looked_up = _LOOKED_UP.search(text)
    if looked_up is None:
        raise ValueError(f"{DATES.name} does not say when its dates were looked up; run `make lock`")
    dates = {(name, version): date.fromisoformat(day) for name, version, day in _DATED.findall(text)}
    return date.fromisoformat(looked_up[1]), dates


def reasons(text: str) -> dict[Release, date]:
    """Return the releases with a reason in a list, with their dates from it."""
    return {(name, version): date.fromisoformat(day) for name, version, day, _ in _REASON.findall(text)}


def complaints(lock: str, dates: str, kept: str, today: date | None = None) -> list[str]:
    """Return the problems of the lock's releases: undated, older than a year without a reason, or a needless reason.

    `today` is the day to count from; None: the day of the lookup.
    """
    looked_up, known = read_dates(dates)
    pins, given = locked(lock), reasons(kept)
    first = (today or looked_up) - OLD
    undated = [f"{name}=={version} has no date; run `make lock`" for name, version in sorted(pins - set(known))]
    stray = [f"{name}=={version} has a date and is not locked; run `make lock`" for name, version in sorted(set(known) - pins)]
    old = {release for release, day in known.items() if day < first and release in pins}
    missing = [
        f"{name}=={version} was published on {known[name, version]} and has no reason in {REASONS.name}: update it "
        "(make lock ARGS=--upgrade), or write why it is kept"
        for name, version in sorted(old - set(given))
    ]
    stale = [
        f"{REASONS.name} gives a reason for {name}=={version} of {day}, which is not locked or has another date"
        for (name, version), day in sorted(given.items())
        if known.get((name, version)) != day
    ]
    return undated + stray + missing + stale
