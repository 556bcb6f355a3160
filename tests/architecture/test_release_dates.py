"""The locked releases have dates, and none is older than a year without a reason; what the audit says of what it could not do."""

from datetime import date
from typing import Any

import pytest

from scripts.audit import verdict
from scripts.release_dates import DATES, LOCK, REASONS, as_text, complaints, published, read_dates

PINS = "anyio==4.9 \\\n    --hash=sha256:00\nzict==3.0 ; python_version > '3'\n"
TODAY = date(2026, 11, 23)
YOUNG, OLD = date(2025, 11, 23), date(2025, 11, 22)
"""The day a year ago, and the day before."""


def test_no_locked_release_is_older_than_a_year_without_a_reason() -> None:
    assert complaints(LOCK.read_text(), DATES.read_text(), REASONS.read_text()) == []


def dated(**dates: date) -> str:
    versions = {"anyio": "4.9", "zict": "3.0", "six": "1.17"}
    return as_text({(name, versions[name]): day for name, day in dates.items()}, TODAY)


def reason(day: date, name: str = "zict==3.0") -> str:
    return f"{name} {day} newest release\n"


@pytest.mark.parametrize(
    ("dates", "kept", "found"),
    [
        (dated(anyio=YOUNG, zict=YOUNG), "", []),
        (dated(anyio=YOUNG, zict=OLD), "", ["zict==3.0 was published on 2025-11-22 and has no reason"]),
        (dated(anyio=YOUNG, zict=OLD), reason(OLD), []),
        (dated(anyio=YOUNG, zict=OLD), reason(YOUNG), ["a reason for zict==3.0 of 2025-11-23"]),
        (dated(anyio=YOUNG, zict=YOUNG), reason(OLD, "zict==2.0"), ["a reason for zict==2.0"]),
        (dated(anyio=YOUNG), "", ["zict==3.0 has no date"]),
        (dated(anyio=YOUNG, zict=YOUNG, six=YOUNG), "", ["six==1.17 has a date and is not locked"]),
    ],
)
def test_what_is_wrong_with_the_lock(dates: str, kept: str, found: list[str]) -> None:
    wrong = complaints(PINS, dates, kept)
    assert len(wrong) == len(found)
    assert all(part in sentence for part, sentence in zip(found, wrong, strict=True))


def test_a_release_grows_old_from_one_day_to_the_next() -> None:
    """Counted from the day of the lookup unless another is given."""
    dates = dated(anyio=YOUNG, zict=YOUNG)
    assert complaints(PINS, dates, "") == []
    assert len(complaints(PINS, dates, "", date(2026, 11, 24))) == 2


def test_dates_read_back_as_they_were_written() -> None:
    assert read_dates(dated(anyio=OLD)) == (TODAY, {("anyio", "4.9"): OLD})
    with pytest.raises(ValueError, match="run `make lock`"):
        read_dates("anyio==4.9 2025-11-22\n")


def test_the_date_of_a_release_is_that_of_its_earliest_file() -> None:
    resolution = """
    [[packages]]
    name = "a"
    version = "1"
    wheels = [{ upload-time = 2026-02-02T00:00:00Z }]
    sdist = { upload-time = 2026-02-01T23:59:59Z }
    [[packages]]
    name = "b"
    version = "2"
    wheels = [{}]
    """
    assert published(resolution) == {("a", "1"): date(2026, 2, 1), ("b", "2"): None}


SOUND = {"name": "a", "version": "1", "vulns": []}
FAULTY = {"name": "b", "version": "2", "vulns": [{"id": "CVE-1", "fix_versions": ["3"]}]}
SKIPPED = {"name": "c", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("report", "releases", "code", "words"),
    [
        ({"dependencies": [SOUND]}, 1, 0, ["1 releases were looked up"]),
        ({"dependencies": [SOUND, FAULTY]}, 2, 1, ["b==2: CVE-1, mended in 3"]),
        ({"dependencies": [SOUND, SKIPPED]}, 2, 3, ["NOT AUDITED: 1 of 2 releases could not be looked up (not found)"]),
        ({"dependencies": [SOUND]}, 2, 3, ["NOT AUDITED: 1 of 2"]),
        ({"dependencies": []}, 2, 3, ["NOT AUDITED: 2 of 2"]),
        (None, 2, 3, ["NOT AUDITED: 2 of 2 releases could not be looked up (no connection)"]),
        ({"dependencies": [FAULTY, SKIPPED]}, 2, 1, ["b==2: CVE-1", "NOT AUDITED: 1 of 2"]),
    ],
)
def test_an_audit_that_looked_nothing_up_is_not_clean(
    report: dict[str, Any] | None, releases: int, code: int, words: list[str]
) -> None:
    status, sentences = verdict(report, releases, "trace\nno connection" if report is None else "")
    assert status == code
    assert all(part in sentence for part, sentence in zip(words, sentences, strict=True))
